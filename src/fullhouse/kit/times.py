"""Moments and time zones. Stored and compared in UTC; shown where the show is."""

from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from fullhouse.kit.errors import FieldError, Invalid


class UnknownTimezone(Invalid):
    """The time zone is not in the IANA database. Use a name such as Europe/Amsterdam."""

    code, title = "unknown_timezone", "No such time zone"


def utc(moment: datetime) -> datetime:
    """A time without a zone is UTC: that is what the API says it speaks."""
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def timezone(name: str) -> ZoneInfo:
    if name not in _names():
        raise UnknownTimezone(
            f"“{name}” is not a time zone.",
            fields=[FieldError("timezone", "Use an IANA name such as Europe/Amsterdam.")],
        )
    return ZoneInfo(name)


@cache
def _names() -> frozenset[str]:
    return frozenset(available_timezones())
