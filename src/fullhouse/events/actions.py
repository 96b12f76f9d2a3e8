"""The verbs of a show. Each takes a transaction: load and lock, decide (policy.py), write, announce."""

from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
from msgspec import UNSET

from fullhouse.accounts import actions as accounts
from fullhouse.events import anomalies, changes, facts, image_actions, keys, policy, store
from fullhouse.events.model import (
    ChangeEvent,
    Duplicate,
    Duplicated,
    Event,
    NewEvent,
    NotDeletable,
    NotItsOwnReplacement,
    ReplacementCycle,
    ShowIsOver,
    SlugTaken,
    StartInThePast,
    Status,
    TimesAreFixed,
    Venue,
    VenueChangeNeedsReason,
    VenueIsFixed,
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

_SLUG_TRIES = 20  # as many may ask for the same one at the same time
_SAID_AT_ONCE = ("name", "description", "category", "capacity", "settings", "cover_image_ids")
_TIMES = ("start_at", "end_at", "doors_at", "sale_start_at", "sale_end_at")
_NEWS = facts.EventFact.__struct_fields__  # what every fact about an event has, and watchers hear
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


async def get_event(tx: Tx, event_id: UUID) -> Event:
    event = await store.event_by_id(tx, tx.organization_id, event_id)
    if event is None:
        raise NotFound
    return event


@anomalies.noting
async def create_event(
    tx: Tx, who: Principal, wish: NewEvent, *, group: UUID | None = None, copy_of: UUID | None = None
) -> Event:
    now = await tx.now()
    venue = await _venue(tx, wish.venue_id)
    said: dict[str, Any] = {n: policy.reachable(n, at) for n in _TIMES if (at := getattr(wish, n)) is not None}
    start_at = said["start_at"]
    if start_at <= now:
        raise StartInThePast(fields=[FieldError("start_at", "In the future.")])
    draft = Event(
        id=new_id(),
        slug=wish.slug or text.slug(wish.name, "event"),
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
        **{"doors_at": start_at, "sale_start_at": now, "sale_end_at": start_at} | said,
        **{name: getattr(wish, name) for name in _SAID_AT_ONCE},
        **_snapshot(venue),
    )
    policy.check_times(draft)
    await _check_capacity(tx, draft.capacity, venue)
    await image_actions.attach(tx, draft.cover_image_ids)
    event = await _insert(tx, draft, chosen=wish.slug is not None)
    await audit.write(tx, "event.created", "event", event.id, after={"name": event.name, "slug": event.slug})
    await tell(tx, facts.EventCreated, event, event, copy_of=copy_of)
    return event


@anomalies.noting
async def change_event(tx: Tx, who: Principal, event_id: UUID, change: ChangeEvent, if_match: str | None) -> Event:
    before, venue = await _lock_with_venue(tx, event_id, change)
    versions.check(if_match, before.version)
    _check_open(before, change)
    after = _wished(before, change)
    if after.venue_id != before.venue_id:
        after = _at_another_venue(who, before, after, venue, change.reason)
    differing = difference(before, after)[0]
    if not differing:
        return before
    await _check_change(tx, who, before, after, venue)
    event = await _save(tx, after)
    was, is_now = difference(before, event)
    note = {"consent_note": change.consent_note} if change.consent_note else {}
    await audit.write(tx, "event.updated", "event", event.id, before=was, after=is_now | note, reason=change.reason)
    more = {"reason": change.reason, "consent_note": change.consent_note, "drop_layout": change.drop_layout}
    await tell(tx, facts.EventUpdated, before, event, changed=sorted(differing), **more)
    await image_actions.detach(tx, before.cover_image_ids, besides=event.cover_image_ids)
    return event


@anomalies.noting
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
    if move is Move.PUBLISH and before.status == Status.DRAFT and before.capacity:
        await _check_capacity(tx, before.capacity, await store.venue_by_id(tx, tx.organization_id, before.venue_id))
    date = policy.reachable("rescheduled_at", new_date) if new_date else None
    after = policy.moved(before, move, await tx.now(), new_date=date, reason=reason)
    if sale_end_at is not None:
        after = msgspec.structs.replace(after, sale_end_at=policy.reachable("sale_end_at", sale_end_at))
    policy.check_times(after)
    event = await _save(tx, after)
    await audit_difference(
        tx, f"event.{move}", "event", before, event, reason=reason, approval_reference=approval_reference
    )
    await tell(tx, _FACTS[move], before, event, reason=reason)
    return event


async def delete_event(tx: Tx, event_id: UUID, if_match: str | None) -> None:
    """Only a draft, which nobody can have bought from."""
    event = await lock_event(tx, event_id)
    versions.check(if_match, event.version)
    if event.status != Status.DRAFT:
        raise NotDeletable(f"The show is {event.status}; archive it instead.")
    await tell(tx, facts.EventDeleted, event, event)
    await store.delete_event(tx, tx.organization_id, event_id)
    await image_actions.detach(tx, event.cover_image_ids)
    await audit.write(tx, "event.deleted", "event", event_id, before={"name": event.name, "slug": event.slug})


async def duplicate_event(tx: Tx, who: Principal, event_id: UUID, wish: Duplicate) -> Event:
    """The same show on another date, as a draft of the same series. All times keep their distance to the start."""
    source, venue = await _lock_with_venue(tx, event_id)
    if venue is None:
        raise VenueUnknown("The show's venue was deleted; give it another one first.")
    group = source.recurrence_group_id or source.id
    if source.recurrence_group_id is None:
        await _begin_series(tx, source)
    # A postponed show's sale has moved along with it already.
    start_at = policy.reachable("start_at", wish.start_at)
    delta = start_at - policy.date_of(source)
    copy = NewEvent(
        venue_id=venue.id,
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
    return await create_event(tx, who, copy, group=group, copy_of=source.id)


# --- shared


async def share_event(tx: Tx, event_id: UUID) -> Event:
    """The show as it stays until the commit; others may do the same with it."""
    event = await store.share_event(tx, tx.organization_id, event_id)
    if event is None:
        raise NotFound
    return event


async def lock_event(tx: Tx, event_id: UUID) -> Event:
    """The show's row is the first lock of everything that changes it or what hangs on it."""
    event = await store.lock_event(tx, tx.organization_id, event_id)
    if event is None:
        raise NotFound
    return event


async def _venue(tx: Tx, venue_id: UUID) -> Venue:
    """It stays until this transaction ends. Always before the show's own lock: whoever deletes it goes that way too."""
    venue = await store.keep_venue(tx, tx.organization_id, venue_id)
    if venue is None:
        raise VenueUnknown(fields=[FieldError("venue_id", "There is no such venue.")])
    return venue


_NO_CHANGE = ChangeEvent()


async def _lock_with_venue(tx: Tx, event_id: UUID, change: ChangeEvent = _NO_CHANGE) -> tuple[Event, Venue | None]:
    """A show, and the venue that it shall have: the venue first, then the shows in the order of their ids."""
    seen = await get_event(tx, event_id)
    if change.venue_id is not UNSET:
        venue: Venue | None = await _venue(tx, change.venue_id)
    else:  # one that was deleted since sets no limit any more
        venue = await store.keep_venue(tx, tx.organization_id, seen.venue_id) if seen.venue_id else None
    if change.replaced_by_event_id not in (UNSET, None):
        await store.lock_events(tx, tx.organization_id, [event_id, change.replaced_by_event_id])
    event = await lock_event(tx, event_id)
    if change.venue_id is UNSET and event.venue_id != (venue.id if venue else None):
        raise versions.StaleVersion("The show was moved to another venue in this very moment.", version=event.version)
    return event, venue


def _snapshot(venue: Venue) -> dict[str, Any]:
    return {
        "venue_id": venue.id,
        "venue_name": venue.name,
        "city": venue.city,
        "country": venue.country,
        "address": venue.address,
        "timezone": venue.timezone,
    }


def _wished(before: Event, change: ChangeEvent) -> Event:
    named = {name for name in _TIMES if getattr(change, name) is not UNSET}
    after = changed(before, change)
    after = msgspec.structs.replace(after, **{name: policy.reachable(name, getattr(after, name)) for name in named})
    return policy.moved_along(before, after, named)


def _check_open(event: Event, change: ChangeEvent) -> None:
    """What is over stays as it was; only which show takes its place may be said later."""
    named = {name for name, value in msgspec.structs.asdict(change).items() if value not in (UNSET, None, False)}
    if policy.is_over(event.status) and named - {"replaced_by_event_id", "reason"}:
        raise ShowIsOver(f"The show is {event.status}.")


def in_charge(who: Principal) -> bool:
    """Whoever may announce a show may also move it: owners, admins, and keys that were given the right."""
    return "events.publish" in who.allowed


async def _begin_series(tx: Tx, source: Event) -> None:
    after = msgspec.structs.replace(source, recurrence_group_id=source.id)
    event = await _save(tx, after)
    await audit_difference(tx, "event.updated", "event", source, event)
    await tell(tx, facts.EventUpdated, source, event, changed=["recurrence_group_id"])


def _at_another_venue(who: Principal, before: Event, after: Event, venue: Venue | None, reason: str | None) -> Event:
    if before.status != Status.DRAFT and not in_charge(who):
        raise VenueIsFixed()
    if before.status != Status.DRAFT and reason is None:
        raise VenueChangeNeedsReason()
    assert venue
    return msgspec.structs.replace(after, **_snapshot(venue))


async def _check_change(tx: Tx, who: Principal, before: Event, after: Event, venue: Venue | None) -> None:
    moved = [name for name in _TIMES if getattr(before, name) != getattr(after, name)]
    if moved and not in_charge(who) and before.status != Status.DRAFT:
        raise TimesAreFixed()
    policy.check_date_edit(before, after)
    if after.start_at != before.start_at and after.start_at <= await tx.now():
        raise StartInThePast(fields=[FieldError("start_at", "In the future.")])
    policy.check_times(after)
    if after.capacity != before.capacity or after.venue_id != before.venue_id:
        await _check_capacity(tx, after.capacity, venue)
    if after.cover_image_ids != before.cover_image_ids:
        await image_actions.attach(tx, after.cover_image_ids)
    if after.replaced_by_event_id not in (None, before.replaced_by_event_id):
        await _check_replacement(tx, before, after.replaced_by_event_id)


async def _check_replacement(tx: Tx, event: Event, replacement: UUID | None) -> None:
    """Another show, which is there, and which this one does not replace in its turn."""
    if replacement == event.id:
        raise NotItsOwnReplacement(fields=[FieldError("replaced_by_event_id", "Another show.")])
    if await store.event_by_id(tx, tx.organization_id, replacement) is None:
        raise NotFound
    if await store.is_replaced_by(tx, tx.organization_id, replacement, event.id):
        raise ReplacementCycle()


async def _check_capacity(tx: Tx, capacity: int, venue: Venue | None) -> None:
    most = policy.CAPACITY_MAX
    if capacity > most:
        most = (await accounts.get_profile(tx)).event_capacity_max
    policy.check_capacity(capacity, venue, most)


def _dedupe_key(event: Event) -> str:
    start_ms = int(event.start_at.timestamp() * 1000)
    return f"{event.created_by}:{event.venue_id}:{start_ms}:{text.slug(event.name, 'event')}"


async def _insert(tx: Tx, draft: Event, *, chosen: bool) -> Event:
    """With the slug that was asked for, or one made of the name that is still free."""
    wanted = slug = draft.slug
    for _ in range(_SLUG_TRIES):
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
        slug = f"{wanted}-{await store.free_number(tx, 'events', tx.organization_id, wanted)}"
    raise SlugTaken(f"Another show has the slug “{wanted}”.", slug=wanted)


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
        raise SlugTaken(f"Another show has the slug “{event.slug}”.", slug=event.slug) from None
    assert saved
    return saved


async def tell(tx: Tx, kind: type[facts.EventFact], before: Event, after: Event, **more: Any) -> None:
    """The fact, with its consequences; and the news to whoever watches the organisation or the show."""
    if issubclass(kind, facts.DatedFact):
        more["moved_days"] = policy.days_moved(before, after)
    if issubclass(kind, facts.ListedFact):
        more |= policy.listing(after)
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
    news = {"fact": kind.name, "event_id": after.id} | {name: getattr(fact, name) for name in _NEWS}
    tx.tell(f"events:org:{tx.organization_id}", news)
    tx.tell(f"events:event:{after.id}", news)
    if kind in _FACTS.values():
        tx.after_commit.append(partial(changes.note_status, tx.organization_id, tx.actor, before, after, fact))
