"""One waiting room in the memory of this process: its row, its line, and what all who wait have in common."""

import asyncio
import time
from typing import Any, NamedTuple

from fullhouse.waiting_room import policy, slips
from fullhouse.waiting_room.line import ADMITTED, WAITING, Line
from fullhouse.waiting_room.model import Room
from fullhouse.waiting_room.pace import Pace

PULSE_S = 0.2


class Pulse(NamedTuple):
    """What all who wait in a room have in common, for a moment."""

    until_s: float
    status: str
    ordered: bool
    waiting: int
    rate: float | None
    sure: float
    seed_hash: str | None
    next_s: int | None  # when to ask again, where it is the same for all
    slip: bytes | None  # what most who ask are told, but for their own numbers; None while nobody has a place


class Standing:
    """One room in memory."""

    def __init__(self, room: Room, now_s: float) -> None:
        self.room = room
        self.line = Line()
        self.pace = Pace(now_s)
        self.used_s = time.monotonic()
        self.ready: asyncio.Task[None] | None = None
        self.renewing: asyncio.Task[None] | None = None
        self.stale = False  # the room's row has changed
        self.missed = False  # and the line may have
        self._pulse = Pulse(0, "closed", False, 0, None, 0, None, None, None)
        self.number = room.event_id.int  # compared faster than ids are

    def take(self, room: Room) -> None:
        """The room's row, as it is now."""
        self.room = room
        self._pulse = self._pulse._replace(until_s=0)

    @property
    def ordered(self) -> bool:
        """People have places: before and during a draw they only have numbers."""
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
        line = self.line
        if joined := change.get("j"):
            line.join(joined[0], joined[1], int(now_s))
            if len(joined) > 2:  # it is sold out, and not for them
                line.mark_buyers(range(joined[0], joined[1] + 1), buys=True)
        entered = 0
        for seq, until_ms in change.get("a", ()):
            entered += line.code(seq) < ADMITTED
            line.admit(seq, until_ms)
        if entered:
            self.pace.count(entered, now_s)
        for seq, code in change.get("e", ()):
            line.move_on(seq, code)
        for seq in change.get("g", ()):
            line.miss(seq, away=True)
        for seq in change.get("b", ()):
            line.miss(seq, away=False)
        for seq, buys in change.get("s", ()):
            line.mark_buyers((seq,), buys=bool(buys))


def due_for_heartbeat(standing: Standing, seq: int, now_s: float) -> bool:
    """The last one is old; or this process has not heard of the number yet, and asks."""
    line = standing.line
    code = line.code(seq)
    if code > WAITING or standing.room.state == "closed":
        return False
    return code < WAITING or now_s - line.seen_s(seq) > policy.heartbeat_after_s(ahead_of(standing, seq))


def ahead_of(standing: Standing, seq: int) -> int:
    """How many are before somebody, as far as it is known: while people gather, all of them may be."""
    return standing.line.ahead(seq) if standing.ordered else standing.line.waiting
