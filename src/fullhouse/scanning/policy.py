"""The admission decision, pure and table-driven, and the fold that derives a ticket's presence from a set of scans. The
offline scanner implements the same decision (docs/scanning.md); tests/scanning/cases.json tests both.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from fullhouse.scanning.model import Presence, Scene, Verdict

# --- days

BOUNDARY = timedelta(hours=5)  # until this hour, a night belongs to the day before
_HOUR = re.compile(r"(0[0-9]|1[01]):([0-5][0-9])")


def parse_day_boundary(settings: dict[str, Any]) -> timedelta:
    """`day_boundary` of the event's settings, as `HH:MM` before noon. An invalid value means the default."""
    found = _HOUR.fullmatch(str(settings.get("day_boundary", "")))
    return timedelta(hours=int(found[1]), minutes=int(found[2])) if found else BOUNDARY


def day_of(at: datetime, zone: str, until: timedelta = BOUNDARY) -> date:
    """By local time, so that a day of 23 or 25 hours is one day."""
    return (at.astimezone(ZoneInfo(zone)).replace(tzinfo=None) - until).date()


def day_start(day: date, zone: str, until: timedelta = BOUNDARY) -> datetime:
    """When a day begins."""
    return (datetime.combine(day, datetime.min.time()) + until).replace(tzinfo=ZoneInfo(zone))


def day_shift(start_at: datetime, rescheduled_at: datetime | None, zone: str) -> timedelta:
    """By how many days a rescheduled event's valid days have moved."""
    if rescheduled_at is None:
        return timedelta()
    local = ZoneInfo(zone)
    return rescheduled_at.astimezone(local).date() - start_at.astimezone(local).date()


# --- the decision

# By event status: the reason against real scans, if any, and whether test scans are allowed.
PHASES: dict[str, tuple[str | None, bool]] = {
    "draft": ("not_yet", True),
    "published": ("not_yet", True),
    "live": (None, True),
    "postponed": ("postponed", True),  # treated as live within the new window
    "ended": ("over", False),
    "cancelled": ("event_cancelled", False),
    "archived": ("over", False),
}
VOID_REASONS = {"cancelled": "cancelled", "refunded": "refunded"}
MEMBERSHIP_REASONS = {"active": None, "suspended": "membership_revoked", "revoked": "membership_revoked"}


class EntryRule(NamedTuple):
    """How many entries a ticket allows. None is unlimited; a next entry needs an exit before it."""

    in_all: int | None = None
    a_day: bool = False  # limited by the ticket type's `max_daily_entries`


ENTITLEMENTS: dict[str, EntryRule] = {
    "single": EntryRule(in_all=1),
    "limited_reentry_per_day": EntryRule(a_day=True),
    "unlimited_multi_day": EntryRule(),
    "ga_seated": EntryRule(),
    "ga_standing": EntryRule(),
}

# The reasons that a supervisor may override. Not among them: invalid codes, void tickets and reached capacities.
OVERRIDABLE = frozenset(
    {"wrong_day", "already_inside", "already_used", "no_entries_left", "gate_closed"}
    | {"membership_expired", "membership_revoked", "replaced"}
)

MESSAGES: dict[str, str] = {
    "unknown": "Ticket not found.",
    "forged": "This code was not issued by us.",
    "revoked": "The signing key of this code was revoked. Open the ticket in the app, or search by name.",
    "replaced": "The ticket was transferred, and this is the old code.",
    "wrong_event": "This ticket is for another event.",
    "not_yet": "The doors are not open yet.",
    "postponed": "The event is postponed.",
    "over": "The event is over.",
    "event_cancelled": "The event is cancelled.",
    "cancelled": "The ticket was cancelled.",
    "refunded": "The ticket was refunded.",
    "wrong_day": "Not valid today.",
    "membership_expired": "Membership expired.",
    "membership_revoked": "Membership expired.",  # the same text at the gate; the reason code tells staff which
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
    ("companion", False): "Companion seat, beside a wheelchair space.",
}


def _check_code(scene: Scene) -> str | None:
    return None if scene.claim == "good" else scene.claim


def _check_event(scene: Scene) -> str | None:
    return None if scene.same_event else "wrong_event"


def _check_phase(scene: Scene) -> str | None:
    reason, tests = PHASES[scene.event_status]
    if scene.test and tests:
        return None
    return None if scene.event_status == "postponed" and scene.in_new_window else reason


def _check_void(scene: Scene) -> str | None:
    return VOID_REASONS.get(scene.ticket_status)


def _check_replaced(scene: Scene) -> str | None:
    return "replaced" if scene.replaced else None


def _check_day(scene: Scene) -> str | None:
    return "wrong_day" if scene.valid_days and scene.day not in scene.valid_days else None


def _check_membership(scene: Scene) -> str | None:
    if scene.membership_status is None:
        return None
    if reason := MEMBERSHIP_REASONS[scene.membership_status]:
        return reason
    begun = scene.member_from is None or scene.member_from <= scene.now
    still = scene.member_until is None or scene.now < scene.member_until
    return None if begun and still else "membership_expired"


def _check_gate(scene: Scene) -> str | None:
    return None if scene.gate_open else "gate_closed"


def _check_entries(scene: Scene) -> str | None:
    return entries_reason(scene.entitlement, scene.max_daily_entries, scene.presence, scene.day)


def _check_inside(scene: Scene) -> str | None:
    return None if is_inside(scene.presence, scene.day) else "not_inside"


def _check_zone_capacity(scene: Scene) -> str | None:
    full = scene.zone_capacity is not None and scene.zone_inside >= scene.zone_capacity
    return "zone_full" if full and not is_inside(scene.presence, scene.day) else None


def _check_gate_capacity(scene: Scene) -> str | None:
    full = scene.gate_capacity is not None and scene.gate_inside >= scene.gate_capacity
    return "gate_full" if full and not is_inside(scene.presence, scene.day) else None


Check = Callable[[Scene], str | None]
# The first check that fails is the reason. Exits do not check the membership, the day or whether the gate is open.
CHECKS: dict[str, tuple[Check, ...]] = {
    "in": (
        _check_code,
        _check_event,
        _check_phase,
        _check_void,
        _check_replaced,
        _check_day,
        _check_membership,
        _check_gate,
        _check_entries,
        _check_zone_capacity,
        _check_gate_capacity,
    ),
    "out": (_check_code, _check_event, _check_phase, _check_inside),
}


def decide(scene: Scene) -> Verdict:
    """Admits, or returns the first reason against it. An override skips overridable reasons; the first skipped one is
    part of the verdict."""
    overrode = None
    for check in CHECKS[scene.direction]:
        if (reason := check(scene)) is None:
            continue
        if not (scene.override and reason in OVERRIDABLE):
            return Verdict(False, reason, scene.presence)
        overrode = overrode or reason
    return Verdict(True, overrode, scene.presence if scene.test else apply_step(scene.presence, scene))


def is_inside(presence: Presence, day: date) -> bool:
    """Tickets without an exit count as outside when the day is over."""
    return presence.inside and presence.day == day


def entries_reason(entitlement: str, a_day: int | None, presence: Presence, day: date) -> str | None:
    """Why the ticket allows no further entry, by its presence so far."""
    if is_inside(presence, day):
        return "already_inside"
    rule = ENTITLEMENTS[entitlement]
    if rule.in_all is not None and presence.entries >= rule.in_all:
        return "already_used"
    today = presence.entries_today if presence.day == day else 0
    return "no_entries_left" if rule.a_day and a_day is not None and today >= a_day else None


class Step(NamedTuple):
    """What changes a presence: a stored scan. A `Scene` has the same fields."""

    direction: str
    day: date
    now: datetime
    gate: str


def apply_step(was: Presence, step: Scene | Step) -> Presence:
    """The presence after a step. While inside, `at` and `gate` stay those of the first entry."""
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


class AdmittedScan(NamedTuple):
    """An admitted scan, as input of the fold."""

    scan_id: str
    device: str
    counter: int
    at: datetime
    day: date
    direction: str
    gate: str
    overridden: bool = False


class Double(NamedTuple):
    """Two scans of one ticket that should not both have been admitted. The second is the double."""

    kind: str
    first: str
    second: str


class DayCounts(NamedTuple):
    """A ticket's contribution to the counts of a day."""

    entered: dict[str, int]  # by gate
    inside_by: str | None  # the gate of the entry, if there was no exit since


class Fold(NamedTuple):
    """A ticket's presence, doubles and counts, derived from all of its scans."""

    presence: Presence
    doubles: list[Double]
    days: dict[date, DayCounts]


EMPTY_FOLD = Fold(Presence(), [], {})


def sort_scans(scans: Sequence[AdmittedScan]) -> list[AdmittedScan]:
    """Ordered by time, but one device's scans by its counter: where its clock ran backwards, a scan gets the time of
    the latest before it. Depends on the set only, not on its order."""
    if len(scans) < 2:
        return list(scans)
    latest: dict[str, tuple[datetime, date]] = {}
    placed = []
    for scan in sorted(scans, key=lambda s: (s.device, s.counter, s.scan_id)):
        at, day = latest.get(scan.device, (scan.at, scan.day))
        latest[scan.device] = at, day = max(scan.at, at), max(scan.day, day)
        placed.append(scan._replace(at=at, day=day))
    return sorted(placed, key=lambda s: (s.at, s.device, s.counter, s.scan_id))


def fold_scans(scans: Sequence[AdmittedScan], entitlement: str, a_day: int | None) -> Fold:
    """Derives the presence, the double entries and the counts from all scans of a ticket."""
    presence, doubles, days = Presence(), list[Double](), dict[date, DayCounts]()
    before: AdmittedScan | None = None
    for scan in sort_scans(scans):
        if scan.direction == "in":
            reason = before and not scan.overridden and entries_reason(entitlement, a_day, presence, scan.day)
            if before and reason:
                doubles.append(Double(reason, before.scan_id, scan.scan_id))
            if not is_inside(presence, scan.day):
                before = scan
        presence = apply_step(presence, Step(scan.direction, scan.day, scan.at, scan.gate))
        if presence.day is not None:
            entered = days[scan.day].entered if scan.day in days else {}
            if scan.direction == "in":
                entered[scan.gate] = entered.get(scan.gate, 0) + 1
            days[scan.day] = DayCounts(entered, presence.gate if is_inside(presence, scan.day) else None)
    return Fold(presence, doubles, days)


# The kind of incident of an offline entry with a ticket that is void or transferred.
def void_incident_kind(status: str, *, old_code: bool) -> str | None:
    """`old_code` is whether the entry used a former holder's code."""
    return VOID_REASONS.get(status) or ("transferred" if old_code else None)
