"""Who waits for a batch without a task: answered when it is back; and who takes the long way instead."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable, Sequence
from typing import Any

import pytest
from litestar import Litestar, post

from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.batching import RETRY, Batcher
from fullhouse.kit.errors import Conflict
from fullhouse.kit.http.hot_request import BatchRequest, ServerHotRequest
from fullhouse.kit.http.lanes import HotRequest, LaneRouter
from fullhouse.kit.http.middleware import Middleware
from fullhouse.kit.http.response import Response
from fullhouse.kit.http.server import Server
from fullhouse.kit.http.wide_lane import WidePlugin
from fullhouse.kit.ids import new_id
from tests.kit.wire_client import answer, listening

ways: Counter[str] = Counter()
known = {"ada": True, "too often": False}


class Taken(Conflict):
    """It is."""

    code = "taken"


class Guarding:
    """Knows some, and lets everybody in who is not."""

    async def admit(self, call: HotRequest, _route: Any) -> None: ...

    async def record_denial(self, *_: Any) -> None: ...

    def is_known(self, call: HotRequest, _route: Any) -> bool:
        call.principal = Principal(
            organization_id=new_id(), actor=Actor(type="user"), role="customer", allowed=frozenset()
        )
        return call.header("x-who") in known

    def passes_rate_limit(self, call: HotRequest) -> bool:
        return known[call.header("x-who") or ""]


async def batch(_key: Hashable, words: Sequence[bytes], last: Sequence[bool]) -> Sequence[Any]:
    await asyncio.sleep(0.01)
    if b'"boom"' in words:
        raise ConnectionRefusedError
    return [RETRY if word == b'"again"' and not final else word for word, final in zip(words, last, strict=True)]


def tell(word: bytes) -> Any:
    if word == b'"taken"':
        raise Taken("Somebody has it.")
    if word == b'"broken"':
        raise RuntimeError("secret")
    return _later(word) if word == b'"later"' else Response(200, word)


async def _later(word: bytes) -> Response:
    await asyncio.sleep(0.01)
    return Response(201, word)


@pytest.fixture
async def lane() -> LaneRouter:
    ways.clear()
    batches: Batcher[bytes, bytes] = Batcher("words", batch, lines=1)

    def join(call: ServerHotRequest) -> BatchRequest | None:
        word = call.peek_body()
        if word == b'"odd"':
            return None
        ways["in batch"] += 1
        return BatchRequest(batches, "one", word, (), tell)

    async def alone(call: HotRequest) -> Response:
        ways["alone"] += 1
        return Response(200, await call.read())

    @post("/api/words", opt={"fast": alone, "in_batch": join})
    async def words() -> None: ...

    edge = Middleware()
    return LaneRouter(Litestar([words], plugins=[WidePlugin(edge)]), edge, Guarding())


Said = tuple[int, dict[str, str], bytes]


class Talk:
    """Connections to the lane's server. A request leaves in one piece: what comes in several waits in a task."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def say(self, *words: str, who: str = "ada") -> list[Said]:
        """All at once, on one connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        head = f"POST /api/words HTTP/1.1\r\nHost: x\r\nX-Who: {who}\r\nContent-Type: application/json\r\n"
        bodies = [f'"{word}"' for word in words]
        writer.write("".join(f"{head}Content-Length: {len(body)}\r\n\r\n{body}" for body in bodies).encode())
        said = [await answer(reader) for _ in words]
        writer.close()
        return said

    async def leave(self, word: str) -> None:
        """Asks, and does not wait."""
        _, writer = await asyncio.open_connection("127.0.0.1", self._port)
        head = b"POST /api/words HTTP/1.1\r\nHost: x\r\nX-Who: ada\r\nContent-Type: application/json\r\n"
        writer.write(head + b'Content-Length: %d\r\n\r\n"%b"' % (len(word) + 2, word.encode()))
        await asyncio.sleep(0.003)
        writer.transport.abort()


@pytest.fixture
async def talk(lane: LaneRouter) -> AsyncIterator[Talk]:
    server = Server(lane.serve, lane.at_once)
    await server.listen("127.0.0.1", 0)
    yield Talk(server.port)
    await server.close(5)
    assert not lane.middleware.in_flight_requests
    assert not server._connections


async def test_many_are_answered_by_their_batch(talk: Talk) -> None:
    answers = [said for (said,) in await asyncio.gather(*(talk.say(f"w{n}") for n in range(50)))]
    assert [body for _, _, body in answers] == [b'"w%d"' % n for n in range(50)]
    assert ways == {"in batch": 50}
    assert len({headers["x-request-id"] for _, headers, _ in answers}) == 50
    assert answers[0][1]["cache-control"] == "no-store"


ENDS = {
    "again": (200, b'"again"'),
    "later": (201, b'"later"'),
    "taken": (409, b'"taken"'),
    "broken": (500, b"internal"),
}


@pytest.mark.parametrize("word", ENDS)
async def test_each_end_of_it(talk: Talk, word: str) -> None:
    first, second = await talk.say(word, "next")
    status, said = ENDS[word]
    assert (first[0], said in first[2], b"secret" in first[2]) == (status, True, False)
    assert second[2] == b'"next"'


async def test_a_batch_that_fails_fails_for_all_in_it(talk: Talk) -> None:
    first = asyncio.create_task(talk.say("first"))
    await asyncio.sleep(0.005)
    failed = await asyncio.gather(*(talk.say("boom") for _ in range(3)))
    assert (await first)[0][0] == 200
    assert {status for ((status, _, _),) in failed} == {503}


@pytest.mark.parametrize(("word", "who"), [("odd", "ada"), ("w", "a stranger"), ("w", "too often")])
async def test_whatever_is_unusual_takes_the_long_way_and_is_whole(talk: Talk, word: str, who: str) -> None:
    assert (await talk.say(word, who=who))[0][2] == f'"{word}"'.encode()
    assert ways["alone"] == 1


async def test_who_leaves_meanwhile_harms_nobody(talk: Talk) -> None:
    answers = await asyncio.gather(talk.say("one"), talk.leave("two"), talk.say("three"))
    assert [each[0][0] for each in (answers[0], answers[2])] == [200, 200]
    assert ways["in batch"] == 3


async def test_requests_that_come_together_are_answered_in_their_order(talk: Talk) -> None:
    words = [f"w{n}" if n % 4 else "odd" for n in range(20)]
    assert [body.decode() for _, _, body in await talk.say(*words)] == [f'"{word}"' for word in words]
    assert ways == {"in batch": 15, "alone": 5}


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


@pytest.mark.parametrize("opt", [{"public": True}, {"limit": object()}])
def test_only_who_is_known_joins_a_batch(opt: dict[str, object]) -> None:
    async def alone(_call: HotRequest) -> Response:
        return Response(200, b"{}")

    @post("/api/words", opt={"fast": alone, "in_batch": lambda _call: None} | opt)
    async def words() -> None: ...

    edge = Middleware()
    with pytest.raises(ValueError, match="in_batch"):
        LaneRouter(Litestar([words], plugins=[WidePlugin(edge)]), edge)
