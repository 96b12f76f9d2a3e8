"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from datetime import date, datetime
from uuid import UUID

from fullhouse.kit.db.sql import Tenant


def types_of_event(tx: Tenant, /, event_id: UUID) -> None: ...


def type_by_id(tx: Tenant, /, *, event_id: UUID, ticket_type_id: UUID) -> None: ...


def sold_out_types(tx: Tenant, /, event_id: UUID) -> None: ...


def sold_of_types(tx: Tenant, /, ticket_type_ids: Sequence[UUID]) -> None: ...


def insert_type(
    tx: Tenant,
    /,
    *,
    id: UUID,
    event_id: UUID,
    name: str,
    description: str,
    tier: str,
    kind: str,
    price: int,
    currency: str,
    prices: object,
    zones: Sequence[str],
    quantity: int | None,
    sale_start_at: datetime | None,
    sale_end_at: datetime | None,
    entitlement: str,
    valid_days: Sequence[date],
    max_daily_entries: int | None,
    max_per_order: int | None,
    hidden: bool,
    position: int,
) -> None: ...


def update_type(
    tx: Tenant,
    /,
    *,
    name: str,
    description: str,
    tier: str,
    kind: str,
    price: int,
    currency: str,
    prices: object,
    zones: Sequence[str],
    quantity: int | None,
    sale_start_at: datetime | None,
    sale_end_at: datetime | None,
    entitlement: str,
    valid_days: Sequence[date],
    max_daily_entries: int | None,
    max_per_order: int | None,
    hidden: bool,
    position: int,
    event_id: UUID,
    type_id: UUID,
) -> None: ...


def move_days(tx: Tenant, /, *, days: int, event_id: UUID) -> None: ...


def delete_type(tx: Tenant, /, *, event_id: UUID, ticket_type_id: UUID) -> None: ...


def counts_of_type(tx: Tenant, /, *, event_id: UUID, type_id: UUID) -> None: ...


def put_type_pool(tx: Tenant, /, *, event_id: UUID, type_id: UUID, capacity: int, held: int, sold: int) -> None: ...


def delete_type_pool(tx: Tenant, /, *, event_id: UUID, type_id: UUID) -> None: ...


def is_type_held(tx: Tenant, /, ticket_type_id: UUID) -> None: ...


def is_type_in_use(tx: Tenant, /, ticket_type_id: UUID) -> None: ...


def zones_on_sale(tx: Tenant, /, event_id: UUID) -> None: ...


def price_categories(tx: Tenant, /, event_id: UUID) -> None: ...


def lowest_prices(tx: Tenant, /) -> None: ...


def places_of_holds(tx: Tenant, /, *, event_id: UUID, hold_ids: Sequence[UUID]) -> None: ...


def event_limit(tx: Tenant, /, event_id: UUID) -> None: ...


def places_left_of_event(tx: Tenant, /, event_id: UUID) -> None: ...


def lock_type_pools(tx: Tenant, /, *, event_id: UUID, type_ids: Sequence[UUID]) -> None: ...


def count_type_pools(
    tx: Tenant, /, *, type_ids: Sequence[UUID], held: Sequence[int], sold: Sequence[int], event_id: UUID
) -> None: ...


def promos_of_event(tx: Tenant, /, event_id: UUID) -> None: ...


def promo_by_id(tx: Tenant, /, *, event_id: UUID, promo_id: UUID) -> None: ...


def lock_promo(tx: Tenant, /, *, event_id: UUID, promo_id: UUID) -> None: ...


def promo_by_code(tx: Tenant, /, *, event_id: UUID, code: str) -> None: ...


def lock_promo_by_code(tx: Tenant, /, *, event_id: UUID, code: str) -> None: ...


def lock_promos_by_code(tx: Tenant, /, *, event_id: UUID, codes: Sequence[str]) -> None: ...


def insert_promo(
    tx: Tenant,
    /,
    *,
    id: UUID,
    event_id: UUID,
    code: str,
    kind: str,
    basis_points: int | None,
    amount: int | None,
    ticket_type_ids: Sequence[UUID],
    max_uses: int | None,
    budget: int | None,
    valid_from: datetime | None,
    valid_until: datetime | None,
    active: bool,
) -> None: ...


def update_promo(
    tx: Tenant,
    /,
    *,
    ticket_type_ids: Sequence[UUID],
    max_uses: int | None,
    budget: int | None,
    valid_from: datetime | None,
    valid_until: datetime | None,
    active: bool,
    event_id: UUID,
    promo_id: UUID,
) -> None: ...


def delete_promo(tx: Tenant, /, *, event_id: UUID, promo_id: UUID) -> None: ...


def count_promo_use(tx: Tenant, /, *, amount: int, promo_id: UUID, checkout_id: UUID) -> None: ...


def release_promo_uses(tx: Tenant, /, checkout_ids: Sequence[UUID]) -> None: ...


def count_promo_use_again(tx: Tenant, /, checkout_id: UUID) -> None: ...


def charge_lists(tx: Tenant, /, scope_ids: Sequence[UUID]) -> None: ...


def events_without_charges(tx: Tenant, /) -> None: ...


def put_charges(tx: Tenant, /, *, scope_id: UUID | None, charges: object) -> None: ...


def delete_charges(tx: Tenant, /, scope_id: UUID) -> None: ...


def next_numbers(tx: Tenant, /, *, event_id: UUID, count: int) -> None: ...


def insert_tickets(
    tx: Tenant,
    /,
    *,
    order_ids: Sequence[UUID],
    ids: Sequence[UUID],
    ticket_type_ids: Sequence[UUID],
    seat_ids: Sequence[UUID | None],
    zone_ids: Sequence[UUID | None],
    numbers: Sequence[str],
    codes: Sequence[str],
    nonces: Sequence[bytes],
    holder_names: Sequence[str],
    holder_emails: Sequence[str],
    holder_user_ids: Sequence[UUID | None],
    membership_ids: Sequence[UUID | None],
    actor_types: Sequence[str],
    actor_ids: Sequence[UUID | None],
    actor_names: Sequence[str | None],
    ips: Sequence[str | None],
    user_agents: Sequence[str | None],
    request_ids: Sequence[str | None],
    event_id: UUID,
) -> None: ...


def sell_seats(tx: Tenant, /, *, seat_ids: Sequence[UUID], ticket_ids: Sequence[UUID], event_id: UUID) -> None: ...


def free_seats(tx: Tenant, /, *, event_id: UUID, ticket_ids: Sequence[UUID]) -> None: ...


def lock_sold_seats(tx: Tenant, /, *, event_id: UUID, ticket_ids: Sequence[UUID]) -> None: ...


def lock_pools(tx: Tenant, /, *, event_id: UUID, zone_ids: Sequence[UUID], type_ids: Sequence[UUID]) -> None: ...


def release_sold_places(tx: Tenant, /, *, event_id: UUID, ticket_ids: Sequence[UUID]) -> None: ...


def zones_counted(tx: Tenant, /, *, event_id: UUID, zone_ids: Sequence[UUID]) -> None: ...


def ticket_by_id(tx: Tenant, /, ticket_id: UUID) -> None: ...


def tickets_of_order(tx: Tenant, /, order_id: UUID) -> None: ...


def lock_tickets(tx: Tenant, /, ticket_ids: Sequence[UUID]) -> None: ...


def void_tickets(tx: Tenant, /, *, status: str, reason: str | None, ticket_ids: Sequence[UUID]) -> None: ...


def printable_ticket(tx: Tenant, /, ticket_id: UUID) -> None: ...


def printable_tickets_of_order(tx: Tenant, /, order_id: UUID) -> None: ...


def tickets_of_holder(
    tx: Tenant,
    /,
    *,
    user_id: UUID,
    status: str | None,
    group: str | None,
    after_at: datetime | None,
    after_id: UUID | None,
    limit: int,
) -> None: ...


def upcoming_tickets(
    tx: Tenant, /, *, user_id: UUID, status: str | None, after_at: datetime | None, after_id: UUID | None, limit: int
) -> None: ...


def transferred_tickets(
    tx: Tenant, /, *, user_id: UUID, after_at: datetime | None, after_id: UUID | None, limit: int
) -> None: ...


def transfer_ticket(
    tx: Tenant,
    /,
    *,
    ticket_id: UUID,
    version: int,
    holder_name: str,
    holder_email: str,
    holder_user_id: UUID,
    nonce: bytes,
    code: str,
) -> None: ...


def ticket_keys(tx: Tenant, /) -> None: ...


def signing_key(tx: Tenant, /) -> None: ...


def retire_key(tx: Tenant, /, revoke: bool) -> None: ...


def insert_key(tx: Tenant, /, *, public_key: bytes, sealed_key: bytes) -> None: ...
