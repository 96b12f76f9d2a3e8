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
from fullhouse.relocations.model import MoveAnswered, MovedTicket, NoSeatToAccept, TicketMove, TicketNotMoved
from fullhouse.seating.facts import LayoutMigrated
from fullhouse.tickets import actions as tickets

OPEN_MAX = 100  # open moves listed for one holder; the next ones follow once these are answered
REASON = "The seat was moved, and the holder wanted the money back."
NO_SEAT = "There is no seat for the ticket in the new layout."


async def reissue_tickets(tx: Tx, fact: LayoutMigrated) -> None:
    """Sync handler, in the migration's transaction: no ticket ever names a seat that its event does not have."""
    moved = await store.reissue_tickets(tx, event_id=fact.subject_id, migration_id=fact.migration_id)
    for move in moved:
        places = {"place": move.from_place}, {"place": move.to_place}
        await audit.write(tx, "ticket.moved", "ticket", move.ticket_id, before=places[0], after=places[1])


async def list_moves(tx: Tx, migration_id: UUID) -> list[MovedTicket]:
    return await store.list_moves(tx, migration_id)


async def get_move(tx: Tx, keyring: Keyring, who: Principal, ticket_id: UUID) -> TicketMove:
    await tickets.read_ticket(tx, keyring, who, ticket_id)
    return await _require_newest_move(tx, ticket_id)


async def list_open_moves(tx: Tx, who: Principal) -> list[TicketMove]:
    return await store.list_open_moves(tx, user_id=who.id, limit=OPEN_MAX)


async def answer_move(tx: Tx, keyring: Keyring, who: Principal, ticket_id: UUID, *, accept: bool) -> TicketMove:
    """Accepts or refuses the new seat, before the deadline. Of two answers the first counts."""
    ticket = await tickets.read_ticket(tx, keyring, who, ticket_id)
    move = await _require_newest_move(tx, ticket_id)
    await events.lock_event_shared(tx, ticket.event_id)
    if move.respond_by <= await tx.now():
        raise MoveAnswered("The time to answer is over.")
    if accept and move.to_place is None:
        raise NoSeatToAccept()
    return await _record_answer(tx, move, "accepted" if accept else "refunded", REASON)


async def close_move(tx: Tx, ticket_id: UUID) -> None:
    """The holder did not answer in time: keeps the new seat, or gets a refund if there is none."""
    move = await _require_newest_move(tx, ticket_id)
    await events.lock_event_shared(tx, move.event_id)
    if move.answer is None:
        await _record_answer(tx, move, "accepted" if move.to_place else "refunded", NO_SEAT)


async def _record_answer(tx: Tx, move: TicketMove, outcome: str, reason: str) -> TicketMove:
    answered = await store.answer_move(tx, migration_id=move.migration_id, ticket_id=move.ticket_id, answer=outcome)
    if answered is None:
        raise MoveAnswered()
    await audit.write(tx, f"ticket.move_{outcome}", "ticket", move.ticket_id)
    if outcome == "refunded":
        ticket = await tickets.require_ticket(tx, move.ticket_id)
        if ticket.status in refund_actions.VALID_STATUSES:
            request = RefundOrder(ticket_ids=[ticket.id], fees="return", reason=reason)
            await (refund_actions.refund if move.to_place else _refund_ticket)(tx, ticket.order_id, request)
    return answered


async def _refund_ticket(tx: Tx, order_id: UUID, request: RefundOrder) -> OrderRefund:
    """Refunds a ticket without a seat. If earlier refunds left less than its price on the order: what is left."""
    try:
        return await refund_actions.refund(tx, order_id, request)
    except RefundTooHigh as refusal:
        return await refund_actions.refund(tx, order_id, msgspec.structs.replace(request, amount=refusal.extra["left"]))


async def _require_newest_move(tx: Tx, ticket_id: UUID) -> TicketMove:
    move = await store.find_newest_move(tx, ticket_id)
    if move is None:
        raise TicketNotMoved()
    return move
