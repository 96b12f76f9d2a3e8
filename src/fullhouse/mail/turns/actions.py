"""Emails to people in a waiting room: that it opens soon, and that their turn has come while they were away.

Moving up the queue emits no facts, since a million people may move: a loop looks for people to email instead. `about`
is derived from the opening or the turn, so that a repeated run sends no second email.
"""

from uuid import UUID, uuid5

from fullhouse.events import actions as events
from fullhouse.kit.db.database import Tx
from fullhouse.kit.mail import mailbox
from fullhouse.mail.model import QueueOpens, QueueTurn
from fullhouse.mail.notices.actions import get_event_details
from fullhouse.mail.turns import store

PAGE = 1000  # emails about an opening in one transaction; the next run sends more
TURNS = 200  # emails about turns in one transaction: each has its own time, so they are rendered one by one


async def email_opening(tx: Tx, event_id: UUID) -> int:
    """Reminds people who joined before the opening, and may be away, that the waiting room opens soon."""
    opens_at = await store.find_opening(tx, event_id)
    if opens_at is None:
        return 0
    about = uuid5(event_id, f"opens {opens_at.isoformat()}")
    people = await store.list_early_visitors(
        tx, event_id=event_id, about=about, template=QueueOpens.template, limit=PAGE
    )
    if not people:
        return 0
    event = await get_event_details(tx, await events.require_event(tx, event_id))
    email = QueueOpens(show=event, opens_at=opens_at, queue_path=f"{event.path}/queue")
    return len(
        await mailbox.enqueue_emails(tx, [mailbox.OutgoingEmail(person.email, email) for person in people], about=about)
    )


async def email_turns(tx: Tx, event_id: UUID) -> int:
    """Emails the next page; returns how many. Fewer than `TURNS` means it was the last."""
    away = await store.list_absent_visitors(tx, event_id=event_id, template=QueueTurn.template, limit=TURNS)
    if not away:
        return 0
    event = await get_event_details(tx, await events.require_event(tx, event_id))
    sent = 0
    for person in away:
        email = QueueTurn(show=event, queue_path=f"{event.path}/queue", until=person.until)
        sent += await mailbox.enqueue_email(tx, person.email, email, about=person.about) is not None
    return sent
