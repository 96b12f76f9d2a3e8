"""The verbs of a show. Each takes a transaction: load and lock, decide (policy.py), write, announce."""

from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
from msgspec import UNSET

from fullhouse.events import facts, image_actions, keys, policy, store
from fullhouse.events.model import (
    ChangeEvent,
    CoverMissing,
    Duplicate,
    Duplicated,
    Event,
    EventView,
    NewEvent,
    NotDeletable,
    NotItsOwnReplacement,
    ShowIsOver,
    SlugTaken,
    StartInThePast,
    Status,
    TimesAreFixed,
    Venue,
    VenueChangeNeedsReason,
    VenueUnknown,
)
from fullhouse.events.policy import Move
from fullhouse.kit import audit, text, versions
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache import Cache
from fullhouse.kit.changes import audit_difference, changed, difference
from fullhouse.kit.db import Tx
from fullhouse.kit.errors import FieldError, NotFound
from fullhouse.kit.ids import new_id
from fullhouse.kit.outbox import announce
from fullhouse.kit.times import utc

_SLUG_TRIES = 50
_SAID_AT_ONCE = ("name", "description", "category", "capacity", "settings", "cover_image_ids")
_TIMES = ("start_at", "end_at", "doors_at", "sale_start_at", "sale_end_at")
_FACTS: dict[Move, type[facts.EventFact]] = {
    Move.PUBLISH: facts.EventPublished,
    Move.UNPUBLISH: facts.EventUnpublished,
    Move.START: facts.EventStarted,
    Move.END: facts.EventEnded,
    Move.POSTPONE: facts.EventPostponed,
    Move.RESCHEDULE: facts.EventRescheduled,
    Move.CANCEL: facts.EventCanceled,
    Move.ARCHIVE: facts.EventArchived,
}


def view(event: Event, now: datetime) -> EventView:
    return EventView(
        **msgspec.structs.asdict(event),
        sale_status=policy.sale_status(event, now, sold_out=False),
        can_sell=policy.can_sell(event, now),
        scanning=policy.can_scan(event, now).name.lower(),
        visible=policy.is_visible(event.status),
        moves=[move.value for move in policy.moves_from(event.status)],
        start_at_unix_ms=int(event.start_at.timestamp() * 1000),
        server_time_unix_ms=int(now.timestamp() * 1000),
    )


async def get_event(tx: Tx, event_id: UUID) -> Event:
    event = await store.event_by_id(tx, tx.organization_id, event_id)
    if event is None:
        raise NotFound
    return event


async def create_event(tx: Tx, who: Principal, wish: NewEvent, *, group: UUID | None = None) -> Event:
    now = await tx.now()
    venue = await _venue(tx, wish.venue_id)
    start_at = utc(wish.start_at)
    if start_at <= now:
        raise StartInThePast(fields=[FieldError("start_at", "In the future.")])
    draft = Event(
        id=new_id(),
        slug=wish.slug or text.slug(wish.name, "event"),
        status=Status.DRAFT,
        start_at=start_at,
        end_at=utc(wish.end_at),
        doors_at=utc(wish.doors_at) if wish.doors_at else start_at,
        sale_start_at=utc(wish.sale_start_at) if wish.sale_start_at else now,
        sale_end_at=utc(wish.sale_end_at) if wish.sale_end_at else start_at,
        rescheduled_at=None,
        recurrence_group_id=group,
        replaced_by_event_id=None,
        postponement_reason=None,
        cancellation_reason=None,
        created_by=who.actor.id,
        version=1,
        published_at=None,
        cancelled_at=None,
        created_at=now,
        updated_at=now,
        **{name: getattr(wish, name) for name in _SAID_AT_ONCE},
        **_snapshot(venue),
    )
    policy.check_times(draft)
    policy.check_capacity(draft.capacity, venue)
    await image_actions.attach(tx, draft.cover_image_ids)
    event = await _insert(tx, draft, chosen=wish.slug is not None)
    await audit.write(tx, "event.created", "event", event.id, after={"name": event.name, "slug": event.slug})
    await _tell(tx, facts.EventCreated, event, event)
    return event


async def change_event(tx: Tx, who: Principal, event_id: UUID, change: ChangeEvent, if_match: str | None) -> Event:
    before = await lock_event(tx, event_id)
    versions.check(if_match, before.version)
    _check_open(before, change)
    after = changed(before, change)
    after = msgspec.structs.replace(after, **{name: utc(getattr(after, name)) for name in _TIMES})
    if after.venue_id != before.venue_id:
        after = await _at_another_venue(tx, who, before, after, change.reason)
    differing = difference(before, after)[0]
    if not differing:
        return before
    await _check_change(tx, who, before, after, change)
    event = await _save(tx, after)
    await audit_difference(tx, "event.updated", "event", before, event, reason=change.reason)
    await _tell(tx, facts.EventUpdated, before, event, reason=change.reason, changed=sorted(differing))
    return event


async def move_event(
    tx: Tx,
    event_id: UUID,
    move: Move,
    *,
    new_date: datetime | None = None,
    sale_end_at: datetime | None = None,
    reason: str | None = None,
    approval_reference: str | None = None,
    if_match: str | None = None,
) -> Event:
    """Every transition, by whomever: one lock, one table, one audit row, one fact."""
    before = await lock_event(tx, event_id)
    versions.check(if_match, before.version)
    if move is Move.PUBLISH and before.status == Status.DRAFT and not before.cover_image_ids:
        raise CoverMissing("Upload a picture (POST /api/images) and give the show its id in cover_image_ids.")
    date = utc(new_date) if new_date else None
    after = policy.moved(before, move, await tx.now(), new_date=date, reason=reason)
    if sale_end_at is not None:
        after = msgspec.structs.replace(after, sale_end_at=utc(sale_end_at))
    policy.check_times(after)
    event = await _save(tx, after)
    await audit_difference(
        tx, f"event.{move}", "event", before, event, reason=reason, approval_reference=approval_reference
    )
    await _tell(tx, _FACTS[move], before, event, reason=reason)
    return event


async def delete_event(tx: Tx, event_id: UUID, if_match: str | None) -> None:
    """Only a draft, which nobody can have bought from."""
    event = await lock_event(tx, event_id)
    versions.check(if_match, event.version)
    if event.status != Status.DRAFT:
        raise NotDeletable(f"The show is {event.status}; archive it instead.")
    await _tell(tx, facts.EventDeleted, event, event)
    await store.delete_event(tx, tx.organization_id, event_id)
    await audit.write(tx, "event.deleted", "event", event_id, before={"name": event.name, "slug": event.slug})


async def duplicate_event(tx: Tx, who: Principal, event_id: UUID, wish: Duplicate) -> Event:
    """The same show on another date, as a draft of the same series. All times keep their distance to the start."""
    source = await lock_event(tx, event_id)
    if source.venue_id is None:
        raise VenueUnknown("The show's venue was deleted; give it another one first.")
    venue_id = source.venue_id
    group = source.recurrence_group_id or source.id
    if source.recurrence_group_id is None:
        await _begin_series(tx, source)
    # A postponed show's sale has moved along with it already.
    start_at, delta = utc(wish.start_at), utc(wish.start_at) - (source.rescheduled_at or source.start_at)
    copy = NewEvent(
        venue_id=venue_id,
        name=wish.name or source.name,
        description=source.description,
        category=source.category,
        capacity=source.capacity,
        settings=source.settings,
        cover_image_ids=source.cover_image_ids,
        start_at=start_at,
        end_at=start_at + policy.duration(source),
        doors_at=start_at - (source.start_at - source.doors_at),
        sale_start_at=source.sale_start_at + delta,
        sale_end_at=source.sale_end_at + delta,
    )
    return await create_event(tx, who, copy, group=group)


# --- shared


async def lock_event(tx: Tx, event_id: UUID) -> Event:
    """The show's row is the first lock of everything that changes it or what hangs on it."""
    event = await store.lock_event(tx, tx.organization_id, event_id)
    if event is None:
        raise NotFound
    return event


async def _venue(tx: Tx, venue_id: UUID | None) -> Venue:
    venue = await store.venue_by_id(tx, tx.organization_id, venue_id)
    if venue is None:
        raise VenueUnknown(fields=[FieldError("venue_id", "There is no such venue.")])
    return venue


def _snapshot(venue: Venue) -> dict[str, Any]:
    return {
        "venue_id": venue.id,
        "venue_name": venue.name,
        "city": venue.city,
        "country": venue.country,
        "address": venue.address,
        "timezone": venue.timezone,
    }


def _check_open(event: Event, change: ChangeEvent) -> None:
    """What is over stays as it was; only which show takes its place may be said later."""
    named = {name for name, value in msgspec.structs.asdict(change).items() if value not in (UNSET, None)}
    if policy.is_over(event.status) and named - {"replaced_by_event_id", "reason"}:
        raise ShowIsOver(f"The show is {event.status}.")


def in_charge(who: Principal) -> bool:
    """Whoever may announce a show may also move it: owners, admins, and keys that were given the right."""
    return "events.publish" in who.allowed


async def _begin_series(tx: Tx, source: Event) -> None:
    after = msgspec.structs.replace(source, recurrence_group_id=source.id)
    event = await _save(tx, after)
    await audit_difference(tx, "event.updated", "event", source, event)
    await _tell(tx, facts.EventUpdated, source, event, changed=["recurrence_group_id"])


async def _at_another_venue(tx: Tx, who: Principal, before: Event, after: Event, reason: str | None) -> Event:
    if before.status != Status.DRAFT and (reason is None or not in_charge(who)):
        raise VenueChangeNeedsReason()
    return msgspec.structs.replace(after, **_snapshot(await _venue(tx, after.venue_id)))


async def _check_change(tx: Tx, who: Principal, before: Event, after: Event, change: ChangeEvent) -> None:
    moved = [name for name in _TIMES if getattr(before, name) != getattr(after, name)]
    if moved and not in_charge(who) and before.status != Status.DRAFT:
        raise TimesAreFixed()
    if change.start_at is not UNSET and after.start_at != before.start_at and after.start_at <= await tx.now():
        raise StartInThePast(fields=[FieldError("start_at", "In the future.")])
    policy.check_times(after)
    if after.capacity != before.capacity or after.venue_id != before.venue_id:
        # A venue that was deleted since sets no limit any more.
        policy.check_capacity(after.capacity, await _venue(tx, after.venue_id) if after.venue_id else None)
    if after.cover_image_ids != before.cover_image_ids:
        if not after.cover_image_ids and before.status != Status.DRAFT:
            raise CoverMissing("A show that was announced keeps a picture.")
        await image_actions.attach(tx, after.cover_image_ids)
    if after.replaced_by_event_id == before.id:
        raise NotItsOwnReplacement(fields=[FieldError("replaced_by_event_id", "Another show.")])
    if change.replaced_by_event_id not in (UNSET, None):
        await get_event(tx, change.replaced_by_event_id)


def _dedupe_key(event: Event) -> str:
    start_ms = int(event.start_at.timestamp() * 1000)
    return f"{event.created_by}:{event.venue_id}:{start_ms}:{text.slug(event.name, 'event')}"


async def _insert(tx: Tx, draft: Event, *, chosen: bool) -> Event:
    """With the slug that was asked for, or one made of the name that is still free."""
    wanted = draft.slug
    for attempt in range(1, _SLUG_TRIES):
        slug = wanted if attempt == 1 else f"{wanted}-{attempt}"
        try:
            event = await store.insert_event(
                tx, draft.id, tx.organization_id, draft.venue_id, slug, draft.name, draft.description, draft.category,
                draft.start_at, draft.end_at, draft.doors_at, draft.sale_start_at, draft.sale_end_at, draft.capacity,
                draft.settings, draft.venue_name, draft.city, draft.country, draft.address, draft.timezone,
                draft.cover_image_ids, draft.recurrence_group_id, draft.created_by, _dedupe_key(draft),
            )  # fmt: skip
        except asyncpg.UniqueViolationError:
            raise Duplicated() from None
        if event is not None:
            return event
        if chosen:
            break
    raise SlugTaken(f"Another show has the slug “{wanted}”.")


async def _save(tx: Tx, event: Event) -> Event:
    try:
        saved = await store.update_event(
            tx, tx.organization_id, event.id, event.venue_id, event.slug, event.name, event.description,
            event.category, event.status, event.start_at, event.end_at, event.doors_at, event.sale_start_at,
            event.sale_end_at, event.rescheduled_at, event.capacity, event.settings, event.venue_name, event.city,
            event.country, event.address, event.timezone, event.cover_image_ids, event.recurrence_group_id,
            event.replaced_by_event_id, event.postponement_reason, event.cancellation_reason, event.published_at,
            event.cancelled_at,
            _dedupe_key(event),
        )  # fmt: skip
    except asyncpg.UniqueViolationError as error:
        if error.constraint_name == "events_dedupe":
            raise Duplicated() from None
        raise SlugTaken(f"Another show has the slug “{event.slug}”.") from None
    assert saved
    return saved


async def _tell(tx: Tx, kind: type[facts.EventFact], before: Event, after: Event, **more: Any) -> None:
    """The fact, with its consequences; and the news to whoever watches the organisation or the show."""
    fact = kind(
        subject_id=after.id,
        old_status=before.status,
        new_status=after.status,
        rescheduled_at=after.rescheduled_at,
        replaced_by_event_id=after.replaced_by_event_id,
        **more,
    )
    await announce(tx, fact)
    assert tx.organization_id
    Cache.invalidate(tx, *keys.stale(tx.organization_id, before, after))
    news = {"fact": kind.name, "event_id": after.id, **msgspec.structs.asdict(fact)}
    tx.tell(f"events:org:{tx.organization_id}", news)
    tx.tell(f"events:event:{after.id}", news)
