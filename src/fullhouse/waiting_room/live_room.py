"""One waiting room in this process's memory: its row, its virtual queue, and what all responses have in common."""

import asyncio
import time
from typing import Any, NamedTuple

from fullhouse.waiting_room import policy, response_templates
from fullhouse.waiting_room.admission_rate import AdmissionRate
from fullhouse.waiting_room.model import Room
from fullhouse.waiting_room.virtual_queue import ADMITTED, WAITING, VirtualQueue

SUMMARY_S = 0.2


class Summary(NamedTuple):
    """What the responses to all people in a room have in common, computed once in SUMMARY_S seconds."""

    until_s: float
    status: str
    is_ordered: bool
    waiting: int
    rate: float | None
    confidence: float
    seed_hash: str | None
    next_s: int | None  # the poll interval if it is the same for everybody
    template: bytes | None  # the response template for people who wait; None while nobody has a place


class LiveRoom:
    """One room in memory."""

    def __init__(self, room: Room, now_s: float) -> None:
        self.room = room
        self.queue = VirtualQueue()
        self.rate = AdmissionRate(now_s)
        self.used_s = time.monotonic()
        self.loading: asyncio.Task[None] | None = None
        self.reloading: asyncio.Task[None] | None = None
        self.is_stale = False  # the room's row has changed and must be read again
        self.is_incomplete = False  # messages may have been lost: the queue must be read again, too
        self._summary = Summary(0, "closed", False, 0, None, 0, None, None, None)
        self.event_number = room.event_id.int  # faster to compare than UUIDs

    def set_room(self, room: Room) -> None:
        """Takes a newer version of the room's row."""
        self.room = room
        self._summary = self._summary._replace(until_s=0)

    @property
    def is_ordered(self) -> bool:
        """Whether people have places: before and during a draw they only have numbers."""
        return self.room.state != "pre" and self.room.drawn

    def summary(self, now_s: float) -> Summary:
        if now_s >= self._summary.until_s:
            room = self.room
            status = "closed" if room.state == "closed" else "sold_out" if room.sold_out else "waiting"
            rate = None if room.state == "paused" else self.rate.per_second(now_s)
            sure = policy.confidence(rate, self.rate.counted)
            seed_hash = room.seed_hash.hex() if room.seed_hash else None
            slip = (
                response_templates.render_template(room, seed_hash) if status == "waiting" and self.is_ordered else None
            )
            until_s, waiting = now_s + SUMMARY_S, self.queue.waiting
            next_s = policy.common_poll_s(waiting)
            self._summary = Summary(until_s, status, self.is_ordered, waiting, rate, sure, seed_hash, next_s, slip)
        return self._summary

    def apply(self, change: dict[str, Any], now_s: float) -> None:
        queue = self.queue
        if joined := change.get("j"):
            queue.join(joined[0], joined[1], int(now_s))
            if len(joined) > 2:  # sold out, but something is left for them
                queue.mark_buyers(range(joined[0], joined[1] + 1), buys=True)
        entered = 0
        for seq, until_ms in change.get("a", ()):
            entered += queue.code(seq) < ADMITTED
            queue.admit(seq, until_ms)
        if entered:
            self.rate.count(entered, now_s)
        for seq, code in change.get("e", ()):
            queue.advance(seq, code)
        for seq in change.get("g", ()):
            queue.set_absent(seq, away=True)
        for seq in change.get("b", ()):
            queue.set_absent(seq, away=False)
        for seq, buys in change.get("s", ()):
            queue.mark_buyers((seq,), buys=bool(buys))


def is_heartbeat_due(live: LiveRoom, seq: int, now_s: float) -> bool:
    """The last heartbeat is old; or this process does not know the number yet, and learns its status by a heartbeat."""
    queue = live.queue
    code = queue.code(seq)
    if code > WAITING or live.room.state == "closed":
        return False
    return code < WAITING or now_s - queue.seen_s(seq) > policy.heartbeat_after_s(count_ahead(live, seq))


def count_ahead(live: LiveRoom, seq: int) -> int:
    """How many people are ahead of a number. Without a draw yet, all who wait may be."""
    return live.queue.ahead(seq) if live.is_ordered else live.queue.waiting
