"""An event as a page shows it: its times in the venue's time zone, its state in words, its poster. Pure functions."""

from datetime import datetime, time, timedelta
from typing import NamedTuple

from fullhouse.events.public.json_ld import UNKNOWN_COUNTRY
from fullhouse.events.public.model import Picture, PublicEvent, is_online
from fullhouse.events.sale.policy import next_opening
from fullhouse.kit.languages import Words
from fullhouse.kit.money import Money
from fullhouse.kit.times import to_local
from fullhouse.web.words import EN

SUMMARY_MAX = 200
ONE_NIGHT = timedelta(hours=18)  # an event that lasts longer is shown with its last day


class Notice(NamedTuple):
    """A notice at the top of the page."""

    title: str
    text: str


class EventView(NamedTuple):
    """One event, with the texts and values that templates need."""

    show: PublicEvent
    path: str
    starts: datetime
    ends: datetime
    undated: bool
    t: Words = EN
    least: Money | None = None
    opens_at: datetime | None = None  # when the next ticket type goes on sale, if none is on sale now

    @property
    def when(self) -> list[str]:
        """Two lines: the day and its hours, or the first and the last moment."""
        t = self.t
        last, hour = split_end(self.ends)
        if self.starts.date() == last.date():
            return [t.day(self.starts), f"{self.starts:%H:%M}–{hour}"]
        return [f"{t.day(self.starts)}, {self.starts:%H:%M}", t("until_moment", day=t.day(last), hour=hour)]

    @property
    def short(self) -> str:
        """The start in one line, and the last day if there are several."""
        if self.undated:
            return self.t("new_date_to_come")
        first = f"{self.t.short_day(self.starts)}, {self.starts:%H:%M}"
        last = split_end(self.ends)[0]
        if self.ends - self.starts <= ONE_NIGHT or last.date() == self.starts.date():
            return first
        if last.year == self.starts.year:  # name the year once
            first = first.replace(f" {last.year},", ",")
        return f"{first} – {self.t.short_day(last)}"

    @property
    def zone(self) -> str:
        """The time zone in words. An imported event without a known zone is in UTC."""
        if self.show.timezone == "UTC":
            return "UTC"
        where = self.t("zone_house") if is_online(self.show) else self.t("zone_city", city=self.show.city)
        return f"{where} ({self.show.timezone.replace('_', ' ')}, {format_offset(self.starts)})"

    @property
    def place(self) -> list[str]:
        """The lines of the address; the city is left out where the address names it already."""
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
        """Venue and city in one line."""
        show = self.show
        if is_online(show):
            return f"{self.t('online')} · {show.venue_name}"
        return show.city if show.venue_name == show.city else f"{show.venue_name}, {show.city}"

    @property
    def house(self) -> str:
        """The organiser's name, unless the venue has the same name."""
        return "" if self.show.organization_name == self.show.venue_name else self.show.organization_name

    @property
    def label(self) -> str:
        """The label of a card, such as “Sold out”; most cards have none."""
        if self.show.phase == "postponed":
            return self.t("label_postponed" if self.undated else "label_new_date")
        if self.show.phase == "live":
            return self.t("label_live")
        return self.t.texts.get(f"label_{self.show.sale_status}", "")

    @property
    def mood(self) -> str:
        """The style of the label and the notice; amber is for changed dates only."""
        return {"postponed": "time", "live": "now"}.get(self.show.phase, "plain")

    @property
    def notice(self) -> Notice | None:
        if self.show.phase == "live":
            return Notice(self.t("live"), self.t("live_more"))
        if self.show.phase == "published" and self.show.sale_status == "upcoming":
            return Notice(self.t("label_upcoming"), self.sale)
        starts = None if self.undated else self.starts
        found = describe_date_change(
            self.show.phase, to_local(self.show.first_start_time, self.show.timezone), starts, self.t
        )
        if found is None or self.show.phase != "postponed":
            return found
        return found._replace(text=f"{found.text} {self.t('bought_stay')}")  # for people who have tickets

    @property
    def sale(self) -> str:
        """The state of the sale, and until when it lasts."""
        opens = self.show.sale_status == "upcoming"
        if opens and not self.show.has_tickets:
            return self.t("sale_without_tickets")
        opening = self.opens_at or self.show.sale_start_at
        at = to_local(opening if opens else self.show.sale_end_at, self.show.timezone)
        day, hour = (at, f"{at:%H:%M}") if opens else split_end(at)
        return self.t(f"sale_{self.show.sale_status}", day=self.t.day(day), hour=hour)

    @property
    def price(self) -> str:
        """The lowest price, while tickets are on sale or will be."""
        if self.least is None or not self.show.has_tickets or self.show.sale_status not in ("on_sale", "upcoming"):
            return ""
        return self.t("price_from", price=self.t.money(self.least)) if self.least.amount else self.t("price_free")

    @property
    def sells(self) -> bool:
        """Whether the page has a box office: to buy, or to join the waitlist."""
        return self.show.sale_status in ("on_sale", "sold_out")

    @property
    def summary(self) -> str:
        """The description for search engines and link previews."""
        text = " ".join(f"{self.short} · {self.venue}. {self.show.description}".split())
        return text if len(text) <= SUMMARY_MAX else text[: SUMMARY_MAX - 1].rstrip() + "…"

    @property
    def cover(self) -> Picture:
        """The first picture. Events without one have a generated poster."""
        return self.show.cover_images[0]


def to_view(show: PublicEvent, t: Words = EN, least: Money | None = None, now: datetime | None = None) -> EventView:
    return EventView(
        show,
        path_of(show),
        to_local(show.start_time, show.timezone),
        to_local(show.end_time, show.timezone),
        show.phase == "postponed" and show.rescheduled_at is None,
        t,
        least,
        next_opening(show, now) if now else None,
    )


def describe_date_change(phase: str, was: datetime, starts: datetime | None, t: Words) -> Notice | None:
    """The notice of a cancelled or postponed event. `was` is the original start, `starts` the new one if known."""
    before = t("was_to_be", day=t.day(was), hour=f"{was:%H:%M}")
    if phase == "cancelled":
        return Notice(t("cancelled"), before)
    if phase != "postponed":
        return None
    if starts is None:
        return Notice(t("postponed"), t("postponed_more", before=before))
    return Notice(t("new_date", day=t.day(starts), hour=f"{starts:%H:%M}"), before)


def split_end(at: datetime) -> tuple[datetime, str]:
    """The day and hour at which something ends. Midnight is shown as 24:00 of the evening, not 00:00 the next day."""
    return (at - timedelta(days=1), "24:00") if at.time() == time() else (at, f"{at:%H:%M}")


def path_of(show: PublicEvent) -> str:
    return f"/o/{show.organization}/{show.slug}"


def format_moment(at: datetime, zone: str, t: Words = EN) -> str:
    """Sunday 6 March 2030, 19:30 (Europe/Brussels)"""
    there = to_local(at, zone)
    return f"{t.day(there)}, {there:%H:%M} ({zone.replace('_', ' ')})"


def format_offset(moment: datetime) -> str:
    """UTC+2, UTC−3:30; the sign is a minus, not a hyphen."""
    ahead = moment.utcoffset()
    minutes = int(ahead.total_seconds()) // 60 if ahead else 0
    hours, rest = divmod(abs(minutes), 60)
    sign = "−" if minutes < 0 else "+"
    return f"UTC{sign}{hours}" + (f":{rest:02}" if rest else "") if minutes else "UTC"
