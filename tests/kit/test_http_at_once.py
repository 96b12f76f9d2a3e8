"""What is answered from memory, without a task; and what takes the long way instead."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import httpx
import pytest
from litestar import Litestar, get
from litestar.config.cors import CORSConfig

from fullhouse.kit.http.lanes import HotRequest, LaneRouter
from fullhouse.kit.http.middleware import Middleware
from fullhouse.kit.http.response import Response
from fullhouse.kit.http.server import Server
from fullhouse.kit.http.wide_lane import WidePlugin

ways: Counter[str] = Counter()
memory: dict[str, bytes] = {}


def from_memory(call: HotRequest) -> Response | None:
    ways["at once"] += 1
    found = memory[call.header("x-key") or "first"]
    return Response(200, found, (("etag", '"1"'),)) if found else None


async def look(_call: HotRequest) -> Response:
    ways["looked"] += 1
    return Response(200, b'"looked"')


def build(**opt: object) -> LaneRouter:
    @get("/api/thing", opt={"fast": look, "at_once": from_memory, "public": True} | opt)
    async def thing() -> None: ...

    edge = Middleware(max_in_flight=1)
    cors = CORSConfig(allow_origins=["https://other.example"])
    return LaneRouter(Litestar([thing], plugins=[WidePlugin(edge)], cors_config=cors), edge)


@pytest.fixture
def lane() -> LaneRouter:
    ways.clear()
    memory.clear()
    memory["first"] = b'"remembered"'
    return build()


@pytest.fixture
async def client(lane: LaneRouter) -> AsyncIterator[httpx.AsyncClient]:
    server = Server(lane.serve, lane.at_once)
    await server.listen("127.0.0.1", 0)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}") as client:
        yield client
    await server.close(1)


async def test_from_memory_with_everything_that_an_answer_has(client: httpx.AsyncClient, lane: LaneRouter) -> None:
    quick = await client.get("/api/thing", headers={"x-request-id": "mine-1234"})
    memory["first"] = b""
    slow = await client.get("/api/thing")
    assert (quick.text, slow.text, ways["looked"]) == ('"remembered"', '"looked"', 1)
    assert (quick.headers["x-request-id"], quick.headers["etag"]) == ("mine-1234", '"1"')
    assert set(slow.headers) <= set(quick.headers)
    assert not lane.middleware.in_flight_requests


async def test_whatever_is_unusual_takes_the_long_way(client: httpx.AsyncClient, lane: LaneRouter) -> None:
    assert (await client.get("/api/thing?a=%00")).status_code == 400
    abroad = await client.get("/api/thing", headers={"origin": "https://other.example"})
    assert "access-control-allow-origin" in abroad.headers
    lane.middleware.in_flight_requests.update({object(), object()})  # type: ignore[arg-type]
    assert (await client.get("/api/thing")).status_code == 503
    lane.middleware.in_flight_requests.clear()
    assert ways["at once"] == 0
    assert (await client.get("/api/thing", headers={"x-key": "none such"})).text == '"looked"'


async def test_requests_that_come_together_are_answered_in_their_order(lane: LaneRouter) -> None:
    server = Server(lane.serve, lane.at_once)
    await server.listen("127.0.0.1", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    memory["none"] = b""
    keys = ["first", "none", "first", "first", "none"] * 40
    writer.write(b"".join(f"GET /api/thing HTTP/1.1\r\nHost: x\r\nX-Key: {key}\r\n\r\n".encode() for key in keys))
    writer.write_eof()
    said = (await asyncio.wait_for(reader.read(), 20)).split(b"\r\n\r\n")[1:]
    answers = [part.partition(b"HTTP/1.1")[0] for part in said]
    assert answers == [b'"remembered"' if key == "first" else b'"looked"' for key in keys]
    writer.close()
    await server.close(1)


@pytest.mark.parametrize("opt", [{"public": False}, {"limit": object()}])
def test_what_is_not_for_everybody_is_never_answered_at_once(opt: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="public"):
        build(**opt)
