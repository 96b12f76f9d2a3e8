"""A show as people read it: its times where it happens, its state in words, its poster. Pure."""

from datetime import datetime, time, timedelta
from typing import NamedTuple

from fullhouse.events.public.model import Picture, PublicEvent, is_online
from fullhouse.events.public.structured import UNKNOWN_COUNTRY
from fullhouse.events.sale.policy import next_opening
from fullhouse.kit.languages import Words
from fullhouse.kit.money import Money
from fullhouse.kit.times import local
from fullhouse.web.words import EN

SUMMARY_MAX = 200
ONE_NIGHT = timedelta(hours=18)  # whatever lasts longer has days, and not only hours


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
    t: Words = EN
    least: Money | None = None
    opens_at: datetime | None = None  # while nothing is on sale between two ticket types

    @property
    def when(self) -> list[str]:
        """Two lines: the day and its hours, or the first and the last moment."""
        t = self.t
        last, hour = ending(self.ends)
        if self.starts.date() == last.date():
            return [t.day(self.starts), f"{self.starts:%H:%M}–{hour}"]
        return [f"{t.day(self.starts)}, {self.starts:%H:%M}", t("until_moment", day=t.day(last), hour=hour)]

    @property
    def short(self) -> str:
        """When it begins, in a line; and until which day, if it has several."""
        if self.undated:
            return self.t("new_date_to_come")
        first = f"{self.t.short_day(self.starts)}, {self.starts:%H:%M}"
        last = ending(self.ends)[0]
        if self.ends - self.starts <= ONE_NIGHT or last.date() == self.starts.date():
            return first
        if last.year == self.starts.year:  # said once
            first = first.replace(f" {last.year},", ",")
        return f"{first} – {self.t.short_day(last)}"

    @property
    def zone(self) -> str:
        """Whose clock this is. An event that is just in a city may have no other than everybody's."""
        if self.show.timezone == "UTC":
            return "UTC"
        where = self.t("zone_house") if is_online(self.show) else self.t("zone_city", city=self.show.city)
        return f"{where} ({self.show.timezone.replace('_', ' ')}, {offset(self.starts)})"

    @property
    def place(self) -> list[str]:
        """Lines of an address; an address that names the city need not be followed by it."""
        show = self.show
        if is_online(show):
            return [show.venue_name, self.t("online")]
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
            return f"{self.t('online')} · {show.venue_name}"
        return show.city if show.venue_name == show.city else f"{show.venue_name}, {show.city}"

    @property
    def house(self) -> str:
        """Whose show it is, unless the venue's name says so already."""
        return "" if self.show.organization_name == self.show.venue_name else self.show.organization_name

    @property
    def label(self) -> str:
        """The one word that a card has for the state of things; most cards have none."""
        if self.show.phase == "postponed":
            return self.t("label_postponed" if self.undated else "label_new_date")
        if self.show.phase == "live":
            return self.t("label_live")
        return self.t.texts.get(f"label_{self.show.sale_status}", "")

    @property
    def mood(self) -> str:
        """How the label and the notice look: amber is for time only."""
        return {"postponed": "time", "live": "now"}.get(self.show.phase, "plain")

    @property
    def notice(self) -> Notice | None:
        if self.show.phase == "live":
            return Notice(self.t("live"), self.t("live_more"))
        if self.show.phase == "published" and self.show.sale_status == "upcoming":
            return Notice(self.t("label_upcoming"), self.sale)
        starts = None if self.undated else self.starts
        found = news(self.show.phase, local(self.show.first_start_time, self.show.timezone), starts, self.t)
        if found is None or self.show.phase != "postponed":
            return found
        return found._replace(text=f"{found.text} {self.t('bought_stay')}")  # what whoever has tickets asks first

    @property
    def sale(self) -> str:
        """What there is to buy, and until when."""
        opens = self.show.sale_status == "upcoming"
        if opens and not self.show.has_tickets:
            return self.t("sale_without_tickets")
        opening = self.opens_at or self.show.sale_start_at
        at = local(opening if opens else self.show.sale_end_at, self.show.timezone)
        day, hour = (at, f"{at:%H:%M}") if opens else ending(at)
        return self.t(f"sale_{self.show.sale_status}", day=self.t.day(day), hour=hour)

    @property
    def price(self) -> str:
        """What it takes to come, while there is something to be had or there will be."""
        if self.least is None or not self.show.has_tickets or self.show.sale_status not in ("on_sale", "upcoming"):
            return ""
        return self.t("price_from", price=self.t.money(self.least)) if self.least.amount else self.t("price_free")

    @property
    def sells(self) -> bool:
        """Whether there is a box office on its page: to buy, or to wait for what comes back and to take it."""
        return self.show.sale_status in ("on_sale", "sold_out")

    @property
    def summary(self) -> str:
        """For search engines and those who share the page."""
        text = " ".join(f"{self.short} · {self.venue}. {self.show.description}".split())
        return text if len(text) <= SUMMARY_MAX else text[: SUMMARY_MAX - 1].rstrip() + "…"

    @property
    def cover(self) -> Picture:
        """The first picture; a poster stands in where there is none."""
        return self.show.cover_images[0]


def printed(show: PublicEvent, t: Words = EN, least: Money | None = None, now: datetime | None = None) -> Printed:
    return Printed(
        show,
        path_of(show),
        local(show.start_time, show.timezone),
        local(show.end_time, show.timezone),
        show.phase == "postponed" and show.rescheduled_at is None,
        t,
        least,
        next_opening(show, now) if now else None,
    )


def news(phase: str, was: datetime, starts: datetime | None, t: Words) -> Notice | None:
    """What has become of the date that people may remember. `starts` is the one that counts, if there is one."""
    before = t("was_to_be", day=t.day(was), hour=f"{was:%H:%M}")
    if phase == "cancelled":
        return Notice(t("cancelled"), before)
    if phase != "postponed":
        return None
    if starts is None:
        return Notice(t("postponed"), t("postponed_more", before=before))
    return Notice(t("new_date", day=t.day(starts), hour=f"{starts:%H:%M}"), before)


def ending(at: datetime) -> tuple[datetime, str]:
    """The day and the hour at which something ends. Midnight is the evening's last hour, not the next day's first."""
    return (at - timedelta(days=1), "24:00") if at.time() == time() else (at, f"{at:%H:%M}")


def path_of(show: PublicEvent) -> str:
    return f"/o/{show.organization}/{show.slug}"


def moment(at: datetime, zone: str, t: Words = EN) -> str:
    """Sunday 6 March 2030, 19:30 (Europe/Brussels)"""
    there = local(at, zone)
    return f"{t.day(there)}, {there:%H:%M} ({zone.replace('_', ' ')})"


def offset(moment: datetime) -> str:
    """UTC+2, UTC−3:30; the sign is a minus, not a hyphen."""
    ahead = moment.utcoffset()
    minutes = int(ahead.total_seconds()) // 60 if ahead else 0
    hours, rest = divmod(abs(minutes), 60)
    sign = "−" if minutes < 0 else "+"
    return f"UTC{sign}{hours}" + (f":{rest:02}" if rest else "") if minutes else "UTC"
