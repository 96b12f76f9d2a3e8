"""Events as iCalendar (RFC 5545). Pure.

Times are in the venue's time zone, with a VTIMEZONE for the years in question. A local time that occurs twice, because
clocks go back, is ambiguous and is written in UTC.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

from fullhouse.events.public.model import PublicEvent, is_online
from fullhouse.events.words import WORDS
from fullhouse.kit.languages import Words
from fullhouse.kit.times import to_local

MEDIA_TYPE = "text/calendar"
LINE_OCTETS = 75
_REFRESH = "PT1H"
_ZERO = timedelta(0)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_ESCAPES = {"\\": "\\\\", ";": "\\;", ",": "\\,", "\r\n": "\\n", "\r": "\\n", "\n": "\\n", "\u2028": "\\n"}
_ESCAPED = re.compile("|".join(map(re.escape, sorted(_ESCAPES, key=len, reverse=True))))

Address = Callable[[PublicEvent], str]


def render_event(event: PublicEvent, address: Address, language: str | None = None) -> bytes:
    """One event, to import into a calendar."""
    return _render_calendar([], [event], address, WORDS.of(language))


def render_feed(name: str, events: Sequence[PublicEvent], address: Address, language: str | None = None) -> bytes:
    """A calendar to subscribe to. The older X- properties repeat the newer ones, which not every program supports."""
    properties = [
        _format_text("NAME", name),
        _format_text("X-WR-CALNAME", name),
        f"REFRESH-INTERVAL;VALUE=DURATION:{_REFRESH}",
        f"X-PUBLISHED-TTL:{_REFRESH}",
    ]
    return _render_calendar(properties, events, address, WORDS.of(language))


def _render_calendar(properties: list[str], events: Sequence[PublicEvent], address: Address, t: Words) -> bytes:
    product = f"PRODID:-//fullhouse//fullhouse//{t.code.upper()}"
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", product, "CALSCALE:GREGORIAN", *properties]
    for name in sorted({event.timezone for event in events}):
        years = {year for event in events if event.timezone == name for year in _years(event)}
        lines += _render_vtimezone(name, sorted(years))
    for event in events:
        lines += _render_vevent(event, address(event), t)
    lines.append("END:VCALENDAR")
    return "".join(f"{_fold(line)}\r\n" for line in lines).encode()


def _render_vevent(event: PublicEvent, url: str, t: Words) -> Iterator[str]:
    undated = event.phase == "postponed" and event.rescheduled_at is None
    yield "BEGIN:VEVENT"
    yield f"UID:{event.id}"
    yield f"DTSTAMP:{_format_utc(event.changed_at)}"
    yield f"LAST-MODIFIED:{_format_utc(event.changed_at)}"
    yield f"CREATED:{_format_utc(event.published_at)}"
    yield f"SEQUENCE:{sequence(event)}"
    yield _format_moment("DTSTART", event.start_time, event.timezone)
    yield _format_moment("DTEND", event.end_time, event.timezone)
    yield _format_text("SUMMARY", t("calendar_postponed", title=event.title) if undated else event.title)
    yield f"STATUS:{'TENTATIVE' if undated else 'CONFIRMED'}"
    if undated:
        yield "TRANSP:TRANSPARENT"  # does not block the original date in the calendar
    yield _format_text("LOCATION", _describe_location(event))
    yield _format_text("DESCRIPTION", "\n\n".join([*_describe_new_date(event, t), event.description, url]))
    yield _format_text("CATEGORIES", t.category(event.category))
    yield f"URL:{url}"
    yield "END:VEVENT"


def sequence(event: PublicEvent) -> int:
    """Increases with every public change: the seconds between publication and the latest change."""
    return max(0, int((event.changed_at - event.published_at).total_seconds()))


def _describe_new_date(event: PublicEvent, t: Words) -> Iterator[str]:
    if event.phase != "postponed":
        return
    if event.rescheduled_at is None:
        yield t("calendar_undated")
    else:
        was = to_local(event.first_start_time, event.timezone)
        yield t("calendar_new_date", day=t.day(was), hour=f"{was:%H:%M}")


def _describe_location(event: PublicEvent) -> str:
    if is_online(event):
        return event.venue_name
    city = None if event.city in (event.address or "") else event.city
    return ", ".join(dict.fromkeys(filter(None, (event.venue_name, event.address, city))))


# --- time zones


class _Onset(NamedTuple):
    """From `at` on, the zone's offset from UTC is `after`."""

    at: datetime
    before: timedelta
    after: timedelta
    summer: bool
    name: str


def _years(event: PublicEvent) -> range:
    return range(event.start_time.astimezone(UTC).year, event.end_time.astimezone(UTC).year + 1)


def _render_vtimezone(name: str, years: Sequence[int]) -> Iterator[str]:
    yield "BEGIN:VTIMEZONE"
    yield f"TZID:{name}"
    for year in years:
        opening, *changes = _onsets(name, year)
        for onset in [*([] if year - 1 in years else [opening]), *changes]:
            kind = "DAYLIGHT" if onset.summer else "STANDARD"
            yield f"BEGIN:{kind}"
            yield f"DTSTART:{(onset.at.replace(tzinfo=None) + onset.before):%Y%m%dT%H%M%S}"
            yield f"TZOFFSETFROM:{_format_offset(onset.before)}"
            yield f"TZOFFSETTO:{_format_offset(onset.after)}"
            yield _format_text("TZNAME", onset.name)
            yield f"END:{kind}"
    yield "END:VTIMEZONE"


@lru_cache(maxsize=2048)
def _onsets(name: str, year: int) -> list[_Onset]:
    """The offset at the start of the year, and each change within it. Assumes that no zone changes twice in a week."""
    zone = ZoneInfo(name)
    moments = [datetime(year, 1, 1, tzinfo=UTC) + timedelta(weeks=n) for n in range(53)]
    if year < 9999:
        moments.append(datetime(year + 1, 1, 1, tzinfo=UTC))
    first = moments[0]
    offset = _utc_offset(zone, first)
    found = [_Onset(first, offset, offset, _dst(zone, first) > _ZERO, first.astimezone(zone).tzname() or name)]
    for early, late in pairwise(moments):
        if _utc_offset(zone, early) != _utc_offset(zone, late):
            found.append(_find_change(zone, early, late))
    return found


def _find_change(zone: ZoneInfo, early: datetime, late: datetime) -> _Onset:
    before, after = _utc_offset(zone, early), _utc_offset(zone, late)
    # Dublin has negative DST in winter, other zones DST in summer. Calendar programs expect DAYLIGHT in summer.
    seasonal = _dst(zone, early) != _dst(zone, late)
    name = late.astimezone(zone).tzname() or zone.key
    while late - early > timedelta(seconds=1):
        middle = early + (late - early) // 2
        early, late = (middle, late) if _utc_offset(zone, middle) == before else (early, middle)
    return _Onset(late.replace(microsecond=0), before, after, seasonal and after > before, name)


def _utc_offset(zone: ZoneInfo, moment: datetime) -> timedelta:
    return moment.astimezone(zone).utcoffset() or _ZERO


def _dst(zone: ZoneInfo, moment: datetime) -> timedelta:
    return moment.astimezone(zone).dst() or _ZERO


def _format_offset(ahead: timedelta) -> str:
    minutes, seconds = divmod(abs(int(ahead.total_seconds())), 60)
    sign = "-" if ahead < _ZERO else "+"
    return f"{sign}{minutes // 60:02}{minutes % 60:02}" + (f"{seconds:02}" if seconds else "")


# --- the format


def _format_moment(name: str, moment: datetime, timezone: str) -> str:
    there = to_local(moment, timezone)
    if there.tzinfo is UTC or there.fold:
        return f"{name}:{_format_utc(moment)}"
    return f"{name};TZID={timezone}:{there:%Y%m%dT%H%M%S}"


def _format_utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _format_text(name: str, value: str) -> str:
    return f"{name}:{_escape(value)}"


def _escape(text: str) -> str:
    """Escapes TEXT values, so that no text can end a content line."""
    return _CONTROL.sub("", _ESCAPED.sub(lambda found: _ESCAPES[found[0]], text))


def _fold(line: str) -> str:
    """Folds at 75 octets, never inside a character; continuation lines begin with a space."""
    return "\r\n ".join(_split_octets(line))


def _split_octets(line: str) -> Iterable[str]:
    piece, room = "", LINE_OCTETS
    for character in line:
        size = len(character.encode())
        if size > room:
            yield piece
            piece, room = "", LINE_OCTETS - 1
        piece += character
        room -= size
    yield piece
