"""Edits of an event: applies a change and checks it. The writes are in actions.py."""

from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET

from fullhouse.accounts import actions as accounts
from fullhouse.events import policy, store
from fullhouse.events.images import actions as image_actions
from fullhouse.events.model import (
    ChangeEvent,
    Event,
    EventIsOver,
    ReplacedByItself,
    ReplacementCycle,
    StartInThePast,
    Status,
    TimesAreFixed,
    Venue,
    VenueChangeNeedsReason,
    VenueIsFixed,
)
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.db.partial_updates import with_changes
from fullhouse.kit.errors import FieldError, NotFound

TIMES = ("start_at", "end_at", "doors_at", "sale_start_at", "sale_end_at")


def apply_change(before: Event, change: ChangeEvent) -> Event:
    named = {name for name in TIMES if getattr(change, name) is not UNSET}
    after = with_changes(before, change)
    after = msgspec.structs.replace(
        after, **{name: policy.to_checked_utc(name, getattr(after, name)) for name in named}
    )
    return policy.shift_times(before, after, named)


def check_open(event: Event, change: ChangeEvent) -> None:
    """An event that is over is not edited; only its replacement may still be named."""
    named = {name for name, value in msgspec.structs.asdict(change).items() if value not in (UNSET, None, False)}
    if policy.is_over(event.status) and named - {"replaced_by_event_id", "reason"}:
        raise EventIsOver(f"The event is {event.status}. Duplicate it instead.")


def move_to_venue(who: Principal, before: Event, after: Event, venue: Venue | None, reason: str | None) -> Event:
    if before.status != Status.DRAFT and not may_publish(who):
        raise VenueIsFixed()
    if before.status != Status.DRAFT and reason is None:
        raise VenueChangeNeedsReason()
    assert venue
    return msgspec.structs.replace(after, **copy_venue_fields(venue))


def copy_venue_fields(venue: Venue) -> dict[str, Any]:
    return {
        "venue_id": venue.id,
        "venue_name": venue.name,
        "city": venue.city,
        "country": venue.country,
        "address": venue.address,
        "timezone": venue.timezone,
    }


async def check_change(tx: Tx, who: Principal, before: Event, after: Event, venue: Venue | None) -> None:
    moved = [name for name in TIMES if getattr(before, name) != getattr(after, name)]
    if moved and not may_publish(who) and before.status != Status.DRAFT:
        raise TimesAreFixed()
    policy.check_date_edit(before, after)
    if after.start_at != before.start_at and after.start_at <= await tx.now():
        raise StartInThePast(fields=[FieldError("start_at", "In the future.")])
    policy.check_times(after)
    if after.capacity != before.capacity or after.venue_id != before.venue_id:
        await check_capacity(tx, after.capacity, venue)
    if after.cover_image_ids != before.cover_image_ids:
        await image_actions.attach(tx, after.cover_image_ids)
    if after.replaced_by_event_id not in (None, before.replaced_by_event_id):
        await _check_replacement(tx, before, after.replaced_by_event_id)


async def _check_replacement(tx: Tx, event: Event, replacement: UUID | None) -> None:
    """The replacement is another event, it exists, and it is not itself replaced by this one."""
    if replacement == event.id:
        raise ReplacedByItself(fields=[FieldError("replaced_by_event_id", "Choose another event.")])
    if await store.event_by_id(tx, replacement) is None:
        raise NotFound
    if await store.is_replaced_by(tx, replacement_id=replacement, event_id=event.id):
        raise ReplacementCycle()


async def check_capacity(tx: Tx, capacity: int, venue: Venue | None) -> None:
    most = policy.CAPACITY_MAX
    if capacity > most:
        most = (await accounts.require_profile(tx)).event_capacity_max
    policy.check_capacity(capacity, venue, most)


def may_publish(who: Principal) -> bool:
    """Who may publish an event may also move it: owners, admins, and API keys with that scope."""
    return "events.publish" in who.allowed
