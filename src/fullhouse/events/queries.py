"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def free_number(tx: Tenant, /, *, table: str, slug: str) -> None: ...


def insert_venue(
    tx: Tenant,
    /,
    *,
    id: UUID,
    slug: str,
    name: str,
    kind: str,
    timezone: str,
    address: str | None,
    address_parts: object,
    city: str,
    country: str,
    latitude: float | None,
    longitude: float | None,
    max_capacity: int,
    settings: object,
    stands_for: str | None,
) -> None: ...


def find_city_venue(tx: Tenant, /, stands_for: str) -> None: ...


def venue_by_id(tx: Tenant, /, venue_id: UUID | None) -> None: ...


def lock_venue_shared(tx: Tenant, /, venue_id: UUID) -> None: ...


def lock_venue(tx: Tenant, /, venue_id: UUID) -> None: ...


def update_venue(
    tx: Tenant,
    /,
    *,
    slug: str,
    name: str,
    kind: str,
    timezone: str,
    address: str | None,
    address_parts: object,
    city: str,
    country: str,
    latitude: float | None,
    longitude: float | None,
    max_capacity: int,
    settings: object,
    venue_id: UUID,
) -> None: ...


def delete_venue(tx: Tenant, /, venue_id: UUID) -> None: ...


def list_venues(
    tx: Tenant,
    /,
    *,
    city: str | None,
    timezone: str | None,
    after_at: datetime | None,
    after_id: UUID | None,
    limit: int,
) -> None: ...


def insert_gate(
    tx: Tenant,
    /,
    *,
    id: UUID,
    venue_id: UUID,
    gate_code: str,
    name: str,
    status: str,
    capacity: int | None,
    settings: object,
) -> None: ...


def gate_by_id(tx: Tenant, /, gate_id: UUID) -> None: ...


def lock_gate(tx: Tenant, /, gate_id: UUID) -> None: ...


def update_gate(
    tx: Tenant, /, *, gate_code: str, name: str, status: str, capacity: int | None, settings: object, gate_id: UUID
) -> None: ...


def delete_gate(tx: Tenant, /, gate_id: UUID) -> None: ...


def list_gates(
    tx: Tenant, /, *, venue_id: UUID, status: str | None, after_at: datetime | None, after_id: UUID | None, limit: int
) -> None: ...


def insert_event(
    tx: Tenant,
    /,
    *,
    id: UUID,
    venue_id: UUID | None,
    slug: str,
    name: str,
    description: str,
    category: str,
    start_at: datetime,
    end_at: datetime,
    doors_at: datetime,
    sale_start_at: datetime,
    sale_end_at: datetime,
    capacity: int,
    settings: object,
    venue_name: str,
    city: str,
    country: str,
    address: str | None,
    timezone: str,
    cover_image_ids: Sequence[UUID],
    recurrence_group_id: UUID | None,
    created_by: UUID | None,
    dedupe_key: str,
) -> None: ...


def event_by_id(tx: Tenant, /, event_id: UUID | None) -> None: ...


def active_participants(tx: Tenant, /, event_id: UUID) -> None: ...


def event_by_slug(tx: Tenant, /, slug: str) -> None: ...


def lock_event_shared(tx: Tenant, /, event_id: UUID) -> None: ...


def lock_event(tx: Tenant, /, event_id: UUID) -> None: ...


def update_event(
    tx: Tenant,
    /,
    *,
    venue_id: UUID | None,
    slug: str,
    name: str,
    description: str,
    category: str,
    status: str,
    start_at: datetime,
    end_at: datetime,
    doors_at: datetime,
    sale_start_at: datetime,
    sale_end_at: datetime,
    rescheduled_at: datetime | None,
    capacity: int,
    settings: object,
    venue_name: str,
    city: str,
    country: str,
    address: str | None,
    timezone: str,
    cover_image_ids: Sequence[UUID],
    recurrence_group_id: UUID | None,
    replaced_by_event_id: UUID | None,
    postponement_reason: str | None,
    cancellation_reason: str | None,
    published_at: datetime | None,
    cancelled_at: datetime | None,
    dedupe_key: str,
    event_id: UUID,
) -> None: ...


def delete_event(tx: Tenant, /, event_id: UUID) -> None: ...


def list_sales(tx: Tenant, /, event_ids: Sequence[UUID]) -> None: ...


def list_events(
    tx: Tenant,
    /,
    *,
    statuses: Sequence[str] | None,
    slug: str | None,
    venue_id: UUID | None,
    since: datetime | None,
    until: datetime | None,
    after_at: datetime | None,
    after_id: UUID | None,
    limit: int,
) -> None: ...


def list_unfinished_events(tx: Tenant, /, *, after_at: datetime | None, after_id: UUID | None, limit: int) -> None: ...


def due_events(tx: Runs, /, *, since: datetime, since_id: UUID) -> None: ...


def organization_of_event(tx: Runs, /, event_id: UUID) -> None: ...


def upcoming_events(tx: Tenant, /, *, venue_id: UUID | None, limit: int) -> None: ...


def lock_events(tx: Tenant, /, event_ids: Sequence[UUID]) -> None: ...


def is_replaced_by(tx: Tenant, /, *, replacement_id: UUID | None, event_id: UUID) -> None: ...


def lock_events_at(tx: Tenant, /, venue_id: UUID) -> None: ...


def lock_open_events_at(tx: Tenant, /, venue_id: UUID) -> None: ...


def clear_venue(tx: Tenant, /, venue_id: UUID) -> None: ...


def list_events_above_capacity(tx: Tenant, /, *, venue_id: UUID, max_capacity: int) -> None: ...


def lock_stats(tx: Tenant, /, event_id: UUID) -> None: ...


def delete_public_event(tx: Tenant, /, event_id: UUID) -> None: ...


def upsert_public_event(
    tx: Tenant,
    /,
    *,
    event_id: UUID,
    slug: str,
    title: str,
    description: str,
    category: str,
    status: str,
    venue_name: str,
    city: str,
    city_norm: str,
    country: str,
    address: str | None,
    timezone: str,
    start_at: datetime,
    end_at: datetime,
    first_start_at: datetime,
    rescheduled_at: datetime | None,
    sale_start_at: datetime,
    sale_end_at: datetime,
    capacity: int,
    cover_image_ids: Sequence[UUID],
    published_at: datetime | None,
    title_words: str,
    language: str,
    name_words: str,
    place_words: str,
    description_words: str,
    lexemes: Sequence[str],
    owner_id: UUID | None,
    created_at: datetime,
) -> None: ...


def next_sale_change(tx: Runs, /) -> None: ...


def update_stock(tx: Tenant, /, event_id: UUID) -> None: ...


def is_alone_in_its_city(tx: Runs, /, *, city_norm: str, event_id: UUID) -> None: ...


def is_alone_in_its_category(tx: Runs, /, *, category: str, event_id: UUID) -> None: ...


def find_public_organization(tx: Runs, /, organization_id: UUID) -> None: ...


def find_listed_event(tx: Runs, /, event_id: UUID) -> None: ...


def find_public_event(tx: Runs, /, event_id: UUID) -> None: ...


def public_feed(
    tx: Runs,
    /,
    *,
    sale_status: str | None,
    since: datetime | None,
    until: datetime | None,
    organization_id: UUID | None,
    city: str | None,
    category: str | None,
    after_start_time: datetime | None,
    after_id: UUID | None,
    limit: int,
) -> None: ...


def public_feed_words(
    tx: Runs,
    /,
    *,
    words: str,
    sale_status: str | None,
    since: datetime | None,
    until: datetime | None,
    organization_id: UUID | None,
    city: str | None,
    category: str | None,
    after_start_time: datetime | None,
    after_id: UUID | None,
    limit: int,
    indexed_words: str,
) -> None: ...


def public_trending(
    tx: Runs,
    /,
    *,
    epoch: int,
    sale_status: str | None,
    since: datetime | None,
    until: datetime | None,
    organization_id: UUID | None,
    city: str | None,
    category: str | None,
    after_rank: float | None,
    after_start: datetime | None,
    after_id: UUID | None,
    limit: int,
) -> None: ...


def public_trending_words(
    tx: Runs,
    /,
    *,
    epoch: int,
    words: str,
    sale_status: str | None,
    since: datetime | None,
    until: datetime | None,
    organization_id: UUID | None,
    city: str | None,
    category: str | None,
    after_rank: float | None,
    after_start: datetime | None,
    after_id: UUID | None,
    limit: int,
    indexed_words: str,
) -> None: ...


def search_next(
    tx: Runs,
    /,
    *,
    words: str,
    language: str,
    sale_status: str | None,
    since: datetime | None,
    until: datetime | None,
    filters: str | None,
    limit: int,
) -> None: ...


def search_by_words(
    tx: Runs,
    /,
    *,
    indexed_words: str,
    language: str,
    filters: str | None,
    words: str,
    sale_status: str | None,
    since: datetime | None,
    until: datetime | None,
    horizon: datetime | None,
    limit: int,
) -> None: ...


def find_search_horizon(tx: Runs, /, since: datetime | None) -> None: ...


def sample_words(tx: Runs, /, *, words: str, prefixes: str, since: datetime | None) -> None: ...


def public_cities(tx: Runs, /) -> None: ...


def list_cities_of_organization(tx: Runs, /, *, organization_id: UUID, limit: int) -> None: ...


def insert_stats(tx: Tenant, /, event_id: UUID) -> None: ...


def update_ranks(tx: Tenant, /, *, event_ids: Sequence[UUID], next_epoch: int, epoch: int) -> None: ...


def record_activity(tx: Tenant, /, *, event_ids: Sequence[UUID], views: Sequence[int], sold: Sequence[int]) -> None: ...


def unranked_organizations(tx: Runs, /) -> None: ...


def claim_unranked(tx: Tenant, /) -> None: ...


def delete_old_ranks(tx: Runs, /) -> None: ...


def list_own_events(
    tx: Tenant, /, *, created_by: UUID, after_at: datetime | None, after_id: UUID | None, limit: int
) -> None: ...


def find_public_event_by_slug(tx: Runs, /, *, organization: str, slug: str) -> None: ...


def find_replacement_slug(tx: Tenant, /, slug: str) -> None: ...


def list_coming_events(tx: Runs, /, *, organization_id: UUID, limit: int) -> None: ...


def list_newest_events(tx: Runs, /, *, organization_id: UUID | None, limit: int) -> None: ...


def public_categories(tx: Runs, /) -> None: ...


def sitemap_boundaries(tx: Runs, /, size: int) -> None: ...


def list_sitemap_events(tx: Runs, /, *, after_id: UUID | None, last_id: UUID | None, limit: int) -> None: ...


def sitemap_organizations(tx: Runs, /, limit: int) -> None: ...


def insert_image(
    tx: Tenant, /, *, id: UUID, digest: str, width: int, height: int, bytes: int, created_by: UUID | None
) -> None: ...


def renew_image(tx: Tenant, /, digest: str) -> None: ...


def attach_images(tx: Tenant, /, image_ids: Sequence[UUID]) -> None: ...


def unused_images(tx: Runs, /, age: timedelta) -> None: ...


def lock_images(tx: Tenant, /, image_ids: Sequence[UUID]) -> None: ...


def detach_images(tx: Tenant, /, image_ids: Sequence[UUID]) -> None: ...


def lock_image_quota(tx: Tenant, /) -> None: ...


def sum_image_bytes(tx: Tenant, /) -> None: ...


def delete_unused_image(tx: Tenant, /, *, image_id: UUID, age: timedelta) -> None: ...
