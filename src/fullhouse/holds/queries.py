"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


class HoldLine(NamedTuple):
    req: int | None
    line: int | None
    event_id: UUID | None
    user_id: UUID | None
    seat_id: UUID | None
    kind: str | None
    ref_id: UUID | None
    quantity: int | None
    hold_id: UUID | None
    basket_id: UUID | None
    source: str | None
    network: str | None
    ttl_s: int | None
    per_window: int | None
    most_mine: int | None
    most_near: int | None
    keeps_companions: bool | None
    basket_low: UUID | None
    basket_high: UUID | None
    ip: str | None
    user_agent: str | None
    request_id: str | None
    most_places: int | None
    most_chairs: int | None
    promo_code: str | None
    ticket_type_id: UUID | None


def list_my_holds(tx: Tenant, /, *, event_id: UUID, user_id: UUID) -> None: ...


def list_unsold_zones(tx: Tenant, /, *, promo_code: str | None, event_id: UUID, zone_ids: Sequence[UUID]) -> None: ...


def find_type_limit(tx: Tenant, /, *, event_id: UUID, ticket_type_id: UUID) -> None: ...


def list_kept_companions(tx: Tenant, /, *, event_id: UUID, seat_ids: Sequence[UUID], user_id: UUID) -> None: ...


def list_chosen_seats(tx: Tenant, /, *, user_id: UUID, event_id: UUID, hold_ids: Sequence[UUID]) -> None: ...


def list_current_seats(tx: Tenant, /, *, event_id: UUID, seat_ids: Sequence[UUID]) -> None: ...


def read_usage(tx: Tenant, /, *, window_s: float, event_id: UUID, user_id: UUID) -> None: ...


def list_holds_of_basket(tx: Tenant, /, *, first_id: UUID, last_id: UUID) -> None: ...


def find_hold(tx: Tenant, /, hold_id: UUID) -> None: ...


def end_holds(
    tx: Tenant,
    /,
    *,
    hold_ids: Sequence[UUID],
    ending: str,
    overdue_only: bool,
    actor_type: str,
    actor_id: UUID | None,
    actor_name: str | None,
    reason: str | None,
    ip: str | None,
    user_agent: str | None,
    request_id: str | None,
) -> None: ...


def record_refusals(
    tx: Tenant,
    /,
    *,
    event_ids: Sequence[UUID],
    seat_ids: Sequence[UUID | None],
    codes: Sequence[str],
    reasons: Sequence[str],
    user_ids: Sequence[UUID | None],
    ips: Sequence[str | None],
    user_agents: Sequence[str | None],
    request_ids: Sequence[str | None],
) -> None: ...


def list_due_holds(tx: Runs, /, limit: int) -> None: ...


def lock_events_of_holds(tx: Tenant, /, hold_ids: Sequence[UUID]) -> None: ...


def list_live_holds_of_event(tx: Tenant, /, *, event_id: UUID, limit: int) -> None: ...


def list_overdue_holds(tx: Tenant, /, event_ids: Sequence[UUID]) -> None: ...


def lock_pools_of_events(tx: Tenant, /, event_ids: Sequence[UUID]) -> None: ...


def fit_event_pools(tx: Tenant, /, event_ids: Sequence[UUID]) -> None: ...


def list_lowered_limits(tx: Tenant, /, event_ids: Sequence[UUID]) -> None: ...


def list_live_holds_of_seats(tx: Tenant, /, *, event_id: UUID, seat_ids: Sequence[UUID]) -> None: ...


def list_holds_of_seats(tx: Tenant, /, *, event_id: UUID, seat_ids: Sequence[UUID]) -> None: ...


def suspend_holds(tx: Tenant, /, event_id: UUID) -> None: ...


def resume_holds(tx: Tenant, /, *, ttl_s: float, event_id: UUID) -> None: ...


def is_on_sale(tx: Tenant, /, event_id: UUID) -> None: ...


def is_in_sale(tx: Tenant, /, event_id: UUID) -> None: ...


def list_holders(tx: Tenant, /, event_id: UUID) -> None: ...


def list_live_holds(tx: Tenant, /, event_id: UUID) -> None: ...


def count_people_inside(tx: Tenant, /, event_id: UUID) -> None: ...


def list_events_on_sale(tx: Runs, /) -> None: ...


def list_stopped_events(tx: Runs, /) -> None: ...


def count_endings(tx: Tenant, /, event_id: UUID) -> None: ...


def count_endings_by_hour(tx: Tenant, /, event_ids: Sequence[UUID]) -> None: ...


def freeze_holds(
    tx: Tenant, /, *, event_id: UUID, user_id: UUID, hold_ids: Sequence[UUID], attempt_id: UUID
) -> None: ...


def thaw_holds(tx: Tenant, /, *, event_id: UUID, hold_ids: Sequence[UUID], attempt_id: UUID) -> None: ...


def prolong_holds(tx: Tenant, /, *, event_id: UUID, hold_ids: Sequence[UUID], until: datetime) -> None: ...


def list_deadlines(tx: Tenant, /, hold_ids: Sequence[UUID]) -> None: ...


def list_companion_versions(tx: Tenant, /, *, event_id: UUID, seat_ids: Sequence[UUID]) -> None: ...


def detach_payment(tx: Tenant, /, hold_ids: Sequence[UUID]) -> None: ...


def lock_users(tx: Runs, /, user_ids: Sequence[UUID]) -> None: ...


def lock_pools_of_guest(
    tx: Tenant, /, *, event_ids: Sequence[UUID], type_ids: Sequence[UUID], user_id: UUID
) -> None: ...


def lock_seats_of_guest(tx: Tenant, /, *, event_ids: Sequence[UUID], user_id: UUID) -> None: ...


def lock_holds_of_guest(tx: Tenant, /, *, event_ids: Sequence[UUID], user_id: UUID) -> None: ...


def read_load(tx: Tenant, /, *, event_id: UUID, user_id: UUID) -> None: ...


def read_booking_load(tx: Tenant, /, hold_ids: Sequence[UUID]) -> None: ...


def hand_over(
    tx: Tenant,
    /,
    *,
    user_id: UUID,
    hold_ids: Sequence[UUID],
    guest_id: UUID,
    ip: str | None,
    user_agent: str | None,
    request_id: str | None,
) -> None: ...


def keep_companions(tx: Tenant, /, *, event_id: UUID, seat_ids: Sequence[UUID]) -> None: ...


def place_holds(tx: Tenant, /, *, sender: str | None, lines: Sequence[HoldLine]) -> None: ...
