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
from fullhouse.kit.mail import mailbox
from fullhouse.kit.messages import jobs
from fullhouse.kit.messages.outbox import Fact, Message
from fullhouse.mail import model as emails
from fullhouse.mail.model import EventDetails, Notice
from fullhouse.mail.notices import store

JOB = "notice.page"
PAGE = 200
_VENUE_FIELDS = {"venue_name", "address", "city"}
_TIME_FIELDS = {"start_at", "end_at", "doors_at"}


async def email_ticket_holders(tx: Tx, message: Message) -> None:
    """Async handler of facts about an event. Most changes need no notice."""
    await _start_notice(tx, message, message.id, _build_notice, store.insert_recipients)


async def email_waitlist(tx: Tx, message: Message) -> None:
    """Async handler of a cancellation, for people on the waitlist: a notice of its own, which does not mention refunds,
    since nothing was sold to them."""
    await _start_notice(
        tx, message, uuid5(message.id, "waiting list"), _build_waitlist_notice, store.insert_waitlist_recipients
    )


async def _start_notice(
    tx: Tx,
    message: Message,
    notice_id: UUID,
    write: Callable[[Tx, Message], Awaitable[Notice | None]],
    gather: Callable[..., Awaitable[int]],
) -> None:
    if await store.find_notice(tx, notice_id):
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
    await _enqueue_page(tx, notice_id, 0)


async def send_page(database: Database, organization_id: UUID, payload: Any) -> None:
    """The job: queues emails to the next page of recipients, then enqueues itself for the page after."""
    notice_id, posted = UUID(payload["notice_id"]), payload["posted"]
    async with database.tenant(organization_id) as tx:
        notice = await store.lock_notice(tx, notice_id)
        if notice is None or notice.finished_at or notice.posted != posted:
            return  # an earlier run of this very job was committed
        people = await store.claim_recipients(tx, notice_id=notice_id, limit=PAGE)
        email = msgspec.convert(notice.letter, emails.EMAIL_BY_TEMPLATE[notice.template])
        home = my_tickets_path((await accounts.require_profile(tx)).slug)
        to = [
            mailbox.OutgoingEmail(it.email, replace(email, order_path=home if it.has_ticket else None)) for it in people
        ]
        await mailbox.enqueue_emails(tx, to, about=notice_id)
        last = len(people) < PAGE or posted + len(people) >= notice.total
        await store.advance_notice(tx, notice_id=notice_id, posted=len(people), last=last)
        if not last:
            await _enqueue_page(tx, notice_id, posted + len(people))


async def _enqueue_page(tx: Tx, notice_id: UUID, posted: int) -> None:
    payload = {"notice_id": notice_id, "posted": posted}
    await jobs.enqueue(tx, JOB, payload, once=f"notice:{notice_id}:{posted}")


# --- which email belongs to which fact


async def _build_notice(tx: Tx, message: Message) -> Notice | None:
    kind, write = _BUILDERS[message.name]
    try:
        event = await events.require_event(tx, message.subject_id)
    except NotFound:
        return None
    return write(event, await get_event_details(tx, event), message.fact(kind))


async def _build_waitlist_notice(tx: Tx, message: Message) -> Notice | None:
    try:
        return emails.WaitlistClosed(
            show=await get_event_details(tx, await events.require_event(tx, message.subject_id))
        )
    except NotFound:
        return None


async def get_event_details(tx: Tx, event: Event) -> EventDetails:
    """The event as emails present it. Links to the organisation's page if the event's own page is not public."""
    home = f"/o/{(await accounts.require_profile(tx)).slug}"
    visible = events.is_public(event)
    return _to_event_details(event, f"{home}/{event.slug}" if visible else home)


def my_tickets_path(slug: str, ticket_id: UUID | None = None) -> str:
    """The recipient's tickets, or one of them. `at` names the organisation: a browser may be signed in to several."""
    one = f"/tickets/{ticket_id}" if ticket_id else ""
    return f"/my{one}?at={slug}"


def _to_event_details(event: Event, path: str) -> EventDetails:
    city = "" if event.city in (event.address or "") else event.city
    times = policy.times_of(event)
    return EventDetails(
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


def _build_cancelled(event: Event, show: EventDetails, fact: facts.EventFact) -> Notice:
    return emails.EventCancelled(show=show)


def _build_postponed(event: Event, show: EventDetails, fact: facts.EventFact) -> Notice:
    """Uses the date in the fact: the event may have got another one since."""
    if fact.rescheduled_at is None:
        return emails.EventPostponed(show=replace(show, starts_at=event.start_at, was_at=None, is_undated=True))
    was_at = event.start_at if event.start_at != fact.rescheduled_at else None
    show = replace(show, starts_at=fact.rescheduled_at, was_at=was_at, is_undated=False)
    return emails.EventRescheduled(show=show, new_date=fact.rescheduled_at)


def _build_updated(event: Event, show: EventDetails, fact: facts.EventFact) -> Notice | None:
    assert isinstance(fact, facts.EventUpdated)
    changed = set(fact.changed)
    if changed & _VENUE_FIELDS:
        return emails.VenueChanged(show=show, time_changed=bool(changed & _TIME_FIELDS))
    return emails.TimeChanged(show=show, ends_at=event.end_at) if changed & _TIME_FIELDS else None


_Builder = Callable[[Event, EventDetails, Any], Notice | None]
_BUILDERS: Mapping[str, tuple[type[Fact], _Builder]] = {
    kind.name: (kind, write)
    for kind, write in (
        (facts.EventCanceled, _build_cancelled),
        (facts.EventPostponed, _build_postponed),
        (facts.EventRescheduled, _build_postponed),
        (facts.EventUpdated, _build_updated),
    )
}
