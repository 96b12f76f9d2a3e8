"""The actions of events. Each takes a transaction: load and lock, decide (policy.py), write, announce."""

from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
from msgspec import UNSET

from fullhouse.events import anomalies, cache_keys, edits, facts, monitoring, policy, store
from fullhouse.events.images import actions as image_actions
from fullhouse.events.model import (
    ChangeEvent,
    Duplicate,
    Event,
    EventExists,
    NewEvent,
    NotDeletable,
    SlugTaken,
    StartInThePast,
    Status,
    Venue,
    VenueNotFound,
)
from fullhouse.events.policy import Move
from fullhouse.kit import text
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.cache import Cache
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.db.partial_updates import audit_difference, difference
from fullhouse.kit.errors import FieldError, NotFound
from fullhouse.kit.http import versions
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import announce

_SLUG_TRIES = 20  # bounds the retries when concurrent requests want the same slug
_COPIED_FIELDS = ("name", "description", "category", "capacity", "settings", "cover_image_ids")
_LIVE_FIELDS = facts.EventFact.__struct_fields__  # the fields that live channels carry
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


def is_public(event: Event) -> bool:
    return policy.is_visible(event.status)


async def require_event(tx: Tx, event_id: UUID) -> Event:
    event = await store.event_by_id(tx, event_id)
    if event is None:
        raise NotFound
    return event


@anomalies.record_anomalies
async def create_event(
    tx: Tx, who: Principal, request: NewEvent, *, group: UUID | None = None, copy_of: UUID | None = None
) -> Event:
    now = await tx.now()
    venue = await _lock_venue(tx, request.venue_id)
    times: dict[str, Any] = {
        n: policy.to_checked_utc(n, at) for n in edits.TIMES if (at := getattr(request, n)) is not None
    }
    start_at = times["start_at"]
    if start_at <= now:
        raise StartInThePast(fields=[FieldError("start_at", "In the future.")])
    draft = Event(
        id=new_id(),
        slug=request.slug or text.make_slug(request.name, "event"),
        status=Status.DRAFT,
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
        **{"doors_at": start_at, "sale_start_at": now, "sale_end_at": start_at} | times,
        **{name: getattr(request, name) for name in _COPIED_FIELDS},
        **edits.copy_venue_fields(venue),
    )
    policy.check_times(draft)
    await edits.check_capacity(tx, draft.capacity, venue)
    await image_actions.attach(tx, draft.cover_image_ids)
    event = await _insert(tx, draft, chosen=request.slug is not None)
    await audit.write(tx, "event.created", "event", event.id, after={"name": event.name, "slug": event.slug})
    await announce_change(tx, facts.EventCreated, event, event, copy_of=copy_of)
    return event


@anomalies.record_anomalies
async def change_event(tx: Tx, who: Principal, event_id: UUID, change: ChangeEvent, if_match: str | None) -> Event:
    before, venue = await _lock_with_venue(tx, event_id, change)
    versions.check_if_match(if_match, before.version)
    edits.check_open(before, change)
    after = edits.apply_change(before, change)
    if after.venue_id != before.venue_id:
        after = edits.move_to_venue(who, before, after, venue, change.reason)
    differing = difference(before, after)[0]
    if not differing:
        return before
    await edits.check_change(tx, who, before, after, venue)
    event = await _save(tx, after)
    was, is_now = difference(before, event)
    note = {"consent_note": change.consent_note} if change.consent_note else {}
    await audit.write(tx, "event.updated", "event", event.id, before=was, after=is_now | note, reason=change.reason)
    more = {"reason": change.reason, "consent_note": change.consent_note, "drop_layout": change.drop_layout}
    await announce_change(tx, facts.EventUpdated, before, event, changed=sorted(differing), **more)
    await image_actions.detach(tx, before.cover_image_ids, besides=event.cover_image_ids)
    return event


@anomalies.record_anomalies
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
    """Every status transition goes through here: one lock, one table (`policy.MOVES`), one audit row, one fact."""
    before = await lock_event(tx, event_id)
    versions.check_if_match(if_match, before.version)
    if move is Move.PUBLISH and before.status == Status.DRAFT and before.capacity:
        await edits.check_capacity(tx, before.capacity, await store.venue_by_id(tx, before.venue_id))
    date = policy.to_checked_utc("rescheduled_at", new_date) if new_date else None
    after = policy.apply_move(before, move, await tx.now(), new_date=date, reason=reason)
    if sale_end_at is not None:
        after = msgspec.structs.replace(after, sale_end_at=policy.to_checked_utc("sale_end_at", sale_end_at))
    policy.check_times(after)
    event = await _save(tx, after)
    await audit_difference(
        tx, f"event.{move}", "event", before, event, reason=reason, approval_reference=approval_reference
    )
    await announce_change(tx, _FACTS[move], before, event, reason=reason)
    return event


async def delete_event(tx: Tx, event_id: UUID, if_match: str | None) -> None:
    """Only a draft can be deleted: nothing was sold of it."""
    event = await lock_event(tx, event_id)
    versions.check_if_match(if_match, event.version)
    if event.status != Status.DRAFT:
        raise NotDeletable(f"The event is {event.status}; archive it instead.")
    await announce_change(tx, facts.EventDeleted, event, event)
    await store.delete_event(tx, event_id)
    await image_actions.detach(tx, event.cover_image_ids)
    await audit.write(tx, "event.deleted", "event", event_id, before={"name": event.name, "slug": event.slug})


async def duplicate_event(tx: Tx, who: Principal, event_id: UUID, request: Duplicate) -> Event:
    """Copies an event to another date, as a draft of the same series. All times keep their offset from the start."""
    source, venue = await _lock_with_venue(tx, event_id)
    if venue is None:
        raise VenueNotFound("The event's venue was deleted. Choose another venue for it first.")
    group = source.recurrence_group_id or source.id
    if source.recurrence_group_id is None:
        await _begin_series(tx, source)
    # Measured from the effective date: the sale of a postponed event was shifted with it.
    start_at = policy.to_checked_utc("start_at", request.start_at)
    delta = start_at - policy.date_of(source)
    copy = NewEvent(
        venue_id=venue.id,
        name=request.name or source.name,
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
    return await create_event(tx, who, copy, group=group, copy_of=source.id)


# --- shared


async def lock_event_shared(tx: Tx, event_id: UUID) -> Event:
    """Locks the event FOR SHARE: it does not change before the commit, and others may share the lock."""
    event = await store.lock_event_shared(tx, event_id)
    if event is None:
        raise NotFound
    return event


async def lock_event(tx: Tx, event_id: UUID) -> Event:
    """Locks the event's row. It is the first lock of everything that changes the event or its dependent rows."""
    event = await store.lock_event(tx, event_id)
    if event is None:
        raise NotFound
    return event


async def _lock_venue(tx: Tx, venue_id: UUID) -> Venue:
    """Locks the venue FOR KEY SHARE, so that it stays. Always before the event: a deletion locks in that order too."""
    venue = await store.lock_venue_shared(tx, venue_id)
    if venue is None:
        raise VenueNotFound(fields=[FieldError("venue_id", "There is no such venue.")])
    return venue


_NO_CHANGE = ChangeEvent()


async def _lock_with_venue(tx: Tx, event_id: UUID, change: ChangeEvent = _NO_CHANGE) -> tuple[Event, Venue | None]:
    """Locks the event's (new) venue, then the events in the order of their ids. Returns event and venue."""
    seen = await require_event(tx, event_id)
    if change.venue_id is not UNSET:
        venue: Venue | None = await _lock_venue(tx, change.venue_id)
    else:  # None if the venue was deleted: then it sets no limit
        venue = await store.lock_venue_shared(tx, seen.venue_id) if seen.venue_id else None
    if change.replaced_by_event_id not in (UNSET, None):
        await store.lock_events(tx, [event_id, change.replaced_by_event_id])
    event = await lock_event(tx, event_id)
    if change.venue_id is UNSET and event.venue_id != (venue.id if venue else None):
        raise versions.StaleVersion("The event was moved to another venue meanwhile. Reload it.", version=event.version)
    return event, venue


async def _begin_series(tx: Tx, source: Event) -> None:
    after = msgspec.structs.replace(source, recurrence_group_id=source.id)
    event = await _save(tx, after)
    await audit_difference(tx, "event.updated", "event", source, event)
    await announce_change(tx, facts.EventUpdated, source, event, changed=["recurrence_group_id"])


def _dedupe_key(event: Event) -> str:
    start_ms = int(event.start_at.timestamp() * 1000)
    return f"{event.created_by}:{event.venue_id}:{start_ms}:{text.make_slug(event.name, 'event')}"


async def _insert(tx: Tx, draft: Event, *, chosen: bool) -> Event:
    """Inserts with the requested slug, or with a free one made of the name."""
    wanted = slug = draft.slug
    for _ in range(_SLUG_TRIES):
        try:
            event = await store.insert_event(
                tx,
                id=draft.id,
                venue_id=draft.venue_id,
                slug=slug,
                name=draft.name,
                description=draft.description,
                category=draft.category,
                start_at=draft.start_at,
                end_at=draft.end_at,
                doors_at=draft.doors_at,
                sale_start_at=draft.sale_start_at,
                sale_end_at=draft.sale_end_at,
                capacity=draft.capacity,
                settings=draft.settings,
                venue_name=draft.venue_name,
                city=draft.city,
                country=draft.country,
                address=draft.address,
                timezone=draft.timezone,
                cover_image_ids=draft.cover_image_ids,
                recurrence_group_id=draft.recurrence_group_id,
                created_by=draft.created_by,
                dedupe_key=_dedupe_key(draft),
            )
        except asyncpg.UniqueViolationError:
            raise EventExists() from None
        if event is not None:
            return event
        if chosen:
            break
        slug = f"{wanted}-{await store.free_number(tx, table='events', slug=wanted)}"
    raise SlugTaken(f"Another event has the slug “{wanted}”.", slug=wanted)


async def _save(tx: Tx, event: Event) -> Event:
    try:
        saved = await store.update_event(
            tx,
            event_id=event.id,
            venue_id=event.venue_id,
            slug=event.slug,
            name=event.name,
            description=event.description,
            category=event.category,
            status=event.status,
            start_at=event.start_at,
            end_at=event.end_at,
            doors_at=event.doors_at,
            sale_start_at=event.sale_start_at,
            sale_end_at=event.sale_end_at,
            rescheduled_at=event.rescheduled_at,
            capacity=event.capacity,
            settings=event.settings,
            venue_name=event.venue_name,
            city=event.city,
            country=event.country,
            address=event.address,
            timezone=event.timezone,
            cover_image_ids=event.cover_image_ids,
            recurrence_group_id=event.recurrence_group_id,
            replaced_by_event_id=event.replaced_by_event_id,
            postponement_reason=event.postponement_reason,
            cancellation_reason=event.cancellation_reason,
            published_at=event.published_at,
            cancelled_at=event.cancelled_at,
            dedupe_key=_dedupe_key(event),
        )
    except asyncpg.UniqueViolationError as error:
        if error.constraint_name == "events_dedupe":
            raise EventExists() from None
        raise SlugTaken(f"Another event has the slug “{event.slug}”.", slug=event.slug) from None
    assert saved
    return saved


async def announce_change(tx: Tx, kind: type[facts.EventFact], before: Event, after: Event, **more: Any) -> None:
    """Announces the fact, which runs its sync handlers; invalidates caches and publishes to the live channels."""
    if issubclass(kind, facts.DatedFact):
        more["moved_days"] = policy.count_days_moved(before, after)
    if issubclass(kind, facts.ListedFact):
        more |= policy.to_listed_fields(after)
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
    Cache.invalidate(tx, *cache_keys.stale_after_change(tx.organization_id, before, after))
    message = {"fact": kind.name, "event_id": after.id} | {name: getattr(fact, name) for name in _LIVE_FIELDS}
    tx.publish(f"events:org:{tx.organization_id}", message)
    tx.publish(f"events:event:{after.id}", message)
    if kind in _FACTS.values():
        tx.after_commit.append(
            partial(monitoring.record_status_change, tx.organization_id, tx.actor, before, after, fact)
        )
