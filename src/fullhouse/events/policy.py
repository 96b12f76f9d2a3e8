"""The lifecycle of a show, and what follows from it: tables, and pure decisions. `now` is an argument."""

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
    MoveNotAllowed,
    NoNewDate,
    StartInThePast,
    Venue,
    WrongTimes,
)
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.times import utc

S = model.Status  # the tables are read more often than this line
Move = model.Move


# What may follow what. A pair that is not here is refused; `archived` is where everything ends.
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


# These are never done without saying why: to the audit, and to whoever asks later.
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
    """Where a move leads, or a refusal that names what is possible instead."""
    current = S(status)
    if (found := MOVES.get((current, move))) is not None:
        return found
    allowed = [m.value for m in moves_from(current)]
    told: dict[str, Any] = {"from": current, "to": LEADS_TO[move], "allowed": allowed}
    can = f"it can {', '.join(allowed)}" if allowed else "nothing follows"
    raise MoveNotAllowed(f"{move} leads to {LEADS_TO[move]}, but from {current} {can}.", **told)


def moves_from(status: str) -> list[Move]:
    return [move for (current, move) in MOVES if current == status]


class Dated(Protocol):
    """A show, or what is printed for it: the times that it has, and the date that was announced in their place."""

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
    """The one that counts: the new one, if there is one."""
    return event.rescheduled_at or event.start_at


def times_of(event: Dated) -> Times:
    """Start, end and doors on the date that counts: they move together."""
    delta = date_of(event) - event.start_at
    return Times(event.start_at + delta, event.end_at + delta, event.doors_at + delta)


def is_undated(status: str, rescheduled_at: datetime | None) -> bool:
    """Postponed, and nobody knows until when: the old date is all there is, and it does not count."""
    return status == S.POSTPONED and rescheduled_at is None


def duration(event: Event) -> timedelta:
    return event.end_at - event.start_at


def in_sale_window(event: Event, now: datetime) -> bool:
    """Both ends belong to it."""
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
    """NONE, TEST or REAL, at this moment."""
    rule = SCANS[S(event.status)]
    if rule is not Scanning.IN_NEW_WINDOW:
        return rule
    new = event.rescheduled_at
    return Scanning.REAL if new is not None and new <= now <= new + duration(event) else Scanning.NONE


def is_visible(status: str) -> bool:
    return VISIBLE[S(status)]


def with_ahead(named: Iterable[str]) -> set[str]:
    """Statuses, among which `ahead` stands for those that are not over yet."""
    given = set(named)
    return given - {"ahead"} | ({status.value for status in S if not is_over(status)} if "ahead" in given else set())


def is_over(status: str) -> bool:
    """Nothing but the archive follows: the show is history, and history is not edited."""
    return set(moves_from(status)) <= {Move.ARCHIVE}


def due_move(event: Event, now: datetime) -> Move | None:
    """What the clock does by itself."""
    if event.status == S.PUBLISHED and event.doors_at <= now:
        return Move.START
    if event.status == S.POSTPONED and event.rescheduled_at is not None and event.rescheduled_at <= now:
        return Move.START
    if event.status == S.LIVE and event.end_at <= now:
        return Move.END
    return None


CAPACITY_MAX = 100_000  # unless the organisation's settings say more
YEARS = range(1800, 2201)  # a show a thousand years away is a slip, and sums with its times leave the calendar
# Within an epoch the order of `trending` stands still; the database counts them too (app.epoch).
EPOCH_S, EPOCHS_AHEAD, EPOCHS_KEPT = 30, 2, 120


def epoch(now: datetime) -> int:
    return int(now.timestamp()) // EPOCH_S


def reachable(field: str, moment: datetime) -> datetime:
    """In UTC, and within the years that shows happen in."""
    there = utc(moment)
    if there.year not in YEARS:
        sentence = f"Between the years {YEARS[0]} and {YEARS[-1]}."
        raise Invalid(f"{field}: {sentence}", fields=[FieldError(field, sentence)])
    return there


def check_date_edit(before: Event, after: Event) -> None:
    """A live show's start has happened, and a postponed one's date is announced anew: neither is edited."""
    if before.status == S.LIVE and after.start_at != before.start_at:
        raise DateNotEditable("The show has begun. Postpone it (POST …/postpone) to move it.")
    moved_at_all = (after.start_at, after.end_at) != (before.start_at, before.end_at)
    if before.status == S.POSTPONED and moved_at_all:
        raise DateNotEditable("The show is postponed. Give it its new date by POST …/reschedule.")


def moved_along(before: Event, after: Event, named: Container[str]) -> Event:
    """A show that starts at another time takes its end, doors and end of sale along, unless they are said."""
    delta = after.start_at - before.start_at
    times = {name: getattr(before, name) + delta for name in ("end_at", "doors_at") if name not in named}
    if "sale_end_at" not in named:
        times["sale_end_at"] = max(before.sale_end_at + delta, after.sale_start_at + timedelta(minutes=1))
    return replace(after, **times) if delta else after


def days_moved(before: Event, after: Event) -> int:
    """By the calendar there. A show that became longer or shorter was not moved: its days are other days now."""
    if duration(before) != duration(after):
        return 0
    days = [event.start_at.astimezone(ZoneInfo(event.timezone)).date() for event in (before, after)]
    return (days[1] - days[0]).days


def check_times(event: Event) -> None:
    """Doors, start, end and sale window, in this order; all that is wrong at once."""
    end_of_sale = date_of(event) + duration(event)
    wrong = [
        FieldError(field, sentence)
        for field, bad, sentence in (
            ("end_at", event.end_at < event.start_at + timedelta(minutes=1), "At least a minute after the start."),
            ("doors_at", event.doors_at > event.start_at, "Not after the start."),
            ("sale_end_at", event.sale_end_at <= event.sale_start_at, "After the sale's start."),
            ("sale_end_at", event.sale_end_at > end_of_sale, "Not after the show's end."),
        )
        if bad
    ]
    if wrong:
        raise WrongTimes(" ".join(f"{w.path}: {w.message}" for w in wrong), fields=wrong)


def check_capacity(capacity: int, venue: Venue | None, most_anywhere: int = CAPACITY_MAX) -> None:
    """0 is unlimited. Otherwise never above the venue's, where that is known."""
    most = min(most_anywhere, (venue and venue.max_capacity) or most_anywhere)
    if capacity > most:
        raise AboveVenueCapacity(
            f"At most {most:,} places here.", fields=[FieldError("capacity", f"At most {most}.")], most=most
        )


def moved(event: Event, move: Move, now: datetime, *, new_date: datetime | None, reason: str | None) -> Event:
    """The show after a move: its status, and what the move does to its dates."""
    after = replace(event, status=next_status(event.status, move))
    check_reason(move, reason)
    match move:
        case Move.PUBLISH | Move.START:
            after = _on_its_new_date(after) if event.status == S.POSTPONED else after
            if move is Move.PUBLISH and after.end_at <= now:
                raise StartInThePast("The show would be over already.")
            return replace(after, published_at=after.published_at or now)
        case Move.POSTPONE:
            postponed = replace(after, postponement_reason=reason)
            return _rescheduled(postponed, new_date, now) if new_date else postponed
        case Move.RESCHEDULE:
            assert new_date is not None
            return _rescheduled(after, new_date, now)
        case Move.CANCEL:
            return replace(after, cancelled_at=now, cancellation_reason=reason)
        case _:
            return after


def check_reason(move: Move, reason: str | None) -> None:
    if move in NEEDS_REASON and not (reason and reason.strip()):
        raise Invalid("reason: Say why.", fields=[FieldError("reason", "Say why.")])


def _rescheduled(event: Event, new_date: datetime, now: datetime) -> Event:
    """A new date is announced. The sale moves along with the show; its start stays."""
    if new_date <= now:
        raise StartInThePast("The new date lies in the past.", fields=[FieldError("rescheduled_at", "In the future.")])
    delta = new_date - date_of(event)
    sale_end_at = max(event.sale_end_at + delta, event.sale_start_at + timedelta(minutes=1))
    return replace(event, rescheduled_at=new_date, sale_end_at=sale_end_at)


def _on_its_new_date(event: Event) -> Event:
    """Leaving `postponed`: what was announced becomes the date."""
    if event.rescheduled_at is None:
        raise NoNewDate()
    return replace(event, **times_of(event)._asdict(), rescheduled_at=None, postponement_reason=None)


def listing(event: Event) -> dict[str, Any]:
    """What others list of an event, in the words of the event service; its times are those that count."""
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
