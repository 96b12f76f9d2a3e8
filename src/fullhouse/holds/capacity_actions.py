"""Checks edits of capacity: no limit of an event is set below what is held and sold (docs/adr/0034).

The event's row is locked, so that nothing is held meanwhile. The pool is adjusted at once, for later handlers to see
the new limit. For writes that bypass this module, a trigger adjusts it at the commit (migration 0050).
"""

from uuid import UUID

from fullhouse.events.facts import EventUpdated, LimitsJudged, VenueChanged
from fullhouse.events.public import actions as public
from fullhouse.events.venues import actions as venues
from fullhouse.holds import actions, policy, store
from fullhouse.kit.db.database import Tx

_LIMIT_FIELDS = {"capacity", "venue_id"}  # fields that determine an event's limit


async def check_event_limit(tx: Tx, fact: EventUpdated) -> None:
    """The event has another capacity, or another venue with another limit."""
    if _LIMIT_FIELDS & set(fact.changed):
        await _check_limits(tx, [fact.subject_id])


async def check_venue_limit(tx: Tx, fact: VenueChanged) -> None:
    """A new `max_capacity` of a venue limits all its events that are not over."""
    if "max_capacity" in fact.changed:
        event_ids = await venues.lock_open_events(tx, fact.subject_id)
        await _check_limits(tx, event_ids)
        for event_id in event_ids:
            await public.update_stock(tx, event_id)


async def end_overdue(tx: Tx, fact: LimitsJudged) -> None:
    """For edits in other domains: of a ticket type's quantity, and of the event's layout."""
    await _end_overdue(tx, [fact.subject_id])


async def _end_overdue(tx: Tx, event_ids: list[UUID]) -> None:
    """Overdue holds must not block an edit; nor may a later sweep subtract them from a pool that never counted them."""
    await store.lock_pools_of_events(tx, event_ids)
    overdue = await store.list_overdue_holds(tx, event_ids) or []
    await actions.end(tx, overdue, "expired", overdue_only=True)


async def _check_limits(tx: Tx, event_ids: list[UUID]) -> None:
    await _end_overdue(tx, event_ids)
    for limit in await store.list_lowered_limits(tx, event_ids):
        policy.check_limit(limit)
    await store.fit_event_pools(tx, event_ids)
