"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def find_room(tx: Tenant, /, event_id: UUID) -> None: ...


def create_room(tx: Tenant, /, event_id: UUID) -> None: ...


def lock_room(tx: Tenant, /, event_id: UUID) -> None: ...


def lock_event(tx: Tenant, /, event_id: UUID) -> None: ...


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


def find_admission(tx: Tenant, /, *, event_id: UUID, user_id: UUID) -> None: ...


def lock_admission(tx: Tenant, /, *, event_id: UUID, user_id: UUID) -> None: ...


def extend_slot(tx: Tenant, /, *, until: datetime, event_id: UUID, user_id: UUID) -> None: ...


def extend_choosing(tx: Tenant, /, *, seconds: float, at_most: timedelta, event_id: UUID, user_id: UUID) -> None: ...


def end_slots(tx: Tenant, /, *, event_id: UUID, user_ids: Sequence[UUID], status: str) -> None: ...


def is_in_checkout(tx: Tenant, /, *, event_id: UUID, user_id: UUID) -> None: ...


def leave_queue(tx: Tenant, /, *, cooldown: timedelta, event_id: UUID, user_id: UUID) -> None: ...


def lock_rooms(tx: Tenant, /, event_ids: Sequence[UUID]) -> None: ...


def lock_places(tx: Tenant, /, *, event_ids: Sequence[UUID], user_ids: Sequence[UUID]) -> None: ...


def end_place(tx: Tenant, /, *, status: str, event_id: UUID, seq: int) -> None: ...


def hand_over_place(tx: Tenant, /, *, user_id: UUID, event_id: UUID, seq: int) -> None: ...


def admit_holders_first(
    tx: Tenant, /, *, event_id: UUID, user_ids: Sequence[UUID], untils: Sequence[datetime]
) -> None: ...


def admit_people(tx: Tenant, /, *, sender: str | None, event_id: UUID) -> None: ...


def list_active_rooms(tx: Runs, /) -> None: ...


def list_due_entries(tx: Runs, /, limit: int) -> None: ...


def expire_entries(tx: Tenant, /, *, event_id: UUID, seqs: Sequence[int]) -> None: ...


def list_undrawn(tx: Tenant, /, *, event_id: UUID, last_seq: int, limit: int) -> None: ...


def write_places(tx: Tenant, /, *, seqs: Sequence[int], places: Sequence[int], event_id: UUID) -> None: ...


def mark_drawn(tx: Tenant, /, event_id: UUID) -> None: ...


def is_empty(tx: Tenant, /, *, event_id: UUID, slots: int) -> None: ...


def load_chunk(tx: Tenant, /, *, event_id: UUID, first_seq: int, end_seq: int) -> None: ...


def list_slots(tx: Tenant, /, event_id: UUID) -> None: ...


def count_recent_admissions(tx: Tenant, /, event_id: UUID) -> None: ...


def count_people(tx: Runs, /) -> None: ...


def join_queue(
    tx: Tenant, /, *, sender: str | None, event_id: UUID, user_ids: Sequence[UUID], promo_codes: Sequence[str | None]
) -> None: ...


def write_heartbeats(
    tx: Tenant, /, *, sender: str | None, event_id: UUID, seqs: Sequence[int], every_s: Sequence[int]
) -> None: ...
