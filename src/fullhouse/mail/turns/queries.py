"""What queries.sql takes: written by `make schema`."""

from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def rooms_to_tell(tx: Runs, /) -> None: ...


def opens_soon(tx: Tenant, /, event_id: UUID) -> None: ...


def who_gathers(tx: Tenant, /, *, event_id: UUID, about: UUID, template: str, limit: int) -> None: ...


def who_is_away(tx: Tenant, /, *, event_id: UUID, template: str, limit: int) -> None: ...
