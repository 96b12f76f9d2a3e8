"""Tables and pure decisions: which order fits which state, how long it will take, when to ask again."""

import math
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from fullhouse.events.public.model import EventNotFound
from fullhouse.kit.errors import Refusal
from fullhouse.waiting_room.model import (
    CheckoutFull,
    EventNotAvailable,
    LineClosed,
    PlaceInLine,
    QueueCooldown,
    SalesClosed,
    SoldOut,
    State,
)

Order = Literal["open", "pause", "resume", "drain", "close"]

# What an order makes of a state. What is not here cannot be done.
MOVES: dict[tuple[State, Order], State] = {
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

# The migration's functions have these times too; a test compares them.
PLACE_S = 30 * 60  # a place lasts so long after the last sign of life
COOLDOWN = timedelta(hours=1)
MISSED = 2  # whoever misses so many signs of life is passed over, is counted by nobody, and keeps the place
NEAR = 5_000  # so many at the front are heard of at every poll; others now and then, as there may be a million
FAR_S = 4 * 60  # how often those are heard of at least
HEARTBEAT_S = 2 * 60  # of those: a sign of life is written down when the last one is older
POLL_MIN_S, POLL_MAX_S = 2, 120  # HEARTBEAT_S + POLL_MAX_S <= FAR_S: who polls as told never misses any
FIRST_POLL_S = 10  # near the front: whoever has joined asks soon
EVERY_MIN_S = 15  # a restart of the server, or a tunnel, is shorter than two of these and costs nobody their turn
POLLS_PER_S = 500  # of one show, as long as POLL_MAX_S allows
CHOOSING = timedelta(minutes=30)  # choosing seats keeps a slot for so long in all; a checkout has its own time

ENOUGH = 3  # so many must have been let in before their pace says anything

REFUSALS: dict[str, type[Refusal]] = {
    "event_not_found": EventNotFound,
    "event_not_available": EventNotAvailable,
    "event_sales_closed": SalesClosed,
    "queue_closed": LineClosed,
    "sold_out": SoldOut,
}


def refusal(outcome: str, wait_s: int | None, now: datetime) -> Refusal:
    if outcome == "queue_cooldown":
        minutes, until = math.ceil((wait_s or 0) / 60), now + timedelta(seconds=wait_s or 0)
        return QueueCooldown(
            f"You can join again in {minutes} minutes.",
            retry_after_s=wait_s,
            wait_s=wait_s,
            cooldown_until=until,
            cooldown_until_unix_ms=int(until.timestamp() * 1000),
        )
    if outcome == "sold_out":
        return SoldOut("All tickets are sold. There is nothing to wait for.")
    return REFUSALS[outcome]() if outcome in REFUSALS else CheckoutFull(retry_after_s=5)


def rank(of: PlaceInLine, user_id: UUID) -> tuple[bool, bool, int]:
    """The lower, the better: inside before outside; inside, one's own, which may have a checkout; then the nearer."""
    return (not of.inside, of.inside and of.user_id != user_id, of.place)


def sureness(rate: float | None, seen: float) -> float:
    """How far a pace is to be believed: little where few were counted, and not at all where there is none."""
    if rate is None or rate <= 0 or seen < ENOUGH:
        return 0.0
    return 1 - min(0.9, max(0.2, 1.5 / math.sqrt(seen)))


def eta_s(ahead: int, rate: float | None, sure: float) -> tuple[int, int] | None:
    """How long it takes until `ahead` people and oneself are let in, as a range: the wider, the less sure."""
    if not rate or not sure:
        return None
    middle = (ahead + 1) / rate
    return math.floor(middle * sure), math.ceil(middle / sure)


def same_for_all_s(waiting: int) -> int | None:
    """When everybody asks again if there are so many that it is the same for all of them."""
    return POLL_MAX_S if 0.9 * waiting / POLLS_PER_S >= POLL_MAX_S else None


def heartbeat_after_s(ahead: int) -> int:
    """How old a sign of life may be until the next poll writes down another one."""
    return POLL_MIN_S - 1 if ahead < NEAR else HEARTBEAT_S


def every_s(ahead: int, poll_s: int) -> int:
    """When the next sign of life is due of somebody who was told to poll after so long; a little later is no miss."""
    return max(poll_s + 2, EVERY_MIN_S) if ahead < NEAR else FAR_S


def first_poll_s(seq: int, ahead: int, waiting: int, soonest_s: int | None) -> int:
    """Soon after joining everybody near the front shows that they are there."""
    usual = next_poll_s(seq, ahead, waiting, soonest_s)
    return min(usual, FIRST_POLL_S) if ahead < NEAR else usual


def next_poll_s(seq: int, ahead: int | None, waiting: int, soonest_s: int | None) -> int:
    """Soon for those whose turn is near, and never more at once than a process likes; each a little apart."""
    near = 10 if soonest_s is None else soonest_s / 10
    if ahead is not None and ahead < 20:
        near = min(near, 3)
    wish = max(near, waiting / POLLS_PER_S)
    apart = 0.9 + 0.2 * (seq * 2_654_435_761 % 2**32) / 2**32
    return max(POLL_MIN_S, min(POLL_MAX_S, round(wish * apart)))
