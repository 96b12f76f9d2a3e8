"""No gap and no repeat in a stream, whatever happens in between and whatever the bus has missed."""

import asyncio
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullhouse.kit.errors import NotFound
from fullhouse.kit.live import broadcast
from fullhouse.kit.live.bus import RESYNC
from tests.kit.helpers import until
from tests.kit.sse import listening
from tests.kit.stream_app import TOPIC, House
from tests.kit.streams import PATH, both_lanes, make, numbers

__all__ = ["make"]  # fixtures

# --- no gap and no repeat, whatever happens in between


class Client:
    """Comes and goes, and remembers what it has seen. Each message says the number itself, and not a difference."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.knows = -1
        self.told = 0
        self.id: str | None = None
        self.reader: broadcast.Reader | None = None

    async def come(self) -> None:
        if self.reader is None or self.reader.over.done():
            self.reader = await self.house.streams.open(self.house.channel(), None, self.id)
            self.reader.begin(self.take)

    def go(self) -> None:
        if self.reader is not None:
            self.reader.end("left")
            self.reader = None

    def take(self, data: bytes) -> None:
        for frame in data.decode().split("\n\n"):
            if not frame.startswith("id"):
                continue
            lines = dict(line.split(": ", 1) for line in frame.split("\n"))
            number = msgspec.json.decode(lines["data"])["number"]
            self.id = lines["id"]
            if lines["event"] == "snapshot":
                assert number >= self.knows, "the snapshot is older than what was told before"
                self.knows = number
            else:
                assert number > self.told, "told twice"
                assert number <= self.knows + 1, "a gap"
                self.told, self.knows = number, max(number, self.knows)


STEPS = st.lists(
    st.tuples(st.sampled_from(["raise", "come", "go", "resync", "breathe"]), st.integers(0, 2), st.integers(1, 9)),
    max_size=60,
)


@settings(max_examples=200, deadline=None)
@given(STEPS, st.integers(1, 12), st.integers(300, 2000))
def test_no_gap_and_no_repeat(steps: Any, frames: int, stream_bytes: int) -> None:
    async def run() -> None:
        house = House.make(ring_frames=frames, stream_bytes=stream_bytes)
        clients = [Client(house) for _ in range(3)]
        coming: list[asyncio.Task[None]] = []
        for step, which, count in steps:
            if step == "raise":
                house.raise_(count)
            elif step == "resync":
                house.number += 1  # what nobody was told
                house.bus.deliver([(RESYNC, None)])
            elif step == "come" and all(task.done() for task in coming):
                coming = [asyncio.create_task(clients[which].come())]
            elif step == "go":
                clients[which].go()
            else:
                for _ in range(count):
                    await asyncio.sleep(0)
        await asyncio.gather(*coming)
        for _ in range(100):
            for client in clients:
                await client.come()
            await asyncio.sleep(0)
        assert [client.knows for client in clients] == [house.number] * 3
        house.streams.close()
        assert not house.streams.readers

    asyncio.run(run())


async def test_what_happens_while_the_state_is_read_follows_it(make: Any) -> None:
    house, _ = make()
    read, go_on = asyncio.Event(), asyncio.Event()

    async def slowly() -> Any:
        number = house.number
        read.set()
        await go_on.wait()
        return {"number": number}

    opening = asyncio.create_task(house.streams.open(broadcast.Channel(TOPIC, {TOPIC: house.show}, slowly), None))
    await read.wait()
    house.raise_()
    go_on.set()
    got: list[bytes] = []
    (await opening).begin(got.append)
    assert [line for line in got[0].split(b"\n") if line.startswith(b"data")] == [
        b'data: {"number":0}',
        b'data: {"number":1}',
    ]


# --- when the bus has missed something


@both_lanes
async def test_after_a_resync_everybody_gets_a_snapshot(make: Any, path: str) -> None:
    house, lane = make()
    async with listening(lane, path) as stream, listening(lane, path) as other:
        first = await stream.next()
        await other.next()
        house.number = 7  # nobody was told
        house.bus.deliver([(RESYNC, None)])
        for each in (stream, other):
            message = await each.next()
            assert (message.event, message.data) == ("snapshot", {"number": 7})
        house.raise_()
        assert await numbers(stream, 1) == [8]
    async with listening(lane, path, last=first.id) as stream:
        assert (await stream.next()).event == "snapshot"


async def test_a_snapshot_that_cannot_be_read_is_tried_again(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcast, "RETRY_S", 0.01)
    house, lane = make()
    async with listening(lane, PATH) as stream:
        await stream.next()
        house.fails = ConnectionRefusedError()
        house.bus.deliver([(RESYNC, None)])
        house.raise_()
        reads = house.reads
        await until(lambda: house.reads > reads + 2)
        assert stream.waiting() == 0
        house.fails = None
        message = await stream.next()
        assert (message.event, message.data["number"]) == ("snapshot", 1)


async def test_a_snapshot_that_is_refused_ends_the_stream(make: Any) -> None:
    house, lane = make()
    async with listening(lane, PATH) as stream:
        await stream.next()
        house.fails = NotFound()
        house.bus.deliver([(RESYNC, None)])
        assert await stream.rest() == []


@both_lanes
async def test_what_cannot_begin_is_a_problem_and_leaves_nothing_behind(make: Any, path: str) -> None:
    house, lane = make()
    for fails, status in ((NotFound(), 404), (ConnectionRefusedError(), 503)):
        house.fails = fails
        async with listening(lane, path) as stream:
            assert stream.status == status
            assert stream.headers["content-type"] == "application/problem+json"
        assert (len(house.streams.readers), house.streams.broadcasts) == (0, {})
        assert TOPIC not in house.bus._listeners
