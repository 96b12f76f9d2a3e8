"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def lock_event(tx: Tenant, /, event_id: UUID) -> None: ...


def session_by_id(tx: Tenant, /, session_id: UUID) -> None: ...


def lock_session(tx: Tenant, /, session_id: UUID) -> None: ...


def lock_pools(tx: Tenant, /, *, event_id: UUID, zone_ids: Sequence[UUID], type_ids: Sequence[UUID]) -> None: ...


def live_session(tx: Tenant, /, *, event_id: UUID, user_id: UUID) -> None: ...


def lock_live_session(tx: Tenant, /, *, event_id: UUID, user_id: UUID) -> None: ...


def live_holds(tx: Tenant, /, *, event_id: UUID, user_id: UUID, hold_ids: Sequence[UUID]) -> None: ...


def insert_session(
    tx: Tenant,
    /,
    *,
    id: UUID,
    event_id: UUID,
    user_id: UUID,
    expires_at: datetime,
    promo_code: str | None,
    currency: str,
    total: int,
    quote: object,
) -> None: ...


def insert_items(
    tx: Tenant,
    /,
    *,
    session_id: UUID,
    hold_ids: Sequence[UUID],
    ticket_type_ids: Sequence[UUID],
    names: Sequence[str],
    quantities: Sequence[int],
    units: Sequence[int],
    nets: Sequence[int],
    attendee_names: Sequence[str | None],
    attendee_emails: Sequence[str | None],
    membership_ids: Sequence[UUID | None],
) -> None: ...


def items_of_session(tx: Tenant, /, session_id: UUID) -> None: ...


def rights_to_enter(
    tx: Tenant,
    /,
    *,
    role: str,
    zone_ids: Sequence[UUID | None],
    emails: Sequence[str | None],
    event_id: UUID,
    user_id: UUID,
) -> None: ...


def rights_of_order(tx: Tenant, /, *, role: str, order_id: UUID, event_id: UUID, user_id: UUID) -> None: ...


def save_item_memberships(
    tx: Tenant, /, *, positions: Sequence[int], membership_ids: Sequence[UUID | None], order_id: UUID
) -> None: ...


def end_session(tx: Tenant, /, *, status: str, session_id: UUID, from_statuses: Sequence[str]) -> None: ...


def reopen_session(tx: Tenant, /, session_id: UUID) -> None: ...


def due_sessions(tx: Runs, /, limit: int) -> None: ...


def overdue_sessions_of_event(tx: Tenant, /, event_id: UUID) -> None: ...


def live_sessions_of_event(tx: Tenant, /, *, event_id: UUID, limit: int) -> None: ...


def place_order(
    tx: Tenant,
    /,
    *,
    session_id: UUID,
    user_id: UUID,
    order_id: UUID,
    attempt_id: UUID,
    code: str,
    secret_hash: bytes,
    provider: str,
    method: str | None,
    buyer_name: str,
    buyer_email: str,
    key: str,
    body_hash: bytes,
    first_ask_s: int,
    give_up_s: int,
    tickets_max: int,
    actor_type: str,
    actor_name: str | None,
    ip: str | None,
    user_agent: str | None,
    request_id: str | None,
) -> None: ...


def settle_orders(
    tx: Tenant,
    /,
    *,
    event_id: UUID,
    order_ids: Sequence[UUID],
    attempt_ids: Sequence[UUID],
    actor_types: Sequence[str],
    actor_ids: Sequence[UUID | None],
    actor_names: Sequence[str | None],
) -> None: ...


def hold_again(tx: Tenant, /, *, order_id: UUID, attempt_id: UUID) -> None: ...


def layout_of_event(tx: Tenant, /, event_id: UUID) -> None: ...


def is_bought_by_other_order(tx: Tenant, /, order_id: UUID) -> None: ...


def order_by_id(tx: Tenant, /, order_id: UUID | None) -> None: ...


def orders_by_ids(tx: Tenant, /, order_ids: Sequence[UUID]) -> None: ...


def lock_order(tx: Tenant, /, order_id: UUID) -> None: ...


def order_by_key(tx: Tenant, /, *, user_id: UUID, purchase_key: str) -> None: ...


def order_by_secret(tx: Tenant, /, secret_hash: bytes) -> None: ...


def order_of_session(tx: Tenant, /, session_id: UUID) -> None: ...


def items_of_order(tx: Tenant, /, order_id: UUID) -> None: ...


def places_of_order(tx: Tenant, /, order_id: UUID) -> None: ...


def sold_places(tx: Tenant, /, order_id: UUID) -> None: ...


def items_of_orders(tx: Tenant, /, order_ids: Sequence[UUID]) -> None: ...


def pending_orders_of_event(tx: Tenant, /, event_id: UUID) -> None: ...


def proposals_of_event(tx: Tenant, /, event_id: UUID) -> None: ...


def cancel_order(tx: Tenant, /, *, reason: str, order_id: UUID) -> None: ...


def cancel_or_update_order(tx: Tenant, /, *, reason: str, order_id: UUID) -> None: ...


def propose_seats(
    tx: Tenant,
    /,
    *,
    least_s: float,
    order_id: UUID,
    attempt_id: UUID,
    begins: Sequence[int],
    wholes: Sequence[int],
    consent_s: float,
) -> None: ...


def due_consents(tx: Runs, /, limit: int) -> None: ...


def count_sale(tx: Tenant, /, *, tickets: int, event_id: UUID) -> None: ...


def is_any_pool_full(tx: Tenant, /, *, event_id: UUID, zone_ids: Sequence[UUID], type_ids: Sequence[UUID]) -> None: ...


def list_orders(
    tx: Tenant,
    /,
    *,
    user_id: UUID | None,
    event_id: UUID | None,
    status: str | None,
    code: str | None,
    buyer_email: str | None,
    after_at: datetime | None,
    after_id: UUID | None,
    limit: int,
) -> None: ...
