"""HTTP routes of holds."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar.params import HeaderParameter, QueryParameter

from fullhouse.holds import actions, companion_reads, refusal_audit
from fullhouse.holds.model import (
    Basket,
    Hold,
    HoldItems,
    InvalidRequest,
    ReleaseSeats,
    Reserve,
    Reserved,
    Unauthorized,
)
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid, Malformed, Unauthenticated
from fullhouse.kit.http.endpoints import DataEnvelope, delete, get, post
from fullhouse.kit.http.response import Response
from fullhouse.kit.services import Services

_NO_STORE = (("cache-control", "no-cache, no-store"),)
Key = Annotated[
    str | None, HeaderParameter(name="Idempotency-Key", description="A repeat with it returns the first response.")
]
RELEASED_MAX_BYTES = 2**20
Reason = Annotated[str | None, QueryParameter(min_length=1, max_length=500, description="Required for another's hold.")]


async def _record_invalid(
    services: Services, who: Principal, event_id: UUID, seat_id: UUID, error: Invalid | Malformed
) -> None:
    refusal = InvalidRequest(error.detail, fields=error.fields)
    await refusal_audit.record_refusal(services, who, event_id, refusal, seat_id)


@post(
    "/api/events/{event_id:uuid}/seats/{seat_id:uuid}/reserve",
    "holds.place",
    answers={201: Reserved, 200: Reserved},
    hot=True,
    on_invalid=_record_invalid,
    says={Unauthenticated: Unauthorized, Invalid: InvalidRequest, Malformed: InvalidRequest},
    bad_path=InvalidRequest,
)
async def reserve_seat(services: Services, who: Principal, event_id: UUID, seat_id: UUID, data: Reserve) -> Response:
    """Reserve a seat for a few minutes. A repeat by the same person returns the same hold (200), with the time left."""
    held, is_new = await actions.reserve(services, who, event_id, seat_id, data)
    held = await companion_reads.add_to_seat(services, who, held)
    return Response(201 if is_new else 200, msgspec.json.encode(DataEnvelope(held)), _NO_STORE)


@post("/api/events/{event_id:uuid}/holds", "holds.place", answers={201: Basket}, hot=True)
async def hold_items(
    services: Services, who: Principal, event_id: UUID, data: HoldItems, idempotency_key: Key = None
) -> Response:
    """Hold several seats or general-admission spots, all or none; or the best available seats, with an explanation.

    A refusal has the index of the failed item in `item`. For limits, `most` is the limit; `max_per_order` also has the
    ticket type's `name`.
    """
    held = await actions.hold_items(services, who, event_id, data, _check_key(idempotency_key))
    held = await companion_reads.add_to_basket(services, who, held)
    return Response(201, msgspec.json.encode(DataEnvelope(held)), _NO_STORE)


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
