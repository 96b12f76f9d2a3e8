"""Publish/subscribe within a process and between processes: by PostgreSQL's NOTIFY, or by Redis if configured.
Every process listens to both: while Redis is unavailable, messages are sent by NOTIFY instead.

Messages are invalidation hints ("this changed, read it again"), never data of record: one may be lost when a connection
breaks, and listeners then get `RESYNC` and reload everything. One NOTIFY per transaction, never one per row.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, NamedTuple

import asyncpg
import msgspec
import structlog
from redis.exceptions import RedisError

from fullhouse.kit import tasks
from fullhouse.kit.cache.optional_redis import make_client
from fullhouse.kit.db.database import APP, Connection, Message, connect
from fullhouse.kit.tasks import timeout

CHANNEL = "fullhouse_bus"
RESYNC = "resync"  # the topic of "messages were lost"
LOCAL = "here:"  # topic prefix for this process's own messages only
SILENCE_S = 15.0  # after this long without a message the connection is probed
ANSWER_S = 5.0  # and wait so long for its answer
SEND_S = 0.2  # timeout of a publish to Redis
REDIS_PAUSE_S = 2.0  # after a timeout, Redis is not tried again for this long
_NOTIFY_MAX_BYTES = 7_900  # PostgreSQL's limit is below 8,000
log = structlog.get_logger()
Listener = Callable[[str, Any], None]


class Envelope(NamedTuple):
    sender: str
    messages: list[Message]


class Bus:
    """`subscribe` by topic (or by prefix with a trailing `*`); a transaction publishes at commit.

    A message under `here:…` never leaves the process. Every other message that this process publishes is also
    delivered to its own listeners under `here:` + topic.
    """

    def __init__(self, url: str, redis_url: str | None = None) -> None:
        self._url = url
        self._redis = make_client(redis_url) if redis_url else None
        self._sender_id = os.urandom(8).hex()
        self._listeners: dict[str, list[Listener]] = {}
        self._prefixes: dict[str, list[Listener]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._resync_message = msgspec.json.encode(Envelope(self._sender_id, [(RESYNC, None)]))
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue()  # for Redis; NOTIFY goes with the commit
        self._redis_paused_until = 0.0  # of Redis, by the event loop's clock
        self._notify_connection: Connection | None = None  # the connection that listens to NOTIFY
        self._statement_lock = asyncio.Lock()  # a connection takes one statement at a time
        self._down: set[str] = set()
        self.connected = asyncio.Event()  # all listeners are connected

    # --- listening

    def subscribe(self, topic: str, listener: Listener) -> Callable[[], None]:
        """Calls `listener(topic, payload)` on the event loop; returns a function that unsubscribes."""
        table, key = (self._prefixes, topic[:-1]) if topic.endswith("*") else (self._listeners, topic)
        table.setdefault(key, []).append(listener)

        def leave() -> None:
            table[key].remove(listener)
            if not table[key]:
                del table[key]

        return leave

    def has_listener(self, topic: str) -> bool:
        """Whether this exact topic has a listener, so that building a message is worthwhile."""
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
                    log.exception("bus.listener_failed", topic=topic)

    # --- publishing (called by kit/db around the commit)

    async def before_commit(self, connection: Connection, messages: list[Message]) -> None:
        if self._redis is None and (leaving := _remote_messages(messages)):
            await connection.execute("SELECT pg_notify($1, $2)", CHANNEL, self._pack(leaving).decode())

    def after_commit(self, messages: list[Message]) -> None:
        self._deliver_own(messages)
        if self._redis is not None and (leaving := _remote_messages(messages)):
            self._outgoing.put_nowait(self._pack(leaving))

    @property
    def sender(self) -> str | None:
        """This process's sender id, for SQL statements that NOTIFY by themselves; None if messages go by Redis."""
        return self._sender_id if self._redis is None else None

    def publish_committed(self, messages: list[Message]) -> None:
        """Delivers the messages of a committed SQL statement, which sends its own NOTIFY unless Redis is configured."""
        if self._redis is None:
            self._deliver_own(messages)
        else:
            self.after_commit(messages)

    def _deliver_own(self, messages: list[Message]) -> None:
        self.deliver(messages)
        self.deliver([(LOCAL + topic, payload) for topic, payload in _remote_messages(messages)])

    async def _publish_loop(self) -> None:
        """In order, one at a time. Messages that cannot be sent are replaced by one RESYNC, which is retried."""
        while True:
            packed = await self._outgoing.get()
            if await self._publish_by_redis(packed) or await self._publish_by_notify(packed):
                self._outgoing.task_done()
                continue
            if packed is not self._resync_message:
                log.warning("bus.messages_lost", detail="other processes are sent a resync")
            self._outgoing = asyncio.Queue()
            self._outgoing.put_nowait(self._resync_message)
            await asyncio.sleep(0.5)

    async def _publish_by_redis(self, packed: bytes) -> bool:
        """After a failure Redis is skipped for a while, so that not every message waits for its timeout."""
        assert self._redis is not None
        clock = asyncio.get_running_loop().time
        if clock() < self._redis_paused_until:
            return False
        try:
            async with timeout(SEND_S):
                await self._redis.publish(CHANNEL, packed)
        except (TimeoutError, OSError, RedisError) as error:
            self._redis_paused_until = clock() + REDIS_PAUSE_S
            log.warning("bus.redis_unavailable", detail="messages go by PostgreSQL NOTIFY meanwhile", error=repr(error))
            return False
        return True

    async def _publish_by_notify(self, packed: bytes) -> bool:
        if self._notify_connection is None:
            return False
        try:
            async with self._statement_lock:
                await self._notify_connection.execute(
                    "SELECT pg_notify($1, $2)", CHANNEL, packed.decode(), timeout=ANSWER_S
                )
        except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            log.warning("bus.notify_failed", error=repr(error))
            return False
        return True

    def _pack(self, messages: list[Message]) -> bytes:
        packed = msgspec.json.encode(Envelope(self._sender_id, messages))
        return packed if len(packed) <= _NOTIFY_MAX_BYTES else self._resync_message

    def _receive(self, packed: str | bytes) -> None:
        envelope = msgspec.json.decode(packed, type=Envelope)
        if envelope.sender != self._sender_id:  # this process's own messages were delivered at commit
            self.deliver(envelope.messages)

    # --- staying connected

    async def start(self) -> None:
        sources = {"notify": self._listen_postgres} | ({"redis": self._listen_redis} if self._redis else {})
        self._down = set(sources)
        self._tasks = [
            asyncio.create_task(self._stay_connected(name, listen), name=f"bus:{name}")
            for name, listen in sources.items()
        ]
        if self._redis is not None:
            self._tasks.append(asyncio.create_task(self._publish_loop(), name="bus:publish"))
        with suppress(TimeoutError):
            async with timeout(5):
                await self.connected.wait()

    async def stop(self) -> None:
        if self._tasks:
            with suppress(TimeoutError):
                async with timeout(1):
                    await self._outgoing.join()
        await tasks.stop(*self._tasks)
        if self._redis is not None:
            await self._redis.aclose()

    async def _stay_connected(self, name: str, listen: Callable[[Callable[[], None]], Awaitable[None]]) -> None:
        missed = False

        def joined() -> None:
            self._down.discard(name)
            if not self._down:
                self.connected.set()
            if missed:
                self.deliver([(RESYNC, None)])

        while True:
            try:
                await listen(joined)
            except (TimeoutError, OSError, RedisError) as error:
                log.warning("bus.connection_lost", source=name, error=repr(error))
            except Exception:
                log.exception("bus.failed", source=name)
            self._down.add(name)
            self.connected.clear()
            missed = True
            await asyncio.sleep(0.5)

    async def _listen_postgres(self, joined: Callable[[], None]) -> None:
        connection = await connect(self._url, APP)
        lost = asyncio.Event()
        try:
            connection.add_termination_listener(lambda _: lost.set())
            await connection.add_listener(CHANNEL, lambda _c, _p, _ch, packed: self._receive(packed))
            self._notify_connection = connection
            joined()
            while not lost.is_set():
                with suppress(TimeoutError):
                    async with timeout(SILENCE_S):
                        await lost.wait()
                    break
                async with self._statement_lock:
                    await connection.execute("SELECT 1", timeout=ANSWER_S)  # detects a dead network
        finally:
            self._notify_connection = None
            connection.terminate()

    async def _listen_redis(self, joined: Callable[[], None]) -> None:
        assert self._redis is not None
        async with self._redis.pubsub() as channel:
            await channel.subscribe(CHANNEL)
            pinged = False
            while True:
                message = await channel.get_message(timeout=ANSWER_S if pinged else SILENCE_S)
                if message is None:
                    if pinged:
                        raise TimeoutError("Redis did not answer a ping")
                    await channel.ping()
                elif message["type"] == "subscribe":
                    joined()
                elif message["type"] == "message":
                    self._receive(message["data"])
                pinged = message is None


def _remote_messages(messages: list[Message]) -> list[Message]:
    return [message for message in messages if not message[0].startswith(LOCAL)]
