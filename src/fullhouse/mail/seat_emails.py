"""Emails about seats that were moved."""

from itertools import groupby

import msgspec

from fullhouse.accounts import actions as accounts
from fullhouse.events import actions as events
from fullhouse.kit.db.database import Tx
from fullhouse.kit.mail import mailbox
from fullhouse.kit.messages.outbox import Message
from fullhouse.mail import model as emails
from fullhouse.mail.notices.actions import get_event_details, my_tickets_path
from fullhouse.relocations import actions as relocations
from fullhouse.seating.facts import LayoutMigrated


async def email_moved_seats(tx: Tx, message: Message) -> None:
    """Async handler: one email per person whose seats changed, with all their tickets and the deadline to decide."""
    fact = message.fact(LayoutMigrated)
    moves = await relocations.list_moves(tx, fact.migration_id)
    if not moves:
        return
    event = await get_event_details(tx, await events.require_event(tx, fact.subject_id))
    slug = (await accounts.require_profile(tx)).slug
    email = emails.SeatsMoved(show=event, moves=(), answer_by=moves[0].respond_by, answer_path=my_tickets_path(slug))
    to = []
    for _, group in groupby(moves, key=lambda move: move.email.lower()):  # as mails are unique by address
        mine = list(group)
        pairs = tuple((move.from_seat, move.to_seat) for move in mine)
        path = my_tickets_path(slug, mine[0].ticket_id) if len(mine) == 1 else email.answer_path
        to.append(mailbox.OutgoingEmail(mine[0].email, msgspec.structs.replace(email, moves=pairs, answer_path=path)))
    await mailbox.enqueue_emails(tx, to, about=message.id)
