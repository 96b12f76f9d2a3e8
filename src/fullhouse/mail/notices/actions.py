"""A show's changes, told to everybody who has a place in it, or waited for one.

A notice is made in the fact's reaction: the words, and by one statement the list of people. Jobs then write the
letters page by page, each page in a transaction of its own that takes its people off the list. A job that is repeated
finds them gone, and a letter that exists already is not written twice. So everybody gets one, whatever dies meanwhile.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from uuid import UUID, uuid5

import msgspec
from msgspec.structs import replace

from fullhouse.accounts import actions as accounts
from fullhouse.events import actions as events
from fullhouse.events import facts, policy
from fullhouse.events.model import Event
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.errors import NotFound
from fullhouse.kit.mail import mails
from fullhouse.kit.messages import jobs
from fullhouse.kit.messages.outbox import Fact, Message
from fullhouse.mail import model as letters
from fullhouse.mail.model import Notice, Show
from fullhouse.mail.notices import store

JOB = "notice.page"
PAGE = 200
_PLACE = {"venue_name", "address", "city"}
_TIMES = {"start_at", "end_at", "doors_at"}


async def tell_people(tx: Tx, message: Message) -> None:
    """The reaction to facts about a show. Most changes concern nobody."""
    await _start(tx, message, message.id, _letter, store.gather_people)


async def tell_waiting(tx: Tx, message: Message) -> None:
    """The reaction to a cancellation, for those on the waiting list: nothing was sold to them, so nothing is said of
    money. It is a notice of its own, beside the one for those who have a place."""
    await _start(tx, message, uuid5(message.id, "waiting list"), _closed, store.gather_waiting)


async def _start(
    tx: Tx,
    message: Message,
    notice_id: UUID,
    write: Callable[[Tx, Message], Awaitable[Notice | None]],
    gather: Callable[..., Awaitable[int]],
) -> None:
    if await store.notice_by_id(tx, notice_id):
        return
    letter = await write(tx, message)
    if letter is None:
        return
    total = await gather(tx, notice_id=notice_id, event_id=message.subject_id, updated_at=message.created_at)
    if not total:
        return
    said = msgspec.to_builtins(letter)
    await store.insert_notice(
        tx, id=notice_id, event_id=message.subject_id, template=letter.template, letter=said, total=total
    )
    after = {"template": letter.template, "people": total}
    await audit.write(tx, "notice.started", "event", message.subject_id, after=after)
    await _ask_for_page(tx, notice_id, 0)


async def post_page(database: Database, organization_id: UUID, payload: Any) -> None:
    """The job: letters to the next people on the list, then the job for those after them."""
    notice_id, posted = UUID(payload["notice_id"]), payload["posted"]
    async with database.tenant(organization_id) as tx:
        notice = await store.lock_notice(tx, notice_id)
        if notice is None or notice.finished_at or notice.posted != posted:
            return  # an earlier run of this very job was committed
        people = await store.take_people(tx, notice_id=notice_id, limit=PAGE)
        letter = msgspec.convert(notice.letter, letters.BY_TEMPLATE[notice.template])
        home = my_path((await accounts.get_profile(tx)).slug)
        to = [mails.To(it.email, replace(letter, order_path=home if it.has_ticket else None)) for it in people]
        await mails.post_all(tx, to, about=notice_id)
        last = len(people) < PAGE or posted + len(people) >= notice.total
        await store.advance_notice(tx, notice_id=notice_id, posted=len(people), last=last)
        if not last:
            await _ask_for_page(tx, notice_id, posted + len(people))


async def _ask_for_page(tx: Tx, notice_id: UUID, posted: int) -> None:
    call = {"notice_id": notice_id, "posted": posted}
    await jobs.enqueue(tx, JOB, call, once=f"notice:{notice_id}:{posted}")


# --- which fact is told in which letter


async def _letter(tx: Tx, message: Message) -> Notice | None:
    kind, write = _LETTERS[message.name]
    try:
        event = await events.get_event(tx, message.subject_id)
    except NotFound:
        return None
    return write(event, await show_of(tx, event), message.fact(kind))


async def _closed(tx: Tx, message: Message) -> Notice | None:
    try:
        return letters.WaitingListClosed(show=await show_of(tx, await events.get_event(tx, message.subject_id)))
    except NotFound:
        return None


async def show_of(tx: Tx, event: Event) -> Show:
    """As letters name it. A page that the public no longer sees is no place to send people to."""
    house = f"/o/{(await accounts.get_profile(tx)).slug}"
    visible = events.is_public(event)
    return _show(event, f"{house}/{event.slug}" if visible else house)


def my_path(slug: str, ticket_id: UUID | None = None) -> str:
    """The reader's own tickets with this organisation, or one of them. Others may know the same browser."""
    one = f"/tickets/{ticket_id}" if ticket_id else ""
    return f"/my{one}?at={slug}"


def _show(event: Event, path: str) -> Show:
    city = "" if event.city in (event.address or "") else event.city
    times = policy.times_of(event)
    return Show(
        name=event.name,
        path=path,
        starts_at=times.start_at,
        was_at=event.start_at if event.status == "postponed" and event.rescheduled_at else None,
        is_undated=policy.is_undated(event.status, event.rescheduled_at),
        doors_at=times.doors_at,
        timezone=event.timezone,
        venue=event.venue_name,
        address=", ".join(filter(None, (event.address, city))) or None,
    )


def _cancelled(event: Event, show: Show, fact: facts.EventFact) -> Notice:
    return letters.EventCancelled(show=show)


def _postponed(event: Event, show: Show, fact: facts.EventFact) -> Notice:
    """As the fact has it: the show may have been given another date since."""
    if fact.rescheduled_at is None:
        return letters.EventPostponed(show=replace(show, starts_at=event.start_at, was_at=None, is_undated=True))
    was_at = event.start_at if event.start_at != fact.rescheduled_at else None
    show = replace(show, starts_at=fact.rescheduled_at, was_at=was_at, is_undated=False)
    return letters.EventRescheduled(show=show, new_date=fact.rescheduled_at)


def _updated(event: Event, show: Show, fact: facts.EventFact) -> Notice | None:
    assert isinstance(fact, facts.EventUpdated)
    changed = set(fact.changed)
    if changed & _PLACE:
        return letters.VenueChanged(show=show, time_changed=bool(changed & _TIMES))
    return letters.TimeChanged(show=show, ends_at=event.end_at) if changed & _TIMES else None


_Write = Callable[[Event, Show, Any], Notice | None]
_LETTERS: Mapping[str, tuple[type[Fact], _Write]] = {
    kind.name: (kind, write)
    for kind, write in (
        (facts.EventCanceled, _cancelled),
        (facts.EventPostponed, _postponed),
        (facts.EventRescheduled, _postponed),
        (facts.EventUpdated, _updated),
    )
}
