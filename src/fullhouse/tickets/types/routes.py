"""Endpoints of ticket types, promo codes, fees and taxes; and of the offers that buyers see."""

from typing import Annotated, Any
from uuid import UUID

from litestar.params import QueryParameter

from fullhouse.events.public import reads as events
from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import DataWithHeaders, delete, get, patch, post, put
from fullhouse.kit.http.parameters import IfMatch
from fullhouse.kit.http.versions import etag
from fullhouse.kit.services import Services
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.promo_codes import reads as promo_reads
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import (
    ChangePromoCode,
    ChangeTicketType,
    ChargeList,
    NewPromoCode,
    NewTicketType,
    Offer,
    PromoCode,
    PromoEffect,
    SetCharges,
    TicketType,
)

_EVENT_PATH = "/api/events/{of.event_id}"


@get("/api/events/{event_id:uuid}/offers", public=True)
async def list_offers(
    services: Services,
    actor: Actor,
    event_id: UUID,
    code: Annotated[
        str | None, QueryParameter(max_length=40, description="A promo code: it may show hidden types.")
    ] = None,
) -> list[Offer]:
    """The ticket types on offer for an event, in their sort order, with fees and taxes. Amounts in minor units."""
    event = (await events.require_public_event(services, event_id)).event
    async with services.database.tenant(event.organization_id) as tx:
        promo = await promo_reads.require_valid(services, actor, tx, event_id, code) if code else None
        charges = (await promos.load_charges(tx, event_id)).charges
        return await types.list_offers(tx, event_id, charges, promo)


@get("/api/events/{event_id:uuid}/promo-code", public=True)
async def look_up_promo(
    services: Services,
    actor: Actor,
    event_id: UUID,
    code: Annotated[
        str, QueryParameter(min_length=1, max_length=40, description="The code as typed, in upper or lower case.")
    ],
) -> PromoEffect:
    """The effect of a promo code, before seats are chosen: its discount, and the hidden types it shows.

    Refused as at checkout: `promo_code_unknown`, `promo_code_not_started` with `valid_from`, `promo_code_expired`,
    `promo_code_used_up`. Request `offers` with the code for the types that it shows, with prices. Trying many invalid
    codes is rate-limited (429).
    """
    event = (await events.require_public_event(services, event_id)).event
    async with services.database.tenant(event.organization_id) as tx:
        return await promo_reads.load_effect(services, actor, tx, event_id, code)


@get("/api/events/{event_id:uuid}/ticket-types", "sales.read")
async def list_types(tx: Tx, event_id: UUID) -> list[TicketType]:
    """The ticket types of an event, including hidden ones, with their held and sold counts."""
    return await types.list_types(tx, event_id)


@post("/api/events/{event_id:uuid}/ticket-types", "sales.write", location=f"{_EVENT_PATH}/ticket-types/{{id}}")
async def create_type(tx: Tx, event_id: UUID, data: NewTicketType) -> DataWithHeaders[TicketType]:
    """Add a ticket type. Without a quantity, the capacity of its zones is the limit."""
    return _with_etag(await types.create_type(tx, event_id, data))


@get("/api/events/{event_id:uuid}/ticket-types/{type_id:uuid}", "sales.read")
async def get_type(tx: Tx, event_id: UUID, type_id: UUID) -> DataWithHeaders[TicketType]:
    """One ticket type."""
    return _with_etag(await types.require_type(tx, event_id, type_id))


@patch("/api/events/{event_id:uuid}/ticket-types/{type_id:uuid}", "sales.write")
async def change_type(
    tx: Tx, event_id: UUID, type_id: UUID, data: ChangeTicketType, if_match: IfMatch = None
) -> DataWithHeaders[TicketType]:
    """Change a ticket type. Open checkouts keep their price."""
    return _with_etag(await types.change_type(tx, event_id, type_id, data, if_match))


@delete("/api/events/{event_id:uuid}/ticket-types/{type_id:uuid}", "sales.write")
async def delete_type(tx: Tx, event_id: UUID, type_id: UUID, if_match: IfMatch = None) -> None:
    """Delete a ticket type without holds and orders."""
    await types.delete_type(tx, event_id, type_id, if_match)


@get("/api/events/{event_id:uuid}/promo-codes", "sales.read")
async def list_promos(tx: Tx, event_id: UUID) -> list[PromoCode]:
    """The promo codes of an event, with their uses and total discounts."""
    return await promos.list_promos(tx, event_id)


@post("/api/events/{event_id:uuid}/promo-codes", "sales.write", location=f"{_EVENT_PATH}/promo-codes/{{id}}")
async def create_promo(tx: Tx, event_id: UUID, data: NewPromoCode) -> DataWithHeaders[PromoCode]:
    """Add a promo code: a percentage or an amount off, or access to hidden types."""
    return _with_etag(await promos.create_promo(tx, event_id, data))


@get("/api/events/{event_id:uuid}/promo-codes/{promo_id:uuid}", "sales.read")
async def get_promo(tx: Tx, event_id: UUID, promo_id: UUID) -> DataWithHeaders[PromoCode]:
    """One promo code."""
    return _with_etag(await promos.require_promo(tx, event_id, promo_id))


@patch("/api/events/{event_id:uuid}/promo-codes/{promo_id:uuid}", "sales.write")
async def change_promo(
    tx: Tx, event_id: UUID, promo_id: UUID, data: ChangePromoCode, if_match: IfMatch = None
) -> DataWithHeaders[PromoCode]:
    """Change the limits, ticket types or validity of a promo code, or deactivate it."""
    return _with_etag(await promos.change_promo(tx, event_id, promo_id, data, if_match))


@delete("/api/events/{event_id:uuid}/promo-codes/{promo_id:uuid}", "sales.write")
async def delete_promo(tx: Tx, event_id: UUID, promo_id: UUID, if_match: IfMatch = None) -> None:
    """Delete a promo code that was never used."""
    await promos.delete_promo(tx, event_id, promo_id, if_match)


@get("/api/org/charges", "sales.read")
async def get_charges(tx: Tx) -> DataWithHeaders[ChargeList]:
    """The organisation's fees and taxes."""
    return _with_etag(await promos.load_charges(tx, None))


@put("/api/org/charges", "sales.write")
async def set_charges(tx: Tx, data: SetCharges, if_match: IfMatch = None) -> DataWithHeaders[ChargeList]:
    """Set the fees and taxes of all events without their own. Open checkouts keep their price."""
    return _with_etag(await promos.set_charges(tx, None, data.charges, if_match))


@get("/api/events/{event_id:uuid}/charges", "sales.read")
async def get_event_charges(tx: Tx, event_id: UUID) -> DataWithHeaders[ChargeList]:
    """The fees and taxes that apply to an event."""
    return _with_etag(await promos.load_charges(tx, event_id))


@put("/api/events/{event_id:uuid}/charges", "sales.write")
async def set_event_charges(
    tx: Tx, event_id: UUID, data: SetCharges, if_match: IfMatch = None
) -> DataWithHeaders[ChargeList]:
    """Set an event's own fees and taxes, which replace the organisation's."""
    return _with_etag(await promos.set_charges(tx, event_id, data.charges, if_match))


@delete("/api/events/{event_id:uuid}/charges", "sales.write")
async def drop_event_charges(tx: Tx, event_id: UUID) -> None:
    """Delete an event's own fees and taxes: the organisation's apply again."""
    await promos.delete_charges(tx, event_id)


def _with_etag(row: Any) -> DataWithHeaders[Any]:
    return DataWithHeaders(row, {"etag": etag(row.version)})


handlers = [
    list_offers, look_up_promo, list_types, create_type, get_type, change_type, delete_type,
    list_promos, create_promo, get_promo, change_promo, delete_promo,
    get_charges, set_charges, get_event_charges, set_event_charges, drop_event_charges,
]  # fmt: skip
