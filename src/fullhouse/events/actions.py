"""The verbs of a show. Each takes a transaction: load and lock, decide (policy.py), write, announce."""

from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
from msgspec import UNSET

from fullhouse.accounts.model import Role
from fullhouse.events import facts, policy, store
from fullhouse.events.model import (
    ChangeEvent,
    Duplicate,
    Duplicated,
    Event,
    EventView,
    NewEvent,
    NotDeletable,
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
from fullhouse.kit.changes import audit_difference, changed, difference
from fullhouse.kit.db import Tx
from fullhouse.kit.errors import FieldError, NotFound
from fullhouse.kit.ids import new_id
from fullhouse.kit.outbox import announce
from fullhouse.kit.times import utc

_SLUG_TRIES = 50
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
        **{name: getattr(wish, name) for name in ("name", "description", "category", "capacity", "settings")},
        **_snapshot(venue),
    )
    policy.check_times(draft)
    policy.check_capacity(draft.capacity, venue)
    event = await _insert(tx, draft, chosen=wish.slug is not None)
    await audit.write(tx, "event.created", "event", event.id, after={"name": event.name, "slug": event.slug})
    await _tell(tx, facts.EventCreated, event, event)
    return event


async def change_event(tx: Tx, who: Principal, event_id: UUID, change: ChangeEvent, if_match: str | None) -> Event:
    before = await _locked(tx, event_id)
    versions.check(if_match, before.version)
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
    before = await _locked(tx, event_id)
    versions.check(if_match, before.version)
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
    event = await _locked(tx, event_id)
    versions.check(if_match, event.version)
    if event.status != Status.DRAFT:
        raise NotDeletable(f"The show is {event.status}; archive it instead.")
    await _tell(tx, facts.EventDeleted, event, event)
    await store.delete_event(tx, tx.organization_id, event_id)
    await audit.write(tx, "event.deleted", "event", event_id, before={"name": event.name, "slug": event.slug})


async def duplicate_event(tx: Tx, who: Principal, event_id: UUID, wish: Duplicate) -> Event:
    """The same show on another date, as a draft of the same series. All times keep their distance to the start."""
    source = await _locked(tx, event_id)
    if source.venue_id is None:
        raise VenueUnknown("The show's venue was deleted; give it another one first.")
    venue_id = source.venue_id
    group = source.recurrence_group_id or source.id
    if source.recurrence_group_id is None:
        source = await _save(tx, msgspec.structs.replace(source, recurrence_group_id=group))
    delta = utc(wish.start_at) - source.start_at
    copy = NewEvent(
        venue_id=venue_id,
        name=wish.name or source.name,
        description=source.description,
        category=source.category,
        capacity=source.capacity,
        settings=source.settings,
        start_at=source.start_at + delta,
        end_at=source.end_at + delta,
        doors_at=source.doors_at + delta,
        sale_start_at=source.sale_start_at + delta,
        sale_end_at=source.sale_end_at + delta,
    )
    return await create_event(tx, who, copy, group=group)


# --- shared


async def _locked(tx: Tx, event_id: UUID) -> Event:
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


async def _at_another_venue(tx: Tx, who: Principal, before: Event, after: Event, reason: str | None) -> Event:
    if before.status != Status.DRAFT and (reason is None or who.role not in (Role.OWNER, Role.ADMIN)):
        raise VenueChangeNeedsReason()
    return msgspec.structs.replace(after, **_snapshot(await _venue(tx, after.venue_id)))


async def _check_change(tx: Tx, who: Principal, before: Event, after: Event, change: ChangeEvent) -> None:
    moved = [name for name in _TIMES if getattr(before, name) != getattr(after, name)]
    if moved and who.role == Role.STAFF and before.status != Status.DRAFT:
        raise TimesAreFixed()
    if change.start_at is not UNSET and after.start_at != before.start_at and after.start_at <= await tx.now():
        raise StartInThePast(fields=[FieldError("start_at", "In the future.")])
    policy.check_times(after)
    if after.capacity != before.capacity or after.venue_id != before.venue_id:
        policy.check_capacity(after.capacity, await _venue(tx, after.venue_id))
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
                draft.recurrence_group_id, draft.created_by, _dedupe_key(draft),
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
            event.country, event.address, event.timezone, event.recurrence_group_id, event.replaced_by_event_id,
            event.postponement_reason, event.cancellation_reason, event.published_at, event.cancelled_at,
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
    news = {"fact": kind.name, "event_id": after.id, **msgspec.structs.asdict(fact)}
    tx.tell(f"events:org:{tx.organization_id}", news)
    tx.tell(f"events:event:{after.id}", news)
