"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def find_list(tx: Tenant, /, event_id: UUID) -> None: ...


def lock_list(tx: Tenant, /, event_id: UUID) -> None: ...


def insert_list(tx: Tenant, /, event_id: UUID) -> None: ...


def update_list(tx: Tenant, /, *, enabled: bool, window_s: int, event_id: UUID) -> None: ...


def set_neighbours(
    tx: Tenant,
    /,
    *,
    layout_id: UUID | None,
    run_starts: Sequence[int],
    whole_seats: Sequence[int],
    chair_seats: Sequence[int],
    event_id: UUID,
) -> None: ...


def insert_entry(
    tx: Tenant,
    /,
    *,
    event_id: UUID,
    id: UUID,
    user_id: UUID,
    email: str,
    secret_hash: bytes,
    party: int,
    zone_key: str | None,
    ticket_type_id: UUID | None,
    accessible: bool,
) -> None: ...


def entry_by_id(tx: Tenant, /, entry_id: UUID) -> None: ...


def find_newest_entry(tx: Tenant, /, *, event_id: UUID, user_id: UUID) -> None: ...


def entry_by_secret(tx: Tenant, /, secret_hash: bytes) -> None: ...


def leave_entry(tx: Tenant, /, entry_id: UUID) -> None: ...


def close_list(tx: Tenant, /, event_id: UUID) -> None: ...


def list_holds_of_offer(tx: Tenant, /, basket_id: UUID | None) -> None: ...


def list_offered_hold_ids(tx: Tenant, /, *, event_id: UUID, seat_ids: Sequence[UUID] | None) -> None: ...


def set_withdrawing(tx: Runs, /, event_id: str) -> None: ...


def offer_places(tx: Tenant, /, *, event_id: UUID, rounds: int) -> None: ...


def wheelchair_places(tx: Tenant, /, seat_ids: Sequence[UUID]) -> None: ...


def has_places(
    tx: Tenant, /, *, event_id: UUID, party: int, zone_key: str | None, ticket_type_id: UUID | None, accessible: bool
) -> None: ...


def lists_to_serve(tx: Runs, /) -> None: ...


def list_entries(tx: Tenant, /, *, event_id: UUID, status: str | None, after_seq: int | None, limit: int) -> None: ...


def count_entries(tx: Tenant, /, event_id: UUID) -> None: ...
