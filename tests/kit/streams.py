"""Houses that stream a number, and how to read it: for the tests of live streams."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from fullhouse.kit.http.lanes import LaneRouter
from tests.kit.sse import Listener
from tests.kit.stream_app import House, build

PATH = "/api/number/stream"
both_lanes = pytest.mark.parametrize("path", [PATH, PATH + "/"], ids=["fast", "twin"])


@pytest.fixture
async def make() -> AsyncIterator[Callable[..., tuple[House, LaneRouter]]]:
    houses: list[House] = []

    def make(**limits: Any) -> tuple[House, LaneRouter]:
        houses.append(House.make(**limits))
        return houses[-1], build(houses[-1])

    yield make
    for house in houses:
        house.streams.close()
        assert not house.streams.readers
        assert not house.bus._listeners


async def numbers(stream: Listener, count: int) -> list[int]:
    return [(await stream.next()).data["number"] for _ in range(count)]
