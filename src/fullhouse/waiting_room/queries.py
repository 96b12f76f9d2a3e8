"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def room(tx: Tenant, /, event_id: UUID) -> None: ...


def make_room(tx: Tenant, /, event_id: UUID) -> None: ...


def room_locked(tx: Tenant, /, event_id: UUID) -> None: ...


def show_locked(tx: Tenant, /, event_id: UUID) -> None: ...


def write_room(
    tx: Tenant,
    /,
    *,
    mode: str,
    state: str,
    slots: int,
    admit_window_s: int,
    opens_at: datetime | None,
    seed_hash: bytes | None,
    sealed_seed: bytes | None,
    seed: bytes | None,
    tickets: int | None,
    drawn: bool,
    event_id: UUID,
) -> None: ...


def admission(tx: Tenant, /, *, event_id: UUID, user_id: UUID) -> None: ...


def admission_locked(tx: Tenant, /, *, event_id: UUID, user_id: UUID) -> None: ...


def prolong(tx: Tenant, /, *, until: datetime, event_id: UUID, user_id: UUID) -> None: ...


def stay(tx: Tenant, /, *, seconds: float, at_most: timedelta, event_id: UUID, user_id: UUID) -> None: ...


def finish(tx: Tenant, /, *, event_id: UUID, user_ids: Sequence[UUID], status: str) -> None: ...


def is_in_checkout(tx: Tenant, /, *, event_id: UUID, user_id: UUID) -> None: ...


def leave(tx: Tenant, /, *, cooldown: timedelta, event_id: UUID, user_id: UUID) -> None: ...


def lock_rooms(tx: Tenant, /, event_ids: Sequence[UUID]) -> None: ...


def lock_places(tx: Tenant, /, *, event_ids: Sequence[UUID], user_ids: Sequence[UUID]) -> None: ...


def end_place(tx: Tenant, /, *, status: str, event_id: UUID, seq: int) -> None: ...


def hand_over_place(tx: Tenant, /, *, user_id: UUID, event_id: UUID, seq: int) -> None: ...


def admit_first(tx: Tenant, /, *, event_id: UUID, user_ids: Sequence[UUID], untils: Sequence[datetime]) -> None: ...


def admit(tx: Tenant, /, *, sender: str | None, event_id: UUID) -> None: ...


def rooms_at_work(tx: Runs, /) -> None: ...


def due_entries(tx: Runs, /, limit: int) -> None: ...


def expire(tx: Tenant, /, *, event_id: UUID, seqs: Sequence[int]) -> None: ...


def undrawn(tx: Tenant, /, *, event_id: UUID, last_seq: int, limit: int) -> None: ...


def draw(tx: Tenant, /, *, seqs: Sequence[int], places: Sequence[int], event_id: UUID) -> None: ...


def all_drawn(tx: Tenant, /, event_id: UUID) -> None: ...


def is_empty(tx: Tenant, /, *, event_id: UUID, slots: int) -> None: ...


def line(tx: Tenant, /, *, event_id: UUID, first_seq: int, end_seq: int) -> None: ...


def slots_taken(tx: Tenant, /, event_id: UUID) -> None: ...


def let_in_lately(tx: Tenant, /, event_id: UUID) -> None: ...


def crowds(tx: Runs, /) -> None: ...


def join(
    tx: Tenant, /, *, sender: str | None, event_id: UUID, user_ids: Sequence[UUID], promo_codes: Sequence[str | None]
) -> None: ...


def heartbeats(
    tx: Tenant, /, *, sender: str | None, event_id: UUID, seqs: Sequence[int], every_s: Sequence[int]
) -> None: ...
