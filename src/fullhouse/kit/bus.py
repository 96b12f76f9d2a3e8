"""News between the parts of one process, and between processes: by PostgreSQL's NOTIFY, or by Redis if there is one.

The bus carries hints ("this changed, look again"), never the truth: a message may be lost when a connection breaks, and
listeners are then told to look at everything (`RESYNC`). One NOTIFY per transaction, never one per row.
"""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
import structlog
from redis.exceptions import RedisError

from fullhouse.kit.db import APP, Connection, Message, connect
from fullhouse.kit.warm import client

CHANNEL = "fullhouse_bus"
RESYNC = "resync"  # the topic of "something was missed"
HERE = "here:"  # before a topic: only what this process itself has done
SILENCE_S = 15.0  # after so long without a word we ask whether the other side is still there
ANSWER_S = 5.0  # and wait so long for its answer
_NOTIFY_MAX_BYTES = 7_900  # PostgreSQL takes less than 8,000
log = structlog.get_logger()
Listener = Callable[[str, Any], None]


class Envelope(NamedTuple):
    sender: str
    messages: list[Message]


class Bus:
    """`subscribe` by topic (or by prefix with a trailing `*`); `Tx.tell` publishes at commit.

    What is told under `here:…` never leaves the process. All else that is told here is heard under that name too.
    """

    def __init__(self, url: str, redis_url: str | None = None) -> None:
        self._url = url
        self._redis = client(redis_url) if redis_url else None
        self._me = os.urandom(8).hex()
        self._listeners: dict[str, list[Listener]] = {}
        self._prefixes: dict[str, list[Listener]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._missed = msgspec.json.encode(Envelope(self._me, [(RESYNC, None)]))
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue()  # for Redis; NOTIFY goes with the commit
        self.connected = asyncio.Event()

    # --- listening

    def subscribe(self, topic: str, listener: Listener) -> Callable[[], None]:
        """Calls `listener(topic, payload)` on the event loop; returns the way out."""
        table, key = (self._prefixes, topic[:-1]) if topic.endswith("*") else (self._listeners, topic)
        table.setdefault(key, []).append(listener)

        def leave() -> None:
            table[key].remove(listener)
            if not table[key]:
                del table[key]

        return leave

    def is_heard(self, topic: str) -> bool:
        """Somebody listens to exactly this topic: is it worth making a message?"""
        return topic in self._listeners

    def deliver(self, messages: list[Message]) -> None:
        for topic, payload in messages:
            found = [*self._listeners.get(topic, ())]
            for prefix, listeners in self._prefixes.items():
                if topic.startswith(prefix):
                    found += listeners
            for listener in found:
                try:
                    listener(topic, payload)
                except Exception:
                    log.exception("a bus listener failed", topic=topic)

    # --- telling (called by kit/db around the commit)

    async def before_commit(self, connection: Connection, messages: list[Message]) -> None:
        if self._redis is None and (leaving := _leaving(messages)):
            await connection.execute("SELECT pg_notify($1, $2)", CHANNEL, self._pack(leaving).decode())

    def after_commit(self, messages: list[Message]) -> None:
        self._deliver_own(messages)
        if self._redis is not None and (leaving := _leaving(messages)):
            self._outgoing.put_nowait(self._pack(leaving))

    @property
    def sender(self) -> str | None:
        """Our name, for a statement that tells the others by itself (NOTIFY); None if they listen elsewhere."""
        return self._me if self._redis is None else None

    def told(self, messages: list[Message]) -> None:
        """What a statement of our own has committed, and told the others if it could."""
        if self._redis is None:
            self._deliver_own(messages)
        else:
            self.after_commit(messages)

    def _deliver_own(self, messages: list[Message]) -> None:
        self.deliver(messages)
        self.deliver([(HERE + topic, payload) for topic, payload in _leaving(messages)])

    async def _keep_publishing(self) -> None:
        """In order, one at a time. What cannot be sent is replaced by one RESYNC, until that gets through."""
        assert self._redis is not None
        while True:
            packed = await self._outgoing.get()
            try:
                async with asyncio.timeout(1):
                    await self._redis.publish(CHANNEL, packed)
            except (TimeoutError, OSError, RedisError) as error:
                if packed is not self._missed:
                    log.warning("messages between processes were lost", error=repr(error))
                self._outgoing = asyncio.Queue()
                self._outgoing.put_nowait(self._missed)
                await asyncio.sleep(0.5)
            else:
                self._outgoing.task_done()

    def _pack(self, messages: list[Message]) -> bytes:
        packed = msgspec.json.encode(Envelope(self._me, messages))
        return packed if len(packed) <= _NOTIFY_MAX_BYTES else self._missed

    def _receive(self, packed: str | bytes) -> None:
        envelope = msgspec.json.decode(packed, type=Envelope)
        if envelope.sender != self._me:  # our own were delivered at commit
            self.deliver(envelope.messages)

    # --- staying connected

    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._stay_connected(), name="bus")]
        if self._redis is not None:
            self._tasks.append(asyncio.create_task(self._keep_publishing(), name="bus:publish"))
        with suppress(TimeoutError):
            async with asyncio.timeout(5):
                await self.connected.wait()

    async def stop(self) -> None:
        if self._tasks:
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await self._outgoing.join()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._redis is not None:
            await self._redis.aclose()

    async def _stay_connected(self) -> None:
        missed = False
        while True:
            try:
                await (self._listen_postgres(missed) if self._redis is None else self._listen_redis(missed))
            except (TimeoutError, OSError, RedisError) as error:
                log.warning("the bus lost its connection", error=repr(error))
            except Exception:
                log.exception("the bus failed")
            self.connected.clear()
            missed = True
            await asyncio.sleep(0.5)

    async def _listen_postgres(self, missed: bool) -> None:
        connection = await connect(self._url, APP)
        lost = asyncio.Event()
        try:
            connection.add_termination_listener(lambda _: lost.set())
            await connection.add_listener(CHANNEL, lambda _c, _p, _ch, packed: self._receive(packed))
            self._joined(missed)
            while not lost.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(SILENCE_S):
                        await lost.wait()
                    break
                await connection.execute("SELECT 1", timeout=ANSWER_S)  # nothing else would notice a silent network
        finally:
            connection.terminate()

    async def _listen_redis(self, missed: bool) -> None:
        assert self._redis is not None
        async with self._redis.pubsub() as channel:
            await channel.subscribe(CHANNEL)
            asked = False
            while True:
                message = await channel.get_message(timeout=ANSWER_S if asked else SILENCE_S)
                if message is None:
                    if asked:
                        raise TimeoutError("Redis fell silent")
                    await channel.ping()
                elif message["type"] == "subscribe":
                    self._joined(missed)
                elif message["type"] == "message":
                    self._receive(message["data"])
                asked = message is None

    def _joined(self, missed: bool) -> None:
        self.connected.set()
        if missed:
            self.deliver([(RESYNC, None)])


def _leaving(messages: list[Message]) -> list[Message]:
    return [message for message in messages if not message[0].startswith(HERE)]
