"""Shows as iCalendar (RFC 5545), for the calendars that people keep. Pure.

Times stand in the venue's zone, with the rules of that zone for the years in question beside them. A moment that a zone
has twice, because its clocks go back, can only be said in UTC; so it is.
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
from fullhouse.kit.times import local

MEDIA_TYPE = "text/calendar"
LINE_OCTETS = 75
_REFRESH = "PT1H"
_ZERO = timedelta(0)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_ESCAPES = {"\\": "\\\\", ";": "\\;", ",": "\\,", "\r\n": "\\n", "\r": "\\n", "\n": "\\n", "\u2028": "\\n"}
_ESCAPED = re.compile("|".join(map(re.escape, sorted(_ESCAPES, key=len, reverse=True))))

Address = Callable[[PublicEvent], str]


def of_show(show: PublicEvent, address: Address, language: str | None = None) -> bytes:
    """One show, to be taken into somebody's own calendar."""
    return _calendar([], [show], address, WORDS.of(language))


def of_shows(name: str, shows: Sequence[PublicEvent], address: Address, language: str | None = None) -> bytes:
    """A calendar to subscribe to. Not every program knows the newer names, so the older ones say the same."""
    about = [
        _text("NAME", name),
        _text("X-WR-CALNAME", name),
        f"REFRESH-INTERVAL;VALUE=DURATION:{_REFRESH}",
        f"X-PUBLISHED-TTL:{_REFRESH}",
    ]
    return _calendar(about, shows, address, WORDS.of(language))


def _calendar(about: list[str], shows: Sequence[PublicEvent], address: Address, t: Words) -> bytes:
    product = f"PRODID:-//fullhouse//fullhouse//{t.code.upper()}"
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", product, "CALSCALE:GREGORIAN", *about]
    for name in sorted({show.timezone for show in shows}):
        years = {year for show in shows if show.timezone == name for year in _years(show)}
        lines += _timezone(name, sorted(years))
    for show in shows:
        lines += _event(show, address(show), t)
    lines.append("END:VCALENDAR")
    return "".join(f"{_folded(line)}\r\n" for line in lines).encode()


def _event(show: PublicEvent, url: str, t: Words) -> Iterator[str]:
    undated = show.phase == "postponed" and show.rescheduled_at is None
    yield "BEGIN:VEVENT"
    yield f"UID:{show.id}"
    yield f"DTSTAMP:{_utc(show.changed_at)}"
    yield f"LAST-MODIFIED:{_utc(show.changed_at)}"
    yield f"CREATED:{_utc(show.published_at)}"
    yield f"SEQUENCE:{sequence(show)}"
    yield _moment("DTSTART", show.start_time, show.timezone)
    yield _moment("DTEND", show.end_time, show.timezone)
    yield _text("SUMMARY", t("calendar_postponed", title=show.title) if undated else show.title)
    yield f"STATUS:{'TENTATIVE' if undated else 'CONFIRMED'}"
    if undated:
        yield "TRANSP:TRANSPARENT"  # nobody need keep the old evening free
    yield _text("LOCATION", _place(show))
    yield _text("DESCRIPTION", "\n\n".join([*_news(show, t), show.description, url]))
    yield _text("CATEGORIES", t.category(show.category))
    yield f"URL:{url}"
    yield "END:VEVENT"


def sequence(show: PublicEvent) -> int:
    """Grows with every change that the public sees: the seconds between the announcement and the latest one."""
    return max(0, int((show.changed_at - show.published_at).total_seconds()))


def _news(show: PublicEvent, t: Words) -> Iterator[str]:
    if show.phase != "postponed":
        return
    if show.rescheduled_at is None:
        yield t("calendar_undated")
    else:
        was = local(show.first_start_time, show.timezone)
        yield t("calendar_new_date", day=t.day(was), hour=f"{was:%H:%M}")


def _place(show: PublicEvent) -> str:
    if is_online(show):
        return show.venue_name
    city = None if show.city in (show.address or "") else show.city
    return ", ".join(dict.fromkeys(filter(None, (show.venue_name, show.address, city))))


# --- time zones


class _Onset(NamedTuple):
    """From this moment on, the clocks of a zone are `after` ahead of UTC."""

    at: datetime
    before: timedelta
    after: timedelta
    summer: bool
    name: str


def _years(show: PublicEvent) -> range:
    return range(show.start_time.astimezone(UTC).year, show.end_time.astimezone(UTC).year + 1)


def _timezone(name: str, years: Sequence[int]) -> Iterator[str]:
    yield "BEGIN:VTIMEZONE"
    yield f"TZID:{name}"
    for year in years:
        opening, *changes = _onsets(name, year)
        for onset in [*([] if year - 1 in years else [opening]), *changes]:
            kind = "DAYLIGHT" if onset.summer else "STANDARD"
            yield f"BEGIN:{kind}"
            yield f"DTSTART:{(onset.at.replace(tzinfo=None) + onset.before):%Y%m%dT%H%M%S}"
            yield f"TZOFFSETFROM:{_offset(onset.before)}"
            yield f"TZOFFSETTO:{_offset(onset.after)}"
            yield _text("TZNAME", onset.name)
            yield f"END:{kind}"
    yield "END:VTIMEZONE"


@lru_cache(maxsize=2048)
def _onsets(name: str, year: int) -> list[_Onset]:
    """What is in force when the year opens, and each change within it. No zone changes twice in a week."""
    zone = ZoneInfo(name)
    moments = [datetime(year, 1, 1, tzinfo=UTC) + timedelta(weeks=n) for n in range(53)]
    if year < 9999:
        moments.append(datetime(year + 1, 1, 1, tzinfo=UTC))
    first = moments[0]
    offset = _ahead(zone, first)
    found = [_Onset(first, offset, offset, _dst(zone, first) > _ZERO, first.astimezone(zone).tzname() or name)]
    for early, late in pairwise(moments):
        if _ahead(zone, early) != _ahead(zone, late):
            found.append(_change(zone, early, late))
    return found


def _change(zone: ZoneInfo, early: datetime, late: datetime) -> _Onset:
    before, after = _ahead(zone, early), _ahead(zone, late)
    # Dublin calls its winter the exception and other zones their summer. Calendar programs expect the summer.
    seasonal = _dst(zone, early) != _dst(zone, late)
    name = late.astimezone(zone).tzname() or zone.key
    while late - early > timedelta(seconds=1):
        middle = early + (late - early) // 2
        early, late = (middle, late) if _ahead(zone, middle) == before else (early, middle)
    return _Onset(late.replace(microsecond=0), before, after, seasonal and after > before, name)


def _ahead(zone: ZoneInfo, moment: datetime) -> timedelta:
    return moment.astimezone(zone).utcoffset() or _ZERO


def _dst(zone: ZoneInfo, moment: datetime) -> timedelta:
    return moment.astimezone(zone).dst() or _ZERO


def _offset(ahead: timedelta) -> str:
    minutes, seconds = divmod(abs(int(ahead.total_seconds())), 60)
    sign = "-" if ahead < _ZERO else "+"
    return f"{sign}{minutes // 60:02}{minutes % 60:02}" + (f"{seconds:02}" if seconds else "")


# --- the format


def _moment(name: str, moment: datetime, timezone: str) -> str:
    there = local(moment, timezone)
    if there.tzinfo is UTC or there.fold:
        return f"{name}:{_utc(moment)}"
    return f"{name};TZID={timezone}:{there:%Y%m%dT%H%M%S}"


def _utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _text(name: str, value: str) -> str:
    return f"{name}:{_escaped(value)}"


def _escaped(text: str) -> str:
    """Nobody's title ends a line of ours."""
    return _CONTROL.sub("", _ESCAPED.sub(lambda found: _ESCAPES[found[0]], text))


def _folded(line: str) -> str:
    """At most 75 octets a line, never in the middle of a character; what follows begins with a space."""
    return "\r\n ".join(_pieces(line))


def _pieces(line: str) -> Iterable[str]:
    piece, room = "", LINE_OCTETS
    for character in line:
        size = len(character.encode())
        if size > room:
            yield piece
            piece, room = "", LINE_OCTETS - 1
        piece += character
        room -= size
    yield piece
