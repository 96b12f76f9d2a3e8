"""Changes of events on Redis channels, for programs beside ours."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from fullhouse.events import actions
from fullhouse.events.live.channels import EventChannelPublisher
from fullhouse.events.policy import Move
from fullhouse.kit.cache.optional_redis import make_client as redis_client
from fullhouse.kit.services import open_parts
from tests.events.helpers import DAY
from tests.events.kept_reads import Process, redis, start
from tests.kit.helpers import until
from tests.services.servers import Server

__all__ = ["redis", "start"]  # fixtures

pytestmark = pytest.mark.req("EV-12")


class Heard(list[tuple[str, Any]]):
    """What came on some channels, with the channel's name."""

    def __init__(self, inbox: Any) -> None:
        super().__init__()
        self._inbox = inbox

    async def several(self, count: int) -> None:
        async def enough() -> bool:
            while message := await self._inbox.get_message(timeout=0.05):
                if message["type"] == "pmessage":
                    self.append((message["channel"].decode(), msgspec.json.decode(message["data"])))
            return len(self) >= count

        await until(enough)


@asynccontextmanager
async def listening(url: str, channels: str) -> AsyncIterator[Heard]:
    async with redis_client(url) as looking, looking.pubsub() as inbox:
        await inbox.psubscribe(channels)
        yield Heard(inbox)


async def test_every_change_is_published_on_both_channels(start: Any, redis: Server) -> None:
    process: Process = await start(redis.url)
    async with (
        open_parts(process.services, (EventChannelPublisher,)),
        listening(redis.url, "fullhouse:events:*") as heard,
    ):
        event = await process.make(Move.PUBLISH)
        date = event.start_at + DAY
        await process.move(event, Move.POSTPONE, new_date=date)
        await process.change(event, description="Wetter than ever.")
        await process.move(event, Move.CANCEL)
        await heard.several(10)
    about: dict[str, Any] = {"event_id": str(event.id), "replaced_by_event_id": None}
    new = {"rescheduled_at": date.isoformat().replace("+00:00", "Z")}
    payloads: list[dict[str, Any]] = [
        {"fact": "event.created", "old_status": "draft", "new_status": "draft", "rescheduled_at": None},
        {"fact": "event.published", "old_status": "draft", "new_status": "published", "rescheduled_at": None},
        {"fact": "event.postponed", "old_status": "published", "new_status": "postponed"} | new,
        {"fact": "event.updated", "old_status": "postponed", "new_status": "postponed"} | new,
        {"fact": "event.canceled", "old_status": "postponed", "new_status": "cancelled"} | new,
    ]
    for channel in (f"fullhouse:events:org:{process.tenant.id}", f"fullhouse:events:event:{event.id}"):
        assert [body for name, body in heard if name == channel] == [about | payload for payload in payloads], channel
    assert len(heard) == 10  # the venue is not among them


async def test_what_was_rolled_back_is_not_published(start: Any, redis: Server) -> None:
    process: Process = await start(redis.url)
    event = await process.make()
    async with (
        open_parts(process.services, (EventChannelPublisher,)),
        listening(redis.url, "fullhouse:events:*") as heard,
    ):
        with pytest.raises(ZeroDivisionError):
            async with process.services.database.tenant(process.tenant.id) as tx:
                await actions.move_event(tx, event.id, Move.PUBLISH)
                raise ZeroDivisionError
        await process.move(event, Move.ARCHIVE)
        await heard.several(2)
    assert {body["fact"] for _, body in heard} == {"event.archived"}


async def test_a_redis_that_is_away_keeps_nobody_waiting(start: Any, redis: Server) -> None:
    process: Process = await start(redis.url)
    async with open_parts(process.services, (EventChannelPublisher,)):
        redis.stop()
        event = await process.make(Move.PUBLISH)
        assert (await process.move(event, Move.CANCEL)).status == "cancelled"


async def test_without_redis_there_are_no_channels(start: Any) -> None:
    process: Process = await start()
    async with open_parts(process.services, (EventChannelPublisher,)):
        assert (await process.make(Move.PUBLISH)).status == "published"
