"""Tables and pure decisions: a room's states, the estimated wait, when to poll, when a heartbeat is due."""

import math
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from fullhouse.events.public.model import EventNotFound
from fullhouse.kit.errors import Refusal
from fullhouse.waiting_room.model import (
    CheckoutFull,
    EventNotAvailable,
    JoiningClosed,
    LockedPlace,
    QueueCooldown,
    SalesClosed,
    SoldOut,
    State,
)

RoomCommand = Literal["open", "pause", "resume", "drain", "close"]

# The new state for each state and command. Pairs that are missing here are refused.
MOVES: dict[tuple[State, RoomCommand], State] = {
    ("closed", "open"): "open",
    ("pre", "open"): "open",
    ("draining", "open"): "open",
    ("open", "pause"): "paused",
    ("draining", "pause"): "paused",
    ("paused", "resume"): "open",
    ("open", "drain"): "draining",
    ("paused", "drain"): "draining",
    ("pre", "close"): "closed",
    ("open", "close"): "closed",
    ("paused", "close"): "closed",
    ("draining", "close"): "closed",
}

# The SQL functions contain the same figures; a test compares them.
PLACE_S = 30 * 60  # a place expires so long after the last heartbeat
COOLDOWN = timedelta(hours=1)
MISSED_MAX = 2  # after so many missed heartbeats a person is absent: skipped and not counted, but keeps the place
NEAR = 5_000  # so many at the front write a heartbeat at every poll; the others, up to a million, only now and then
FAR_HEARTBEAT_S = 4 * 60  # the interval at which the others must write one
HEARTBEAT_AFTER_S = 2 * 60  # for the others: a poll writes a heartbeat if the last one is older
POLL_MIN_S, POLL_MAX_S = 2, 120  # HEARTBEAT_S + POLL_MAX_S <= FAR_S: polling at `next_poll_s` never misses one
FIRST_POLL_S = 10  # near the front: the first poll after joining
HEARTBEAT_MIN_S = 15  # a server restart, or a train in a tunnel, is shorter than two of these: nobody loses their turn
POLLS_PER_S = 500  # the target rate for one event, as long as POLL_MAX_S allows
CHOOSING_MAX = timedelta(minutes=30)  # choosing seats extends a slot up to this in all; a checkout has its own time

ADMISSIONS_MIN = 3  # admissions before their rate is used

REFUSALS: dict[str, type[Refusal]] = {
    "event_not_found": EventNotFound,
    "event_not_available": EventNotAvailable,
    "event_sales_closed": SalesClosed,
    "queue_closed": JoiningClosed,
    "sold_out": SoldOut,
}


def to_refusal(outcome: str, wait_s: int | None, now: datetime) -> Refusal:
    if outcome == "queue_cooldown":
        minutes, until = math.ceil((wait_s or 0) / 60), now + timedelta(seconds=wait_s or 0)
        return QueueCooldown(
            f"You have left this queue. You can join it again in {minutes} minutes.",
            retry_after_s=wait_s,
            wait_s=wait_s,
            cooldown_until=until,
            cooldown_until_unix_ms=int(until.timestamp() * 1000),
        )
    if outcome == "sold_out":
        return SoldOut("All tickets are sold. There is nothing to wait for.")
    return REFUSALS[outcome]() if outcome in REFUSALS else CheckoutFull(retry_after_s=5)


def rank(of: LockedPlace, user_id: UUID) -> tuple[bool, bool, int]:
    """Lower is better: a slot before a place; among slots the account's own, which may have a checkout; then the
    position."""
    return (not of.inside, of.inside and of.user_id != user_id, of.place)


def confidence(rate: float | None, seen: float) -> float:
    """The confidence in a rate of admissions, from 0 (none measured) to 1: it grows with the number counted."""
    if rate is None or rate <= 0 or seen < ADMISSIONS_MIN:
        return 0.0
    return 1 - min(0.9, max(0.2, 1.5 / math.sqrt(seen)))


def eta_s(ahead: int, rate: float | None, sure: float) -> tuple[int, int] | None:
    """The estimated time until `ahead` people and oneself are admitted, as a range: wider if `sure` is lower."""
    if not rate or not sure:
        return None
    middle = (ahead + 1) / rate
    return math.floor(middle * sure), math.ceil(middle / sure)


def common_poll_s(waiting: int) -> int | None:
    """The poll interval if so many wait that it is the same for everybody; otherwise None."""
    return POLL_MAX_S if 0.9 * waiting / POLLS_PER_S >= POLL_MAX_S else None


def heartbeat_after_s(ahead: int) -> int:
    """The age of the last heartbeat from which a poll writes a new one."""
    return POLL_MIN_S - 1 if ahead < NEAR else HEARTBEAT_AFTER_S


def heartbeat_due_s(ahead: int, poll_s: int) -> int:
    """When the next heartbeat of a person is due who polls after `poll_s`, with a little tolerance."""
    return max(poll_s + 2, HEARTBEAT_MIN_S) if ahead < NEAR else FAR_HEARTBEAT_S


def first_poll_s(seq: int, ahead: int, waiting: int, soonest_s: int | None) -> int:
    """The first poll after joining. Near the front it is soon, to see whether the person is still there."""
    usual = next_poll_s(seq, ahead, waiting, soonest_s)
    return min(usual, FIRST_POLL_S) if ahead < NEAR else usual


def next_poll_s(seq: int, ahead: int | None, waiting: int, soonest_s: int | None) -> int:
    """The poll interval: short for people near the front, and limited to POLLS_PER_S in total; spread by 10 %."""
    near = 10 if soonest_s is None else soonest_s / 10
    if ahead is not None and ahead < 20:
        near = min(near, 3)
    interval_s = max(near, waiting / POLLS_PER_S)
    spread = 0.9 + 0.2 * (seq * 2_654_435_761 % 2**32) / 2**32
    return max(POLL_MIN_S, min(POLL_MAX_S, round(interval_s * spread)))
