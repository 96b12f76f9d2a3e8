"""A channel with readers: a ring buffer of its latest frames, and each reader's position in it.

Guarantees:
- No gap. The bus subscription starts before a snapshot is read, so that changes made meanwhile follow it. The snapshot
  may contain such a change already; this is harmless, because messages carry the current state, never a difference.
- No repeat. Every frame has an id, `epoch-number`. A client that reconnects with its last id gets the frames it missed
  if they are still in the ring, otherwise a snapshot. All readers get a snapshot after the bus has lost messages.
- No queue per reader. A message is encoded once. Every reader gets the same bytes, or a snapshot if it is far behind.
- No endless stream. Each ends after a number of bytes or seconds, and the client reconnects with its last id.
"""

import asyncio
import os
import random
import resource
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from itertools import takewhile
from typing import Any, NamedTuple

import msgspec
import structlog

from fullhouse.kit.errors import Refusal, Unavailable
from fullhouse.kit.live.bus import Bus

HEARTBEAT = b":\n\n"
READERS_PER_TURN = 256  # readers that are written to before control returns to the event loop
FRESH_S = 1.0  # a snapshot is shared by all readers that need it within this time
RETRY_S = 1.0  # delay before a failed snapshot is read again
CONCURRENT_READS = 4  # after a bus outage every channel needs a snapshot, and the database has other work too
jitter = random.SystemRandom()
log = structlog.get_logger()


class StreamMessage(NamedTuple):
    """A message to a channel's readers. `last` closes the channel."""

    event: str
    data: Any
    last: bool = False


REFRESH = StreamMessage(
    "look again", None
)  # much has changed: readers get a new snapshot, in order with the other messages


class Channel(NamedTuple):
    """What a stream carries: bus topics, each with a function from bus message to stream message, and a snapshot.

    All readers of a channel get the same bytes, so its name identifies the audience. `snapshot` reads the primary,
    because a replica may lag behind the bus. It runs when a reader arrives, at most once a second, and may refuse.
    """

    name: str
    topics: Mapping[str, Callable[[Any], StreamMessage | None]]
    snapshot: Callable[[], Awaitable[Any]]


def _max_streams() -> int:
    """A stream takes a file descriptor. A quarter of them is reserved for ordinary requests."""
    return min(20_000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] * 3 // 4)


class StreamLimits(NamedTuple):
    stream_bytes: int = 65_536
    stream_s: float = 60
    heartbeat_s: float = 15
    slow_s: float = 10  # a write that takes longer ends the stream, if the transport reports completion
    linger_s: float = 30  # a channel without readers is kept this long for clients that reconnect
    ring_frames: int = 512
    ring_bytes: int = 262_144
    streams_per_network: int = 100
    streams: int = _max_streams()


class FrameEncoder:
    """Numbers and encodes frames, and limits how many snapshots are read at once."""

    def __init__(self) -> None:
        self._epoch = os.urandom(4).hex()
        self._number = 0
        self.snapshot_reads = asyncio.Semaphore(CONCURRENT_READS)

    def next_number(self) -> int:
        """One sequence for all channels, so that a channel opened again never reuses a number."""
        self._number += 1
        return self._number

    def encode(self, number: int, event: str, data: Any) -> bytes:
        head = f"id: {self._epoch}-{number}\nevent: {event}\ndata: "
        return head.encode() + msgspec.json.encode(data) + b"\n\n"

    def parse_number(self, frame_id: str | None) -> int:
        """The number in a frame id; 0 if this process did not issue it."""
        epoch, _, number = (frame_id or "").partition("-")
        return int(number) if epoch == self._epoch and number.isdecimal() and len(number) < 19 else 0


class Snapshot(NamedTuple):
    number: int  # of the last frame before it was read
    frame: bytes
    until_s: float


class Reader:
    """One open stream. Its transport calls `begin` and awaits `over`, whose result is the reason why it ended."""

    __slots__ = (
        "_broadcast", "_first", "_on_end", "_sent", "_until_s", "_write", "_wrote_s", "busy", "network", "over",
        "position",
    )  # fmt: skip

    def __init__(self, broadcast: "Broadcast", network: str, on_end: Callable[["Reader", str], None]) -> None:
        loop = asyncio.get_running_loop()
        self._broadcast = broadcast
        self._on_end = on_end
        self._first = b""
        self._sent = 0
        self._wrote_s = loop.time()
        # Random, so that streams opened at the same instant do not all end at the same instant.
        self._until_s = self._wrote_s + broadcast.limits.stream_s * jitter.uniform(0.8, 1)
        self.network = network
        self.position = 0
        self.busy = True  # at first: being opened; later: the transport is still writing
        self.over: asyncio.Future[str] = loop.create_future()
        self._write: Callable[[bytes], None] = _discard

    def set_position(self, position: int, first: bytes) -> None:
        self.position, self._first = position, first

    def begin(self, write: Callable[[bytes], None]) -> None:
        """`write` must not block. A transport whose buffer is full sets `busy`."""
        if self.over.done():
            return
        self._write = write
        self.busy = False
        missed, self.position = self._broadcast.frames_since(self.position), self._broadcast.last
        self._put(self._first + missed)

    def resume(self) -> None:
        """The transport has written everything."""
        self.busy = False
        if self.position < self._broadcast.last:
            self._broadcast.wake()

    def send_missing(self, snapshot: Snapshot | None) -> None:
        """Sends the frames after this reader's position. A reader below the floor waits for a snapshot."""
        broadcast = self._broadcast
        if self.busy or self.over.done():
            return
        if self.position >= broadcast.floor:
            data = broadcast.frames_since(self.position)
        elif snapshot and snapshot.number >= broadcast.floor:
            data = snapshot.frame + broadcast.frames_since(snapshot.number)
        else:
            return
        self.position = broadcast.last
        self._put(data)

    def tick(self, now_s: float) -> None:
        limits, idle_s = self._broadcast.limits, now_s - self._wrote_s
        if now_s >= self._until_s:
            self.end("time")
        elif self.busy and idle_s > limits.slow_s:
            self.end("slow")
        elif not self.busy and idle_s >= limits.heartbeat_s:
            self._put(HEARTBEAT)

    def _put(self, data: bytes) -> None:
        self._wrote_s = asyncio.get_running_loop().time()
        self._sent += len(data)
        try:
            self._write(data)
        except Exception:  # a failing reader must not affect the others
            log.exception("stream.failed", channel=self._broadcast.channel.name)
            self.end("failed")
        if self._broadcast.over:
            self.end("closed")
        elif self._sent >= self._broadcast.limits.stream_bytes:
            self.end("size")

    def end(self, why: str) -> None:
        if not self.over.done():
            self.over.set_result(why)
            self._write = _discard  # releases the transport
            self._broadcast.remove(self)
            self._on_end(self, why)


def _discard(_data: bytes) -> None: ...


class Broadcast:
    """An open channel and its readers."""

    def __init__(self, channel: Channel, bus: Bus, press: FrameEncoder, limits: StreamLimits) -> None:
        self.channel, self.limits = channel, limits
        self.readers: set[Reader] = set()
        self.floor = self.last = press.next_number()  # a reader whose position is below the floor has missed frames
        self.over = False
        self.empty_since_s = 0.0
        self._encoder = press
        self._ring: deque[tuple[int, bytes]] = deque()
        self._ring_bytes = 0
        self._joined_frames: dict[int, bytes] = {}
        self._snapshot: Snapshot | None = None
        self._reading: asyncio.Task[Snapshot] | None = None
        self._pumping: asyncio.Task[None] | None = None
        self._refreshing: asyncio.Task[None] | None = None
        self._stale = False
        self._leave_bus = [bus.subscribe(topic, self._on_message) for topic in channel.topics]

    def remove(self, reader: Reader) -> None:
        self.readers.discard(reader)
        self.empty_since_s = asyncio.get_running_loop().time()

    def close(self) -> None:
        """Unsubscribes from the bus. Remaining readers still get the buffered frames."""
        for leave in self._leave_bus:
            leave()
        self._leave_bus = []

    def cancel(self) -> None:
        for task in (self._reading, self._pumping, self._refreshing):
            if task:
                task.cancel()

    # --- messages

    def _on_message(self, topic: str, payload: Any) -> None:
        news = self.channel.topics[topic](payload)
        if news is None or self.over:
            return
        if news is REFRESH:
            self._stale = True
            if self._refreshing is None:
                self._refreshing = asyncio.get_running_loop().create_task(self._refresh())
            return
        self._add(news)

    def _add(self, news: StreamMessage) -> None:
        self.last = self._encoder.next_number()
        frame = self._encoder.encode(self.last, news.event, news.data)
        self._ring.append((self.last, frame))
        self._ring_bytes += len(frame)
        while len(self._ring) > self.limits.ring_frames or self._ring_bytes > self.limits.ring_bytes:
            self.floor, gone = self._ring.popleft()
            self._ring_bytes -= len(gone)
        self._joined_frames.clear()
        if news.last:
            self.over = True
            self.close()
        self.wake()

    async def _refresh(self) -> None:
        try:
            while self._stale:
                self._stale = False
                async with self._encoder.snapshot_reads:
                    state = await self.channel.snapshot()
                if not self.over:
                    self._add(StreamMessage("snapshot", state))
        except Exception:  # a refusal too: `_pump` then reads a snapshot, and ends the readers or retries
            self.resync()
        finally:
            self._refreshing = None

    def resync(self) -> None:
        """Messages were lost: all readers need a snapshot."""
        self.floor = self.last = self._encoder.next_number()
        self._ring.clear()
        self._ring_bytes = 0
        self._joined_frames.clear()
        self.wake()

    def frames_since(self, position: int) -> bytes:
        """The frames after a position, cached: nearly all readers are at the same one."""
        if (missed := self._joined_frames.get(position)) is None:
            frames = [frame for _, frame in takewhile(lambda entry: entry[0] > position, reversed(self._ring))]
            missed = self._joined_frames[position] = b"".join(reversed(frames))
        return missed

    # --- sending

    def wake(self) -> None:
        if self._pumping is None:
            self._pumping = asyncio.get_running_loop().create_task(self._pump())

    async def _pump(self) -> None:
        try:
            while behind := [reader for reader in self.readers if reader.position < self.last and not reader.busy]:
                if not any(reader.position < self.floor for reader in behind):
                    await self._send_to(behind, None)
                elif snapshot := await self._snapshot_or_end(behind):
                    await self._send_to(behind, snapshot)
                else:
                    await asyncio.sleep(RETRY_S)
        finally:
            self._pumping = None

    async def _send_to(self, behind: list[Reader], snapshot: Snapshot | None) -> None:
        for start in range(0, len(behind), READERS_PER_TURN):
            for reader in behind[start : start + READERS_PER_TURN]:
                reader.send_missing(snapshot)
            await asyncio.sleep(0)

    async def _snapshot_or_end(self, behind: list[Reader]) -> Snapshot | None:
        try:
            return await self.snapshot()
        except Unavailable:
            log.info("stream.snapshot_unavailable", channel=self.channel.name, detail="it is retried")
        except Refusal:  # the channel has ended, or is private by now
            for reader in behind:
                reader.end("closed")
        except Exception:
            log.warning("stream.snapshot_failed", channel=self.channel.name, exc_info=True)
        return None

    # --- the state

    async def snapshot(self) -> Snapshot:
        """A fresh snapshot, all of whose later frames are in the ring. Concurrent callers share one read."""
        while True:
            found = self._snapshot
            if found is None or found.number < self.floor or found.until_s < asyncio.get_running_loop().time():
                if self._reading is None:
                    self._reading = asyncio.get_running_loop().create_task(self._read())
                    self._reading.add_done_callback(_retrieve_exception)
                found = await asyncio.shield(self._reading)
            if found.number >= self.floor:
                return found

    async def _read(self) -> Snapshot:
        try:
            async with self._encoder.snapshot_reads:
                number = self.last
                state = await self.channel.snapshot()
        finally:
            # Not in a done callback, which runs a loop turn later: `snapshot` would await the finished task endlessly.
            self._reading = None
        until_s = asyncio.get_running_loop().time() + FRESH_S
        self._snapshot = Snapshot(number, self._encoder.encode(number, "snapshot", state), until_s)
        return self._snapshot


def _retrieve_exception(task: asyncio.Task[Snapshot]) -> None:
    """Retrieves the exception, so that asyncio does not log it if no caller awaits the task any more."""
    if not task.cancelled():
        task.exception()
