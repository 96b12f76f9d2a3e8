"""Emails about a change of an event to everybody who has a ticket or reservation for it, or is on its waitlist.

The fact's async handler stores the notice: its content, and by one statement its recipients. Jobs then queue the emails
page by page; each page is one transaction, which deletes its recipients from the list. A repeated job finds them gone,
and mails are unique by notice and address. So everybody gets one email, whichever process crashes meanwhile.
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
from fullhouse.mail import model as emails
from fullhouse.mail.model import Notice, Show
from fullhouse.mail.notices import store

JOB = "notice.page"
PAGE = 200
_PLACE = {"venue_name", "address", "city"}
_TIMES = {"start_at", "end_at", "doors_at"}


async def tell_people(tx: Tx, message: Message) -> None:
    """Async handler of facts about an event. Most changes need no notice."""
    await _start(tx, message, message.id, _letter, store.gather_people)


async def tell_waiting(tx: Tx, message: Message) -> None:
    """Async handler of a cancellation, for people on the waitlist: a notice of its own, which does not mention refunds,
    since nothing was sold to them."""
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
    email = await write(tx, message)
    if email is None:
        return
    total = await gather(tx, notice_id=notice_id, event_id=message.subject_id, updated_at=message.created_at)
    if not total:
        return
    content = msgspec.to_builtins(email)
    await store.insert_notice(
        tx, id=notice_id, event_id=message.subject_id, template=email.template, letter=content, total=total
    )
    after = {"template": email.template, "people": total}
    await audit.write(tx, "notice.started", "event", message.subject_id, after=after)
    await _ask_for_page(tx, notice_id, 0)


async def post_page(database: Database, organization_id: UUID, payload: Any) -> None:
    """The job: queues emails to the next page of recipients, then enqueues itself for the page after."""
    notice_id, posted = UUID(payload["notice_id"]), payload["posted"]
    async with database.tenant(organization_id) as tx:
        notice = await store.lock_notice(tx, notice_id)
        if notice is None or notice.finished_at or notice.posted != posted:
            return  # an earlier run of this very job was committed
        people = await store.take_people(tx, notice_id=notice_id, limit=PAGE)
        email = msgspec.convert(notice.letter, emails.BY_TEMPLATE[notice.template])
        home = my_path((await accounts.get_profile(tx)).slug)
        to = [mails.To(it.email, replace(email, order_path=home if it.has_ticket else None)) for it in people]
        await mails.post_all(tx, to, about=notice_id)
        last = len(people) < PAGE or posted + len(people) >= notice.total
        await store.advance_notice(tx, notice_id=notice_id, posted=len(people), last=last)
        if not last:
            await _ask_for_page(tx, notice_id, posted + len(people))


async def _ask_for_page(tx: Tx, notice_id: UUID, posted: int) -> None:
    payload = {"notice_id": notice_id, "posted": posted}
    await jobs.enqueue(tx, JOB, payload, once=f"notice:{notice_id}:{posted}")


# --- which email belongs to which fact


async def _letter(tx: Tx, message: Message) -> Notice | None:
    kind, write = _LETTERS[message.name]
    try:
        event = await events.get_event(tx, message.subject_id)
    except NotFound:
        return None
    return write(event, await show_of(tx, event), message.fact(kind))


async def _closed(tx: Tx, message: Message) -> Notice | None:
    try:
        return emails.WaitingListClosed(show=await show_of(tx, await events.get_event(tx, message.subject_id)))
    except NotFound:
        return None


async def show_of(tx: Tx, event: Event) -> Show:
    """The event as emails present it. Links to the organisation's page if the event's own page is not public."""
    home = f"/o/{(await accounts.get_profile(tx)).slug}"
    visible = events.is_public(event)
    return _show(event, f"{home}/{event.slug}" if visible else home)


def my_path(slug: str, ticket_id: UUID | None = None) -> str:
    """The recipient's tickets, or one of them. `at` names the organisation: a browser may be signed in to several."""
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
    return emails.EventCancelled(show=show)


def _postponed(event: Event, show: Show, fact: facts.EventFact) -> Notice:
    """Uses the date in the fact: the event may have got another one since."""
    if fact.rescheduled_at is None:
        return emails.EventPostponed(show=replace(show, starts_at=event.start_at, was_at=None, is_undated=True))
    was_at = event.start_at if event.start_at != fact.rescheduled_at else None
    show = replace(show, starts_at=fact.rescheduled_at, was_at=was_at, is_undated=False)
    return emails.EventRescheduled(show=show, new_date=fact.rescheduled_at)


def _updated(event: Event, show: Show, fact: facts.EventFact) -> Notice | None:
    assert isinstance(fact, facts.EventUpdated)
    changed = set(fact.changed)
    if changed & _PLACE:
        return emails.VenueChanged(show=show, time_changed=bool(changed & _TIMES))
    return emails.TimeChanged(show=show, ends_at=event.end_at) if changed & _TIMES else None


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
