"""Holds over HTTP. Reserving is on the fast lane; its twin here documents it and serves whoever comes another way."""

from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar.params import HeaderParameter, QueryParameter

from fullhouse.holds import actions, failures
from fullhouse.holds.model import Basket, Hold, HoldItems, InvalidRequest, Reserve
from fullhouse.kit.actors import Principal
from fullhouse.kit.db import Tx
from fullhouse.kit.errors import FieldError, Invalid, Malformed
from fullhouse.kit.http import problems
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.body import decode
from fullhouse.kit.http.endpoints import Data, delete, get, post
from fullhouse.kit.http.lane import Call
from fullhouse.kit.services import Services

_NO_STORE = (("cache-control", "no-cache, no-store"),)
_HOLD_ITEMS = msgspec.json.Decoder(HoldItems)
_RESERVE = msgspec.json.Decoder(Reserve)
Key = Annotated[
    str | None, HeaderParameter(name="Idempotency-Key", description="The same key again gives the first answer.")
]
Why = Annotated[str | None, QueryParameter(min_length=1, max_length=500, description="Staff say why.")]


async def reserve_fast(call: Call) -> Answer:
    raw = await call.read()
    assert call.principal
    event_id, seat_id = call.params
    try:
        wish = decode(_RESERVE, raw) if raw else Reserve()
    except (Invalid, Malformed) as wrong:  # both are 400 on this route
        refusal = wrong if isinstance(wrong, Malformed) else _as_invalid_request(wrong)
        await failures.note(call.state.services, call.principal, event_id, refusal, seat_id)
        raise refusal from None
    return await _reserve(call.state.services, call.principal, event_id, seat_id, wish.source)


@post("/api/events/{event_id:uuid}/seats/{seat_id:uuid}/reserve", "holds.place", fast=reserve_fast)
async def reserve_seat(services: Services, who: Principal, event_id: UUID, seat_id: UUID, data: Reserve) -> Answer:
    """Reserve a seat for a few minutes. The same person again gets the same hold back (200), with the time left."""
    return await _reserve(services, who, event_id, seat_id, data.source)


def _said_as_invalid(request: Any, invalid: Invalid) -> Any:
    """The twin speaks as the fast lane does."""
    return problems.exception_handlers[Exception](request, _as_invalid_request(invalid))


def _as_invalid_request(invalid: Invalid) -> InvalidRequest:
    return InvalidRequest(invalid.detail, fields=invalid.fields)


reserve_seat.exception_handlers = {Invalid: _said_as_invalid}


async def _reserve(services: Services, who: Principal, event_id: UUID, seat_id: UUID, source: str) -> Answer:
    held, fresh = await actions.reserve(services, who, event_id, seat_id, source)
    return Answer(201 if fresh else 200, msgspec.json.encode(Data(held)), _NO_STORE)


async def hold_items_fast(call: Call) -> Answer:
    order = decode(_HOLD_ITEMS, await call.read())
    assert call.principal
    key = _checked_key(call.header("idempotency-key"))
    held = await actions.hold_items(call.state.services, call.principal, call.params[0], order, key)
    return Answer(201, msgspec.json.encode(Data(held)), _NO_STORE)


@post("/api/events/{event_id:uuid}/holds", "holds.place", fast=hold_items_fast)
async def hold_items(
    services: Services, who: Principal, event_id: UUID, data: HoldItems, idempotency_key: Key = None
) -> Basket:
    """Hold several seats and places, all or none; or the best available, which says what it chose and why."""
    return await actions.hold_items(services, who, event_id, data, _checked_key(idempotency_key))


def _checked_key(key: str | None) -> str | None:
    if key is not None and not 1 <= len(key) <= 255:
        raise Invalid(fields=[FieldError("Idempotency-Key", "Between 1 and 255 characters.")])
    return key


@get("/api/events/{event_id:uuid}/holds", "holds.read")
async def list_my_holds(tx: Tx, who: Principal, event_id: UUID) -> list[Hold]:
    """What I hold in this show."""
    return await actions.my_holds(tx, who, event_id)


@delete("/api/holds/{hold_id:uuid}", "holds.place")
async def release_hold(tx: Tx, who: Principal, hold_id: UUID, reason: Why = None) -> None:
    """Give a hold back. Staff release somebody else's with a reason."""
    await actions.release(tx, who, hold_id, reason)


handlers = [reserve_seat, hold_items, list_my_holds, release_hold]
