"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit.db import sql
from fullhouse.waiting_room import queries
from fullhouse.waiting_room.model import LockedPlace, Room


class Slot(NamedTuple):
    seq: int
    expires_at: datetime


class EndedEntry(NamedTuple):
    seq: int
    was_slot: bool


class AdmittedFirst(NamedTuple):
    seq: int
    status: str
    expires_at: datetime


class ActiveRoom(NamedTuple):
    organization_id: UUID
    event_id: UUID
    state: str
    mode: str
    drawn: bool
    due: bool
    empty: bool


class DueEntries(NamedTuple):
    organization_id: UUID
    event_id: UUID
    seqs: list[int]


class QueueChunk(NamedTuple):
    """Columns of a chunk of entries; null if there are none."""

    seqs: list[int] | None
    codes: list[int] | None
    seen: list[int] | None
    away: list[bool] | None
    buyers: list[int] | None


class AdmissionCount(NamedTuple):
    at_s: float
    people: int


class PeopleCount(NamedTuple):
    organization_id: UUID
    event_id: UUID
    waiting: int
    admitted: int


class LockedRoom(NamedTuple):
    event_id: UUID
    state: str


def _number(value: int) -> int:
    return value


find_room = sql.one(queries.find_room, Room)
create_room = sql.count(queries.create_room)
lock_room = sql.one(queries.lock_room, Room)
lock_event = sql.value(queries.lock_event, bool)
write_room = sql.count(queries.write_room)
find_admission = sql.one(queries.find_admission, Slot)
lock_admission = sql.one(queries.lock_admission, Slot)
extend_slot = sql.one(queries.extend_slot, Slot)
extend_choosing = sql.one(queries.extend_choosing, Slot)
end_slots = sql.many(queries.end_slots, _number)
is_in_checkout = sql.value(queries.is_in_checkout, bool)
leave_queue = sql.one(queries.leave_queue, EndedEntry)
lock_rooms = sql.many(queries.lock_rooms, LockedRoom)
lock_places = sql.many(queries.lock_places, LockedPlace)
end_place = sql.count(queries.end_place)
hand_over_place = sql.count(queries.hand_over_place)
admit_holders_first = sql.many(queries.admit_holders_first, AdmittedFirst)
join_queue = sql.rows(queries.join_queue)
write_heartbeats = sql.rows(queries.write_heartbeats)
admit_people = sql.value(queries.admit_people, dict[str, Any])
list_active_rooms = sql.many(queries.list_active_rooms, ActiveRoom)
list_due_entries = sql.many(queries.list_due_entries, DueEntries)
expire_entries = sql.many(queries.expire_entries, EndedEntry)
list_undrawn = sql.value(queries.list_undrawn, list[int])
write_places = sql.count(queries.write_places)
mark_drawn = sql.count(queries.mark_drawn)
is_empty = sql.value(queries.is_empty, bool)
load_chunk = sql.one(queries.load_chunk, QueueChunk)
list_slots = sql.many(queries.list_slots, Slot)
count_recent_admissions = sql.many(queries.count_recent_admissions, AdmissionCount)
count_people = sql.many(queries.count_people, PeopleCount)
