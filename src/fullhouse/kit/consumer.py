"""A queue's consumer: one message after the other, acknowledged when its effect is committed.

A message that comes again (the acknowledgement was lost, or whoever sent it does not know) is known by its id, in the
effect's transaction. One that cannot be understood, or fails again and again, goes to the dead letters with the
reason in its headers; an operator reads it there and sends it back. A database that is away is no fault of a message:
it waits with us, unacknowledged.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import aio_pika
import asyncpg
import structlog
from aio_pika.abc import AbstractIncomingMessage
from prometheus_client import Counter

from fullhouse.kit.broker import GONE, Broker, receiving
from fullhouse.kit.outbox import Poison
from fullhouse.kit.relay import jitter

PREFETCH = 10
TRIES = 4
FIRST_PAUSE_S, PAUSE_S_MAX = 0.2, 5.0
# What is in the headers of a dead letter.
REASON, QUEUE, KEY, DIED_AT = "x-reason", "x-queue", "x-routing-key", "x-died-at"
RECEIVED = Counter("fullhouse_messages_received_total", "Messages from the broker", ["queue", "outcome"])
_DATABASE_AWAY = (OSError, asyncpg.InterfaceError, asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError)
log = structlog.get_logger()
Handler = Callable[[AbstractIncomingMessage], Awaitable[None]]


class Consumer:
    def __init__(self, url: str, broker: Broker, queue: str, handle: Handler) -> None:
        self._url, self._broker, self._queue, self._handle = url, broker, queue, handle
        self.connected = asyncio.Event()

    async def run(self) -> None:
        """Until cancelled, through lost brokers."""
        failures = 0
        while True:
            try:
                async with receiving(self._url, self._broker.topology, self._queue, at_once=PREFETCH) as inbox:
                    self.connected.set()
                    failures = 0
                    while message := await inbox.get():
                        await self._take(message)
            except GONE as error:
                if not failures:
                    log.warning("a consumer lost its broker", queue=self._queue, error=repr(error))
                failures += 1
            self.connected.clear()
            await asyncio.sleep(jitter(min(PAUSE_S_MAX, FIRST_PAUSE_S * 2 ** min(failures, 10))))

    async def _take(self, message: AbstractIncomingMessage) -> None:
        """Whatever becomes of it, it becomes only once it is safe: then it is acknowledged."""
        if reason := await self._try(message):
            await self._bury(message, reason)
        await message.ack()
        RECEIVED.labels(self._queue, "dead" if reason else "done").inc()

    async def _try(self, message: AbstractIncomingMessage) -> str | None:
        """Why it is dead, if it is."""
        tried = 0
        while True:
            try:
                await self._handle(message)
            except Poison as poison:
                return str(poison)
            except _DATABASE_AWAY as error:
                log.warning("a message waits for the database", queue=self._queue, error=repr(error))
            except Exception as error:
                tried += 1
                log.warning("a message failed", queue=self._queue, message_id=message.message_id, error=repr(error))
                if tried == TRIES:
                    return f"it failed {TRIES} times: {error!r}"
            else:
                return None
            await asyncio.sleep(jitter(min(PAUSE_S_MAX, FIRST_PAUSE_S * 2**tried)))

    async def _bury(self, message: AbstractIncomingMessage, reason: str) -> None:
        log.error("a message is dead: `fullhouse messages dead` shows it", queue=self._queue, reason=reason)
        headers: dict[str, Any] = {**message.headers, REASON: reason[:1000], QUEUE: self._queue}
        headers |= {KEY: message.headers.get(KEY, message.routing_key), DIED_AT: datetime.now(UTC).isoformat()}
        await self._broker.put(self._broker.topology.dead, copy(message, headers))


def copy(message: AbstractIncomingMessage, headers: dict[str, Any]) -> aio_pika.Message:
    """The same message, with other headers, to be put somewhere else."""
    return aio_pika.Message(
        message.body,
        headers=headers,
        content_type=message.content_type,
        delivery_mode=aio_pika.DeliveryMode.PERSISTENT,
        message_id=message.message_id,
        timestamp=message.timestamp,
        type=message.type,
        app_id=message.app_id,
    )
