"""What is paid for is sold: holds become tickets, of one order or of several of a show, in the transaction that has the
money's word. It is the same few statements for one order as for many.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.checkout import facts, policy, store
from fullhouse.checkout.model import StoredItem, StoredOrder, quote_of
from fullhouse.holds import sale_actions as sales
from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Tx
from fullhouse.kit.messages.outbox import announce_all
from fullhouse.payments.ledger import actions as ledger
from fullhouse.payments.ledger.actions import About, Posting
from fullhouse.tickets import actions as tickets
from fullhouse.tickets.model import Item, Ticket
from fullhouse.waiting_room import actions as queue


class Paid(NamedTuple):
    """Money for an order: which attempt brought it, the account that it is on, and who said so."""

    order_id: UUID
    attempt_id: UUID
    account: str
    actor: Actor


class Sold(NamedTuple):
    order: StoredOrder
    tickets: list[Ticket]


async def sell(tx: Tx, event_id: UUID, paid: Sequence[Paid]) -> list[store.Settled]:
    """Each of them whole or not at all: the rows say what was sold, and of the others why not."""
    return await store.settle_orders(
        tx,
        event_id=event_id,
        order_ids=[each.order_id for each in paid],
        attempt_ids=[each.attempt_id for each in paid],
        actor_types=[each.actor.type for each in paid],
        actor_ids=[each.actor.id for each in paid],
        actor_names=[each.actor.name for each in paid],
    )


async def issue(
    tx: Tx,
    event_id: UUID,
    paid: Sequence[Paid],
    rows: Sequence[store.Settled],
    kind: str = "capture",
    *,
    inside: bool = True,
) -> list[Sold]:
    """What follows from a sale: tickets, entries in the ledger, slots that are free, and the word to others. Who is no
    longer `inside` for it has no slot of this sale's."""
    by_order = {each.order_id: each for each in paid}
    orders = {order.id: order for order in await store.orders_by_ids(tx, list(by_order))}
    lines = await store.lines_of_orders(tx, list(by_order))
    sales.tell_sold(tx, event_id, rows)
    items = [_item(orders[line.order_id], by_order[line.order_id].actor, line.item) for line in lines]
    issued: dict[UUID, list[Ticket]] = defaultdict(list)
    for ticket in await tickets.issue(tx, event_id, items):
        issued[ticket.order_id].append(ticket)
    await ledger.post_all(tx, kind, [_posting(orders[each.order_id], each) for each in paid])
    if inside:
        await queue.finish_all(tx, event_id, [order.user_id for order in orders.values()], bought=True)
    sold = [Sold(orders[each.order_id], issued[each.order_id]) for each in paid]
    await announce_all(tx, [facts.OrderPaid(**said(order), tickets=len(found)) for order, found in sold])
    return sold


def _posting(order: StoredOrder, paid: Paid) -> Posting:
    entries = policy.earned(quote_of(order.quote), paid.account)
    return Posting(paid.attempt_id, About(order.id, order.event_id), order.currency, entries)


def _item(order: StoredOrder, actor: Actor, line: StoredItem) -> Item:
    return Item(
        order_id=order.id,
        actor=actor,
        hold_id=line.hold_id,
        seat_id=line.seat_id,
        zone_id=line.zone_id,
        ticket_type_id=line.ticket_type_id,
        quantity=line.quantity,
        holder_name=line.attendee_name or order.buyer_name,
        holder_email=line.attendee_email or order.buyer_email,
        holder_user_id=order.user_id,
        membership_id=line.membership_id,
    )


def said(order: StoredOrder) -> dict[str, Any]:
    """What every fact about an order says."""
    return {
        "subject_id": order.id,
        "event_id": order.event_id,
        "user_id": order.user_id,
        "code": order.code,
        "total": order.total,
        "currency": order.currency,
        "buyer_email": order.buyer_email,
    }
