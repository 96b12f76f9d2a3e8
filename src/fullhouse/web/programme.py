"""A show as people read it: its times where it happens, its state in words, its poster. Pure."""

from datetime import datetime
from typing import NamedTuple

from markupsafe import Markup

from fullhouse.events.public_model import Picture, PublicEvent, is_online
from fullhouse.events.structured import UNKNOWN_COUNTRY
from fullhouse.kit.times import local
from fullhouse.web import posters

SUMMARY_MAX = 200


class Notice(NamedTuple):
    """What a visitor must not miss."""

    title: str
    text: str


class Printed(NamedTuple):
    """One show on a page."""

    show: PublicEvent
    path: str
    starts: datetime
    ends: datetime
    undated: bool

    @property
    def when(self) -> list[str]:
        """Two lines: the day and its hours, or the first and the last moment."""
        if self.starts.date() == self.ends.date():
            return [day(self.starts), f"{self.starts:%H:%M}–{self.ends:%H:%M}"]
        return [f"{day(self.starts)}, {self.starts:%H:%M}", f"until {day(self.ends)}, {self.ends:%H:%M}"]

    @property
    def short(self) -> str:
        if self.undated:
            return "New date to come"
        return f"{self.starts:%a} {self.starts.day} {self.starts:%b} {self.starts.year}, {self.starts:%H:%M}"

    @property
    def zone(self) -> str:
        """Whose clock this is."""
        where = "The organiser's time" if is_online(self.show) else f"Local time in {self.show.city}"
        return f"{where} ({self.show.timezone.replace('_', ' ')}, {offset(self.starts)})"

    @property
    def place(self) -> list[str]:
        """Lines of an address; an address that names the city need not be followed by it."""
        show = self.show
        if is_online(show):
            return [show.venue_name, "Online"]
        country = "" if show.country == UNKNOWN_COUNTRY else f", {show.country}"
        if show.address and show.city in show.address:
            return [show.venue_name, show.address + country]
        lines = [show.venue_name, show.address, show.city + country]
        return list(dict.fromkeys(line for line in lines if line))

    @property
    def venue(self) -> str:
        """In a few words."""
        show = self.show
        if is_online(show):
            return f"Online · {show.venue_name}"
        return show.city if show.venue_name == show.city else f"{show.venue_name}, {show.city}"

    @property
    def house(self) -> str:
        """Whose show it is, unless the venue's name says so already."""
        return "" if self.show.organization_name == self.show.venue_name else self.show.organization_name

    @property
    def label(self) -> str:
        """The one word that a card has for the state of things; most cards have none."""
        if self.show.phase == "postponed":
            return "Postponed" if self.undated else "New date"
        if self.show.phase == "live":
            return "Now on"
        return {"sold_out": "Sold out", "closed": "Sale closed", "upcoming": "Not on sale yet"}.get(
            self.show.sale_status, ""
        )

    @property
    def mood(self) -> str:
        """How the label and the notice look: amber is for time only."""
        return {"postponed": "time", "live": "now"}.get(self.show.phase, "plain")

    @property
    def notice(self) -> Notice | None:
        was = local(self.show.first_start_time, self.show.timezone)
        before = f"It was to be on {day(was)}, {was:%H:%M}."
        if self.undated:
            return Notice("This show is postponed", f"The new date is not known yet. {before}")
        if self.show.phase == "postponed":
            return Notice(f"New date: {day(self.starts)}, {self.starts:%H:%M}", before)
        if self.show.phase == "live":
            return Notice("Now on", "The doors are open.")
        return None

    @property
    def sale(self) -> str:
        opens, closes = (local(at, self.show.timezone) for at in (self.show.sale_start_at, self.show.sale_end_at))
        return {
            "upcoming": f"Tickets go on sale on {day(opens)}, {opens:%H:%M}.",
            "on_sale": f"On sale until {day(closes)}, {closes:%H:%M}.",
            "sold_out": "Sold out.",
            "suspended": "Nothing is sold until there is a new date.",
            "closed": "The sale is closed.",
        }[self.show.sale_status]

    @property
    def summary(self) -> str:
        """For search engines and those who share the page."""
        text = " ".join(f"{self.short} · {self.venue}. {self.show.description}".split())
        return text if len(text) <= SUMMARY_MAX else text[: SUMMARY_MAX - 1].rstrip() + "…"

    @property
    def art(self) -> Markup:
        return posters.svg(self.show.id, self.show.category)

    @property
    def cover(self) -> Picture | None:
        return self.show.cover_images[0] if self.show.cover_images else None


def printed(show: PublicEvent) -> Printed:
    return Printed(
        show,
        path_of(show),
        local(show.start_time, show.timezone),
        local(show.end_time, show.timezone),
        show.phase == "postponed" and show.rescheduled_at is None,
    )


def path_of(show: PublicEvent) -> str:
    return f"/o/{show.organization}/{show.slug}"


def day(moment: datetime) -> str:
    return f"{moment:%A} {moment.day} {moment:%B} {moment.year}"


def offset(moment: datetime) -> str:
    """UTC+2, UTC−3:30; the sign is a minus, not a hyphen."""
    ahead = moment.utcoffset()
    minutes = int(ahead.total_seconds()) // 60 if ahead else 0
    hours, rest = divmod(abs(minutes), 60)
    sign = "−" if minutes < 0 else "+"
    return f"UTC{sign}{hours}" + (f":{rest:02}" if rest else "") if minutes else "UTC"


def words(category: str) -> str:
    return category.replace("_", " ").capitalize()
