"""Times and time zones. Times are stored and compared in UTC, and shown in the venue's time zone."""

from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from fullhouse.kit.errors import FieldError, Invalid


class UnknownTimezone(Invalid):
    """The time zone is not in the IANA database. Use a name such as Europe/Amsterdam."""

    code, title = "unknown_timezone", "No such time zone"


# asyncpg encodes datetime.min and datetime.max as PostgreSQL's infinities.
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def to_utc(moment: datetime) -> datetime:
    """A time without a zone is UTC, as the API documents. The first and last moment of the calendar are refused."""
    try:
        in_utc = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        in_utc = _LAST
    if not _FIRST < in_utc < _LAST:
        raise Invalid(f"{moment.isoformat()} is out of range. Choose a time within the years 1 to 9999.")
    return in_utc


def parse_timezone(name: str) -> ZoneInfo:
    if name not in _names():
        raise UnknownTimezone(
            f"“{name}” is not a time zone.",
            fields=[FieldError("timezone", "Use an IANA name such as Europe/Amsterdam.")],
        )
    return ZoneInfo(name)


def to_local(moment: datetime, name: str) -> datetime:
    """A time in a time zone; in UTC if the result would be out of range."""
    try:
        return moment.astimezone(ZoneInfo(name))
    except OverflowError:
        return moment.astimezone(UTC)


@cache
def _names() -> frozenset[str]:
    return frozenset(available_timezones())
