"""Streams end in time, are limited in number, and no slow or broken reader costs the others anything."""

import asyncio
from typing import Any

import msgspec

from fullhouse.kit.errors import NotFound
from tests.kit.helpers import until
from tests.kit.sse import listening
from tests.kit.stream_app import TOPIC
from tests.kit.streams import PATH, both_lanes, make, numbers

__all__ = ["make"]  # fixtures

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
