"""HTTP routes of holds. Reserving is on the fast lane; its twin here documents it and serves the wide lane."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated
from uuid import UUID

import msgspec
from litestar.params import HeaderParameter, QueryParameter

from fullhouse.holds import actions, companion_reads, failures, plain, policy
from fullhouse.holds.desk import Desk
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
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid, Malformed, Refusal, Unauthenticated
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.body import decode
from fullhouse.kit.http.call import Errand, WireCall
from fullhouse.kit.http.endpoints import Data, delete, get, post
from fullhouse.kit.http.lane import Call
from fullhouse.kit.services import Services

_NO_STORE = (("cache-control", "no-cache, no-store"),)
_HOLD_ITEMS = msgspec.json.Decoder(HoldItems)
_RESERVE = msgspec.json.Decoder(Reserve)
Key = Annotated[
    str | None, HeaderParameter(name="Idempotency-Key", description="A repeat with it returns the first response.")
]
RELEASED_MAX_BYTES = 2**20
Why = Annotated[str | None, QueryParameter(min_length=1, max_length=500, description="Required for another's hold.")]


async def reserve_fast(call: Call) -> Answer:
    raw = await call.read()
    assert call.principal
    event_id, seat_id = call.params
    try:
        request = decode(_RESERVE, raw) if raw else Reserve()
    except (Invalid, Malformed) as error:
        refusal = InvalidRequest(error.detail, fields=error.fields)
        await failures.note(call.state.services, call.principal, event_id, refusal, seat_id)
        raise refusal from None
    return await _reserve(call.state.services, call.principal, event_id, seat_id, request)


def reserve_in_batch(call: WireCall) -> Errand | None:
    raw, who = call.look(), call.principal
    assert who
    request = decode(_RESERVE, raw) if raw else Reserve()
    event_id, seat_id = call.params
    found = plain.seat(call.state.services, who, event_id, seat_id, request)
    return found and _errand(found, who, partial(_told_seat, found.sale, seat_id), seat_id)


@post(
    "/api/events/{event_id:uuid}/seats/{seat_id:uuid}/reserve",
    "holds.place",
    answers={201: Reserved, 200: Reserved},
    fast=reserve_fast,
    in_batch=reserve_in_batch,
    says={Unauthenticated: Unauthorized, Invalid: InvalidRequest, Malformed: InvalidRequest},
    bad_path=InvalidRequest,
)
async def reserve_seat(services: Services, who: Principal, event_id: UUID, seat_id: UUID, data: Reserve) -> Answer:
    """Reserve a seat for a few minutes. A repeat by the same person returns the same hold (200), with the time left."""
    return await _reserve(services, who, event_id, seat_id, data)


async def _reserve(services: Services, who: Principal, event_id: UUID, seat_id: UUID, request: Reserve) -> Answer:
    held, is_new = await actions.reserve(services, who, event_id, seat_id, request)
    return _answer_seat(await companion_reads.add_to_seat(services, who, held), is_new)


def _told_seat(sale: Desk, seat_id: UUID, results: Results) -> Answer:
    return _answer_seat(*actions.got_seat(sale, seat_id, results))


def _answer_seat(held: Reserved, is_new: bool) -> Answer:
    return Answer(201 if is_new else 200, msgspec.json.encode(Data(held)), _NO_STORE)


def _errand(found: plain.Plain, who: Principal, respond: Callable[[Results], Answer], seat_id: UUID | None) -> Errand:
    """Refusals are audited as in actions.py. Nearly all are audited by the engine itself, and need no task here."""
    sale, request = found

    def respond_or_refuse(results: Results) -> Answer | Awaitable[Answer]:
        try:
            return respond(results)
        except Refusal as refusal:
            if policy.is_noted_here(refusal) or isinstance(refusal, TooManyOfType):
                return failures.note_and_refuse(sale.services, who, sale.event_id, refusal, seat_id)
            raise

    return Errand(sale.services.part(Engine).batches, sale.organization_id, request, request.apart, respond_or_refuse)


async def hold_items_fast(call: Call) -> Answer:
    request = decode(_HOLD_ITEMS, await call.read())
    assert call.principal
    key = _checked_key(call.header("idempotency-key"))
    services, who = call.state.services, call.principal
    held = await actions.hold_items(services, who, call.params[0], request, key)
    return _answer_items(await companion_reads.add_to_basket(services, who, held))


def hold_items_in_batch(call: WireCall) -> Errand | None:
    who = call.principal
    assert who
    if call.header("idempotency-key") is not None:
        return None
    request = decode(_HOLD_ITEMS, call.look())
    found = plain.places(call.state.services, who, call.params[0], request)
    return found and _errand(found, who, partial(_told_items, found, request), None)


def _told_items(found: plain.Plain, body: HoldItems, results: Results) -> Answer:
    sale, request = found
    return _answer_items(actions.got_items(sale, request.basket_id, request.wants, body, results))


def _answer_items(held: Basket) -> Answer:
    return Answer(201, msgspec.json.encode(Data(held)), _NO_STORE)


@post("/api/events/{event_id:uuid}/holds", "holds.place", fast=hold_items_fast, in_batch=hold_items_in_batch)
async def hold_items(
    services: Services, who: Principal, event_id: UUID, data: HoldItems, idempotency_key: Key = None
) -> Basket:
    """Hold several seats or general-admission spots, all or none; or the best available seats, with an explanation.

    A refusal has the index of the failed item in `item`. For limits, `most` is the limit; `max_per_order` also has the
    ticket type's `name`.
    """
    held = await actions.hold_items(services, who, event_id, data, _checked_key(idempotency_key))
    return await companion_reads.add_to_basket(services, who, held)


def _checked_key(key: str | None) -> str | None:
    if key is not None and not 1 <= len(key) <= 255:
        raise Invalid(fields=[FieldError("Idempotency-Key", "Between 1 and 255 characters.")])
    return key


@get("/api/events/{event_id:uuid}/holds", "holds.read")
async def list_my_holds(tx: Tx, who: Principal, event_id: UUID) -> list[Hold]:
    """My holds of this event. Wheelchair places list the companion seats that are reserved for me beside them."""
    return await actions.my_holds(tx, who, event_id)


@delete("/api/holds/{hold_id:uuid}", "holds.place")
async def release_hold(tx: Tx, who: Principal, hold_id: UUID, reason: Why = None) -> None:
    """Release a hold. Staff can release another person's hold, with a reason."""
    await actions.release(tx, who, hold_id, reason)


@post("/api/events/{event_id:uuid}/holds/release", "seating.write", status=200, body_limit=RELEASED_MAX_BYTES)
async def release_holds(tx: Tx, event_id: UUID, data: ReleaseSeats) -> dict[str, int]:
    """Release all holds of these seats, with a reason. If one of them is being paid for, none is released."""
    return {"released": await actions.release_seats(tx, event_id, data)}


handlers = [reserve_seat, hold_items, list_my_holds, release_hold, release_holds]
