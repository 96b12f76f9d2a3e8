"""What a show sells, over HTTP: ticket types, promo codes, fees and taxes; and what a buyer sees of it."""

from typing import Annotated, Any
from uuid import UUID

from litestar.params import QueryParameter

from fullhouse.events.public import reads as events
from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import Reply, delete, get, patch, post, put
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

_HERE = "/api/events/{of.event_id}"


@get("/api/events/{event_id:uuid}/offers", public=True)
async def list_offers(
    services: Services,
    actor: Actor,
    event_id: UUID,
    code: Annotated[str | None, QueryParameter(max_length=40, description="A promo code: it may show more.")] = None,
) -> list[Offer]:
    """What can be bought of a show, in its order, in minor units, with the fees and taxes on it."""
    show = (await events.public_show(services, event_id)).show
    async with services.database.tenant(show.organization_id) as tx:
        promo = await promo_reads.find(services, actor, tx, event_id, code) if code else None
        charges = (await promos.charges(tx, event_id)).charges
        return await types.offers(tx, event_id, charges, promo)


@get("/api/events/{event_id:uuid}/promo-code", public=True)
async def look_up_promo(
    services: Services,
    actor: Actor,
    event_id: UUID,
    code: Annotated[str, QueryParameter(min_length=1, max_length=40, description="As somebody typed it.")],
) -> PromoEffect:
    """What a promo code does, before anything is chosen: what comes off, and which hidden types it shows.

    Refused as checkout would refuse it: `promo_code_unknown`, `promo_code_not_started` with `valid_from`,
    `promo_code_expired`, `promo_code_used_up`. `offers` with the code lists what it shows, with prices. Whoever tries
    many codes that are not valid is told to wait (429).
    """
    show = (await events.public_show(services, event_id)).show
    async with services.database.tenant(show.organization_id) as tx:
        return await promo_reads.look_up(services, actor, tx, event_id, code)


@get("/api/events/{event_id:uuid}/ticket-types", "sales.read")
async def list_types(tx: Tx, event_id: UUID) -> list[TicketType]:
    """A show's ticket types, hidden ones too, with what is held and sold where it is counted."""
    return await types.list_types(tx, event_id)


@post("/api/events/{event_id:uuid}/ticket-types", "sales.write", location=f"{_HERE}/ticket-types/{{id}}")
async def create_type(tx: Tx, event_id: UUID, data: NewTicketType) -> Reply[TicketType]:
    """Add a ticket type. Without a quantity it sells as many as its zones have places."""
    return _tagged(await types.create_type(tx, event_id, data))


@get("/api/events/{event_id:uuid}/ticket-types/{type_id:uuid}", "sales.read")
async def get_type(tx: Tx, event_id: UUID, type_id: UUID) -> Reply[TicketType]:
    """One ticket type."""
    return _tagged(await types.get_type(tx, event_id, type_id))


@patch("/api/events/{event_id:uuid}/ticket-types/{type_id:uuid}", "sales.write")
async def change_type(
    tx: Tx, event_id: UUID, type_id: UUID, data: ChangeTicketType, if_match: IfMatch = None
) -> Reply[TicketType]:
    """Change a ticket type. Who has begun to buy pays what they were told."""
    return _tagged(await types.change_type(tx, event_id, type_id, data, if_match))


@delete("/api/events/{event_id:uuid}/ticket-types/{type_id:uuid}", "sales.write")
async def delete_type(tx: Tx, event_id: UUID, type_id: UUID, if_match: IfMatch = None) -> None:
    """Delete a ticket type that nobody holds or has bought."""
    await types.delete_type(tx, event_id, type_id, if_match)


@get("/api/events/{event_id:uuid}/promo-codes", "sales.read")
async def list_promos(tx: Tx, event_id: UUID) -> list[PromoCode]:
    """A show's promo codes, with how often each was used and what it has cost."""
    return await promos.list_promos(tx, event_id)


@post("/api/events/{event_id:uuid}/promo-codes", "sales.write", location=f"{_HERE}/promo-codes/{{id}}")
async def create_promo(tx: Tx, event_id: UUID, data: NewPromoCode) -> Reply[PromoCode]:
    """Add a promo code: a share or an amount off, or access to hidden types."""
    return _tagged(await promos.create_promo(tx, event_id, data))


@get("/api/events/{event_id:uuid}/promo-codes/{promo_id:uuid}", "sales.read")
async def get_promo(tx: Tx, event_id: UUID, promo_id: UUID) -> Reply[PromoCode]:
    """One promo code."""
    return _tagged(await promos.get_promo(tx, event_id, promo_id))


@patch("/api/events/{event_id:uuid}/promo-codes/{promo_id:uuid}", "sales.write")
async def change_promo(
    tx: Tx, event_id: UUID, promo_id: UUID, data: ChangePromoCode, if_match: IfMatch = None
) -> Reply[PromoCode]:
    """Change how often, for what and how long a code is good, or switch it off."""
    return _tagged(await promos.change_promo(tx, event_id, promo_id, data, if_match))


@delete("/api/events/{event_id:uuid}/promo-codes/{promo_id:uuid}", "sales.write")
async def delete_promo(tx: Tx, event_id: UUID, promo_id: UUID, if_match: IfMatch = None) -> None:
    """Delete a code that nobody has used."""
    await promos.delete_promo(tx, event_id, promo_id, if_match)


@get("/api/org/charges", "sales.read")
async def get_charges(tx: Tx) -> Reply[ChargeList]:
    """The organisation's fees and taxes."""
    return _tagged(await promos.charges(tx, None))


@put("/api/org/charges", "sales.write")
async def set_charges(tx: Tx, data: SetCharges, if_match: IfMatch = None) -> Reply[ChargeList]:
    """Set the fees and taxes of all shows that have none of their own. Who has begun to buy pays as told."""
    return _tagged(await promos.set_charges(tx, None, data.charges, if_match))


@get("/api/events/{event_id:uuid}/charges", "sales.read")
async def get_event_charges(tx: Tx, event_id: UUID) -> Reply[ChargeList]:
    """The fees and taxes that hold for a show."""
    return _tagged(await promos.charges(tx, event_id))


@put("/api/events/{event_id:uuid}/charges", "sales.write")
async def set_event_charges(tx: Tx, event_id: UUID, data: SetCharges, if_match: IfMatch = None) -> Reply[ChargeList]:
    """Give a show fees and taxes of its own, in place of the organisation's."""
    return _tagged(await promos.set_charges(tx, event_id, data.charges, if_match))


@delete("/api/events/{event_id:uuid}/charges", "sales.write")
async def drop_event_charges(tx: Tx, event_id: UUID) -> None:
    """Let the organisation's fees and taxes hold for the show again."""
    await promos.drop_charges(tx, event_id)


def _tagged(row: Any) -> Reply[Any]:
    return Reply(row, {"etag": etag(row.version)})


handlers = [
    list_offers, look_up_promo, list_types, create_type, get_type, change_type, delete_type,
    list_promos, create_promo, get_promo, change_promo, delete_promo,
    get_charges, set_charges, get_event_charges, set_event_charges, drop_event_charges,
]  # fmt: skip
