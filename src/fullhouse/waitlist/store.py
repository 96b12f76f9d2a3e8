"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from fullhouse.checkout.store import Due
from fullhouse.kit.db import sql
from fullhouse.waitlist import queries
from fullhouse.waitlist.model import Counts, EntryRow, List, Offered, StoredEntry


class Made(NamedTuple):
    """A row of `app.offer_places`: a change of a seat, of a neighbouring seat, or of a zone's counts. The last five
    fields are set for holds."""

    outcome: str
    hold_id: UUID | None
    held_until: datetime | None
    event_id: UUID
    ordinal: int | None
    zone_id: UUID | None
    version: int | None
    held: int | None
    sold: int | None
    user_id: UUID | None
    seat_id: UUID | None
    kind: str | None
    ref_id: UUID | None
    quantity: int | None


list_of = sql.one(queries.list_of, List)
lock_list = sql.one(queries.lock_list, List)
make_list = sql.count(queries.make_list)
set_list = sql.one(queries.set_list, List)
set_neighbours = sql.count(queries.set_neighbours)
insert_entry = sql.count(queries.insert_entry)
entry_by_id = sql.one(queries.entry_by_id, StoredEntry)
entry_of = sql.one(queries.entry_of, StoredEntry)
entry_by_secret = sql.one(queries.entry_by_secret, StoredEntry)
leave_entry = sql.count(queries.leave_entry)
close_list = sql.count(queries.close_list)
holds_of_offer = sql.many(queries.holds_of_offer, Offered)
offered_holds = sql.value(queries.offered_holds, list[UUID])
say_withdrawing = sql.value(queries.say_withdrawing, str)
offer_places = sql.many(queries.offer_places, Made)
wheelchair_places = sql.value(queries.wheelchair_places, list[UUID])
are_there_places = sql.value(queries.are_there_places, bool)
lists_to_serve = sql.many(queries.lists_to_serve, Due)
list_entries = sql.many(queries.list_entries, EntryRow)
count_entries = sql.one(queries.count_entries, Counts)
