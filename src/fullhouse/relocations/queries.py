"""What queries.sql takes: written by `make schema`."""

from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def reissue_tickets(tx: Tenant, /, *, migration_id: UUID, event_id: UUID) -> None: ...


def list_moves(tx: Tenant, /, migration_id: UUID) -> None: ...


def find_newest_move(tx: Tenant, /, ticket_id: UUID) -> None: ...


def list_open_moves(tx: Tenant, /, *, user_id: UUID, limit: int) -> None: ...


def answer_move(tx: Tenant, /, *, answer: str, migration_id: UUID, ticket_id: UUID) -> None: ...


def list_due_moves(tx: Runs, /, limit: int) -> None: ...
