"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.checkout.model import OrderRow, ProposedPlace, StoredItem, StoredOrder, StoredSession
from fullhouse.kit import sql
from fullhouse.kit.money import Money

statements = sql.load(__file__)


class LiveHold(NamedTuple):
    id: UUID
    quantity: int


class Right(NamedTuple):
    place: int
    zone_id: UUID
    name: str
    email: str | None
    membership_id: UUID | None
    allowed: bool


class LineRight(NamedTuple):
    """Of an order's line: how many places it has, and the membership that it was placed by."""

    right: Right
    quantity: int
    named: UUID | None


def _line_right(quantity: int, named: UUID | None, **row: Any) -> LineRight:
    return LineRight(Right(**row), quantity, named)


class Placed(NamedTuple):
    outcome: str
    order_id: UUID | None
    event_id: UUID | None
    total: int | None
    currency: str | None
    is_restricted: bool  # one of its zones or more


class Settled(NamedTuple):
    """A hold that was sold; or an order that was not, and why; or how full a zone is now."""

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


class Keyed(NamedTuple):
    id: UUID
    body_hash: bytes


class Due(NamedTuple):
    organization_id: UUID
    id: UUID


def _row(total: int, currency: str, **rest: Any) -> OrderRow:
    return OrderRow(total=Money(total, currency), **rest)


class SoldPlace(NamedTuple):
    """Where a ticket is."""

    zone_id: UUID | None
    seat_id: UUID | None
    ticket_type_id: UUID


class Line(NamedTuple):
    order_id: UUID
    item: StoredItem


def _line(order_id: UUID, **item: Any) -> Line:
    return Line(order_id, StoredItem(**item))


lock_show = statements.value("lock_show", str)
session_by_id = statements.one("session_by_id", StoredSession)
lock_session = statements.one("lock_session", StoredSession)
lock_pools = statements.count("lock_pools")
live_session = statements.one("live_session", StoredSession)
lock_live_session = statements.one("lock_live_session", StoredSession)
live_holds = statements.many("live_holds", LiveHold)
insert_session = statements.one("insert_session", StoredSession)
insert_items = statements.count("insert_items")
rights_to_enter = statements.many("rights_to_enter", Right)
rights_of_order = statements.many("rights_of_order", _line_right)
enter_by = statements.count("enter_by")
items_of_session = statements.many("items_of_session", StoredItem)
end_session = statements.one("end_session", StoredSession)
reopen_session = statements.one("reopen_session", StoredSession)
due_sessions = statements.many("due_sessions", Due)
open_sessions_of_show = statements.many("open_sessions_of_show", StoredSession)
overdue_sessions_of_event = statements.many("overdue_sessions_of_event", StoredSession)

place_order = statements.one("place_order", Placed)
settle_orders = statements.many("settle_orders", Settled)
hold_again = statements.value("hold_again", bool)
is_bought_otherwise = statements.value("is_bought_otherwise", bool)
order_by_id = statements.one("order_by_id", StoredOrder)
orders_by_ids = statements.many("orders_by_ids", StoredOrder)
lock_order = statements.one("lock_order", StoredOrder)
order_by_key = statements.one("order_by_key", Keyed)
order_by_secret = statements.one("order_by_secret", StoredOrder)
order_of_session = statements.value("order_of_session", UUID)
lines_of_order = statements.many("lines_of_order", StoredItem)
places_of_order = statements.many("places_of_order", ProposedPlace)
sold_places = statements.many("sold_places", SoldPlace)
lines_of_orders = statements.many("lines_of_orders", _line)
pending_orders_of_show = statements.many("pending_orders_of_show", StoredOrder)
proposals_of_show = statements.many("proposals_of_show", StoredOrder)
cancel_order = statements.one("cancel_order", StoredOrder)
call_off_order = statements.one("call_off_order", StoredOrder)
propose_seats = statements.value("propose_seats", bool)
due_consents = statements.many("due_consents", Due)
count_sale = statements.count("count_sale")
is_any_pool_full = statements.value("is_any_pool_full", bool)
list_orders = statements.many("list_orders", _row)
