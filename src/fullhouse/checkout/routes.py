"""HTTP routes of checkout: start, read, leave, buy."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar.params import HeaderParameter

from fullhouse.checkout import actions
from fullhouse.checkout.model import IdempotencyKeyRequired, Order, Purchase, Session, StartCheckout
from fullhouse.checkout.orders import actions as order_actions
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.http.endpoints import DataEnvelope, delete, get, post
from fullhouse.kit.http.response import Response
from fullhouse.kit.services import Services
from fullhouse.waiting_room.model import Place

_NO_STORE = (("cache-control", "no-store"),)
_PURCHASE_DECODER = msgspec.json.Decoder(Purchase)
Key = Annotated[
    str | None,
    HeaderParameter(name="Idempotency-Key", description="Required. Repeating a key returns the first response."),
]


@post("/api/events/{event_id:uuid}/checkout", "checkout.use", answers={201: Session, 202: Place})
async def start_checkout(services: Services, who: Principal, event_id: UUID, data: StartCheckout) -> Response:
    """Begin a checkout of the caller's holds: each hold as tickets of a type.

    201 with the checkout, which lasts ten minutes; its holds last at least as long. 202 with the caller's position in
    the waiting room if all slots are taken: poll `GET /api/events/{id}/queue`, and begin again when admitted.
    Beginning again replaces the caller's open checkout for the event and keeps its expiry.
    """
    begun = await actions.start(services, who, event_id, data)
    if isinstance(begun, Session):
        headers = (*_NO_STORE, ("location", f"/api/checkout/{begun.id}"))
        return Response(201, msgspec.json.encode(DataEnvelope(begun)), headers)
    return Response(202, msgspec.json.encode(DataEnvelope(begun)), _NO_STORE)


@get("/api/events/{event_id:uuid}/checkout", "checkout.use")
async def get_my_checkout(tx: Tx, services: Services, who: Principal, event_id: UUID) -> Session:
    """The caller's open checkout for this event, for instance after a lost connection."""
    return await actions.to_response(tx, services, await actions.require_live_session(tx, who, event_id))


@get("/api/checkout/{checkout_id:uuid}", "checkout.use")
async def get_checkout(tx: Tx, services: Services, who: Principal, checkout_id: UUID) -> Session:
    """One of the caller's checkouts, with the time that is left."""
    return await actions.to_response(tx, services, await actions.require_session(tx, who, checkout_id))


@delete("/api/checkout/{checkout_id:uuid}", "checkout.use")
async def leave_checkout(services: Services, who: Principal, checkout_id: UUID) -> None:
    """Leave a checkout. Its holds, its waiting-room slot and its promo code are released at once.

    A payment that waits for the buyer at the provider is cancelled there first. 409 `payment_running` if the outcome
    of a payment is unknown.
    """
    await order_actions.cancel_pending_payment(services, who, checkout_id)
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        await actions.leave(tx, who, checkout_id)


@post("/api/checkout/{checkout_id:uuid}/purchase", "checkout.use", answers={201: Order, 202: Order}, hot=True)
async def purchase(
    services: Services, who: Principal, checkout_id: UUID, data: Purchase, idempotency_key: Key = None
) -> Response:
    """Buy the items of a checkout. Needs an Idempotency-Key.

    201: the order with its tickets. 202: the payment is not settled yet; continue at the provider with `client_secret`,
    or read the order again later. 402: declined; the checkout stays open until it expires. 409: the checkout or a hold
    has changed (for instance `hold_expired`); nothing was charged.
    """
    bought = await order_actions.purchase(services, who, checkout_id, data, _check_key(idempotency_key))
    headers = (*_NO_STORE, ("location", f"/api/orders/{bought.order.id}"))
    return Response(201 if bought.settled else 202, msgspec.json.encode(DataEnvelope[Order](bought.order)), headers)


def _check_key(key: str | None) -> str:
    if key is None:
        raise IdempotencyKeyRequired(fields=[FieldError("Idempotency-Key", "This header is required.")])
    if not 1 <= len(key) <= 255:
        raise Invalid(fields=[FieldError("Idempotency-Key", "Between 1 and 255 characters.")])
    return key


handlers = [start_checkout, get_my_checkout, get_checkout, leave_checkout, purchase]
