"""Runs `queries.sql`, row to model."""

from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.events.model import AddressParts, Event, Gate, Venue
from fullhouse.events.public_model import CitySuggestion, OwnEvent, PublicEvent
from fullhouse.kit import sql

statements = sql.load(__file__)


def _venue(**row: Any) -> Venue:
    return Venue(**{**row, "address_parts": msgspec.convert(row["address_parts"], AddressParts)})


insert_venue = statements.one("insert_venue", _venue)
venue_by_id = statements.one("venue_by_id", _venue)
lock_venue = statements.one("lock_venue", _venue)
update_venue = statements.one("update_venue", _venue)
delete_venue = statements.count("delete_venue")
list_venues = statements.many("list_venues", _venue)

insert_gate = statements.one("insert_gate", Gate)
gate_by_id = statements.one("gate_by_id", Gate)
lock_gate = statements.one("lock_gate", Gate)
update_gate = statements.one("update_gate", Gate)
delete_gate = statements.count("delete_gate")
list_gates = statements.many("list_gates", Gate)


class Due(NamedTuple):
    organization_id: UUID
    id: UUID


insert_event = statements.one("insert_event", Event)
event_by_id = statements.one("event_by_id", Event)
event_by_slug = statements.one("event_by_slug", Event)
lock_event = statements.one("lock_event", Event)
update_event = statements.one("update_event", Event)
delete_event = statements.count("delete_event")
list_events = statements.many("list_events", Event)
due_events = statements.many("due_events", Due)
organization_of_event = statements.value("organization_of_event", UUID)

hide_event = statements.count("hide_event")
show_event = statements.count("show_event")
public_event = statements.one("public_event", PublicEvent)
public_feed = statements.many("public_feed", PublicEvent)
search_public = statements.many("search_public", PublicEvent)
public_cities = statements.many("public_cities", CitySuggestion)
my_events = statements.many("my_events", OwnEvent)
