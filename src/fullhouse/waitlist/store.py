"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from fullhouse.checkout.store import Due
from fullhouse.kit.db import sql
from fullhouse.waitlist import queries
from fullhouse.waitlist.model import Counts, OfferedHold, StoredEntry, Waitlist, WaitlistEntryRow


class OfferedRow(NamedTuple):
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


find_list = sql.one(queries.find_list, Waitlist)
lock_list = sql.one(queries.lock_list, Waitlist)
insert_list = sql.count(queries.insert_list)
update_list = sql.one(queries.update_list, Waitlist)
set_neighbours = sql.count(queries.set_neighbours)
insert_entry = sql.count(queries.insert_entry)
entry_by_id = sql.one(queries.entry_by_id, StoredEntry)
find_newest_entry = sql.one(queries.find_newest_entry, StoredEntry)
entry_by_secret = sql.one(queries.entry_by_secret, StoredEntry)
leave_entry = sql.count(queries.leave_entry)
close_list = sql.count(queries.close_list)
list_holds_of_offer = sql.many(queries.list_holds_of_offer, OfferedHold)
list_offered_hold_ids = sql.value(queries.list_offered_hold_ids, list[UUID])
set_withdrawing = sql.value(queries.set_withdrawing, str)
offer_places = sql.many(queries.offer_places, OfferedRow)
wheelchair_places = sql.value(queries.wheelchair_places, list[UUID])
has_places = sql.value(queries.has_places, bool)
lists_to_serve = sql.many(queries.lists_to_serve, Due)
list_entries = sql.many(queries.list_entries, WaitlistEntryRow)
count_entries = sql.one(queries.count_entries, Counts)
