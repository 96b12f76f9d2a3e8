"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def insert_layout(
    tx: Tenant,
    /,
    *,
    id: UUID,
    venue_id: UUID | None,
    family_id: UUID,
    version: int,
    name: str,
    description: str,
    total_capacity: int,
    seat_count: int,
    document: bytes,
    geometry: bytes,
    created_by: UUID | None,
) -> None: ...


def update_draft(
    tx: Tenant,
    /,
    *,
    name: str,
    description: str,
    total_capacity: int,
    seat_count: int,
    document: bytes,
    geometry: bytes,
    layout_id: UUID,
) -> None: ...


def delete_layout_places(tx: Tenant, /, layout_id: UUID) -> None: ...


def insert_zones(
    tx: Tenant,
    /,
    *,
    layout_id: UUID,
    ids: Sequence[UUID],
    positions: Sequence[int],
    zone_keys: Sequence[str],
    names: Sequence[str],
    zone_types: Sequence[str],
    capacities: Sequence[int],
    access_modes: Sequence[str],
    membership_tiers: Sequence[str | None],
    allowed_roles: Sequence[str],
    price_categories: Sequence[str | None],
) -> None: ...


def insert_seats(
    tx: Tenant,
    /,
    *,
    layout_id: UUID,
    ids: Sequence[UUID],
    ordinals: Sequence[int],
    seat_keys: Sequence[str],
    zone_ids: Sequence[UUID],
    sections: Sequence[str],
    row_labels: Sequence[str],
    numbers: Sequence[str],
    categories: Sequence[str],
    price_categories: Sequence[str],
    companion_ofs: Sequence[UUID | None],
) -> None: ...


def use_custom_plans(tx: Runs, /) -> None: ...


def insert_groups(
    tx: Tenant,
    /,
    *,
    layout_id: UUID,
    ids: Sequence[UUID],
    group_keys: Sequence[str],
    group_types: Sequence[str],
    sold_as: Sequence[str],
    ordinals: Sequence[str],
) -> None: ...


def layout_by_id(tx: Tenant, /, layout_id: UUID) -> None: ...


def lock_layout(tx: Tenant, /, layout_id: UUID) -> None: ...


def lock_family(tx: Tenant, /, family_id: UUID) -> None: ...


def newest_version(tx: Tenant, /, family_id: UUID) -> None: ...


def active_version(tx: Tenant, /, family_id: UUID) -> None: ...


def list_layouts(
    tx: Tenant, /, *, venue_id: UUID, status: str | None, after_at: datetime | None, after_id: UUID | None, limit: int
) -> None: ...


def layout_document(tx: Tenant, /, layout_id: UUID) -> None: ...


def layout_geometry(tx: Tenant, /, layout_id: UUID) -> None: ...


def set_layout_status(tx: Tenant, /, *, status: str, layout_id: UUID) -> None: ...


def archive_other_versions(tx: Tenant, /, *, family_id: UUID, layout_id: UUID) -> None: ...


def delete_layout(tx: Tenant, /, layout_id: UUID) -> None: ...


def zones_of_layout(tx: Tenant, /, layout_id: UUID) -> None: ...


def groups_of_layout(tx: Tenant, /, layout_id: UUID) -> None: ...


def event_layout(tx: Tenant, /, event_id: UUID) -> None: ...


def lock_event_layout(tx: Tenant, /, event_id: UUID) -> None: ...


def put_event_layout(
    tx: Tenant,
    /,
    *,
    event_id: UUID,
    layout_id: UUID,
    disabled_zones: Sequence[UUID],
    zone_overrides: object,
    pricing_zones: object,
    policy: object,
) -> None: ...


def put_event_policy(tx: Tenant, /, *, policy: object, event_id: UUID) -> None: ...


def delete_event_layout(tx: Tenant, /, event_id: UUID) -> None: ...


def is_in_use(tx: Tenant, /, event_id: UUID) -> None: ...


def count_taken(tx: Tenant, /, event_id: UUID) -> None: ...


def clear_event_seats(tx: Tenant, /, event_id: UUID) -> None: ...


def clear_event_zones(tx: Tenant, /, event_id: UUID) -> None: ...


def move_guests(tx: Tenant, /, *, ids: Sequence[UUID], keys: Sequence[str], event_id: UUID) -> None: ...


def insert_event_zones(
    tx: Tenant,
    /,
    *,
    event_id: UUID,
    ids: Sequence[UUID],
    positions: Sequence[int],
    zone_keys: Sequence[str],
    names: Sequence[str],
    zone_types: Sequence[str],
    capacities: Sequence[int],
    access_modes: Sequence[str],
    membership_tiers: Sequence[str | None],
    allowed_roles: Sequence[str],
    price_categories: Sequence[str | None],
) -> None: ...


def insert_event_seats(tx: Tenant, /, *, event_id: UUID, seat_ids: Sequence[UUID], layout_id: UUID) -> None: ...


def insert_zone_pools(tx: Tenant, /, event_id: UUID) -> None: ...


def zones_of_event(tx: Tenant, /, event_id: UUID) -> None: ...


def zone_counts(tx: Tenant, /, event_id: UUID) -> None: ...


def blocked_seats(tx: Tenant, /, event_id: UUID) -> None: ...


def match_blocked_seats(tx: Tenant, /, *, layout_id: UUID, event_id: UUID) -> None: ...


def list_seats(tx: Tenant, /, *, event_id: UUID, first_ordinal: int, end_ordinal: int, limit: int) -> None: ...


def seat_of_event(tx: Tenant, /, *, event_id: UUID, seat_id: UUID) -> None: ...


def seat_states(tx: Tenant, /, event_id: UUID) -> None: ...


def lock_pools(tx: Tenant, /, event_id: UUID) -> None: ...


def lock_seats(tx: Tenant, /, *, event_id: UUID, seat_ids: Sequence[UUID]) -> None: ...


def set_seat_status(tx: Tenant, /, *, status: str, event_id: UUID, seat_ids: Sequence[UUID]) -> None: ...


def accessible_seats(tx: Tenant, /, *, event_id: UUID, seat_ids: Sequence[UUID]) -> None: ...


def reserve_companions(tx: Tenant, /, *, event_id: UUID, seat_ids: Sequence[UUID]) -> None: ...


def release_companions(tx: Tenant, /, *, event_id: UUID, zone_id: UUID) -> None: ...


def add_guests(
    tx: Tenant, /, *, event_id: UUID, zone_id: UUID, added_by: UUID | None, emails: Sequence[str], names: Sequence[str]
) -> None: ...


def remove_guest(tx: Tenant, /, *, event_id: UUID, zone_id: UUID, email: str) -> None: ...


def list_guests(tx: Tenant, /, *, event_id: UUID, zone_id: UUID, after_email: str | None, limit: int) -> None: ...


def list_guest_zones(tx: Tenant, /, *, event_id: UUID, email: str) -> None: ...


def seating_policy(tx: Tenant, /) -> None: ...


def put_seating_policy(tx: Tenant, /, *, values: object, mandatory: Sequence[str]) -> None: ...


def lock_sold_seats(tx: Tenant, /, event_id: UUID) -> None: ...


def is_any_held(tx: Tenant, /, event_id: UUID) -> None: ...


def insert_migration(
    tx: Tenant,
    /,
    *,
    id: UUID,
    event_id: UUID,
    from_layout_id: UUID,
    to_layout_id: UUID,
    respond_by: datetime,
    planned_by: UUID | None,
) -> None: ...


def insert_moves(
    tx: Tenant,
    /,
    *,
    migration_id: UUID,
    ticket_ids: Sequence[UUID],
    from_seat_ids: Sequence[UUID],
    to_seat_ids: Sequence[UUID | None],
    kinds: Sequence[str | None],
    reasons: Sequence[str],
) -> None: ...


def migration_by_id(tx: Tenant, /, migration_id: UUID) -> None: ...


def lock_migration(tx: Tenant, /, migration_id: UUID) -> None: ...


def list_migrations(
    tx: Tenant, /, *, event_id: UUID, after_at: datetime | None, after_id: UUID | None, limit: int
) -> None: ...


def list_moves(tx: Tenant, /, migration_id: UUID) -> None: ...


def end_migration(tx: Tenant, /, *, status: str, approved_by: UUID | None, migration_id: UUID) -> None: ...


def allow_relocation(tx: Runs, /, migration_id: UUID) -> None: ...


def list_kept_companions(tx: Tenant, /, *, migration_id: UUID, event_id: UUID) -> None: ...


def restore_companions(
    tx: Tenant, /, *, seat_ids: Sequence[UUID], user_ids: Sequence[UUID], untils: Sequence[datetime], event_id: UUID
) -> None: ...


def restore_released(tx: Tenant, /, *, event_id: UUID, zone_keys: Sequence[str]) -> None: ...


def reassign_seats(tx: Tenant, /, *, migration_id: UUID, event_id: UUID) -> None: ...


def sold_on_fullest_day(tx: Tenant, /, event_id: UUID) -> None: ...


def sold_in_zones(tx: Tenant, /, event_id: UUID) -> None: ...


def recount_sold(
    tx: Tenant,
    /,
    *,
    zone_keys: Sequence[str],
    ticket_type_ids: Sequence[UUID | None],
    sold: Sequence[int],
    event_id: UUID,
) -> None: ...
