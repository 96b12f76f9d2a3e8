"""Sells paid orders of one event: holds become tickets, in the transaction that records the payments. Many orders take
the same number of statements as one.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.checkout import facts, policy, store
from fullhouse.checkout.model import StoredItem, StoredOrder, decode_quote
from fullhouse.holds import payment_actions as sales
from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Tx
from fullhouse.kit.messages.outbox import announce_all
from fullhouse.payments.ledger import actions as ledger
from fullhouse.payments.ledger.actions import OrderReference, Posting
from fullhouse.tickets import actions as tickets
from fullhouse.tickets.model import SoldItem, Ticket
from fullhouse.waiting_room import actions as queue


class OrderPayment(NamedTuple):
    """A payment for an order: its attempt, the ledger account that has the money, and the actor who reported it."""

    order_id: UUID
    attempt_id: UUID
    account: str
    actor: Actor


class SoldOrder(NamedTuple):
    order: StoredOrder
    tickets: list[Ticket]


async def sell(tx: Tx, event_id: UUID, paid: Sequence[OrderPayment]) -> list[store.SettledRow]:
    """Sells each order whole or not at all; the rows have the sold holds, and the reason for each unsold order."""
    return await store.settle_orders(
        tx,
        event_id=event_id,
        order_ids=[each.order_id for each in paid],
        attempt_ids=[each.attempt_id for each in paid],
        actor_types=[each.actor.type for each in paid],
        actor_ids=[each.actor.id for each in paid],
        actor_names=[each.actor.name for each in paid],
    )


async def apply_sale(
    tx: Tx,
    event_id: UUID,
    paid: Sequence[OrderPayment],
    rows: Sequence[store.SettledRow],
    kind: str = "capture",
    *,
    inside: bool = True,
) -> list[SoldOrder]:
    """The effects of a sale: tickets, ledger entries, released slots and announced facts. Without `inside`, the buyer's
    slot does not belong to this sale and stays."""
    by_order = {each.order_id: each for each in paid}
    orders = {order.id: order for order in await store.orders_by_ids(tx, list(by_order))}
    bought = await store.items_of_orders(tx, list(by_order))
    sales.publish_sold(tx, event_id, rows)
    items = [_to_item(orders[row.order_id], by_order[row.order_id].actor, row.item) for row in bought]
    issued: dict[UUID, list[Ticket]] = defaultdict(list)
    for ticket in await tickets.issue(tx, event_id, items):
        issued[ticket.order_id].append(ticket)
    await ledger.post_all(tx, kind, [_to_posting(orders[each.order_id], each) for each in paid])
    if inside:
        await queue.end_slots(tx, event_id, [order.user_id for order in orders.values()], bought=True)
    sold = [SoldOrder(orders[each.order_id], issued[each.order_id]) for each in paid]
    await announce_all(tx, [facts.OrderPaid(**order_fields(order), tickets=len(found)) for order, found in sold])
    return sold


def _to_posting(order: StoredOrder, paid: OrderPayment) -> Posting:
    entries = policy.sale_entries(decode_quote(order.quote), paid.account)
    return Posting(paid.attempt_id, OrderReference(order.id, order.event_id), order.currency, entries)


def _to_item(order: StoredOrder, actor: Actor, item: StoredItem) -> SoldItem:
    return SoldItem(
        order_id=order.id,
        actor=actor,
        hold_id=item.hold_id,
        seat_id=item.seat_id,
        zone_id=item.zone_id,
        ticket_type_id=item.ticket_type_id,
        quantity=item.quantity,
        holder_name=item.attendee_name or order.buyer_name,
        holder_email=item.attendee_email or order.buyer_email,
        holder_user_id=order.user_id,
        membership_id=item.membership_id,
    )


def order_fields(order: StoredOrder) -> dict[str, Any]:
    """The fields that every fact about an order has."""
    return {
        "subject_id": order.id,
        "event_id": order.event_id,
        "user_id": order.user_id,
        "code": order.code,
        "total": order.total,
        "currency": order.currency,
        "buyer_email": order.buyer_email,
    }
