"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit import sql
from fullhouse.queue.model import PlaceInLine, Room

statements = sql.load(__file__)


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
    """Null where there is none."""

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


room = statements.one("room", Room)
make_room = statements.count("make_room")
room_locked = statements.one("room_locked", Room)
show_locked = statements.value("show_locked", bool)
write_room = statements.count("write_room")
admission = statements.one("admission", Slot)
admission_locked = statements.one("admission_locked", Slot)
prolong = statements.one("prolong", Slot)
stay = statements.one("stay", Slot)
finish = statements.many("finish", _number)
is_in_checkout = statements.value("is_in_checkout", bool)
leave = statements.one("leave", Ended)
lock_rooms = statements.many("lock_rooms", Opened)
lock_places = statements.many("lock_places", PlaceInLine)
end_place = statements.count("end_place")
hand_over_place = statements.count("hand_over_place")
admit_first = statements.many("admit_first", First)
admit = statements.value("admit", dict[str, Any])
rooms_at_work = statements.many("rooms_at_work", AtWork)
due_entries = statements.many("due_entries", Due)
expire = statements.many("expire", Ended)
undrawn = statements.value("undrawn", list[int])
draw = statements.count("draw")
all_drawn = statements.count("all_drawn")
is_empty = statements.value("is_empty", bool)
line = statements.one("line", Piece)
slots_taken = statements.many("slots_taken", Slot)
let_in_lately = statements.many("let_in_lately", LetIn)
crowds = statements.many("crowds", Crowd)
