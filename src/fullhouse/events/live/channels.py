"""Publishes changes of events to Redis channels, for other programs: `events:org:{org}` and `events:event:{event}`,
under our key prefix. Published after the commit, by the process that committed.

A message is only a hint to read again: messages are lost while Redis is unavailable or the queue is full. Reliable
delivery goes through the outbox.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
import structlog
from prometheus_client import Counter

from fullhouse.kit.cache.optional_redis import Redis
from fullhouse.kit.live.bus import LOCAL
from fullhouse.kit.services import Services
from fullhouse.kit.tasks import timeout
from fullhouse.kit.telemetry.telemetry import warn_once

WAITING_MAX = 1_000
# The public payload of both channels; other fields of the internal bus are dropped.
PAYLOAD = ("fact", "event_id", "old_status", "new_status", "rescheduled_at", "replaced_by_event_id")
MESSAGES_LOST = Counter(
    "fullhouse_event_messages_lost_total", "Messages for Redis channels of events that were not sent", ["why"]
)
log = structlog.get_logger()


class EventChannelPublisher:
    def __init__(self, services: Services) -> None:
        self._bus, self._redis = services.bus, services.redis
        self._waiting: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue(WAITING_MAX)
        self._sending: asyncio.Task[None] | None = None
        self._unsubscribe: Callable[[], None] | None = None

    async def start(self) -> None:
        if self._redis.configured:
            self._unsubscribe = self._bus.subscribe(f"{LOCAL}events:*", self._enqueue)
            self._sending = asyncio.create_task(self._send(), name="events:channels")

    async def stop(self) -> None:
        if self._unsubscribe:
            self._unsubscribe()
        if self._sending:
            with suppress(TimeoutError):
                async with timeout(1):
                    await self._waiting.join()
            self._sending.cancel()

    def _enqueue(self, topic: str, message: Any) -> None:
        if "old_status" not in message:  # of a venue or a gate
            return
        body = msgspec.json.encode({name: message[name] for name in PAYLOAD})
        try:
            self._waiting.put_nowait((topic.removeprefix(LOCAL), body))
        except asyncio.QueueFull:
            MESSAGES_LOST.labels("overflow").inc()

    async def _send(self) -> None:
        while True:
            topic, body = await self._waiting.get()
            name = self._redis.prefixed_key(topic)

            async def publish(redis: Redis, name: str = name, body: bytes = body) -> bool:
                await redis.publish(name, body)
                return True

            if not await self._redis.call(publish, False):
                MESSAGES_LOST.labels("away").inc()
                warn_once(log, "event.channel_message_lost", channel=name)
            self._waiting.task_done()
