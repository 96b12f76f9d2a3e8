"""Runs `waitlist_queries.sql`, row to model."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from fullhouse.checkout.store import Due
from fullhouse.checkout.waitlist_model import Counts, EntryRow, List, Offered, StoredEntry
from fullhouse.kit import sql

statements = sql.load(__file__)


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


list_of = statements.one("list_of", List)
lock_list = statements.one("lock_list", List)
make_list = statements.count("make_list")
set_list = statements.one("set_list", List)
set_neighbours = statements.count("set_neighbours")
layout_of_show = statements.value("layout_of_show", UUID)
insert_entry = statements.count("insert_entry")
entry_by_id = statements.one("entry_by_id", StoredEntry)
entry_of = statements.one("entry_of", StoredEntry)
entry_by_secret = statements.one("entry_by_secret", StoredEntry)
leave_entry = statements.count("leave_entry")
close_list = statements.count("close_list")
holds_of_offer = statements.many("holds_of_offer", Offered)
offered_holds = statements.value("offered_holds", list[UUID])
say_withdrawing = statements.value("say_withdrawing", str)
offer_places = statements.many("offer_places", Made)
wheelchair_places = statements.value("wheelchair_places", list[UUID])
are_there_places = statements.value("are_there_places", bool)
lists_to_serve = statements.many("lists_to_serve", Due)
list_entries = statements.many("list_entries", EntryRow)
count_entries = statements.one("count_entries", Counts)
