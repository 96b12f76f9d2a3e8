"""Who may come in: one decision, pure, by tables. The offline scanner has the same one (docs/scanning.md), and
tests/scanning/cases.json is what both must answer. And where a ticket stands after a set of scans.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from fullhouse.scanning.model import Presence, Scene, Verdict

# --- days

BOUNDARY = timedelta(hours=5)  # a night belongs to the day before, until then
_HOUR = re.compile(r"(0[0-9]|1[01]):([0-5][0-9])")


def boundary(settings: dict[str, Any]) -> timedelta:
    """`day_boundary` of the show's settings, as `HH:MM` before noon. What is no such hour is the usual one."""
    found = _HOUR.fullmatch(str(settings.get("day_boundary", "")))
    return timedelta(hours=int(found[1]), minutes=int(found[2])) if found else BOUNDARY


def day_of(at: datetime, zone: str, until: timedelta = BOUNDARY) -> date:
    """By the clock on the wall there: a night with 23 or 25 hours is one night."""
    return (at.astimezone(ZoneInfo(zone)).replace(tzinfo=None) - until).date()


def begins(day: date, zone: str, until: timedelta = BOUNDARY) -> datetime:
    """The first moment of a day."""
    return (datetime.combine(day, datetime.min.time()) + until).replace(tzinfo=ZoneInfo(zone))


def moved_by(start_at: datetime, rescheduled_at: datetime | None, zone: str) -> timedelta:
    """By how many days a show's valid days have moved while it waits for its new date."""
    if rescheduled_at is None:
        return timedelta()
    local = ZoneInfo(zone)
    return rescheduled_at.astimezone(local).date() - start_at.astimezone(local).date()


# --- the decision

# What a show's status lets happen: real scans, or the reason against them; and whether test scans are open.
PHASES: dict[str, tuple[str | None, bool]] = {
    "draft": ("not_yet", True),
    "published": ("not_yet", True),
    "live": (None, True),
    "postponed": ("postponed", True),  # within the new window it is as if live
    "ended": ("over", False),
    "cancelled": ("event_cancelled", False),
    "archived": ("over", False),
}
VOID = {"cancelled": "cancelled", "refunded": "refunded"}
MEMBERSHIPS = {"active": None, "suspended": "membership_revoked", "revoked": "membership_revoked"}


class Rule(NamedTuple):
    """How often a ticket lets somebody in. None is as often as they like, once they have gone out."""

    in_all: int | None = None
    a_day: bool = False  # the type's own `max_daily_entries`


ENTITLEMENTS: dict[str, Rule] = {
    "single": Rule(in_all=1),
    "limited_reentry_per_day": Rule(a_day=True),
    "unlimited_multi_day": Rule(),
    "ga_seated": Rule(),
    "ga_standing": Rule(),
}

# What a supervisor may let pass. A code that is not ours, a ticket that was paid back and a full house are none of it.
OVERRIDABLE = frozenset(
    {"wrong_day", "already_inside", "already_used", "no_entries_left", "gate_closed"}
    | {"membership_expired", "membership_revoked", "replaced"}
)

MESSAGES: dict[str, str] = {
    "unknown": "No such ticket.",
    "forged": "This code was not made by us.",
    "revoked": "The key of this code was revoked. Show the ticket in the app, or search by name.",
    "replaced": "The ticket changed hands, and this is the old code.",
    "wrong_event": "A ticket for another show.",
    "not_yet": "The doors are not open yet.",
    "postponed": "The show is postponed.",
    "over": "The show is over.",
    "event_cancelled": "The show is cancelled.",
    "cancelled": "The ticket was cancelled.",
    "refunded": "The ticket was refunded.",
    "wrong_day": "Not valid today.",
    "membership_expired": "Membership expired.",
    "membership_revoked": "Membership expired.",  # at the door it is the same; the reason tells staff which
    "gate_closed": "This gate is closed.",
    "already_inside": "Already inside.",
    "already_used": "Already used.",
    "no_entries_left": "No entries left today.",
    "not_inside": "Not inside.",
    "zone_full": "The zone is full.",
    "gate_full": "The gate has reached its limit.",
}

ACCESSIBILITY = {
    ("wheelchair", True): "Wheelchair ticket, companion reserved. Please ensure companion is accompanied.",
    ("wheelchair", False): "Wheelchair ticket.",
    ("companion", False): "Companion seat, beside a wheelchair place.",
}


def _identity(scene: Scene) -> str | None:
    return None if scene.claim == "good" else scene.claim


def _event(scene: Scene) -> str | None:
    return None if scene.same_event else "wrong_event"


def _phase(scene: Scene) -> str | None:
    reason, tests = PHASES[scene.event_status]
    if scene.test and tests:
        return None
    return None if scene.event_status == "postponed" and scene.in_new_window else reason


def _void(scene: Scene) -> str | None:
    return VOID.get(scene.ticket_status)


def _replaced(scene: Scene) -> str | None:
    return "replaced" if scene.replaced else None


def _day(scene: Scene) -> str | None:
    return "wrong_day" if scene.valid_days and scene.day not in scene.valid_days else None


def _membership(scene: Scene) -> str | None:
    if scene.membership_status is None:
        return None
    if reason := MEMBERSHIPS[scene.membership_status]:
        return reason
    begun = scene.member_from is None or scene.member_from <= scene.now
    still = scene.member_until is None or scene.now < scene.member_until
    return None if begun and still else "membership_expired"


def _gate(scene: Scene) -> str | None:
    return None if scene.gate_open else "gate_closed"


def _entries(scene: Scene) -> str | None:
    return entries_reason(scene.entitlement, scene.max_daily_entries, scene.presence, scene.day)


def _inside(scene: Scene) -> str | None:
    return None if is_inside(scene.presence, scene.day) else "not_inside"


def _zone_room(scene: Scene) -> str | None:
    full = scene.zone_capacity is not None and scene.zone_inside >= scene.zone_capacity
    return "zone_full" if full and not is_inside(scene.presence, scene.day) else None


def _gate_room(scene: Scene) -> str | None:
    full = scene.gate_capacity is not None and scene.gate_inside >= scene.gate_capacity
    return "gate_full" if full and not is_inside(scene.presence, scene.day) else None


Check = Callable[[Scene], str | None]
# The first that objects is the reason. Whoever wants out is not asked for a membership, a day or an open gate.
CHECKS: dict[str, tuple[Check, ...]] = {
    "in": (_identity, _event, _phase, _void, _replaced, _day, _membership, _gate, _entries, _zone_room, _gate_room),
    "out": (_identity, _event, _phase, _inside),
}


def decide(scene: Scene) -> Verdict:
    """Admit or the first reason against it. With a supervisor's word, reasons of theirs are passed over; the first
    of those is kept beside the verdict."""
    overrode = None
    for check in CHECKS[scene.direction]:
        if (reason := check(scene)) is None:
            continue
        if not (scene.override and reason in OVERRIDABLE):
            return Verdict(False, reason, scene.presence)
        overrode = overrode or reason
    return Verdict(True, overrode, scene.presence if scene.test else after(scene.presence, scene))


def is_inside(presence: Presence, day: date) -> bool:
    """Who has not been seen to leave is out when the day is over."""
    return presence.inside and presence.day == day


def entries_reason(entitlement: str, a_day: int | None, presence: Presence, day: date) -> str | None:
    """Why this ticket lets nobody in again, by what it has been used for."""
    if is_inside(presence, day):
        return "already_inside"
    rule = ENTITLEMENTS[entitlement]
    if rule.in_all is not None and presence.entries >= rule.in_all:
        return "already_used"
    today = presence.entries_today if presence.day == day else 0
    return "no_entries_left" if rule.a_day and a_day is not None and today >= a_day else None


class Step(NamedTuple):
    """What moves a presence: a scene is one, and a scan that was kept is one too."""

    direction: str
    day: date
    now: datetime
    gate: str


def after(was: Presence, step: Scene | Step) -> Presence:
    """The first entry is the one that is told to whoever comes second: its time and gate stay."""
    if step.direction == "out":
        return msgspec.structs.replace(was, inside=False)
    still = is_inside(was, step.day)
    return Presence(
        inside=True,
        day=step.day,
        entries_today=(was.entries_today if was.day == step.day else 0) + 1,
        entries=was.entries + 1,
        at=was.at if still else step.now,
        gate=was.gate if still else step.gate,
    )


# --- merging


class Kept(NamedTuple):
    """A scan that let somebody through, as the fold sees it."""

    scan_id: str
    device: str
    counter: int
    at: datetime
    day: date
    direction: str
    gate: str
    overridden: bool = False


class Double(NamedTuple):
    """Two scans of one ticket that should not both have let somebody in. The later one is to blame."""

    kind: str
    first: str
    second: str


class Marks(NamedTuple):
    """What a ticket adds to the counts of a day."""

    entered: dict[str, int]  # by gate
    inside_by: str | None  # the gate that they came in by, if they were not seen to leave


class Fold(NamedTuple):
    """What follows for a ticket from all of its scans."""

    presence: Presence
    doubles: list[Double]
    days: dict[date, Marks]


NOTHING = Fold(Presence(), [], {})


def in_order(scans: Sequence[Kept]) -> list[Kept]:
    """By time; but a device's own scans by its counter, whatever its clock did: none is before the one that it counted
    before. A function of the set alone."""
    if len(scans) < 2:
        return list(scans)
    latest: dict[str, tuple[datetime, date]] = {}
    placed = []
    for scan in sorted(scans, key=lambda s: (s.device, s.counter, s.scan_id)):
        at, day = latest.get(scan.device, (scan.at, scan.day))
        latest[scan.device] = at, day = max(scan.at, at), max(scan.day, day)
        placed.append(scan._replace(at=at, day=day))
    return sorted(placed, key=lambda s: (s.at, s.device, s.counter, s.scan_id))


def fold(scans: Sequence[Kept], entitlement: str, a_day: int | None) -> Fold:
    """Where a ticket stands after all of these, which entries were double, and what is counted."""
    presence, doubles, days = Presence(), list[Double](), dict[date, Marks]()
    before: Kept | None = None
    for scan in in_order(scans):
        if scan.direction == "in":
            reason = before and not scan.overridden and entries_reason(entitlement, a_day, presence, scan.day)
            if before and reason:
                doubles.append(Double(reason, before.scan_id, scan.scan_id))
            if not is_inside(presence, scan.day):
                before = scan
        presence = after(presence, Step(scan.direction, scan.day, scan.at, scan.gate))
        if presence.day is not None:
            entered = days[scan.day].entered if scan.day in days else {}
            if scan.direction == "in":
                entered[scan.gate] = entered.get(scan.gate, 0) + 1
            days[scan.day] = Marks(entered, presence.gate if is_inside(presence, scan.day) else None)
    return Fold(presence, doubles, days)


# What a ticket's status, or its changing hands, makes of an entry that is told afterwards: an incident of this kind.
def void_kind(status: str, *, old_code: bool) -> str | None:
    """`old_code` is whether somebody came in by what was the former holder's."""
    return VOID.get(status) or ("transferred" if old_code else None)
