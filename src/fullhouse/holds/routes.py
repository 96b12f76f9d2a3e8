"""HTTP routes of holds. Reserving is on the fast lane; its twin here documents it and serves the wide lane."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated
from uuid import UUID

import msgspec
from litestar.params import HeaderParameter, QueryParameter

from fullhouse.holds import actions, batchable, companion_reads, policy, refusal_audit
from fullhouse.holds.engine import Engine, Results
from fullhouse.holds.model import (
    Basket,
    Hold,
    HoldItems,
    InvalidRequest,
    ReleaseSeats,
    Reserve,
    Reserved,
    TooManyOfType,
    Unauthorized,
)
from fullhouse.holds.sale_context import SaleContext
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid, Malformed, Refusal, Unauthenticated
from fullhouse.kit.http.body import decode
from fullhouse.kit.http.endpoints import DataEnvelope, delete, get, post
from fullhouse.kit.http.hot_request import BatchRequest, ServerHotRequest
from fullhouse.kit.http.lanes import HotRequest
from fullhouse.kit.http.response import Response
from fullhouse.kit.services import Services

_NO_STORE = (("cache-control", "no-cache, no-store"),)
_HOLD_ITEMS = msgspec.json.Decoder(HoldItems)
_RESERVE = msgspec.json.Decoder(Reserve)
Key = Annotated[
    str | None, HeaderParameter(name="Idempotency-Key", description="A repeat with it returns the first response.")
]
RELEASED_MAX_BYTES = 2**20
Reason = Annotated[str | None, QueryParameter(min_length=1, max_length=500, description="Required for another's hold.")]


async def reserve_fast(call: HotRequest) -> Response:
    raw = await call.read()
    assert call.principal
    event_id, seat_id = call.params
    try:
        request = decode(_RESERVE, raw) if raw else Reserve()
    except (Invalid, Malformed) as error:
        refusal = InvalidRequest(error.detail, fields=error.fields)
        await refusal_audit.record_refusal(call.state.services, call.principal, event_id, refusal, seat_id)
        raise refusal from None
    return await _reserve(call.state.services, call.principal, event_id, seat_id, request)


def reserve_in_batch(call: ServerHotRequest) -> BatchRequest | None:
    raw, who = call.peek_body(), call.principal
    assert who
    request = decode(_RESERVE, raw) if raw else Reserve()
    event_id, seat_id = call.params
    found = batchable.prepare_seat(call.state.services, who, event_id, seat_id, request)
    return found and _to_batch_request(found, who, partial(_respond_seat, found.sale, seat_id), seat_id)


@post(
    "/api/events/{event_id:uuid}/seats/{seat_id:uuid}/reserve",
    "holds.place",
    answers={201: Reserved, 200: Reserved},
    fast=reserve_fast,
    in_batch=reserve_in_batch,
    says={Unauthenticated: Unauthorized, Invalid: InvalidRequest, Malformed: InvalidRequest},
    bad_path=InvalidRequest,
)
async def reserve_seat(services: Services, who: Principal, event_id: UUID, seat_id: UUID, data: Reserve) -> Response:
    """Reserve a seat for a few minutes. A repeat by the same person returns the same hold (200), with the time left."""
    return await _reserve(services, who, event_id, seat_id, data)


async def _reserve(services: Services, who: Principal, event_id: UUID, seat_id: UUID, request: Reserve) -> Response:
    held, is_new = await actions.reserve(services, who, event_id, seat_id, request)
    return _to_seat_response(await companion_reads.add_to_seat(services, who, held), is_new)


def _respond_seat(sale: SaleContext, seat_id: UUID, results: Results) -> Response:
    return _to_seat_response(*actions.unwrap_seat(sale, seat_id, results))


def _to_seat_response(held: Reserved, is_new: bool) -> Response:
    return Response(201 if is_new else 200, msgspec.json.encode(DataEnvelope(held)), _NO_STORE)


def _to_batch_request(
    found: batchable.Prepared, who: Principal, respond: Callable[[Results], Response], seat_id: UUID | None
) -> BatchRequest:
    """Refusals are audited as in actions.py. Nearly all are audited by the engine itself, and need no task here."""
    sale, request = found

    def respond_or_refuse(results: Results) -> Response | Awaitable[Response]:
        try:
            return respond(results)
        except Refusal as refusal:
            if policy.needs_audit(refusal) or isinstance(refusal, TooManyOfType):
                return refusal_audit.record_and_raise(sale.services, who, sale.event_id, refusal, seat_id)
            raise

    return BatchRequest(
        sale.services.part(Engine).batches, sale.organization_id, request, request.conflict_keys, respond_or_refuse
    )


async def hold_items_fast(call: HotRequest) -> Response:
    request = decode(_HOLD_ITEMS, await call.read())
    assert call.principal
    key = _check_key(call.header("idempotency-key"))
    services, who = call.state.services, call.principal
    held = await actions.hold_items(services, who, call.params[0], request, key)
    return _to_items_response(await companion_reads.add_to_basket(services, who, held))


def hold_items_in_batch(call: ServerHotRequest) -> BatchRequest | None:
    who = call.principal
    assert who
    if call.header("idempotency-key") is not None:
        return None
    request = decode(_HOLD_ITEMS, call.peek_body())
    found = batchable.prepare_spots(call.state.services, who, call.params[0], request)
    return found and _to_batch_request(found, who, partial(_respond_items, found, request), None)


def _respond_items(found: batchable.Prepared, body: HoldItems, results: Results) -> Response:
    sale, request = found
    return _to_items_response(actions.unwrap_basket(sale, request.basket_id, request.items, body, results))


def _to_items_response(held: Basket) -> Response:
    return Response(201, msgspec.json.encode(DataEnvelope(held)), _NO_STORE)


@post("/api/events/{event_id:uuid}/holds", "holds.place", fast=hold_items_fast, in_batch=hold_items_in_batch)
async def hold_items(
    services: Services, who: Principal, event_id: UUID, data: HoldItems, idempotency_key: Key = None
) -> Basket:
    """Hold several seats or general-admission spots, all or none; or the best available seats, with an explanation.

    A refusal has the index of the failed item in `item`. For limits, `most` is the limit; `max_per_order` also has the
    ticket type's `name`.
    """
    held = await actions.hold_items(services, who, event_id, data, _check_key(idempotency_key))
    return await companion_reads.add_to_basket(services, who, held)


def _check_key(key: str | None) -> str | None:
    if key is not None and not 1 <= len(key) <= 255:
        raise Invalid(fields=[FieldError("Idempotency-Key", "Between 1 and 255 characters.")])
    return key


@get("/api/events/{event_id:uuid}/holds", "holds.read")
async def list_my_holds(tx: Tx, who: Principal, event_id: UUID) -> list[Hold]:
    """My holds of this event. Wheelchair spaces list the companion seats that are reserved for me beside them."""
    return await actions.list_my_holds(tx, who, event_id)


@delete("/api/holds/{hold_id:uuid}", "holds.place")
async def release_hold(tx: Tx, who: Principal, hold_id: UUID, reason: Reason = None) -> None:
    """Release a hold. Staff can release another person's hold, with a reason."""
    await actions.release(tx, who, hold_id, reason)


@post("/api/events/{event_id:uuid}/holds/release", "seating.write", status=200, body_limit=RELEASED_MAX_BYTES)
async def release_holds(tx: Tx, event_id: UUID, data: ReleaseSeats) -> dict[str, int]:
    """Release all holds of these seats, with a reason. If one of them is being paid for, none is released."""
    return {"released": await actions.release_seats(tx, event_id, data)}


handlers = [reserve_seat, hold_items, list_my_holds, release_hold, release_holds]
