"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from uuid import UUID

from fullhouse.kit.db.sql import Tenant


def lock_events_of_guest(tx: Tenant, /, guest_id: UUID) -> None: ...


def lock_checkouts(tx: Tenant, /, *, event_ids: Sequence[UUID], user_ids: Sequence[UUID]) -> None: ...


def lock_new_checkouts(tx: Tenant, /, *, event_ids: Sequence[UUID], user_ids: Sequence[UUID]) -> None: ...


def events_with_checkouts(
    tx: Tenant, /, *, event_ids: Sequence[UUID], user_ids: Sequence[UUID], session_ids: Sequence[UUID]
) -> None: ...


def hand_over_checkout(tx: Tenant, /, *, user_id: UUID, session_id: UUID, guest_id: UUID) -> None: ...
