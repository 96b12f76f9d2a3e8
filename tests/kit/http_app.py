"""A small application for the tests of `kit/http`: every fast route has a twin that answers the same.

A path with a slash at its end is not in the fast lane's table, and Litestar ignores the slash: so each test can
reach the twin of any fast route.
"""

import asyncio
import gc
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Litestar, MediaType, Request, delete, get, post
from litestar import Response as LitestarResponse
from litestar.datastructures import State
from litestar.openapi import OpenAPIConfig
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, RawBody
from litestar.response import Stream

from fullhouse.kit.errors import Conflict, RateLimited
from fullhouse.kit.http.body import decode
from fullhouse.kit.http.lanes import HotRequest, LaneRouter, Response
from fullhouse.kit.http.middleware import Middleware
from fullhouse.kit.http.wide_lane import WidePlugin

PLACES = 4


class Line(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(max_length=20)]
    quantity: Annotated[int, msgspec.Meta(ge=1)] = 1


class Order(msgspec.Struct, forbid_unknown_fields=True):
    lines: list[Line]
    note: Any = None


ORDER = msgspec.json.Decoder(Order)


class Taken(Conflict):
    """Somebody else was quicker."""

    code = "taken"


def make(order: Order, ids: tuple[UUID, ...]) -> dict[str, Any]:
    if order.note == "taken":
        raise Taken("Somebody else was quicker. Choose another one.", taken=[str(ids[0])])
    if order.note == "limit":
        raise RateLimited(retry_after_s=7)
    return {"data": {"order": order, "ids": ids}}


async def fast_make(call: HotRequest) -> Response:
    order = decode(ORDER, await call.read())
    body = msgspec.json.encode(make(order, call.params))
    return Response(201, body, (("location", f"/api/shops/{call.params[0]}"),))


@post("/api/shops/{shop_id:uuid}/orders/{order_id:uuid}", opt={"fast": fast_make})
async def slow_make(
    shop_id: FromPath[UUID], order_id: FromPath[UUID], data: JSONBody[Order]
) -> LitestarResponse[dict[str, Any]]:
    return LitestarResponse(make(data, (shop_id, order_id)), headers={"location": f"/api/shops/{shop_id}"})


async def fast_who(call: HotRequest) -> Response:
    seen = {"ip": call.client_ip, "cookie": call.header("cookie"), "query": call.query, "id": call.request_id}
    return Response(200, msgspec.json.encode(seen))


@get("/api/who", opt={"fast": fast_who, "public": True})
async def slow_who(request: Request[Any, Any, Any]) -> dict[str, Any]:
    query = request.scope["query_string"].decode()
    ip = request.client.host if request.client else ""
    seen = {"ip": ip, "cookie": request.headers.get("cookie"), "query": query}
    return seen | {"id": request.state.request_id}


async def fast_boom(call: HotRequest) -> Response:
    raise {b"away": ConnectionRefusedError, b"late": TimeoutError}.get(await call.read(), RuntimeError)("secret")


@post("/api/boom", opt={"fast": fast_boom, "accepts": ("text/plain",)})
async def slow_boom(body: RawBody) -> None:
    raise {b"away": ConnectionRefusedError, b"late": TimeoutError}.get(body, RuntimeError)("secret")


async def fast_parked(call: HotRequest) -> Response:
    await call.state.gate.wait()
    return Response(200, b"{}")


@get("/api/parked", opt={"fast": fast_parked})
async def slow_parked(state: State) -> dict[str, Any]:
    await state.gate.wait()
    return {}


@get("/health/gate")
async def gate(state: State, open: FromQuery[bool]) -> None:
    if open:
        state.gate.set()
    else:
        state.gate.clear()


@get("/health/live")
async def live(state: State) -> dict[str, Any]:
    counts = {"streams": state.streams, "slow": state.slow}
    return counts | {"opened": state.get("opened"), "settled": gc.get_freeze_count() > 0}


async def fast_slow(call: HotRequest) -> Response:
    call.state.slow += 1
    await asyncio.sleep(1.5)
    return Response(200, b'{"done":true}')


@get("/api/slow", opt={"fast": fast_slow})
async def slow_slow(state: State) -> dict[str, Any]:
    state.slow += 1
    await asyncio.sleep(1.5)
    return {"done": True}


def upload(body: bytes) -> dict[str, Any]:
    return {"size": len(body), "sha256": hashlib.sha256(body).hexdigest()}


async def fast_upload(call: HotRequest) -> Response:
    return Response(201, msgspec.json.encode(upload(await call.read())))


@post("/api/images", opt={"fast": fast_upload, "accepts": ("image/png",), "body_limit": 2_000_000})
async def slow_upload(body: RawBody) -> dict[str, Any]:
    return upload(body)


async def fast_remove(call: HotRequest) -> Response:
    return Response(204, b"")


@delete("/api/shops/{shop_id:uuid}", opt={"fast": fast_remove})
async def slow_remove(shop_id: FromPath[UUID]) -> None: ...


@get("/api/search", opt={"public": True})
async def search(q: FromQuery[str], page: Annotated[int, QueryParameter(ge=1)] = 1) -> dict[str, Any]:
    return {"q": q, "page": page}


@post("/api/charges", opt={"idempotent": "required"})
async def charge(data: JSONBody[Order | None] = None) -> dict[str, Any]:
    return {"data": data}


@get("/page", media_type=MediaType.HTML, include_in_schema=False)
async def page() -> LitestarResponse[str]:
    headers = {"Content-Security-Policy": "default-src 'self'; frame-ancestors *", "Cache-Control": "max-age=60"}
    return LitestarResponse("<p>hello</p>", headers=headers)


@get("/api/stream", include_in_schema=False)
async def stream(state: State) -> Stream:
    async def ticks() -> AsyncIterator[bytes]:
        state.streams += 1
        try:
            yield b"tick\n"
            await asyncio.sleep(3600)
        finally:
            state.streams -= 1

    return Stream(ticks())


@get("/api/broken-stream", include_in_schema=False)
async def broken_stream() -> Stream:
    async def ticks() -> AsyncIterator[bytes]:
        yield b"tick\n"
        raise RuntimeError("secret")

    return Stream(ticks())


@asynccontextmanager
async def lifespan(app: Litestar) -> AsyncIterator[None]:
    app.state.opened = True
    yield


def build(edge: Middleware, **settings: Any) -> LaneRouter:
    """A lane with its gate open."""
    gate_ = asyncio.Event()
    gate_.set()
    handlers = [slow_make, slow_who, slow_boom, slow_parked, gate, live, slow_slow, slow_upload, slow_remove]
    handlers += [search, charge, page, stream, broken_stream]
    app = Litestar(
        handlers,
        plugins=[WidePlugin(edge)],
        lifespan=[lifespan],
        state=State({"gate": gate_, "streams": 0, "slow": 0}),
        openapi_config=OpenAPIConfig(title="Shops", version="1"),
        **settings,
    )
    return LaneRouter(app, edge)


def lane() -> LaneRouter:
    """For a server of its own."""
    return build(Middleware(max_in_flight=PLACES, trusted_proxies=(ip_network("127.0.0.1"),)))
