"""The lifecycle of an event, and the rules that depend on it: tables and pure functions. `now` is an argument."""

from collections.abc import Container, Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple, Protocol
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from fullhouse.events import model
from fullhouse.events.model import (
    AboveVenueCapacity,
    DateNotEditable,
    Event,
    InvalidTimes,
    MoveNotAllowed,
    NoNewDate,
    StartInThePast,
    Venue,
)
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.times import to_utc

S = model.Status  # short, for the tables below
Move = model.Move


# The allowed status transitions. Every other pair is refused; `archived` is final.
MOVES: dict[tuple[model.Status, Move], model.Status] = {
    (S.DRAFT, Move.PUBLISH): S.PUBLISHED,
    (S.DRAFT, Move.CANCEL): S.CANCELLED,
    (S.DRAFT, Move.ARCHIVE): S.ARCHIVED,
    (S.PUBLISHED, Move.UNPUBLISH): S.DRAFT,
    (S.PUBLISHED, Move.START): S.LIVE,
    (S.PUBLISHED, Move.POSTPONE): S.POSTPONED,
    (S.PUBLISHED, Move.CANCEL): S.CANCELLED,
    (S.LIVE, Move.END): S.ENDED,
    (S.LIVE, Move.POSTPONE): S.POSTPONED,
    (S.LIVE, Move.CANCEL): S.CANCELLED,
    (S.POSTPONED, Move.RESCHEDULE): S.POSTPONED,
    (S.POSTPONED, Move.PUBLISH): S.PUBLISHED,
    (S.POSTPONED, Move.START): S.LIVE,
    (S.POSTPONED, Move.CANCEL): S.CANCELLED,
    (S.ENDED, Move.ARCHIVE): S.ARCHIVED,
    (S.CANCELLED, Move.ARCHIVE): S.ARCHIVED,
}


# These transitions require a reason, which is stored with the event and in the audit.
NEEDS_REASON = frozenset({Move.CANCEL, Move.POSTPONE})

LEADS_TO: dict[Move, model.Status] = {move: status for (_, move), status in MOVES.items()}


class Selling(StrEnum):
    NEVER = "never"
    IN_WINDOW = "in the sale window"
    ONCE_RESCHEDULED = "in the sale window, once there is a new date"


class Scanning(StrEnum):
    NONE = "none"
    TEST = "test scans that never count"
    REAL = "real"
    IN_NEW_WINDOW = "real, during the new date"


SELLS: dict[model.Status, Selling] = {
    S.DRAFT: Selling.NEVER,
    S.PUBLISHED: Selling.IN_WINDOW,
    S.LIVE: Selling.IN_WINDOW,
    S.ENDED: Selling.NEVER,
    S.CANCELLED: Selling.NEVER,
    S.POSTPONED: Selling.ONCE_RESCHEDULED,
    S.ARCHIVED: Selling.NEVER,
}

SCANS: dict[model.Status, Scanning] = {
    S.DRAFT: Scanning.TEST,
    S.PUBLISHED: Scanning.TEST,
    S.LIVE: Scanning.REAL,
    S.ENDED: Scanning.NONE,
    S.CANCELLED: Scanning.NONE,
    S.POSTPONED: Scanning.IN_NEW_WINDOW,
    S.ARCHIVED: Scanning.NONE,
}

VISIBLE: dict[model.Status, bool] = {
    S.DRAFT: False,
    S.PUBLISHED: True,
    S.LIVE: True,
    S.ENDED: False,
    S.CANCELLED: False,
    S.POSTPONED: True,
    S.ARCHIVED: False,
}


def next_status(status: str, move: Move) -> model.Status:
    """The status after a move, or a refusal that names the allowed moves."""
    current = S(status)
    if (found := MOVES.get((current, move))) is not None:
        return found
    allowed = [m.value for m in moves_from(current)]
    extra: dict[str, Any] = {"from": current, "to": LEADS_TO[move], "allowed": allowed}
    instead = f"Allowed now: {', '.join(allowed)}." if allowed else "Its status is final."
    raise MoveNotAllowed(
        f"Cannot {move} the event: it is {current} and cannot become {LEADS_TO[move]}. {instead}", **extra
    )


def moves_from(status: str) -> list[Move]:
    return [move for (current, move) in MOVES if current == status]


class Dated(Protocol):
    """The times of an event or of its printed ticket, and the new date that replaces them, if there is one."""

    @property
    def start_at(self) -> datetime: ...
    @property
    def end_at(self) -> datetime: ...
    @property
    def doors_at(self) -> datetime: ...
    @property
    def rescheduled_at(self) -> datetime | None: ...


class Times(NamedTuple):
    start_at: datetime
    end_at: datetime
    doors_at: datetime


def date_of(event: Dated) -> datetime:
    """The effective date: the new one, if there is one."""
    return event.rescheduled_at or event.start_at


def times_of(event: Dated) -> Times:
    """Start, end and doors, shifted to the effective date."""
    delta = date_of(event) - event.start_at
    return Times(event.start_at + delta, event.end_at + delta, event.doors_at + delta)


def is_undated(status: str, rescheduled_at: datetime | None) -> bool:
    """Postponed without a new date: only the original date is stored, and it no longer applies."""
    return status == S.POSTPONED and rescheduled_at is None


def duration(event: Event) -> timedelta:
    return event.end_at - event.start_at


def in_sale_window(event: Event, now: datetime) -> bool:
    """Both ends are inclusive."""
    return event.sale_start_at <= now <= event.sale_end_at


def can_sell(event: Event, now: datetime) -> bool:
    match SELLS[S(event.status)]:
        case Selling.NEVER:
            return False
        case Selling.IN_WINDOW:
            return in_sale_window(event, now)
        case Selling.ONCE_RESCHEDULED:
            return event.rescheduled_at is not None and in_sale_window(event, now)


def can_scan(event: Event, now: datetime) -> Scanning:
    """NONE, TEST or REAL, at `now`."""
    rule = SCANS[S(event.status)]
    if rule is not Scanning.IN_NEW_WINDOW:
        return rule
    new = event.rescheduled_at
    return Scanning.REAL if new is not None and new <= now <= new + duration(event) else Scanning.NONE


def is_visible(status: str) -> bool:
    return VISIBLE[S(status)]


def expand_ahead(named: Iterable[str]) -> set[str]:
    """Expands `ahead` to every status that is not over yet."""
    given = set(named)
    return given - {"ahead"} | ({status.value for status in S if not is_over(status)} if "ahead" in given else set())


def is_over(status: str) -> bool:
    """The event can only be archived, and is not edited any more."""
    return set(moves_from(status)) <= {Move.ARCHIVE}


def due_move(event: Event, now: datetime) -> Move | None:
    """The transition that the scheduler makes at `now`, if one is due."""
    if event.status == S.PUBLISHED and event.doors_at <= now:
        return Move.START
    if event.status == S.POSTPONED and event.rescheduled_at is not None and event.rescheduled_at <= now:
        return Move.START
    if event.status == S.LIVE and event.end_at <= now:
        return Move.END
    return None


CAPACITY_MAX = 100_000  # unless the organisation's settings say more
YEARS = range(1800, 2201)  # a year outside is a typing error, and arithmetic with its times could overflow datetime
# Within an epoch the order of `trending` does not change; the database has the same formula (app.epoch).
EPOCH_S, EPOCHS_AHEAD, EPOCHS_KEPT = 30, 2, 120


def epoch(now: datetime) -> int:
    return int(now.timestamp()) // EPOCH_S


def to_checked_utc(field: str, moment: datetime) -> datetime:
    """The moment in UTC; refused outside of `YEARS`."""
    in_utc = to_utc(moment)
    if in_utc.year not in YEARS:
        sentence = f"Between the years {YEARS[0]} and {YEARS[-1]}."
        raise Invalid(f"{field}: {sentence}", fields=[FieldError(field, sentence)])
    return in_utc


def check_date_edit(before: Event, after: Event) -> None:
    """The start of a live event is past, and a postponed one gets its date by `reschedule`: neither is edited."""
    if before.status == S.LIVE and after.start_at != before.start_at:
        raise DateNotEditable("The event has begun. To move it, postpone it (POST …/postpone).")
    is_moved = (after.start_at, after.end_at) != (before.start_at, before.end_at)
    if before.status == S.POSTPONED and is_moved:
        raise DateNotEditable("The event is postponed. Set its new date with POST …/reschedule.")


def shift_times(before: Event, after: Event, named: Container[str]) -> Event:
    """A new start shifts end, doors and end of sale by the same amount, unless they are given (`named`)."""
    delta = after.start_at - before.start_at
    times = {name: getattr(before, name) + delta for name in ("end_at", "doors_at") if name not in named}
    if "sale_end_at" not in named:
        times["sale_end_at"] = max(before.sale_end_at + delta, after.sale_start_at + timedelta(minutes=1))
    return replace(after, **times) if delta else after


def count_days_moved(before: Event, after: Event) -> int:
    """Calendar days in the event's time zone. 0 if the duration changed: then no day maps to another."""
    if duration(before) != duration(after):
        return 0
    days = [event.start_at.astimezone(ZoneInfo(event.timezone)).date() for event in (before, after)]
    return (days[1] - days[0]).days


def check_times(event: Event) -> None:
    """Checks end, doors and sale window; reports all errors at once."""
    end_of_sale = date_of(event) + duration(event)
    wrong = [
        FieldError(field, sentence)
        for field, bad, sentence in (
            ("end_at", event.end_at < event.start_at + timedelta(minutes=1), "At least a minute after the start."),
            ("doors_at", event.doors_at > event.start_at, "Not after the start."),
            ("sale_end_at", event.sale_end_at <= event.sale_start_at, "After the sale's start."),
            ("sale_end_at", event.sale_end_at > end_of_sale, "Not after the event's end."),
        )
        if bad
    ]
    if wrong:
        raise InvalidTimes(" ".join(f"{w.path}: {w.message}" for w in wrong), fields=wrong)


def check_capacity(capacity: int, venue: Venue | None, most_anywhere: int = CAPACITY_MAX) -> None:
    """0 is unlimited. Otherwise at most the venue's capacity, where that is known."""
    most = min(most_anywhere, (venue and venue.max_capacity) or most_anywhere)
    if capacity > most:
        raise AboveVenueCapacity(
            f"The capacity can be at most {most:,}.", fields=[FieldError("capacity", f"At most {most}.")], most=most
        )


def apply_move(event: Event, move: Move, now: datetime, *, new_date: datetime | None, reason: str | None) -> Event:
    """The event after a transition: its status, dates and reason."""
    after = replace(event, status=next_status(event.status, move))
    check_reason(move, reason)
    match move:
        case Move.PUBLISH | Move.START:
            after = _apply_new_date(after) if event.status == S.POSTPONED else after
            if move is Move.PUBLISH and after.end_at <= now:
                raise StartInThePast("The event's end is in the past. Change its dates first.")
            return replace(after, published_at=after.published_at or now)
        case Move.POSTPONE:
            postponed = replace(after, postponement_reason=reason)
            return _reschedule(postponed, new_date, now) if new_date else postponed
        case Move.RESCHEDULE:
            assert new_date is not None
            return _reschedule(after, new_date, now)
        case Move.CANCEL:
            return replace(after, cancelled_at=now, cancellation_reason=reason)
        case _:
            return after


def check_reason(move: Move, reason: str | None) -> None:
    if move in NEEDS_REASON and not (reason and reason.strip()):
        raise Invalid("reason: Enter a reason.", fields=[FieldError("reason", "Enter a reason.")])


def _reschedule(event: Event, new_date: datetime, now: datetime) -> Event:
    """Sets the new date. The end of sale shifts with it; the start of sale stays."""
    if new_date <= now:
        raise StartInThePast("The new date is in the past.", fields=[FieldError("rescheduled_at", "In the future.")])
    delta = new_date - date_of(event)
    sale_end_at = max(event.sale_end_at + delta, event.sale_start_at + timedelta(minutes=1))
    return replace(event, rescheduled_at=new_date, sale_end_at=sale_end_at)


def _apply_new_date(event: Event) -> Event:
    """Leaves `postponed`: the announced new date becomes the date."""
    if event.rescheduled_at is None:
        raise NoNewDate()
    return replace(event, **times_of(event)._asdict(), rescheduled_at=None, postponement_reason=None)


def to_listed_fields(event: Event) -> dict[str, Any]:
    """The fields of a `ListedFact`, named as in the event service (`/event/v1`); times are the effective ones."""
    times = times_of(event)
    return {
        "title": event.name,
        "description": event.description,
        "category": event.category,
        "city": event.city,
        "start_time": times.start_at,
        "end_time": times.end_at,
        "capacity": event.capacity,
        "owner_id": event.created_by,
        "cover_image_ids": event.cover_image_ids,
        "published_at": event.published_at,
    }
