"""Runs `queries.sql`, row to model."""

from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.kit.db import sql
from fullhouse.tickets import queries
from fullhouse.tickets.model import SigningKey, Ticket, TicketKey, TicketRow
from fullhouse.tickets.pricing import Charge
from fullhouse.tickets.types.model import PromoCode, TicketType


class TypeCounts(NamedTuple):
    held: int
    sold: int


class TicketsLeft(NamedTuple):
    """How many tickets of a type are left."""

    ticket_type_id: UUID
    places: int


class HeldPlace(NamedTuple):
    """A hold with its seat or zone, and what its price depends on."""

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


class SoldCount(NamedTuple):
    ticket_type_id: UUID
    sold: int


class LowestPrice(NamedTuple):
    event_id: UUID
    amount: int
    currency: str


class ZoneCounts(NamedTuple):
    zone_id: UUID
    held: int
    sold: int
    version: int


class Charges(NamedTuple):
    scope_id: UUID
    charges: list[Charge]
    version: int


def _to_charges(scope_id: UUID, charges: Any, version: int) -> Charges:
    return Charges(scope_id, msgspec.convert(charges, list[Charge]), version)


def _text(value: str) -> str:
    return value


def _id(value: UUID) -> UUID:
    return value


types_of_event = sql.many(queries.types_of_event, TicketType)
type_by_id = sql.one(queries.type_by_id, TicketType)
sold_out_types = sql.many(queries.sold_out_types, _id)
sold_of_types = sql.many(queries.sold_of_types, SoldCount)
insert_type = sql.one(queries.insert_type, TicketType)
update_type = sql.one(queries.update_type, TicketType)
move_days = sql.count(queries.move_days)
delete_type = sql.count(queries.delete_type)
counts_of_type = sql.one(queries.counts_of_type, TypeCounts)
event_limit = sql.value(queries.event_limit, int)
places_left_of_event = sql.many(queries.places_left_of_event, TicketsLeft)
put_type_pool = sql.count(queries.put_type_pool)
delete_type_pool = sql.count(queries.delete_type_pool)
is_type_held = sql.value(queries.is_type_held, bool)
is_type_in_use = sql.value(queries.is_type_in_use, bool)
zones_on_sale = sql.many(queries.zones_on_sale, _text)
lowest_prices = sql.many(queries.lowest_prices, LowestPrice)
price_categories = sql.many(queries.price_categories, _text)
places_of_holds = sql.many(queries.places_of_holds, HeldPlace)
lock_type_pools = sql.many(queries.lock_type_pools, TicketsLeft)
count_type_pools = sql.many(queries.count_type_pools, _id)

promos_of_event = sql.many(queries.promos_of_event, PromoCode)
promo_by_id = sql.one(queries.promo_by_id, PromoCode)
promo_by_code = sql.one(queries.promo_by_code, PromoCode)
lock_promo = sql.one(queries.lock_promo, PromoCode)
lock_promos_by_code = sql.count(queries.lock_promos_by_code)
lock_promo_by_code = sql.one(queries.lock_promo_by_code, PromoCode)
insert_promo = sql.one(queries.insert_promo, PromoCode)
update_promo = sql.one(queries.update_promo, PromoCode)
delete_promo = sql.count(queries.delete_promo)
count_promo_use = sql.count(queries.count_promo_use)
release_promo_uses = sql.count(queries.release_promo_uses)
count_promo_use_again = sql.value(queries.count_promo_use_again, str)

charge_lists = sql.many(queries.charge_lists, _to_charges)
events_without_charges = sql.many(queries.events_without_charges, _id)
put_charges = sql.one(queries.put_charges, _to_charges)
delete_charges = sql.count(queries.delete_charges)

next_numbers = sql.value(queries.next_numbers, int)
insert_tickets = sql.many(queries.insert_tickets, Ticket)
sell_seats = sql.many(queries.sell_seats, ChangedSeat)
free_seats = sql.many(queries.free_seats, ChangedSeat)
lock_sold_seats = sql.count(queries.lock_sold_seats)
lock_pools = sql.count(queries.lock_pools)
release_sold_places = sql.count(queries.release_sold_places)
zones_counted = sql.many(queries.zones_counted, ZoneCounts)
ticket_by_id = sql.one(queries.ticket_by_id, Ticket)
tickets_of_order = sql.many(queries.tickets_of_order, Ticket)
lock_tickets = sql.many(queries.lock_tickets, Ticket)
void_tickets = sql.many(queries.void_tickets, Ticket)
printable_ticket = sql.one(queries.printable_ticket, TicketRow)
printable_tickets_of_order = sql.many(queries.printable_tickets_of_order, TicketRow)
tickets_of_holder = sql.many(queries.tickets_of_holder, TicketRow)
upcoming_tickets = sql.many(queries.upcoming_tickets, TicketRow)
transferred_tickets = sql.many(queries.transferred_tickets, TicketRow)
transfer_ticket = sql.one(queries.transfer_ticket, Ticket)

ticket_keys = sql.many(queries.ticket_keys, TicketKey)
signing_key = sql.one(queries.signing_key, SigningKey)
retire_key = sql.count(queries.retire_key)
insert_key = sql.count(queries.insert_key)
