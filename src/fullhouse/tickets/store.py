"""Runs `queries.sql`, row to model."""

from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.kit import sql
from fullhouse.tickets.model import SigningKey, Ticket, TicketKey, TicketRow
from fullhouse.tickets.pricing import Charge
from fullhouse.tickets.type_model import PromoCode, TicketType

statements = sql.load(__file__)


class Taken(NamedTuple):
    held: int
    sold: int


class Left(NamedTuple):
    """How many of a type can still be had."""

    ticket_type_id: UUID
    places: int


class HeldPlace(NamedTuple):
    """What a hold is for."""

    hold_id: UUID
    user_id: UUID
    quantity: int
    ticket_type_id: UUID | None
    seat_id: UUID | None
    zone_id: UUID | None
    zone_key: str | None
    price_category: str | None


class ChangedSeat(NamedTuple):
    ordinal: int
    version: int


class Sold(NamedTuple):
    ticket_type_id: UUID
    sold: int


class LeastPrice(NamedTuple):
    event_id: UUID
    amount: int
    currency: str


class Counted(NamedTuple):
    zone_id: UUID
    held: int
    sold: int
    version: int


class Charges(NamedTuple):
    scope_id: UUID
    charges: list[Charge]
    version: int


def _charges(scope_id: UUID, charges: Any, version: int) -> Charges:
    return Charges(scope_id, msgspec.convert(charges, list[Charge]), version)


def _text(value: str) -> str:
    return value


def _id(value: UUID) -> UUID:
    return value


types_of_event = statements.many("types_of_event", TicketType)
type_by_id = statements.one("type_by_id", TicketType)
types_without_places = statements.many("types_without_places", _id)
sold_of_types = statements.many("sold_of_types", Sold)
insert_type = statements.one("insert_type", TicketType)
update_type = statements.one("update_type", TicketType)
move_days = statements.count("move_days")
delete_type = statements.count("delete_type")
taken_of_type = statements.one("taken_of_type", Taken)
event_limit = statements.value("event_limit", int)
event_places = statements.many("event_places", Left)
put_type_pool = statements.count("put_type_pool")
delete_type_pool = statements.count("delete_type_pool")
is_type_held = statements.value("is_type_held", bool)
is_type_in_use = statements.value("is_type_in_use", bool)
zones_on_sale = statements.many("zones_on_sale", _text)
least_prices = statements.many("least_prices", LeastPrice)
price_categories = statements.many("price_categories", _text)
places_of_holds = statements.many("places_of_holds", HeldPlace)
lock_type_pools = statements.many("lock_type_pools", Left)
count_type_pools = statements.many("count_type_pools", _id)

promos_of_event = statements.many("promos_of_event", PromoCode)
promo_by_id = statements.one("promo_by_id", PromoCode)
promo_by_code = statements.one("promo_by_code", PromoCode)
lock_promo = statements.one("lock_promo", PromoCode)
lock_promos_by_code = statements.count("lock_promos_by_code")
lock_promo_by_code = statements.one("lock_promo_by_code", PromoCode)
insert_promo = statements.one("insert_promo", PromoCode)
update_promo = statements.one("update_promo", PromoCode)
delete_promo = statements.count("delete_promo")
take_promo = statements.count("take_promo")
return_promos = statements.count("return_promos")
retake_promo = statements.value("retake_promo", str)

charge_lists = statements.many("charge_lists", _charges)
shows_without_charges = statements.many("shows_without_charges", _id)
put_charges = statements.one("put_charges", _charges)
delete_charges = statements.count("delete_charges")

next_numbers = statements.value("next_numbers", int)
insert_tickets = statements.many("insert_tickets", Ticket)
sell_seats = statements.many("sell_seats", ChangedSeat)
free_seats = statements.many("free_seats", ChangedSeat)
lock_sold_seats = statements.count("lock_sold_seats")
lock_zone_pools = statements.count("lock_zone_pools")
take_back_places = statements.count("take_back_places")
zones_counted = statements.many("zones_counted", Counted)
ticket_by_id = statements.one("ticket_by_id", Ticket)
tickets_of_order = statements.many("tickets_of_order", Ticket)
lock_tickets = statements.many("lock_tickets", Ticket)
void_tickets = statements.many("void_tickets", Ticket)
printed_ticket = statements.one("printed_ticket", TicketRow)
printed_tickets_of_order = statements.many("printed_tickets_of_order", TicketRow)
tickets_of_holder = statements.many("tickets_of_holder", TicketRow)
tickets_to_come = statements.many("tickets_to_come", TicketRow)
tickets_passed_on = statements.many("tickets_passed_on", TicketRow)
transfer_ticket = statements.one("transfer_ticket", Ticket)

ticket_keys = statements.many("ticket_keys", TicketKey)
signing_key = statements.one("signing_key", SigningKey)
retire_key = statements.count("retire_key")
insert_key = statements.count("insert_key")
