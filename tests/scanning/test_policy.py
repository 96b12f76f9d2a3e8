"""The decision, without I/O: every entitlement, day, direction and status; nights and days; sets of scans."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullhouse.scanning import policy
from fullhouse.scanning.merge_actions import clock_offset
from fullhouse.scanning.model import Presence, Scene
from fullhouse.scanning.policy import AdmittedScan
from tests.scanning import cases
from tests.scanning.cases import EARLIER, HISTORIES, NOW, TODAY, stood

pytestmark = pytest.mark.req("SCAN-2", "SCAN-3")


def test_the_table_of_cases_is_what_is_decided() -> None:
    """The offline scanner is checked against the file: `python -m tests.scanning.cases` writes it anew."""
    assert cases.FILE.read_bytes() == cases.rendered()


def test_the_cases_have_every_reason_and_every_reason_has_words() -> None:
    met = {policy.decide(scene).reason for _, scene in cases.scenes()} - {None}
    assert met == set(policy.MESSAGES)
    assert met > policy.OVERRIDABLE


# Against a table that knows nothing of the one it checks: what a valid ticket, today, makes of its history.
AGAIN: dict[str, dict[str, str | None]] = {
    "single": {"new": None, "inside": "already_inside", "left": "already_used", "left twice": "already_used",
               "inside yesterday": "already_used", "left yesterday": "already_used"},
    "unlimited_multi_day": {"new": None, "inside": "already_inside", "left": None, "left twice": None,
                            "inside yesterday": None, "left yesterday": None},
    "ga_standing": {"new": None, "inside": "already_inside", "left": None, "left twice": None,
                    "inside yesterday": None, "left yesterday": None},
    "ga_seated": {"new": None, "inside": "already_inside", "left": None, "left twice": None,
                  "inside yesterday": None, "left yesterday": None},
    "limited_reentry_per_day": {"new": None, "inside": "already_inside", "left": None, "left twice": "no_entries_left",
                                "inside yesterday": None, "left yesterday": None},
}  # fmt: skip


@pytest.mark.parametrize("entitlement", AGAIN)
@pytest.mark.parametrize("past", HISTORIES)
def test_an_entitlement_lets_in_as_often_as_it_says(entitlement: str, past: str) -> None:
    most = 2 if entitlement == "limited_reentry_per_day" else None
    scene = Scene(
        now=NOW, day=TODAY, gate="B", entitlement=entitlement, max_daily_entries=most, presence=HISTORIES[past]
    )
    verdict = policy.decide(scene)
    assert (verdict.admit, verdict.reason) == (AGAIN[entitlement][past] is None, AGAIN[entitlement][past])
    if verdict.admit:
        today = HISTORIES[past].entries_today if HISTORIES[past].day == TODAY else 0
        assert verdict.presence == Presence(
            inside=True, day=TODAY, entries_today=today + 1, entries=HISTORIES[past].entries + 1, at=NOW, gate="B"
        )


@pytest.mark.parametrize(
    ("past", "reason"), [("inside", None), ("left", "not_inside"), ("inside yesterday", "not_inside")]
)
def test_out_is_for_those_who_are_inside(past: str, reason: str | None) -> None:
    verdict = policy.decide(Scene(now=NOW, day=TODAY, direction="out", presence=HISTORIES[past], gate_open=False))
    assert (verdict.admit, verdict.reason) == (reason is None, reason)


@pytest.mark.req("SCAN-1")
@pytest.mark.parametrize("status", policy.PHASES)
def test_real_scans_need_a_live_show_and_test_scans_change_nothing(status: str) -> None:
    real = policy.decide(Scene(now=NOW, day=TODAY, event_status=status))
    assert real.admit == (status == "live")
    test = policy.decide(Scene(now=NOW, day=TODAY, event_status=status, test=True))
    assert test.admit == (status in ("draft", "published", "live", "postponed"))
    assert test.presence == Presence()


def test_what_is_no_ticket_of_ours_is_never_overridden() -> None:
    more: dict[str, Any]
    for more in ({"claim": "forged"}, {"claim": "unknown"}, {"same_event": False}, {"ticket_status": "refunded"}):
        assert not policy.decide(Scene(now=NOW, day=TODAY, override=True, **more)).admit
    kept = policy.decide(Scene(now=NOW, day=TODAY, override=True, presence=stood(inside=True)))
    assert (kept.admit, kept.reason, kept.presence.at, kept.presence.entries) == (True, "already_inside", EARLIER, 2)


# --- days


@pytest.mark.parametrize(
    ("at", "zone", "day"),
    [
        ("2026-10-24T23:30:00+02:00", "Europe/Amsterdam", "2026-10-24"),
        ("2026-10-25T02:30:00+02:00", "Europe/Amsterdam", "2026-10-24"),  # the first half past two
        ("2026-10-25T02:30:00+01:00", "Europe/Amsterdam", "2026-10-24"),  # and the second
        ("2026-10-25T04:59:00+01:00", "Europe/Amsterdam", "2026-10-24"),
        ("2026-10-25T05:00:00+01:00", "Europe/Amsterdam", "2026-10-25"),
        ("2026-03-29T01:59:00+01:00", "Europe/Amsterdam", "2026-03-28"),
        ("2026-03-29T04:59:00+02:00", "Europe/Amsterdam", "2026-03-28"),
        ("2026-03-29T05:00:00+02:00", "Europe/Amsterdam", "2026-03-29"),
        ("2026-11-01T01:30:00-04:00", "America/New_York", "2026-10-31"),
        ("2026-11-01T01:30:00-05:00", "America/New_York", "2026-10-31"),
        ("2026-11-01T05:00:00-05:00", "America/New_York", "2026-11-01"),
        ("2026-03-08T04:59:00-04:00", "America/New_York", "2026-03-07"),
        ("2026-03-08T05:00:00-04:00", "America/New_York", "2026-03-08"),
    ],
)
def test_a_night_is_one_night_when_the_clocks_change(at: str, zone: str, day: str) -> None:
    moment = datetime.fromisoformat(at).astimezone(UTC)
    assert policy.day_of(moment, zone) == date.fromisoformat(day)
    assert policy.day_start(date.fromisoformat(day), zone) <= moment
    assert moment < policy.day_start(date.fromisoformat(day) + timedelta(days=1), zone)


@pytest.mark.parametrize(("said", "hours"), [("03:30", 3.5), ("00:00", 0), ("12:00", 5), ("x", 5), (None, 5), (4, 5)])
def test_the_boundary_is_the_shows_own(said: Any, hours: float) -> None:
    assert policy.parse_day_boundary({"day_boundary": said}) == timedelta(hours=hours)
    assert policy.parse_day_boundary({}) == timedelta(hours=5)


def test_valid_days_move_with_the_show() -> None:
    start, new = datetime(2026, 3, 28, 20, tzinfo=UTC), datetime(2026, 4, 4, 19, tzinfo=UTC)
    assert policy.day_shift(start, new, "Europe/Amsterdam") == timedelta(days=7)
    assert policy.day_shift(start, None, "Europe/Amsterdam") == timedelta()


# --- merging

_SCANS = st.lists(
    st.builds(
        AdmittedScan,
        scan_id=st.uuids(version=4).map(str),
        device=st.sampled_from("ABC"),
        counter=st.integers(0, 30),
        at=st.integers(0, 3000).map(lambda n: NOW + timedelta(minutes=n)),
        day=st.sampled_from([TODAY, TODAY + timedelta(days=1)]),
        direction=st.sampled_from(["in", "in", "out"]),
        gate=st.sampled_from("XYZ"),
    ),
    max_size=12,
    unique_by=lambda scan: (scan.device, scan.counter),
)


@pytest.mark.req("SCAN-4")
@given(_SCANS, st.sampled_from(list(policy.ENTITLEMENTS)), st.randoms(use_true_random=False))
def test_any_order_of_arrival_folds_to_the_same(scans: list[AdmittedScan], kind: str, chance: random.Random) -> None:
    mixed = list(scans)
    chance.shuffle(mixed)
    assert policy.fold_scans(mixed, kind, 1) == policy.fold_scans(scans, kind, 1)
    # A scan that comes in twice is one scan: the table sees to it, by device and counter.
    own = [scan.counter for scan in policy.sort_scans(mixed) if scan.device == "A"]
    assert own == sorted(own)


@pytest.mark.req("SCAN-4")
def test_two_gates_that_did_not_hear_of_each_other() -> None:
    first = AdmittedScan("1", "A", 7, NOW, TODAY, "in", "A")
    second = AdmittedScan("2", "C", 1, NOW + timedelta(minutes=3), TODAY, "in", "C")
    presence, doubles, days = policy.fold_scans([second, first], "single", None)
    assert doubles == [policy.Double("already_inside", "1", "2")]
    assert (presence.gate, presence.at, presence.entries) == ("A", NOW, 2)
    assert days == {TODAY: policy.DayCounts({"A": 1, "C": 1}, "A")}
    assert policy.fold_scans([first, second._replace(overridden=True)], "single", None).doubles == []


def test_a_devices_own_scans_are_in_the_order_of_its_counter() -> None:
    """Its clock went back by hours between coming and going."""
    came = AdmittedScan("1", "A", 1, NOW, TODAY, "in", "A")
    went = AdmittedScan("2", "A", 2, NOW - timedelta(hours=3), TODAY, "out", "A")
    presence, doubles, days = policy.fold_scans([went, came], "single", None)
    assert (presence.inside, doubles, days) == (False, [], {TODAY: policy.DayCounts({"A": 1}, None)})


def test_by_a_clock_that_went_back_to_yesterday_nobody_left_yesterday() -> None:
    came = AdmittedScan("1", "A", 1, NOW, TODAY, "in", "A")
    went = AdmittedScan("2", "A", 2, NOW - timedelta(days=1), TODAY - timedelta(days=1), "out", "A")
    presence, _, days = policy.fold_scans([went, came], "single", None)
    assert (presence.inside, days) == (False, {TODAY: policy.DayCounts({"A": 1}, None)})


def test_who_is_not_seen_to_leave_stays_in_the_counts_of_that_day() -> None:
    tomorrow = TODAY + timedelta(days=1)
    scans = [
        AdmittedScan("1", "A", 1, NOW, TODAY, "in", "A"),
        AdmittedScan("2", "B", 1, NOW + timedelta(days=1), tomorrow, "in", "B"),
        AdmittedScan("3", "B", 2, NOW + timedelta(days=1, hours=1), tomorrow, "out", "B"),
    ]
    _, doubles, days = policy.fold_scans(scans, "unlimited_multi_day", None)
    assert doubles == []
    assert days == {TODAY: policy.DayCounts({"A": 1}, "A"), tomorrow: policy.DayCounts({"B": 1}, None)}


@pytest.mark.req("SCAN-4")
@pytest.mark.parametrize(
    ("status", "old_code", "kind"),
    [
        ("valid", False, None),
        ("used", False, None),
        ("valid", True, "transferred"),
        ("cancelled", False, "cancelled"),
        ("refunded", True, "refunded"),
    ],
)
def test_an_entry_with_a_ticket_that_became_void_has_a_name(status: str, old_code: bool, kind: str | None) -> None:
    assert policy.void_incident_kind(status, old_code=old_code) == kind


@pytest.mark.parametrize(("off", "minutes"), [(0, 0), (100, 0), (-100, 0), (7205, 120), (-7195, -120), (7230.4, 121)])
def test_a_wrong_clock_is_put_right_by_whole_minutes(off: float, minutes: int) -> None:
    assert clock_offset(NOW - timedelta(seconds=off), NOW) == timedelta(minutes=minutes)
