"""Live streams: a reader gets the state and then the news, and after a pause what was missed."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.kit.helpers import until
from tests.kit.sse import listening
from tests.kit.streams import PATH, both_lanes, make, numbers

__all__ = ["make"]  # fixtures


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
        assert lane.middleware.in_flight == 0


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
