"""Letters about seats that were moved."""

from itertools import groupby

import msgspec

from fullhouse.checkout import move_actions
from fullhouse.events import actions as events
from fullhouse.kit import mail
from fullhouse.kit.db import Tx
from fullhouse.kit.outbox import Message
from fullhouse.messaging import mail_model as letters
from fullhouse.messaging.notice_actions import show_of
from fullhouse.seating.facts import LayoutMigrated

MY_TICKETS = "/my"
NO_SEAT = "no seat any more"


async def tell_moved(tx: Tx, message: Message) -> None:
    """A reaction: whoever has another seat now hears it once, for all of their tickets, and until when to answer."""
    fact = message.fact(LayoutMigrated)
    moves = await move_actions.moves_of(tx, fact.migration_id)
    if not moves:
        return
    show = await show_of(tx, await events.get_event(tx, fact.subject_id))
    letter = letters.SeatsMoved(
        show=show, moves=(), answer_by=moves[0].respond_by, accept_path=MY_TICKETS, refund_path=MY_TICKETS
    )
    to = []
    for _, each in groupby(moves, key=lambda move: move.email.lower()):  # as a letter knows who has it already
        mine = list(each)
        pairs = tuple((move.from_place, move.to_place or NO_SEAT) for move in mine)
        to.append(mail.To(mine[0].email, msgspec.structs.replace(letter, moves=pairs)))
    await mail.post_all(tx, to, about=message.id)
