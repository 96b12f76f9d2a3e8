"""Checkouts over HTTP: begin, find again, leave, buy. Buying is on the fast lane; its twin documents it."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar.params import HeaderParameter

from fullhouse.checkout import actions
from fullhouse.checkout.model import KeyNeeded, Order, Purchase, Session, StartCheckout
from fullhouse.checkout.orders import actions as order_actions
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.body import decode
from fullhouse.kit.http.endpoints import Data, delete, get, post
from fullhouse.kit.http.lane import Call
from fullhouse.kit.services import Services
from fullhouse.waiting_room.model import Place

_NO_STORE = (("cache-control", "no-store"),)
_PURCHASE = msgspec.json.Decoder(Purchase)
Key = Annotated[
    str | None,
    HeaderParameter(name="Idempotency-Key", description="Required. The same key again gives the first answer."),
]


@post("/api/events/{event_id:uuid}/checkout", "checkout.use", answers={201: Session, 202: Place})
async def start_checkout(services: Services, who: Principal, event_id: UUID, data: StartCheckout) -> Answer:
    """Begin to buy what I hold: each hold as tickets of a type.

    201 with the checkout: ten minutes, in which the holds run on as they are. 202 with my place in the line if all
    slots are taken: ask `GET /api/events/{id}/queue`, and begin again when it is my turn. Beginning again replaces the
    checkout that I have in the show, without a longer time.
    """
    begun = await actions.start(services, who, event_id, data)
    if isinstance(begun, Session):
        headers = (*_NO_STORE, ("location", f"/api/checkout/{begun.id}"))
        return Answer(201, msgspec.json.encode(Data(begun)), headers)
    return Answer(202, msgspec.json.encode(Data(begun)), _NO_STORE)


@get("/api/events/{event_id:uuid}/checkout", "checkout.use")
async def get_my_checkout(tx: Tx, services: Services, who: Principal, event_id: UUID) -> Session:
    """My checkout in this show, for who was disconnected."""
    return await actions.view(tx, services, await actions.current(tx, who, event_id))


@get("/api/checkout/{checkout_id:uuid}", "checkout.use")
async def get_checkout(tx: Tx, services: Services, who: Principal, checkout_id: UUID) -> Session:
    """A checkout of mine, with the time that is left."""
    return await actions.view(tx, services, await actions.get_session(tx, who, checkout_id))


@delete("/api/checkout/{checkout_id:uuid}", "checkout.use")
async def leave_checkout(services: Services, who: Principal, checkout_id: UUID) -> None:
    """Leave a checkout: its places, its slot and its promo code are free at once. A payment that waits for me at its
    provider is called off; one whose outcome is not known is not (409)."""
    await order_actions.call_off(services, who, checkout_id)
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        await actions.leave(tx, who, checkout_id)


async def purchase_fast(call: Call) -> Answer:
    wish = decode(_PURCHASE, await call.read())
    assert call.principal
    return await _purchase(call.state.services, call.principal, call.params[0], wish, call.header("idempotency-key"))


@post("/api/checkout/{checkout_id:uuid}/purchase", "checkout.use", answers={201: Order, 202: Order}, fast=purchase_fast)
async def purchase(
    services: Services, who: Principal, checkout_id: UUID, data: Purchase, idempotency_key: Key = None
) -> Answer:
    """Buy what a checkout has. Needs an Idempotency-Key.

    201: the order with its tickets. 202: the payment is not settled yet; go on at the provider with `client_secret`, or
    look at the order again later. 402: declined; the checkout goes on in its time. 409: something is no longer as it
    was (`hold_expired`), and nothing was charged.
    """
    return await _purchase(services, who, checkout_id, data, idempotency_key)


async def _purchase(services: Services, who: Principal, checkout_id: UUID, wish: Purchase, key: str | None) -> Answer:
    bought = await order_actions.purchase(services, who, checkout_id, wish, _checked(key))
    headers = (*_NO_STORE, ("location", f"/api/orders/{bought.order.id}"))
    return Answer(201 if bought.settled else 202, msgspec.json.encode(Data[Order](bought.order)), headers)


def _checked(key: str | None) -> str:
    if key is None:
        raise KeyNeeded(fields=[FieldError("Idempotency-Key", "This header is required.")])
    if not 1 <= len(key) <= 255:
        raise Invalid(fields=[FieldError("Idempotency-Key", "Between 1 and 255 characters.")])
    return key


handlers = [start_checkout, get_my_checkout, get_checkout, leave_checkout, purchase]
