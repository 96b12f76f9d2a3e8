"""A small application with one channel: a number that is raised, and told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from litestar import Litestar, get
from litestar.datastructures import State

from fullhouse.kit.http import endpoints
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.http.middleware import Middleware
from fullhouse.kit.http.wide_lane import WidePlugin
from fullhouse.kit.live.broadcast import Channel, StreamLimits, StreamMessage
from fullhouse.kit.live.bus import Bus
from fullhouse.kit.live.hub import StreamHub

TOPIC = "number"


class House(msgspec.Struct):
    """As `Services`, as far as streams need them; and the number itself. `fails` is what its reading raises."""

    bus: Bus
    streams: StreamHub
    number: int = 0
    reads: int = 0
    shown: int = 0
    fails: Exception | None = None

    @classmethod
    def make(cls, **limits: Any) -> "House":
        bus = Bus("postgresql://unused/unused")  # never started: it delivers in this process
        return cls(bus, StreamHub(bus, StreamLimits(**limits)))

    def raise_(self, times: int = 1, **more: Any) -> None:
        for _ in range(times):
            self.number += 1
            self.bus.deliver([(TOPIC, {"number": self.number, **more})])

    async def snapshot(self) -> Any:
        self.reads += 1
        await asyncio.sleep(0)
        if self.fails:
            raise self.fails
        number = self.number
        await asyncio.sleep(0)  # the number may be raised while the answer is on its way
        return {"number": number}

    def show(self, news: Any) -> StreamMessage | None:
        self.shown += 1
        return None if news.get("secret") else StreamMessage("raised", news, last=news.get("last", False))

    def channel(self) -> Channel:
        return Channel(TOPIC, {TOPIC: self.show}, self.snapshot)


@endpoints.get("/api/number/stream", public=True)
async def stream_number(services: Any) -> Channel:
    """The number, live."""
    channel: Channel = services.channel()
    return channel


@get("/health/live", opt={"public": True})
async def live(state: State) -> dict[str, int]:
    return {"readers": len(state.services.streams.readers), "number": state.services.number}


@get("/health/raise", opt={"public": True})
async def raise_number(state: State) -> None:
    state.services.raise_()


def build(house: House) -> LaneRouter:
    @asynccontextmanager
    async def open_house(app: Litestar) -> AsyncIterator[None]:
        yield
        house.streams.close()

    edge = Middleware(max_in_flight=4)
    state = State({"services": house})
    app = Litestar([stream_number, live, raise_number], plugins=[WidePlugin(edge)], state=state, lifespan=[open_house])
    return LaneRouter(app, edge)


def lane() -> LaneRouter:
    """For a server of its own."""
    return build(House.make())
