"""Runs `waitlist_queries.sql`, row to model."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from fullhouse.checkout import waitlist_queries
from fullhouse.checkout.store import Due
from fullhouse.checkout.waitlist_model import Counts, EntryRow, List, Offered, StoredEntry
from fullhouse.kit import sql


class Made(NamedTuple):
    """What an offer did: to a seat, to one beside it, or to how full a zone is. A hold says whose and of what."""

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


list_of = sql.one(waitlist_queries.list_of, List)
lock_list = sql.one(waitlist_queries.lock_list, List)
make_list = sql.count(waitlist_queries.make_list)
set_list = sql.one(waitlist_queries.set_list, List)
set_neighbours = sql.count(waitlist_queries.set_neighbours)
layout_of_show = sql.value(waitlist_queries.layout_of_show, UUID)
insert_entry = sql.count(waitlist_queries.insert_entry)
entry_by_id = sql.one(waitlist_queries.entry_by_id, StoredEntry)
entry_of = sql.one(waitlist_queries.entry_of, StoredEntry)
entry_by_secret = sql.one(waitlist_queries.entry_by_secret, StoredEntry)
leave_entry = sql.count(waitlist_queries.leave_entry)
close_list = sql.count(waitlist_queries.close_list)
holds_of_offer = sql.many(waitlist_queries.holds_of_offer, Offered)
offered_holds = sql.value(waitlist_queries.offered_holds, list[UUID])
say_withdrawing = sql.value(waitlist_queries.say_withdrawing, str)
offer_places = sql.many(waitlist_queries.offer_places, Made)
wheelchair_places = sql.value(waitlist_queries.wheelchair_places, list[UUID])
are_there_places = sql.value(waitlist_queries.are_there_places, bool)
lists_to_serve = sql.many(waitlist_queries.lists_to_serve, Due)
list_entries = sql.many(waitlist_queries.list_entries, EntryRow)
count_entries = sql.one(waitlist_queries.count_entries, Counts)
