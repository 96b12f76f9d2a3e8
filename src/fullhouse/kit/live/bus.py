"""News between the parts of one process, and between processes: by PostgreSQL's NOTIFY, or by Redis if there is one.
Everybody listens to both: while Redis is away, NOTIFY carries what Redis would have carried.

The bus carries hints ("this changed, look again"), never the truth: a message may be lost when a connection breaks, and
listeners are then told to look at everything (`RESYNC`). One NOTIFY per transaction, never one per row.
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
from fullhouse.kit.cache.warm import client
from fullhouse.kit.db.database import APP, Connection, Message, connect

CHANNEL = "fullhouse_bus"
RESYNC = "resync"  # the topic of "something was missed"
HERE = "here:"  # before a topic: only what this process itself has done
SILENCE_S = 15.0  # after so long without a word we ask whether the other side is still there
ANSWER_S = 5.0  # and wait so long for its answer
SEND_S = 0.2  # so long Redis has to take a message
AWAY_S = 2.0  # and is then left alone so long
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
        self._away_until = 0.0  # Redis, by our loop's clock
        self._line: Connection | None = None  # the one that listens to NOTIFY
        self._talking = asyncio.Lock()  # a connection takes one statement at a time
        self._down: set[str] = set()
        self.connected = asyncio.Event()  # we hear everything that we should

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
        while True:
            packed = await self._outgoing.get()
            if await self._by_redis(packed) or await self._by_notify(packed):
                self._outgoing.task_done()
                continue
            if packed is not self._missed:
                log.warning("messages between processes were lost")
            self._outgoing = asyncio.Queue()
            self._outgoing.put_nowait(self._missed)
            await asyncio.sleep(0.5)

    async def _by_redis(self, packed: bytes) -> bool:
        """One that did not answer is left alone for a while: nobody waits for it with every message."""
        assert self._redis is not None
        clock = asyncio.get_running_loop().time
        if clock() < self._away_until:
            return False
        try:
            async with asyncio.timeout(SEND_S):
                await self._redis.publish(CHANNEL, packed)
        except (TimeoutError, OSError, RedisError) as error:
            self._away_until = clock() + AWAY_S
            log.warning("Redis does not carry our messages; PostgreSQL does, meanwhile", error=repr(error))
            return False
        return True

    async def _by_notify(self, packed: bytes) -> bool:
        if self._line is None:
            return False
        try:
            async with self._talking:
                await self._line.execute("SELECT pg_notify($1, $2)", CHANNEL, packed.decode(), timeout=ANSWER_S)
        except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            log.warning("PostgreSQL does not carry our messages", error=repr(error))
            return False
        return True

    def _pack(self, messages: list[Message]) -> bytes:
        packed = msgspec.json.encode(Envelope(self._me, messages))
        return packed if len(packed) <= _NOTIFY_MAX_BYTES else self._missed

    def _receive(self, packed: str | bytes) -> None:
        envelope = msgspec.json.decode(packed, type=Envelope)
        if envelope.sender != self._me:  # our own were delivered at commit
            self.deliver(envelope.messages)

    # --- staying connected

    async def start(self) -> None:
        lines = {"notify": self._listen_postgres} | ({"redis": self._listen_redis} if self._redis else {})
        self._down = set(lines)
        self._tasks = [
            asyncio.create_task(self._stay_connected(name, listen), name=f"bus:{name}")
            for name, listen in lines.items()
        ]
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
                log.warning("the bus lost its connection", line=name, error=repr(error))
            except Exception:
                log.exception("the bus failed")
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
            self._line = connection
            joined()
            while not lost.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(SILENCE_S):
                        await lost.wait()
                    break
                async with self._talking:
                    await connection.execute("SELECT 1", timeout=ANSWER_S)  # else nobody notices a silent network
        finally:
            self._line = None
            connection.terminate()

    async def _listen_redis(self, joined: Callable[[], None]) -> None:
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
                    joined()
                elif message["type"] == "message":
                    self._receive(message["data"])
                asked = message is None


def _leaving(messages: list[Message]) -> list[Message]:
    return [message for message in messages if not message[0].startswith(HERE)]
