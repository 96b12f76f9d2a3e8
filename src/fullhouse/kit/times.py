"""Moments and time zones. Stored and compared in UTC; shown where the show is."""

from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from fullhouse.kit.errors import FieldError, Invalid


class UnknownTimezone(Invalid):
    """The time zone is not in the IANA database. Use a name such as Europe/Amsterdam."""

    code, title = "unknown_timezone", "No such time zone"


# The driver takes the calendar's two ends for PostgreSQL's infinities.
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def utc(moment: datetime) -> datetime:
    """A time without a zone is UTC: that is what the API says it speaks. The ends of the calendar are refused."""
    try:
        there = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        there = _LAST
    if not _FIRST < there < _LAST:
        raise Invalid(f"{moment.isoformat()} is beyond the calendar. Choose a time within the years 1 to 9999.")
    return there


def timezone(name: str) -> ZoneInfo:
    if name not in _names():
        raise UnknownTimezone(
            f"“{name}” is not a time zone.",
            fields=[FieldError("timezone", "Use an IANA name such as Europe/Amsterdam.")],
        )
    return ZoneInfo(name)


def local(moment: datetime, name: str) -> datetime:
    """A moment as the clocks of a place show it; in UTC if that is beyond the calendar."""
    try:
        return moment.astimezone(ZoneInfo(name))
    except OverflowError:
        return moment.astimezone(UTC)


@cache
def _names() -> frozenset[str]:
    return frozenset(available_timezones())
