"""Emails about seats that were moved."""

from itertools import groupby

import msgspec

from fullhouse.accounts import actions as accounts
from fullhouse.events import actions as events
from fullhouse.kit.db.database import Tx
from fullhouse.kit.mail import mails
from fullhouse.kit.messages.outbox import Message
from fullhouse.mail import model as emails
from fullhouse.mail.notices.actions import my_path, show_of
from fullhouse.relocations import actions as relocations
from fullhouse.seating.facts import LayoutMigrated


async def tell_moved(tx: Tx, message: Message) -> None:
    """Async handler: one email per person whose seats changed, with all their tickets and the deadline to decide."""
    fact = message.fact(LayoutMigrated)
    moves = await relocations.moves_of(tx, fact.migration_id)
    if not moves:
        return
    event = await show_of(tx, await events.get_event(tx, fact.subject_id))
    slug = (await accounts.get_profile(tx)).slug
    email = emails.SeatsMoved(show=event, moves=(), answer_by=moves[0].respond_by, answer_path=my_path(slug))
    to = []
    for _, group in groupby(moves, key=lambda move: move.email.lower()):  # as mails are unique by address
        mine = list(group)
        pairs = tuple((move.from_seat, move.to_seat) for move in mine)
        path = my_path(slug, mine[0].ticket_id) if len(mine) == 1 else email.answer_path
        to.append(mails.To(mine[0].email, msgspec.structs.replace(email, moves=pairs, answer_path=path)))
    await mails.post_all(tx, to, about=message.id)
