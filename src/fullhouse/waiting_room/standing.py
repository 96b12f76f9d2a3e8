"""One waiting room in this process's memory: its row, its virtual queue, and what all responses have in common."""

import asyncio
import time
from typing import Any, NamedTuple

from fullhouse.waiting_room import policy, slips
from fullhouse.waiting_room.line import ADMITTED, WAITING, Line
from fullhouse.waiting_room.model import Room
from fullhouse.waiting_room.pace import Pace

PULSE_S = 0.2


class Pulse(NamedTuple):
    """What the responses to all people in a room have in common, computed once in PULSE_S seconds."""

    until_s: float
    status: str
    ordered: bool
    waiting: int
    rate: float | None
    sure: float
    seed_hash: str | None
    next_s: int | None  # the poll interval if it is the same for everybody
    slip: bytes | None  # the response template for people who wait; None while nobody has a place


class Standing:
    """One room in memory."""

    def __init__(self, room: Room, now_s: float) -> None:
        self.room = room
        self.line = Line()
        self.pace = Pace(now_s)
        self.used_s = time.monotonic()
        self.ready: asyncio.Task[None] | None = None
        self.renewing: asyncio.Task[None] | None = None
        self.stale = False  # the room's row has changed and must be read again
        self.missed = False  # messages may have been lost: the queue must be read again, too
        self._pulse = Pulse(0, "closed", False, 0, None, 0, None, None, None)
        self.number = room.event_id.int  # faster to compare than UUIDs

    def take(self, room: Room) -> None:
        """Takes a newer version of the room's row."""
        self.room = room
        self._pulse = self._pulse._replace(until_s=0)

    @property
    def ordered(self) -> bool:
        """Whether people have places: before and during a draw they only have numbers."""
        return self.room.state != "pre" and self.room.drawn

    def pulse(self, now_s: float) -> Pulse:
        if now_s >= self._pulse.until_s:
            room = self.room
            status = "closed" if room.state == "closed" else "sold_out" if room.sold_out else "waiting"
            rate = None if room.state == "paused" else self.pace.per_second(now_s)
            sure = policy.sureness(rate, self.pace.seen)
            seed_hash = room.seed_hash.hex() if room.seed_hash else None
            slip = slips.blank(room, seed_hash) if status == "waiting" and self.ordered else None
            until_s, waiting = now_s + PULSE_S, self.line.waiting
            next_s = policy.same_for_all_s(waiting)
            self._pulse = Pulse(until_s, status, self.ordered, waiting, rate, sure, seed_hash, next_s, slip)
        return self._pulse

    def apply(self, change: dict[str, Any], now_s: float) -> None:
        queue = self.line
        if joined := change.get("j"):
            queue.join(joined[0], joined[1], int(now_s))
            if len(joined) > 2:  # sold out, but something is left for them
                queue.mark_buyers(range(joined[0], joined[1] + 1), buys=True)
        entered = 0
        for seq, until_ms in change.get("a", ()):
            entered += queue.code(seq) < ADMITTED
            queue.admit(seq, until_ms)
        if entered:
            self.pace.count(entered, now_s)
        for seq, code in change.get("e", ()):
            queue.move_on(seq, code)
        for seq in change.get("g", ()):
            queue.miss(seq, away=True)
        for seq in change.get("b", ()):
            queue.miss(seq, away=False)
        for seq, buys in change.get("s", ()):
            queue.mark_buyers((seq,), buys=bool(buys))


def due_for_heartbeat(live: Standing, seq: int, now_s: float) -> bool:
    """The last heartbeat is old; or this process does not know the number yet, and learns its status by a heartbeat."""
    queue = live.line
    code = queue.code(seq)
    if code > WAITING or live.room.state == "closed":
        return False
    return code < WAITING or now_s - queue.seen_s(seq) > policy.heartbeat_after_s(ahead_of(live, seq))


def ahead_of(live: Standing, seq: int) -> int:
    """How many people are ahead of a number. Without a draw yet, all who wait may be."""
    return live.line.ahead(seq) if live.ordered else live.line.waiting
