"""Live streams: what a reader gets, what it never gets, and what it costs the others."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullhouse.kit import broadcast
from fullhouse.kit.bus import RESYNC
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http.lane import Lane
from tests.kit.helpers import until
from tests.kit.http_server import Server, serving
from tests.kit.sse import Listener, listening
from tests.kit.stream_app import TOPIC, House, build

PATH = "/api/number/stream"
both_lanes = pytest.mark.parametrize("path", [PATH, PATH + "/"], ids=["fast", "twin"])
Open = Callable[..., Any]


@pytest.fixture
async def make() -> AsyncIterator[Callable[..., tuple[House, Lane]]]:
    houses: list[House] = []

    def make(**limits: Any) -> tuple[House, Lane]:
        houses.append(House.make(**limits))
        return houses[-1], build(houses[-1])

    yield make
    for house in houses:
        house.streams.close()
        assert not house.streams.readers
        assert not house.bus._listeners


async def numbers(stream: Listener, count: int) -> list[int]:
    return [(await stream.next()).data["number"] for _ in range(count)]


# --- what a reader gets


@both_lanes
async def test_a_stream_begins_with_the_state_and_goes_on_with_the_news(make: Any, path: str) -> None:
    house, lane = make()
    house.raise_(3)
    async with listening(lane, path) as stream:
        assert stream.status == 200
        assert stream.headers["content-type"] == "text/event-stream"
        assert stream.headers["cache-control"] == "no-store"
        assert stream.headers["x-accel-buffering"] == "no"
        assert stream.headers["x-content-type-options"] == "nosniff"
        assert 1000 <= stream.retry <= 3000
        first = await stream.next()
        assert (first.event, first.data) == ("snapshot", {"number": 3})
        house.raise_()
        house.raise_(secret=True)
        house.raise_()
        news = [await stream.next(), await stream.next()]
        assert [(message.event, message.data["number"]) for message in news] == [("raised", 4), ("raised", 6)]
        ids = [message.id.split("-") for message in (first, *news)]
        assert len({epoch for epoch, _ in ids}) == 1
        assert [int(number) for _, number in ids] == sorted({int(number) for _, number in ids})


async def test_a_message_is_shown_once_and_everybody_gets_the_same_bytes(make: Any) -> None:
    house, lane = make()
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(listening(lane, PATH)) for _ in range(20)]
        house.raise_(5)
        for stream in streams:
            assert await numbers(stream, 6) == [0, 1, 2, 3, 4, 5]
    assert house.shown == 5
    assert len({stream.whole.partition(b"\n\n")[2] for stream in streams}) == 1
    assert len({stream.retry for stream in streams}) > 1  # they would come back in the same instant


async def test_those_who_come_together_read_the_state_once(make: Any) -> None:
    house, lane = make()
    async with AsyncExitStack() as stack:
        await asyncio.gather(*(stack.enter_async_context(listening(lane, PATH)) for _ in range(20)))
        assert house.reads == 1


async def test_readers_take_no_places_at_the_door(make: Any) -> None:
    _, lane = make()
    async with AsyncExitStack() as stack:
        for _ in range(10):
            stream = await stack.enter_async_context(listening(lane, PATH))
            assert stream.status == 200
        assert lane.edge.in_flight == 0


@both_lanes
async def test_who_comes_back_gets_what_was_missed_and_nothing_else(make: Any, path: str) -> None:
    house, lane = make()
    async with listening(lane, path) as stream:
        house.raise_(2)
        last = [await stream.next() for _ in range(3)][-1]
    house.raise_(2)
    async with listening(lane, path, last=last.id) as stream:
        house.raise_()
        assert [await stream.next() for _ in range(3)] == [
            (f"{last.id.split('-')[0]}-{n}", "raised", {"number": number}) for n, number in ((4, 3), (5, 4), (6, 5))
        ]


async def test_who_missed_nothing_gets_nothing(make: Any) -> None:
    house, lane = make()
    async with listening(lane, PATH) as stream:
        first = await stream.next()
    async with listening(lane, PATH, last=first.id) as stream:
        assert stream.waiting() == 0
        house.raise_()
        assert (await stream.next()).data == {"number": 1}


@pytest.mark.parametrize(
    "last", ["", "x", "-", "00000000-1", "{epoch}-", "{epoch}-0", "{epoch}-99", "{epoch}-²", "{epoch}-" + "9" * 500]
)
async def test_an_id_that_is_not_ours_gets_a_snapshot(make: Any, last: str) -> None:
    house, lane = make()
    async with listening(lane, PATH) as stream:
        epoch = (await stream.next()).id.split("-")[0]
        house.raise_(3)
        async with listening(lane, PATH, last=last.format(epoch=epoch)) as other:
            assert (await other.next()).event == "snapshot"


async def test_who_was_away_for_too_long_gets_a_snapshot(make: Any) -> None:
    house, lane = make(ring_frames=3)
    async with listening(lane, PATH) as stream:
        first = await stream.next()
        house.raise_(3)
        await numbers(stream, 3)
        async with listening(lane, PATH, last=first.id) as other:
            assert await numbers(other, 3) == [1, 2, 3]
        house.raise_()
        async with listening(lane, PATH, last=first.id) as other:
            message = await other.next()
            assert (message.event, message.data["number"]) == ("snapshot", 4)


async def test_a_channel_that_nobody_heard_for_a_while_does_not_pretend_to_know(make: Any) -> None:
    house, lane = make(linger_s=0.01)
    async with listening(lane, PATH) as stream:
        first = await stream.next()
    await until(lambda: not house.streams.broadcasts)
    house.raise_()
    async with listening(lane, PATH, last=first.id) as stream:
        message = await stream.next()
        assert (message.event, message.data["number"]) == ("snapshot", 1)


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
    monkeypatch.setattr(broadcast, "AGAIN_S", 0.01)
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


# --- ends


@both_lanes
async def test_a_stream_ends_when_it_has_said_enough_and_the_next_one_goes_on(make: Any, path: str) -> None:
    house, lane = make(stream_bytes=1000)
    seen: list[int] = []
    last = None
    for _ in range(5):
        async with listening(lane, path, last=last) as stream:
            while not stream.ended.is_set():
                house.raise_()
                await asyncio.sleep(0)
            messages = await stream.rest()
            assert 1000 <= len(stream.whole) < 1500
        seen += [message.data["number"] for message in messages]
        last = messages[-1].id
    assert seen == [*range(len(seen))]


async def test_a_stream_ends_after_a_while_and_says_so_cleanly(make: Any) -> None:
    house, lane = make(stream_s=0.05)
    async with listening(lane, PATH) as stream:
        assert [message.event for message in await stream.rest()] == ["snapshot"]
    assert not house.streams.readers


async def test_a_silent_stream_is_kept_alive_by_comments(make: Any) -> None:
    house, lane = make(heartbeat_s=0.02)
    async with listening(lane, PATH) as stream:
        await until(lambda: stream.comments >= 3)
        house.raise_()
        assert await numbers(stream, 2) == [0, 1]


@both_lanes
async def test_the_last_news_are_told_and_then_the_stream_ends(make: Any, path: str) -> None:
    house, lane = make()
    async with listening(lane, path) as stream:
        house.raise_(last=True)
        house.raise_()
        assert [message.data["number"] for message in await stream.rest()] == [0, 1]
    house.fails = NotFound()
    async with listening(lane, path) as stream:
        assert stream.status == 404


async def test_a_client_that_hangs_up_is_forgotten(make: Any) -> None:
    house, lane = make(linger_s=0.01)
    async with listening(lane, PATH), listening(lane, PATH):
        assert (len(house.streams.readers), len(house.streams.broadcasts)) == (2, 1)
    assert not house.streams.readers
    await until(lambda: not house.streams.broadcasts)
    assert TOPIC not in house.bus._listeners
    assert house.streams._networks == {}


async def test_when_the_house_closes_all_streams_end_at_once(make: Any) -> None:
    house, lane = make()
    async with listening(lane, PATH) as stream, listening(lane, PATH + "/") as twin:
        house.streams.close()
        for each in (stream, twin):
            assert [message.event for message in await each.rest()] == ["snapshot"]
    async with listening(lane, PATH) as late:
        assert (late.status, "retry-after" in late.headers) == (503, True)


# --- limits


@both_lanes
async def test_one_network_may_have_so_many_streams(make: Any, path: str) -> None:
    house, lane = make(streams_per_network=2)
    house6 = "2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8:0:1:ffff::3"
    async with listening(lane, path, ip=house6[0]), listening(lane, path, ip=house6[1]) as second:
        async with listening(lane, path, ip=house6[2]) as third:
            problem = msgspec.json.decode(third.whole)
            assert (third.status, problem["code"]) == (429, "too_many_streams")
            assert int(third.headers["retry-after"]) > 0
        async with listening(lane, path, ip="2001:db8:0:2::1") as neighbour:
            assert neighbour.status == 200
        second.hung_up.set()
        await until(lambda: len(house.streams.readers) == 1)
        async with listening(lane, path, ip=house6[2]) as third:
            assert third.status == 200


@both_lanes
async def test_one_process_has_so_many_streams(make: Any, path: str) -> None:
    _, lane = make(streams=1)
    async with listening(lane, path), listening(lane, path, ip="192.0.2.1") as second:
        assert (second.status, "retry-after" in second.headers) == (503, True)


@both_lanes
async def test_a_reader_who_takes_nothing_is_cut_and_the_others_go_on(make: Any, path: str) -> None:
    house, lane = make(slow_s=0.05, ring_frames=10)
    async with listening(lane, path) as slow, listening(lane, path) as quick:
        last = await slow.next()
        slow.takes.clear()
        house.raise_()
        assert await numbers(quick, 2) == [0, 1]
        house.raise_(20)
        await until(lambda: len(house.streams.readers) == 1)
        assert await numbers(quick, 1) == [21]  # more at once than the ring holds: a snapshot
        await slow.ended.wait()
        async with listening(lane, path, last=last.id) as back:
            message = await back.next()
            assert (message.event, message.data["number"]) == ("snapshot", 21)


async def test_a_transport_that_fails_does_not_silence_the_others(make: Any) -> None:
    house, lane = make()
    broken = await house.streams.open(house.channel(), None)
    got: list[bytes] = []

    def write(data: bytes) -> None:
        got.append(data)
        if len(got) > 1:
            raise ZeroDivisionError

    broken.begin(write)
    async with listening(lane, PATH) as stream:
        house.raise_()
        assert await numbers(stream, 2) == [0, 1]
        house.raise_()
        assert await numbers(stream, 1) == [2]
        assert (len(got), await broken.over) == (2, "failed")


async def test_a_reader_who_was_slow_for_a_moment_misses_nothing(make: Any) -> None:
    house, lane = make()
    async with listening(lane, PATH) as slow:
        slow.takes.clear()
        for _ in range(5):
            house.raise_()
            await asyncio.sleep(0)
        slow.takes.set()
        assert await numbers(slow, 6) == [0, 1, 2, 3, 4, 5]
        assert slow.waiting() == 0


# --- a real server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("tests.kit.stream_app") as server:
        yield server


async def lines(answer: httpx.Response) -> AsyncIterator[tuple[str, int]]:
    frame: dict[str, str] = {}
    async for line in answer.aiter_lines():
        if line:
            name, _, value = line.partition(": ")
            frame[name] = value
        elif "data" in frame:
            yield frame["id"], msgspec.json.decode(frame["data"])["number"]
            frame = {}


@both_lanes
async def test_the_server_streams(server: Server, path: str) -> None:
    async with httpx.AsyncClient(base_url=server.url, timeout=20) as client:

        async def readers() -> int:
            count: int = (await client.get("/health/live")).json()["readers"]
            return count

        start: int = (await client.get("/health/live")).json()["number"]
        async with client.stream("GET", path) as answer:
            assert answer.headers["content-type"] == "text/event-stream"
            news = lines(answer)
            number = -1
            while number < start:  # the snapshot of a moment ago, and what came after it
                last, number = await anext(news)
            for _ in range(3):
                await client.get("/health/raise")
            assert [(await anext(news))[1] for _ in range(2)] == [start + 1, start + 2]
            assert await readers() == 1

        async def nobody() -> bool:
            return await readers() == 0

        await until(nobody)
        async with client.stream("GET", path, headers={"last-event-id": last}) as answer:
            news = lines(answer)
            assert [(await anext(news))[1] for _ in range(3)] == [start + 1, start + 2, start + 3]


@pytest.mark.fault
async def test_a_stop_does_not_wait_for_streams() -> None:
    with serving("tests.kit.stream_app") as server:
        async with (
            httpx.AsyncClient(base_url=server.url, timeout=60) as client,
            client.stream("GET", PATH) as fast,
            client.stream("GET", PATH + "/") as twin,
        ):
            both = [lines(answer) for answer in (fast, twin)]
            for news in both:
                await anext(news)
            server.process.send_signal(signal.SIGTERM)
            for news in both:
                assert [number async for _, number in news] == []
        # A stream lasts for 48 seconds at least.
        assert await asyncio.to_thread(server.process.wait, 20) == 0
