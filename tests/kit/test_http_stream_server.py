"""A real server streams, and its stop does not wait for its readers."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator

import httpx
import msgspec
import pytest

from tests.kit.helpers import until
from tests.kit.http_server import Server, serving
from tests.kit.streams import PATH, both_lanes


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
