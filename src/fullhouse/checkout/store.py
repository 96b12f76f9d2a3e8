"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.checkout import queries
from fullhouse.checkout.model import OrderRow, ProposedPlace, StoredItem, StoredOrder, StoredSession
from fullhouse.kit.db import sql
from fullhouse.kit.money import Money


class LiveHold(NamedTuple):
    id: UUID
    quantity: int


class EntryRight(NamedTuple):
    place: int
    zone_id: UUID
    name: str
    email: str | None
    membership_id: UUID | None
    allowed: bool


class ItemRight(NamedTuple):
    """The right to enter of an order item, its quantity, and the membership (`named`) that it was placed with."""

    right: EntryRight
    quantity: int
    named: UUID | None


def _to_item_right(quantity: int, named: UUID | None, **row: Any) -> ItemRight:
    return ItemRight(EntryRight(**row), quantity, named)


class PlaceOrderResult(NamedTuple):
    outcome: str
    order_id: UUID | None
    event_id: UUID | None
    total: int | None
    currency: str | None
    is_restricted: bool  # at least one of its zones has restricted access


class SettledRow(NamedTuple):
    """A sold hold; or an unsold order with the reason; or the new counts of a zone."""

    order_id: UUID | None
    outcome: str
    hold_id: UUID | None
    user_id: UUID | None
    seat_id: UUID | None
    quantity: int
    zone_id: UUID | None
    ticket_type_id: UUID | None
    held_until: datetime | None
    age_s: float | None
    version: int | None
    held: int | None
    sold: int | None


class KeyedOrder(NamedTuple):
    id: UUID
    body_hash: bytes


class Due(NamedTuple):
    organization_id: UUID
    id: UUID


def _to_order_row(total: int, currency: str, **rest: Any) -> OrderRow:
    return OrderRow(total=Money(total, currency), **rest)


class SoldPlace(NamedTuple):
    """The seat or zone of a ticket."""

    zone_id: UUID | None
    seat_id: UUID | None
    ticket_type_id: UUID


class OrderItem(NamedTuple):
    order_id: UUID
    item: StoredItem


def _to_order_item(order_id: UUID, **item: Any) -> OrderItem:
    return OrderItem(order_id, StoredItem(**item))


lock_event = sql.value(queries.lock_event, str)
session_by_id = sql.one(queries.session_by_id, StoredSession)
lock_session = sql.one(queries.lock_session, StoredSession)
lock_pools = sql.count(queries.lock_pools)
live_session = sql.one(queries.live_session, StoredSession)
lock_live_session = sql.one(queries.lock_live_session, StoredSession)
live_holds = sql.many(queries.live_holds, LiveHold)
insert_session = sql.one(queries.insert_session, StoredSession)
insert_items = sql.count(queries.insert_items)
rights_to_enter = sql.many(queries.rights_to_enter, EntryRight)
rights_of_order = sql.many(queries.rights_of_order, _to_item_right)
save_item_memberships = sql.count(queries.save_item_memberships)
items_of_session = sql.many(queries.items_of_session, StoredItem)
end_session = sql.one(queries.end_session, StoredSession)
reopen_session = sql.one(queries.reopen_session, StoredSession)
due_sessions = sql.many(queries.due_sessions, Due)
live_sessions_of_event = sql.many(queries.live_sessions_of_event, StoredSession)
overdue_sessions_of_event = sql.many(queries.overdue_sessions_of_event, StoredSession)

place_order = sql.one(queries.place_order, PlaceOrderResult)
settle_orders = sql.many(queries.settle_orders, SettledRow)
hold_again = sql.value(queries.hold_again, bool)
layout_of_event = sql.value(queries.layout_of_event, UUID)
is_bought_by_other_order = sql.value(queries.is_bought_by_other_order, bool)
order_by_id = sql.one(queries.order_by_id, StoredOrder)
orders_by_ids = sql.many(queries.orders_by_ids, StoredOrder)
lock_order = sql.one(queries.lock_order, StoredOrder)
order_by_key = sql.one(queries.order_by_key, KeyedOrder)
order_by_secret = sql.one(queries.order_by_secret, StoredOrder)
order_of_session = sql.value(queries.order_of_session, UUID)
items_of_order = sql.many(queries.items_of_order, StoredItem)
places_of_order = sql.many(queries.places_of_order, ProposedPlace)
sold_places = sql.many(queries.sold_places, SoldPlace)
items_of_orders = sql.many(queries.items_of_orders, _to_order_item)
pending_orders_of_event = sql.many(queries.pending_orders_of_event, StoredOrder)
proposals_of_event = sql.many(queries.proposals_of_event, StoredOrder)
cancel_order = sql.one(queries.cancel_order, StoredOrder)
cancel_or_update_order = sql.one(queries.cancel_or_update_order, StoredOrder)
propose_seats = sql.value(queries.propose_seats, bool)
due_consents = sql.many(queries.due_consents, Due)
count_sale = sql.count(queries.count_sale)
is_any_pool_full = sql.value(queries.is_any_pool_full, bool)
list_orders = sql.many(queries.list_orders, _to_order_row)
