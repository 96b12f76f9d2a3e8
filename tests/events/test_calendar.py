"""iCalendar: read back by a reader of the tests' own, which knows no time zone but those in the file."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullhouse.events.public import calendar
from fullhouse.kit.times import to_local
from tests.events.listed import HOUSE, ID, PUBLISHED, Component, listed, moment, parsed

ZONES = [
    "America/New_York",
    "Africa/Johannesburg",
    "Europe/Amsterdam",
    "Europe/Dublin",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "Pacific/Apia",
    "America/St_Johns",
    "UTC",
]


def address(show: Any) -> str:
    return f"https://example.org/o/{show.organization}/{show.slug}"


def one(**more: Any) -> tuple[Component, Component]:
    found = parsed(calendar.render_event(listed(**more), address))
    return found, found.one("VEVENT")


def test_a_show() -> None:
    whole, event = one()
    assert (whole["VERSION"], whole["CALSCALE"]) == ("2.0", "GREGORIAN")
    assert "METHOD" not in whole.properties
    assert event["UID"] == str(ID)
    assert event["DTSTAMP"] == "20300101T090000Z"
    assert event["SEQUENCE"] == "0"
    assert event.properties["DTSTART"] == ({"TZID": "Europe/Brussels"}, "20300601T200000")
    assert event.properties["DTEND"] == ({"TZID": "Europe/Brussels"}, "20300601T220000")
    assert event["SUMMARY"] == "The Tempest"
    assert event["STATUS"] == "CONFIRMED"
    assert event["LOCATION"] == "Grande Salle, Place Xavier-Neujean 7, Liège"
    assert event["URL"] == "https://example.org/o/grand-house/the-tempest"
    assert event["DESCRIPTION"].startswith("An island, a storm, a duke.")


def test_the_sequence_grows_with_every_change_and_the_name_stays() -> None:
    sequences = [int(one(changed_at=PUBLISHED + timedelta(seconds=s))[1]["SEQUENCE"]) for s in (0, 1, 90, 10**7)]
    assert sequences == [0, 1, 90, 10**7]
    assert {one(changed_at=PUBLISHED + timedelta(seconds=s), slug=f"s{s}")[1]["UID"] for s in (0, 9)} == {str(ID)}


def test_postponed_without_a_date_is_tentative_and_says_so() -> None:
    _, event = one(phase="postponed", sale_status="suspended")
    assert (event["STATUS"], event["TRANSP"]) == ("TENTATIVE", "TRANSPARENT")
    assert event["SUMMARY"] == "Postponed: The Tempest"
    assert event["DESCRIPTION"].startswith("This event is postponed. There is no new date yet")


def test_a_new_date_is_confirmed_and_remembers_the_old_one() -> None:
    new = datetime(2030, 12, 1, 19, tzinfo=UTC)
    old = datetime(2030, 6, 1, 18, tzinfo=UTC)
    whole, event = one(phase="postponed", start_time=new, first_start_time=old, rescheduled_at=new)
    assert event["STATUS"] == "CONFIRMED"
    assert moment(whole, event, "DTSTART") == new
    assert "It was originally on Saturday 1 June 2030, 20:00." in event["DESCRIPTION"]


# --- time zones


@pytest.mark.parametrize("zone", ZONES)
@given(minutes=st.integers(0, 40 * 366 * 24 * 60), hours=st.integers(1, 72))
def test_any_moment_comes_back_by_the_rules_in_the_file(zone: str, minutes: int, hours: int) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    end = start + timedelta(hours=hours)
    whole, event = one(timezone=zone, start_time=start, end_time=end)
    assert moment(whole, event, "DTSTART") == start
    assert moment(whole, event, "DTEND") == end


CHANGES = {  # the hours around a change of the clocks
    "America/New_York": [datetime(2030, 3, 10, 7, tzinfo=UTC), datetime(2030, 11, 3, 6, tzinfo=UTC)],
    "Europe/Amsterdam": [datetime(2030, 3, 31, 1, tzinfo=UTC), datetime(2030, 10, 27, 1, tzinfo=UTC)],
    "Europe/Dublin": [datetime(2030, 3, 31, 1, tzinfo=UTC), datetime(2030, 10, 27, 1, tzinfo=UTC)],
}


@pytest.mark.parametrize(("zone", "change"), [(zone, change) for zone in CHANGES for change in CHANGES[zone]])
def test_the_hours_around_a_change(zone: str, change: datetime) -> None:
    for quarter in range(-12, 13):
        start = change + timedelta(minutes=15 * quarter)
        whole, event = one(timezone=zone, start_time=start)
        assert moment(whole, event, "DTSTART") == start
        assert moment(whole, event, "DTEND") == start + timedelta(hours=2)


def test_the_hour_that_comes_twice_is_said_in_utc_the_second_time() -> None:
    first, again = (datetime(2030, 11, 3, hour, 30, tzinfo=UTC) for hour in (5, 6))
    assert to_local(first, "America/New_York").hour == to_local(again, "America/New_York").hour == 1
    assert one(timezone="America/New_York", start_time=first)[1].properties["DTSTART"].value == "20301103T013000"
    assert one(timezone="America/New_York", start_time=again)[1].properties["DTSTART"].value == "20301103T063000Z"


def observances(zone: str) -> list[tuple[str, str, str, str, str]]:
    whole, _ = one(timezone=zone)
    names = ("DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "TZNAME")
    return [(o.kind, o[names[0]], o[names[1]], o[names[2]], o[names[3]]) for o in whole.one("VTIMEZONE").inside]


def test_the_rules_of_a_zone_are_those_of_the_year() -> None:
    assert observances("America/New_York") == [
        ("STANDARD", "20291231T190000", "-0500", "-0500", "EST"),
        ("DAYLIGHT", "20300310T020000", "-0500", "-0400", "EDT"),
        ("STANDARD", "20301103T020000", "-0400", "-0500", "EST"),
    ]
    assert observances("Africa/Johannesburg") == [("STANDARD", "20300101T020000", "+0200", "+0200", "SAST")]
    assert observances("Asia/Kolkata") == [("STANDARD", "20300101T053000", "+0530", "+0530", "IST")]


def test_dublins_summer_is_the_daylight_though_ireland_says_the_winter_is() -> None:
    assert observances("Europe/Dublin") == [
        ("STANDARD", "20300101T000000", "+0000", "+0000", "GMT"),
        ("DAYLIGHT", "20300331T010000", "+0000", "+0100", "IST"),
        ("STANDARD", "20301027T020000", "+0100", "+0000", "GMT"),
    ]


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/New_York"])
def test_the_end_of_the_calendar_is_no_accident(zone: str) -> None:
    start = datetime(9999, 12, 31, 21, tzinfo=UTC)
    whole, event = one(timezone=zone, start_time=start)
    assert moment(whole, event, "DTSTART") == start


# --- text


@pytest.mark.parametrize(
    "title",
    [
        "A, B; C\\D: E",
        "Two\nlines",
        "Two\r\nlines",
        "X\r\nEND:VEVENT\r\nBEGIN:VALARM\r\nATTENDEE:mailto:x@example.org",
        "a\x0bb\x0cc\x85d\u2028e",
        "ünïcödé " * 20,
        "🎭" * 60,
        "ليلة في المسرح " * 10,
        "日本語" * 60,
        "x" * 200,
    ],
)
def test_hostile_titles_stay_titles(title: str) -> None:
    whole, event = one(title=title, description=title, venue_name=title)
    assert [component.kind for component in whole.inside] == ["VTIMEZONE", "VEVENT"]
    assert event.inside == []
    plain = title.replace("\r\n", "\n").replace("\u2028", "\n")
    assert event["SUMMARY"] == "".join(c for c in plain if c == "\n" or c not in "\x0b\x0c\x85")
    assert event["SUMMARY"] in event["LOCATION"]


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl"]), min_size=1, max_size=300))
def test_any_text_comes_back_whole(text: str) -> None:
    assert one(title=text)[1]["SUMMARY"] == text


# --- a calendar of many


def test_a_calendar_to_subscribe_to() -> None:
    many = [
        listed(id=HOUSE, timezone="Europe/Dublin", slug="dublin"),
        listed(timezone="America/New_York", start_time=datetime(2031, 7, 1, tzinfo=UTC)),
        listed(timezone="America/New_York", start_time=datetime(2095, 7, 1, tzinfo=UTC)),
    ]
    found = parsed(calendar.render_feed("The; Grand, House", many, address))
    assert (found["NAME"], found["X-WR-CALNAME"]) == ("The; Grand, House",) * 2
    assert found.properties["REFRESH-INTERVAL"] == ({"VALUE": "DURATION"}, "PT1H")
    assert [zone["TZID"] for zone in found.all("VTIMEZONE")] == ["America/New_York", "Europe/Dublin"]
    assert [moment(found, event, "DTSTART") for event in found.all("VEVENT")] == [show.start_time for show in many]
    assert parsed(calendar.render_feed("Empty", [], address)).inside == []
