"""A public show as a plain value, for what is pure; and a reader of iCalendar that shares no line with the writer."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.events.public.model import Picture, PublicEvent

ID = UUID("01920000-0000-7000-8000-000000000001")
HOUSE = UUID("01920000-0000-7000-8000-000000000002")
PUBLISHED = datetime(2030, 1, 1, 9, tzinfo=UTC)


def listed(**more: Any) -> PublicEvent:
    """An evening in Liège in 2030, announced on the first of January and unchanged since."""
    start = more.get("start_time", datetime(2030, 6, 1, 18, tzinfo=UTC))
    usual: dict[str, Any] = {
        "id": ID,
        "organization_id": HOUSE,
        "organization": "grand-house",
        "organization_name": "The Grand House",
        "slug": "the-tempest",
        "title": "The Tempest",
        "description": "An island, a storm, a duke.",
        "category": "theatre",
        "status": "published",
        "phase": "published",
        "sale_status": "on_sale",
        "has_tickets": True,
        "sold_out": False,
        "venue_name": "Grande Salle",
        "city": "Liège",
        "country": "BE",
        "address": "Place Xavier-Neujean 7, Liège",
        "timezone": "Europe/Brussels",
        "start_time": start,
        "end_time": start + timedelta(hours=2),
        "first_start_time": start,
        "rescheduled_at": None,
        "sale_start_at": PUBLISHED,
        "sale_end_at": start,
        "sale_periods": None,
        "capacity": 0,
        "cover_image_ids": [],
        "cover_images": [poster()],
        "owner_id": None,
        "active_participants": 0,
        "published_at": PUBLISHED,
        "created_at": PUBLISHED,
        "changed_at": PUBLISHED,
    }
    return PublicEvent(**usual | more)


def picture() -> Picture:
    return _picture(f"/images/{HOUSE}/{ID}")


def poster() -> Picture:
    """What stands in where there is no picture."""
    return _picture(f"/posters/{ID}", generated=True)


def _picture(at: str, *, generated: bool = False) -> Picture:
    return Picture(ID, f"{at}/small.jpg", f"{at}/medium.jpg", f"{at}/large.jpg", generated)


class Property(NamedTuple):
    parameters: dict[str, str]
    value: str


class Component:
    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.properties: dict[str, Property] = {}
        self.inside: list[Component] = []

    def __getitem__(self, name: str) -> str:
        """The text, with its escapes undone."""
        undone = {"\\n": "\n", "\\N": "\n", "\\,": ",", "\\;": ";", "\\\\": "\\"}
        return re.sub(r"\\[nN,;\\]", lambda found: undone[found[0]], self.properties[name].value)

    def all(self, kind: str) -> "list[Component]":
        return [component for component in self.inside if component.kind == kind]

    def one(self, kind: str) -> "Component":
        (only,) = self.all(kind)
        return only


def parsed(raw: bytes) -> Component:
    """Strict: CRLF everywhere, at most 75 octets a line, every BEGIN with its END."""
    *lines, end = raw.split(b"\r\n")
    assert end == b""
    assert all(len(line) <= 75 and b"\n" not in line and b"\r" not in line for line in lines)
    for line in lines:
        line.decode()  # no character is cut in two
    root = Component("")
    open_now = [root]
    for text in re.sub(rb"\r\n ", b"", b"\r\n".join(lines)).decode().split("\r\n"):
        match = re.fullmatch(r"([A-Z-]+)((?:;[A-Z-]+=[^;:]+)*):(.*)", text)
        assert match, text
        name, parameters, value = match.groups()
        if name == "BEGIN":
            open_now[-1].inside.append(Component(value))
            open_now.append(open_now[-1].inside[-1])
        elif name == "END":
            assert open_now.pop().kind == value
        else:
            assert name not in open_now[-1].properties, f"{name} twice"
            given = dict(parameter.split("=") for parameter in parameters.split(";")[1:])
            open_now[-1].properties[name] = Property(given, value)
    assert open_now == [root]
    return root.one("VCALENDAR")


def moment(calendar: Component, event: Component, name: str) -> datetime:
    """DTSTART or DTEND in UTC, by nothing but the rules that the calendar brings along."""
    parameters, value = event.properties[name]
    if value.endswith("Z"):
        return _as_utc(value[:-1])
    (zone,) = [zone for zone in calendar.all("VTIMEZONE") if zone["TZID"] == parameters["TZID"]]
    there = _as_utc(value)
    onsets = sorted((_as_utc(o["DTSTART"]) - _offset(o["TZOFFSETFROM"]), _offset(o["TZOFFSETTO"])) for o in zone.inside)
    possible = [
        there - ahead
        for n, (at, ahead) in enumerate(onsets)
        if at <= there - ahead and (n + 1 == len(onsets) or there - ahead < onsets[n + 1][0])
    ]
    return min(possible)  # of two, the first is meant


def _as_utc(text: str) -> datetime:
    """A clock's face, as if it were UTC's."""
    return datetime.strptime(text, "%Y%m%dT%H%M%S").replace(tzinfo=UTC)


def _offset(text: str) -> timedelta:
    match = re.fullmatch(r"([+-])(\d\d)(\d\d)(\d\d)?", text)
    assert match, text
    ahead = timedelta(hours=int(match[2]), minutes=int(match[3]), seconds=int(match[4] or 0))
    return -ahead if match[1] == "-" else ahead
