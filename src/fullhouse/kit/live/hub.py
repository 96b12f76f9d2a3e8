"""All live streams of a process: their limits, their first frame, and their end.

    reader = await hub.open(channel, ip, last_seen)

A broadcast (broadcast.py) is open from its first reader until a while after its last. Streams over HTTP are in
http/streams.py.
"""

import asyncio
from collections import Counter
from typing import Any

import prometheus_client as prometheus

from fullhouse.kit.cache.limits import network_of
from fullhouse.kit.errors import RateLimited, Unavailable
from fullhouse.kit.live.broadcast import Broadcast, Channel, FrameEncoder, Reader, StreamLimits, jitter
from fullhouse.kit.live.bus import RESYNC, Bus

OPEN_STREAMS = prometheus.Gauge("fullhouse_streams_open", "Streams that are open", multiprocess_mode="livesum")
ENDED_STREAMS = prometheus.Counter("fullhouse_streams_ended", "Streams that have ended, by reason", ["why"])


class TooManyStreams(RateLimited):
    """Too many streams are open from your network. Close some, or try again later."""

    code, title = "too_many_streams", "Too many open streams"


class StreamHub:
    def __init__(self, bus: Bus, limits: StreamLimits | None = None) -> None:
        self.limits = limits or StreamLimits()
        self.readers: set[Reader] = set()
        self.broadcasts: dict[str, Broadcast] = {}
        self._bus = bus
        self._encoder = FrameEncoder()
        self._networks: Counter[str] = Counter()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self._leave_bus = bus.subscribe(RESYNC, self._resync)

    async def open(self, channel: Channel, ip: str | None, last_seen: str | None = None) -> Reader:
        """Returns a reader for a transport to begin. `last_seen` is the id of the client's last frame."""
        network = network_of(ip)
        self._admit(network)
        broadcast = self.broadcasts.get(channel.name)
        if broadcast is None or broadcast.over:
            broadcast = self._open_broadcast(channel)
        reader = self._add_reader(broadcast, network)
        try:
            # Clients that reconnect too: the snapshot refuses those that may no longer read the channel.
            snapshot = await broadcast.snapshot()
        except BaseException:
            reader.end("refused")
            if not broadcast.readers:
                self._close_broadcast(broadcast)
            raise
        if reader.over.done():
            raise Unavailable("The stream could not be opened. Try again in a second.", retry_after_s=1)
        # Random, so that thousands of disconnected clients do not all return at once.
        retry = b"retry: %d\n\n" % jitter.randint(1000, 3000)
        number = self._encoder.parse_number(last_seen)
        if broadcast.floor <= number <= broadcast.last:
            reader.set_position(number, retry)
        else:
            reader.set_position(snapshot.number, retry + snapshot.frame)
        return reader

    def _admit(self, network: str) -> None:
        if self._closed or len(self.readers) >= self.limits.streams:
            wait_s = jitter.randint(2, 10)
            raise Unavailable(f"Too many open streams here. Try again in {wait_s} seconds.", retry_after_s=wait_s)
        if self._networks[network] >= self.limits.streams_per_network:
            most = self.limits.streams_per_network
            raise TooManyStreams(f"Your network has {most} open streams, the limit. Close some.", retry_after_s=10)

    def _open_broadcast(self, channel: Channel) -> Broadcast:
        self.broadcasts[channel.name] = broadcast = Broadcast(channel, self._bus, self._encoder, self.limits)
        return broadcast

    def _add_reader(self, broadcast: Broadcast, network: str) -> Reader:
        reader = Reader(broadcast, network, self._on_reader_end)
        broadcast.readers.add(reader)
        self.readers.add(reader)
        self._networks[network] += 1
        OPEN_STREAMS.inc()
        if self._timer is None:
            self._schedule_tick()
        return reader

    def _on_reader_end(self, reader: Reader, why: str) -> None:
        self.readers.discard(reader)
        self._networks[reader.network] -= 1
        if not self._networks[reader.network]:
            del self._networks[reader.network]
        OPEN_STREAMS.dec()
        ENDED_STREAMS.labels(why).inc()

    def _close_broadcast(self, broadcast: Broadcast) -> None:
        broadcast.close()
        if self.broadcasts.get(broadcast.channel.name) is broadcast:
            del self.broadcasts[broadcast.channel.name]

    def _resync(self, _topic: str, _payload: Any) -> None:
        for broadcast in self.broadcasts.values():
            broadcast.resync()

    # --- time: one timer for all streams, as for request bodies

    def _schedule_tick(self) -> None:
        limits = self.limits
        shortest_s = min(limits.stream_s, limits.heartbeat_s, limits.slow_s, limits.linger_s)
        self._timer = asyncio.get_running_loop().call_later(min(1.0, shortest_s / 4), self._tick)

    def _tick(self) -> None:
        self._timer = None
        now_s = asyncio.get_running_loop().time()
        for reader in [*self.readers]:
            reader.tick(now_s)
        for broadcast in [*self.broadcasts.values()]:
            if not broadcast.readers and now_s - broadcast.empty_since_s > self.limits.linger_s:
                self._close_broadcast(broadcast)
        if self.readers or self.broadcasts:
            self._schedule_tick()

    def close(self) -> None:
        """Ends every stream. Clients reconnect to another process, or to this one after its restart."""
        if self._closed:
            return
        self._closed = True
        self._leave_bus()
        if self._timer:
            self._timer.cancel()
        for reader in [*self.readers]:
            reader.end("stop")
        for broadcast in [*self.broadcasts.values()]:
            broadcast.cancel()
            self._close_broadcast(broadcast)
