"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit import sql
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

statements = sql.load(__file__)


class GroupRow(NamedTuple):
    key: str
    group_type: str
    sold_as: str
    ordinals: list[int]


class States(NamedTuple):
    ordinals: list[int] | None
    states: list[int] | None
    versions: list[int] | None


class Taken(NamedTuple):
    """Places of an event."""

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


insert_layout = statements.one("insert_layout", Layout)
update_draft = statements.one("update_draft", Layout)
delete_places = statements.count("delete_places")
insert_zones = statements.count("insert_zones")
insert_seats = statements.count("insert_seats")
plan_anew = statements.value("plan_anew", str)
insert_groups = statements.count("insert_groups")
layout_by_id = statements.one("layout_by_id", Layout)
lock_layout = statements.one("lock_layout", Layout)
lock_family = statements.value("lock_family", str)
newest_version = statements.value("newest_version", int)
active_version = statements.value("active_version", UUID)
list_layouts = statements.many("list_layouts", Layout)
layout_document = statements.value("layout_document", bytes)
layout_geometry = statements.value("layout_geometry", bytes)
set_layout_status = statements.one("set_layout_status", Layout)
archive_others = statements.count("archive_others")
delete_layout = statements.count("delete_layout")
zones_of_layout = statements.many("zones_of_layout", Zone)
groups_of_layout = statements.many("groups_of_layout", GroupRow)

event_layout = statements.one("event_layout", EventLayout)
lock_event_layout = statements.one("lock_event_layout", EventLayout)
put_event_layout = statements.one("put_event_layout", EventLayout)
put_event_policy = statements.one("put_event_policy", EventLayout)
delete_event_layout = statements.count("delete_event_layout")
is_in_use = statements.value("is_in_use", bool)
taken_places = statements.one("taken_places", Taken)
clear_event_seats = statements.count("clear_event_seats")
clear_event_zones = statements.count("clear_event_zones")
insert_event_zones = statements.count("insert_event_zones")
insert_event_seats = statements.count("insert_event_seats")
insert_zone_pools = statements.count("insert_zone_pools")
carry_guests = statements.count("carry_guests")
zones_of_event = statements.many("zones_of_event", EventZone)
zone_counts = statements.many("zone_counts", ZoneCount)
blocked_seats = statements.value("blocked_seats", list[UUID])
blocked_seats_in = statements.value("blocked_seats_in", list[UUID])
list_seats = statements.many("list_seats", Seat)
seat_of_event = statements.one("seat_of_event", Seat)
seat_states = statements.one("seat_states", States)
lock_pools = statements.count("lock_pools")
lock_seats = statements.many("lock_seats", LockedSeat)
set_seats = statements.many("set_seats", ChangedSeat)
release_companions = statements.value("release_companions", list[int])

add_guests = statements.count("add_guests")
remove_guest = statements.count("remove_guest")
list_guests = statements.many("list_guests", Guest)
zones_listing = statements.value("zones_listing", list[UUID])
seating_policy = statements.one("seating_policy", PolicyRow)
put_seating_policy = statements.one("put_seating_policy", PolicyRow)

sold_seats = statements.many("sold_seats", SoldSeat)
is_any_held = statements.value("is_any_held", bool)
insert_migration = statements.one("insert_migration", LayoutMigration)
insert_moves = statements.count("insert_moves")
migration_by_id = statements.one("migration_by_id", LayoutMigration)
lock_migration = statements.one("lock_migration", LayoutMigration)
list_migrations = statements.many("list_migrations", LayoutMigration)
moves_of = statements.many("moves_of", SeatMove)
end_migration = statements.one("end_migration", LayoutMigration)
allow_relocation = statements.value("allow_relocation", str)
kept_companions = statements.many("kept_companions", KeptCompanion)
keep_companions = statements.count("keep_companions")
accessible_seats = statements.many("accessible_seats", AccessibleSeat)
accompany = statements.many("accompany", ChangedSeat)
keep_released = statements.count("keep_released")
seat_tickets_again = statements.count("seat_tickets_again")
sold_on_fullest_day = statements.many("sold_on_fullest_day", FullestDay)
sold_in_zones = statements.many("sold_in_zones", SoldInZone)
count_sold_again = statements.count("count_sold_again")
