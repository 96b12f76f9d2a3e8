"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit.db import sql
from fullhouse.waiting_room import queries
from fullhouse.waiting_room.model import PlaceInLine, Room


class Slot(NamedTuple):
    seq: int
    expires_at: datetime


class Ended(NamedTuple):
    seq: int
    was_slot: bool


class First(NamedTuple):
    seq: int
    status: str
    expires_at: datetime


class AtWork(NamedTuple):
    organization_id: UUID
    event_id: UUID
    state: str
    mode: str
    drawn: bool
    due: bool
    empty: bool


class Due(NamedTuple):
    organization_id: UUID
    event_id: UUID
    seqs: list[int]


class Piece(NamedTuple):
    """Columns of a chunk of entries; null if there are none."""

    seqs: list[int] | None
    codes: list[int] | None
    seen: list[int] | None
    away: list[bool] | None
    buyers: list[int] | None


class LetIn(NamedTuple):
    at_s: float
    people: int


class Crowd(NamedTuple):
    organization_id: UUID
    event_id: UUID
    waiting: int
    admitted: int


class Opened(NamedTuple):
    event_id: UUID
    state: str


def _number(value: int) -> int:
    return value


room = sql.one(queries.room, Room)
make_room = sql.count(queries.make_room)
room_locked = sql.one(queries.room_locked, Room)
show_locked = sql.value(queries.show_locked, bool)
write_room = sql.count(queries.write_room)
admission = sql.one(queries.admission, Slot)
admission_locked = sql.one(queries.admission_locked, Slot)
prolong = sql.one(queries.prolong, Slot)
stay = sql.one(queries.stay, Slot)
finish = sql.many(queries.finish, _number)
is_in_checkout = sql.value(queries.is_in_checkout, bool)
leave = sql.one(queries.leave, Ended)
lock_rooms = sql.many(queries.lock_rooms, Opened)
lock_places = sql.many(queries.lock_places, PlaceInLine)
end_place = sql.count(queries.end_place)
hand_over_place = sql.count(queries.hand_over_place)
admit_first = sql.many(queries.admit_first, First)
join = sql.rows(queries.join)
heartbeats = sql.rows(queries.heartbeats)
admit = sql.value(queries.admit, dict[str, Any])
rooms_at_work = sql.many(queries.rooms_at_work, AtWork)
due_entries = sql.many(queries.due_entries, Due)
expire = sql.many(queries.expire, Ended)
undrawn = sql.value(queries.undrawn, list[int])
draw = sql.count(queries.draw)
all_drawn = sql.count(queries.all_drawn)
is_empty = sql.value(queries.is_empty, bool)
line = sql.one(queries.line, Piece)
slots_taken = sql.many(queries.slots_taken, Slot)
let_in_lately = sql.many(queries.let_in_lately, LetIn)
crowds = sql.many(queries.crowds, Crowd)
