"""What queries.sql takes: written by `make schema`."""

from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def reissue(tx: Tenant, /, *, migration_id: UUID, event_id: UUID) -> None: ...


def moves_of_migration(tx: Tenant, /, migration_id: UUID) -> None: ...


def newest_move(tx: Tenant, /, ticket_id: UUID) -> None: ...


def open_moves_of(tx: Tenant, /, *, user_id: UUID, limit: int) -> None: ...


def answer_move(tx: Tenant, /, *, answer: str, migration_id: UUID, ticket_id: UUID) -> None: ...


def due_moves(tx: Runs, /, limit: int) -> None: ...
