"""What a layout migration does to tickets: new seats, new codes, and a choice for their holders."""

from uuid import UUID

import msgspec

from fullhouse.events import actions as events
from fullhouse.kit.actors import Principal
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.secrets import Keyring
from fullhouse.payments.model import RefundTooHigh
from fullhouse.refunds import actions as refund_actions
from fullhouse.refunds.model import OrderRefund, RefundOrder
from fullhouse.relocations import store
from fullhouse.relocations.model import MoveAnswered, MovedTicket, NoSeatToAccept, NotMoved, TicketMove
from fullhouse.seating.facts import LayoutMigrated
from fullhouse.tickets import actions as tickets

OPEN_MAX = 100  # open moves listed for one holder; the next ones follow once these are answered
REASON = "The seat was moved, and the holder wanted the money back."
NO_SEAT = "There is no seat for the ticket in the new layout."


async def reissue(tx: Tx, fact: LayoutMigrated) -> None:
    """Sync handler, in the migration's transaction: no ticket ever names a seat that its event does not have."""
    moved = await store.reissue(tx, event_id=fact.subject_id, migration_id=fact.migration_id)
    for move in moved:
        places = {"place": move.from_place}, {"place": move.to_place}
        await audit.write(tx, "ticket.moved", "ticket", move.ticket_id, before=places[0], after=places[1])


async def moves_of(tx: Tx, migration_id: UUID) -> list[MovedTicket]:
    return await store.moves_of_migration(tx, migration_id)


async def see(tx: Tx, keyring: Keyring, who: Principal, ticket_id: UUID) -> TicketMove:
    await tickets.see(tx, keyring, who, ticket_id)
    return await _newest(tx, ticket_id)


async def open_moves(tx: Tx, who: Principal) -> list[TicketMove]:
    return await store.open_moves_of(tx, user_id=who.id, limit=OPEN_MAX)


async def answer(tx: Tx, keyring: Keyring, who: Principal, ticket_id: UUID, *, accept: bool) -> TicketMove:
    """Accepts or refuses the new seat, before the deadline. Of two answers the first counts."""
    ticket = await tickets.see(tx, keyring, who, ticket_id)
    move = await _newest(tx, ticket_id)
    await events.share_event(tx, ticket.event_id)
    if move.respond_by <= await tx.now():
        raise MoveAnswered("The time to answer is over.")
    if accept and move.to_place is None:
        raise NoSeatToAccept()
    return await _settle(tx, move, "accepted" if accept else "refunded", REASON)


async def close(tx: Tx, ticket_id: UUID) -> None:
    """The holder did not answer in time: keeps the new seat, or gets a refund if there is none."""
    move = await _newest(tx, ticket_id)
    await events.share_event(tx, move.event_id)
    if move.answer is None:
        await _settle(tx, move, "accepted" if move.to_place else "refunded", NO_SEAT)


async def _settle(tx: Tx, move: TicketMove, outcome: str, reason: str) -> TicketMove:
    answered = await store.answer_move(tx, migration_id=move.migration_id, ticket_id=move.ticket_id, answer=outcome)
    if answered is None:
        raise MoveAnswered()
    await audit.write(tx, f"ticket.move_{outcome}", "ticket", move.ticket_id)
    if outcome == "refunded":
        ticket = await tickets.get_ticket(tx, move.ticket_id)
        if ticket.status in refund_actions.LIVE:
            request = RefundOrder(ticket_ids=[ticket.id], fees="return", reason=reason)
            await (refund_actions.refund if move.to_place else _pay_back)(tx, ticket.order_id, request)
    return answered


async def _pay_back(tx: Tx, order_id: UUID, request: RefundOrder) -> OrderRefund:
    """Refunds a ticket without a seat. If earlier refunds left less than its price on the order: what is left."""
    try:
        return await refund_actions.refund(tx, order_id, request)
    except RefundTooHigh as refusal:
        return await refund_actions.refund(tx, order_id, msgspec.structs.replace(request, amount=refusal.extra["left"]))


async def _newest(tx: Tx, ticket_id: UUID) -> TicketMove:
    move = await store.newest_move(tx, ticket_id)
    if move is None:
        raise NotMoved()
    return move
