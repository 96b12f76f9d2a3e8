"""What queries.sql takes: written by `make schema`."""

from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def list_rooms_to_email(tx: Runs, /) -> None: ...


def find_opening(tx: Tenant, /, event_id: UUID) -> None: ...


def list_early_visitors(tx: Tenant, /, *, event_id: UUID, about: UUID, template: str, limit: int) -> None: ...


def list_absent_visitors(tx: Tenant, /, *, event_id: UUID, template: str, limit: int) -> None: ...
