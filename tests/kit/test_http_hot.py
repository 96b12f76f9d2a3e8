"""Hot endpoints: one function for both lanes, started without a task, answered from memory or by a batch."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable, Sequence
from typing import Annotated, Any
from uuid import UUID

import httpx
import msgspec
import pytest
from litestar import Litestar
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.params import HeaderParameter

from fullhouse.kit.batching import RETRY, Batcher
from fullhouse.kit.errors import Conflict, Invalid
from fullhouse.kit.http.endpoints import get, post
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.http.middleware import Middleware
from fullhouse.kit.http.response import Response
from fullhouse.kit.http.server import Server
from fullhouse.kit.http.wide_lane import WidePlugin
from fullhouse.kit.ids import new_id
from fullhouse.kit.tasks import enter_task
from fullhouse.kit.telemetry.telemetry import REQUEST_FIELDS
from tests.kit.wire_client import answer, listening

seen: Counter[str] = Counter()
refused: list[tuple[UUID, str]] = []
Said = tuple[int, dict[str, str], bytes]
Mark = Annotated[str | None, HeaderParameter(name="X-Mark")]


class Taken(Conflict):
    """It is."""

    code = "taken"


class Word(msgspec.Struct, frozen=True):
    text: str = "nothing"
    quantity: int = 1


async def run(_key: Hashable, words: Sequence[str], last: Sequence[bool]) -> Sequence[Any]:
    await asyncio.sleep(0.01)
    if "boom" in words:
        raise ConnectionRefusedError
    return [RETRY if word == "again" and not final else word for word, final in zip(words, last, strict=True)]


def build() -> LaneRouter:
    seen.clear()
    refused.clear()
    batches: Batcher[str, str] = Batcher("words", run, lines=1)

    @get("/things/{thing_id:uuid}", public=True, hot=True)
    async def thing(thing_id: UUID, ip: str | None, mark: Mark = None) -> dict[str, str | None]:
        """From memory."""
        seen["in a task" if asyncio.current_task() else "without a task"] += 1
        return {"id": str(thing_id), "ip": ip, "mark": mark}

    async def note(thing_id: UUID, error: Invalid) -> None:
        refused.append((thing_id, error.fields[0].path))

    @post("/things/{thing_id:uuid}", public=True, hot=True, answers={201: Word}, on_invalid=note)
    async def say(thing_id: UUID, data: Word) -> Response:
        """By a batch."""
        about = dict(REQUEST_FIELDS.get())
        if data.text == "in a task":
            await enter_task()
            async with asyncio.timeout(1):
                await asyncio.sleep(0)
            seen["in a task"] += 1
        word = await batches.submit("one", data.text)
        assert REQUEST_FIELDS.get() == about
        assert about["thing_id"] == thing_id
        if word == "taken":
            raise Taken("Somebody has it.")
        if word == "broken":
            raise RuntimeError("secret")
        if word == "later":
            await asyncio.sleep(0.01)
        return Response(201, msgspec.json.encode(word))

    middleware = Middleware(max_in_flight=100, private_paths=("/things/",))
    cors = CORSConfig(allow_origins=["https://other.example"])
    app = Litestar([thing, say], plugins=[WidePlugin(middleware)], cors_config=cors, state=State({"services": None}))
    return LaneRouter(app, middleware)


THING = f"/things/{new_id()}"


class Talk:
    """Connections to the lane's server."""

    def __init__(self, lane: LaneRouter, server: Server) -> None:
        self.lane, self.server = lane, server
        self.client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}")

    async def say(self, *words: str) -> list[Said]:
        """All at once, on one connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        for word in words:
            writer.write(b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % THING.encode() if word == "get" else _post(word))
        said = [await answer(reader) for _ in words]
        writer.close()
        return said

    async def leave(self, word: str) -> None:
        """Asks, and does not wait."""
        _, writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        writer.write(_post(word))
        await asyncio.sleep(0.003)
        writer.transport.abort()


def _post(word: str) -> bytes:
    body = msgspec.json.encode({"text": word})
    head = f"POST {THING} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@pytest.fixture
async def talk() -> AsyncIterator[Talk]:
    lane = build()
    server = Server(lane.serve)
    await server.listen("127.0.0.1", 0)
    talk = Talk(lane, server)
    async with talk.client:
        yield talk
    await server.close(5)
    assert not lane.middleware.in_flight_requests
    assert not server._connections
    assert not server._tasks


async def test_what_is_in_memory_needs_no_task_and_has_everything_that_a_response_has(talk: Talk) -> None:
    hot = await talk.client.get(THING, headers={"x-request-id": "mine-1234", "x-mark": "m"})
    wide = await talk.client.get(THING, headers={"x-mark": "m", "origin": "https://other.example"})
    assert hot.json() == {"data": {"id": THING[8:], "ip": "127.0.0.1", "mark": "m"}} == wide.json()
    assert (hot.headers["x-request-id"], hot.headers["cache-control"]) == ("mine-1234", "no-store")
    assert seen == {"without a task": 1, "in a task": 1}
    assert set(hot.headers) <= set(wide.headers)


async def test_whatever_is_unusual_is_refused_all_the_same(talk: Talk) -> None:
    assert (await talk.client.get(f"{THING}?a=%00")).status_code == 400
    talk.lane.middleware.in_flight_requests.update(object() for _ in range(101))  # type: ignore[misc]
    assert (await talk.client.get(THING)).status_code == 503
    talk.lane.middleware.in_flight_requests.clear()
    assert (await talk.client.get("/things/none")).status_code == 404
    assert not seen


async def test_many_are_answered_by_their_batch(talk: Talk) -> None:
    answers = [said for (said,) in await asyncio.gather(*(talk.say(f"w{n}") for n in range(50)))]
    assert [(status, body) for status, _, body in answers] == [(201, b'"w%d"' % n) for n in range(50)]
    assert len({headers["x-request-id"] for _, headers, _ in answers}) == 50


ENDS = {
    "again": (201, b'"again"'),
    "later": (201, b'"later"'),
    "in a task": (201, b'"in a task"'),
    "taken": (409, b'"taken"'),
    "broken": (500, b"internal"),
}


@pytest.mark.parametrize("word", ENDS)
async def test_each_end_of_it(talk: Talk, word: str) -> None:
    first, second = await talk.say(word, "next")
    status, said = ENDS[word]
    assert (first[0], said in first[2], b"secret" in first[2]) == (status, True, False)
    assert second[2] == b'"next"'
    assert seen["in a task"] == (word == "in a task")


async def test_a_batch_that_fails_fails_for_all_in_it(talk: Talk) -> None:
    first = asyncio.create_task(talk.say("first"))
    await asyncio.sleep(0.005)
    failed = await asyncio.gather(*(talk.say("boom") for _ in range(3)))
    assert (await first)[0][0] == 201
    assert {status for ((status, _, _),) in failed} == {503}


async def test_who_leaves_meanwhile_harms_nobody(talk: Talk) -> None:
    answers = await asyncio.gather(talk.say("one"), talk.leave("two"), talk.say("three"))
    assert [each[0][0] for each in (answers[0], answers[2])] == [201, 201]


async def test_requests_that_come_together_are_answered_in_their_order(talk: Talk) -> None:
    words = [f"w{n}" if n % 4 else "get" for n in range(40)]
    answers = await talk.say(*words)
    assert [status for status, _, _ in answers] == [200 if word == "get" else 201 for word in words]
    assert [body.decode() for _, _, body in answers if body.startswith(b'"')] == [
        f'"{word}"' for word in words if word != "get"
    ]
    assert seen == {"without a task": 10}


async def test_a_body_in_pieces_is_waited_for(talk: Talk) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", talk.server.port)
    for part in (whole := _post("slow"))[:-9], whole[-9:-4], whole[-4:]:
        writer.write(part)
        await asyncio.sleep(0.01)
    assert (await answer(reader))[::2] == (201, b'"slow"')
    writer.close()


async def test_a_body_may_be_empty_where_all_fields_may(talk: Talk) -> None:
    assert (await talk.client.post(THING)).text == '"nothing"'


async def test_a_refused_body_is_told_to_the_endpoint(talk: Talk) -> None:
    answer = await talk.client.post(THING, json={"quantity": "two"})
    assert (answer.status_code, refused) == (422, [(UUID(THING[8:]), "quantity")])


async def test_a_large_body_that_nobody_reads_does_not_hold_up_the_next_request() -> None:
    async def refuse(request: Any) -> None:
        while not request.complete:
            await asyncio.sleep(0.001)
        request.respond(401, b"", b"no")

    async with listening(refuse) as (reader, writer):
        for _ in range(2):
            writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 140000\r\n\r\n" + b"x" * 140_000)
            status, headers, _ = await answer(reader)
            assert (status, headers.get("connection")) == (401, None)


def test_a_hot_endpoint_takes_what_both_lanes_have() -> None:
    with pytest.raises(TypeError, match="page"):

        @get("/things", public=True, hot=True)
        async def things(page: int = 1) -> dict[str, str]:
            """Parameters of the query are for the wide lane."""
            return {}
