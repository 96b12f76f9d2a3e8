"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit.db import sql
from fullhouse.seating import queries
from fullhouse.seating.model import (
    EventLayout,
    EventZone,
    Guest,
    Layout,
    LayoutMigration,
    Seat,
    SeatMove,
    Zone,
)


class GroupRow(NamedTuple):
    key: str
    group_type: str
    sold_as: str
    ordinals: list[int]


class States(NamedTuple):
    ordinals: list[int] | None
    states: list[int] | None
    versions: list[int] | None


class TakenCounts(NamedTuple):
    """Held and sold tickets of an event."""

    held: int
    sold: int


class LockedSeat(NamedTuple):
    seat_id: UUID
    status: str
    is_kept: bool


class ChangedSeat(NamedTuple):
    ordinal: int
    version: int


class ZoneCount(NamedTuple):
    zone_id: UUID
    held: int
    sold: int
    version: int


class SoldInZone(NamedTuple):
    zone_key: str
    ticket_type_id: UUID | None
    sold: int


class FullestDay(NamedTuple):
    zone_key: str
    sold: int


class SoldSeat(NamedTuple):
    seat_id: UUID
    ordinal: int
    ticket_id: UUID
    seat_key: str


class KeptCompanion(NamedTuple):
    seat_id: UUID
    reserved_until: datetime
    reserved_for: UUID


class AccessibleSeat(NamedTuple):
    seat_key: str
    category: str


class PolicyRow(NamedTuple):
    values: dict[str, Any]
    mandatory: list[str]
    version: int


insert_layout = sql.one(queries.insert_layout, Layout)
update_draft = sql.one(queries.update_draft, Layout)
delete_layout_places = sql.count(queries.delete_layout_places)
insert_zones = sql.count(queries.insert_zones)
insert_seats = sql.count(queries.insert_seats)
use_custom_plans = sql.value(queries.use_custom_plans, str)
insert_groups = sql.count(queries.insert_groups)
layout_by_id = sql.one(queries.layout_by_id, Layout)
lock_layout = sql.one(queries.lock_layout, Layout)
lock_family = sql.value(queries.lock_family, str)
newest_version = sql.value(queries.newest_version, int)
active_version = sql.value(queries.active_version, UUID)
list_layouts = sql.many(queries.list_layouts, Layout)
layout_document = sql.value(queries.layout_document, bytes)
layout_geometry = sql.value(queries.layout_geometry, bytes)
set_layout_status = sql.one(queries.set_layout_status, Layout)
archive_other_versions = sql.count(queries.archive_other_versions)
delete_layout = sql.count(queries.delete_layout)
zones_of_layout = sql.many(queries.zones_of_layout, Zone)
groups_of_layout = sql.many(queries.groups_of_layout, GroupRow)

event_layout = sql.one(queries.event_layout, EventLayout)
lock_event_layout = sql.one(queries.lock_event_layout, EventLayout)
put_event_layout = sql.one(queries.put_event_layout, EventLayout)
put_event_policy = sql.one(queries.put_event_policy, EventLayout)
delete_event_layout = sql.count(queries.delete_event_layout)
is_in_use = sql.value(queries.is_in_use, bool)
count_taken = sql.one(queries.count_taken, TakenCounts)
clear_event_seats = sql.count(queries.clear_event_seats)
clear_event_zones = sql.count(queries.clear_event_zones)
insert_event_zones = sql.count(queries.insert_event_zones)
insert_event_seats = sql.count(queries.insert_event_seats)
insert_zone_pools = sql.count(queries.insert_zone_pools)
move_guests = sql.count(queries.move_guests)
zones_of_event = sql.many(queries.zones_of_event, EventZone)
zone_counts = sql.many(queries.zone_counts, ZoneCount)
blocked_seats = sql.value(queries.blocked_seats, list[UUID])
match_blocked_seats = sql.value(queries.match_blocked_seats, list[UUID])
list_seats = sql.many(queries.list_seats, Seat)
seat_of_event = sql.one(queries.seat_of_event, Seat)
seat_states = sql.one(queries.seat_states, States)
lock_pools = sql.count(queries.lock_pools)
lock_seats = sql.many(queries.lock_seats, LockedSeat)
set_seat_status = sql.many(queries.set_seat_status, ChangedSeat)
release_companions = sql.value(queries.release_companions, list[int])

add_guests = sql.count(queries.add_guests)
remove_guest = sql.count(queries.remove_guest)
list_guests = sql.many(queries.list_guests, Guest)
list_guest_zones = sql.value(queries.list_guest_zones, list[UUID])
seating_policy = sql.one(queries.seating_policy, PolicyRow)
put_seating_policy = sql.one(queries.put_seating_policy, PolicyRow)

lock_sold_seats = sql.many(queries.lock_sold_seats, SoldSeat)
is_any_held = sql.value(queries.is_any_held, bool)
insert_migration = sql.one(queries.insert_migration, LayoutMigration)
insert_moves = sql.count(queries.insert_moves)
migration_by_id = sql.one(queries.migration_by_id, LayoutMigration)
lock_migration = sql.one(queries.lock_migration, LayoutMigration)
list_migrations = sql.many(queries.list_migrations, LayoutMigration)
list_moves = sql.many(queries.list_moves, SeatMove)
end_migration = sql.one(queries.end_migration, LayoutMigration)
allow_relocation = sql.value(queries.allow_relocation, str)
list_kept_companions = sql.many(queries.list_kept_companions, KeptCompanion)
restore_companions = sql.count(queries.restore_companions)
accessible_seats = sql.many(queries.accessible_seats, AccessibleSeat)
reserve_companions = sql.many(queries.reserve_companions, ChangedSeat)
restore_released = sql.count(queries.restore_released)
reassign_seats = sql.count(queries.reassign_seats)
sold_on_fullest_day = sql.many(queries.sold_on_fullest_day, FullestDay)
sold_in_zones = sql.many(queries.sold_in_zones, SoldInZone)
recount_sold = sql.count(queries.recount_sold)
