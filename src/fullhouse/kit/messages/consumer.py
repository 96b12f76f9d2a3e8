"""A queue's consumer: one message after the other, acknowledged when its effect is committed.

A message that is delivered again (the acknowledgement was lost, or the sender published it twice) is recognised by its
id, in the effect's transaction. One that cannot be understood, or fails repeatedly, is dead-lettered with the reason in
its headers; an operator reads it there and puts it back. While the database is unavailable, a message waits here,
unacknowledged, and no attempt is counted.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn

import asyncpg
import structlog
from aio_pika.abc import AbstractIncomingMessage
from prometheus_client import Counter

from fullhouse.kit.db.database import is_unavailable
from fullhouse.kit.messages.dead_letters import to_dead_letter
from fullhouse.kit.messages.outbox import PoisonMessage
from fullhouse.kit.messages.rabbitmq import (
    BROKER_ERRORS,
    UNREADABLE,
    Broker,
    ConnectionLost,
    await_in_task,
    open_consumer,
)
from fullhouse.kit.messages.relay import jitter

PREFETCH = 10
TRIES = 4
FIRST_PAUSE_S, PAUSE_S_MAX = 0.2, 5.0
RECEIVED = Counter("fullhouse_messages_received_total", "Messages from the broker", ["queue", "outcome"])
# Besides an unavailable database: conflicts of concurrent transactions, and a database that is too slow.
_TRANSIENT_ERRORS = (
    TimeoutError, asyncpg.QueryCanceledError, asyncpg.DeadlockDetectedError, asyncpg.LockNotAvailableError,
)  # fmt: skip
log = structlog.get_logger()
Handler = Callable[[AbstractIncomingMessage], Awaitable[None]]


class Consumer:
    def __init__(self, url: str, broker: Broker, queue: str, handle: Handler) -> None:
        self._url, self._broker, self._queue, self._handle = url, broker, queue, handle
        self.connected = asyncio.Event()

    async def run(self) -> None:
        """Runs until cancelled, and reconnects when the broker is lost."""
        failures = 0
        while True:
            try:
                await self._listen()
            except Exception as error:  # bugs too: the worker has other tasks than this queue
                failures = 1 if self.connected.is_set() else failures + 1
                if failures == 1:
                    known = isinstance(error, BROKER_ERRORS)
                    log.warning("consumer.broker_lost", queue=self._queue, error=repr(error), exc_info=not known)
            self.connected.clear()
            await asyncio.sleep(jitter(min(PAUSE_S_MAX, FIRST_PAUSE_S * 2 ** min(failures, 10))))

    async def _listen(self) -> NoReturn:
        async with open_consumer(self._url, self._broker.topology, self._queue, at_once=PREFETCH) as inbox:
            self.connected.set()
            while message := await inbox.get():
                await self._process(message)
        raise ConnectionLost("the connection ended")

    async def _process(self, message: AbstractIncomingMessage) -> None:
        """Acknowledges a message after its effect is committed, or after it was dead-lettered."""
        if reason := await self._handle_with_retries(message):
            await self._dead_letter(message, reason)
        await await_in_task(message.ack())
        RECEIVED.labels(self._queue, "dead" if reason else "done").inc()

    async def _handle_with_retries(self, message: AbstractIncomingMessage) -> str | None:
        """Returns why the message has to be dead-lettered, or None if it was handled."""
        if unreadable := message.headers.get(UNREADABLE):
            return f"its properties cannot be read: {unreadable!s}"
        tried = 0
        while True:
            try:
                await self._handle(message)
            except PoisonMessage as poison:
                return str(poison)
            except Exception as error:
                if is_unavailable(error) or isinstance(error, _TRANSIENT_ERRORS):
                    log.warning("consumer.database_unavailable", queue=self._queue, error=repr(error))
                    await asyncio.sleep(jitter(FIRST_PAUSE_S))
                    continue
                tried += 1
                log.warning(
                    "consumer.message_failed", queue=self._queue, message_id=message.message_id, error=repr(error)
                )
                if tried == TRIES:
                    return f"it failed {TRIES} times: {error!r}"
            else:
                return None
            await asyncio.sleep(jitter(min(PAUSE_S_MAX, FIRST_PAUSE_S * 2**tried)))

    async def _dead_letter(self, message: AbstractIncomingMessage, reason: str) -> None:
        log.error(
            "consumer.message_dead_lettered",
            detail="`fullhouse messages dead` shows it",
            queue=self._queue,
            reason=reason,
        )
        await self._broker.publish_to_queue(
            self._broker.topology.dead_letter_queue, to_dead_letter(message, self._queue, reason)
        )
