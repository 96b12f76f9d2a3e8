"""A show as schema.org knows it, for the machines that read pages. Pure."""

from datetime import datetime
from typing import Any

import msgspec

from fullhouse.events.public.model import PublicEvent, is_online
from fullhouse.kit.money import Money
from fullhouse.kit.times import local

Json = dict[str, Any]

# What is suspended or closed is not on offer.
AVAILABILITY = {"upcoming": "PreOrder", "on_sale": "InStock", "sold_out": "SoldOut"}
UNKNOWN_COUNTRY = "ZZ"
# Valid in JSON as they are, but `</script>` and `<!--` would end or change the element around it.
_UNSAFE = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def event(show: PublicEvent, *, url: str, organizer_url: str, images: list[str], least: Money | None = None) -> Json:
    """Only what is known: a reader takes a missing field for unknown, and a guess for the truth."""
    return {
        "@context": "https://schema.org",
        "@type": "Event",
        "@id": f"urn:uuid:{show.id}",
        "name": show.title,
        "description": show.description,
        "url": url,
        "startDate": _moment(show.start_time, show),
        "endDate": _moment(show.end_time, show),
        **_status(show),
        "eventAttendanceMode": _schema(
            "OnlineEventAttendanceMode" if is_online(show) else "OfflineEventAttendanceMode"
        ),
        "location": _location(show, url),
        **({"image": images} if images else {}),
        "organizer": {"@type": "Organization", "name": show.organization_name, "url": organizer_url},
        **_offers(show, url, least),
    }


def script(data: Json) -> str:
    """To stand inside of `<script type="application/ld+json">`, whatever somebody's title is."""
    text = msgspec.json.encode(data).decode()
    return "".join(_UNSAFE.get(character, character) for character in text)


def _status(show: PublicEvent) -> Json:
    if show.phase != "postponed":
        return {"eventStatus": _schema("EventScheduled")}
    if show.rescheduled_at is None:
        return {"eventStatus": _schema("EventPostponed")}
    return {"eventStatus": _schema("EventRescheduled"), "previousStartDate": _moment(show.first_start_time, show)}


def _location(show: PublicEvent, url: str) -> Json:
    if is_online(show):
        return {"@type": "VirtualLocation", "name": show.venue_name, "url": url}
    country = None if show.country == UNKNOWN_COUNTRY else show.country
    parts = {"streetAddress": show.address, "addressLocality": show.city, "addressCountry": country}
    known = {name: value for name, value in parts.items() if value}
    return {"@type": "Place", "name": show.venue_name, "address": {"@type": "PostalAddress", **known}}


def _offers(show: PublicEvent, url: str, least: Money | None) -> Json:
    if show.sale_status not in AVAILABILITY:
        return {}
    price, currency = str(least).split(" ") if least else ("", "")
    return {
        "offers": {
            "@type": "Offer",
            "url": url,
            "availability": _schema(AVAILABILITY[show.sale_status]),
            **({"price": price, "priceCurrency": currency} if least else {}),
            "validFrom": _moment(show.sale_start_at, show),
            "validThrough": _moment(show.sale_end_at, show),
        }
    }


def _moment(moment: datetime, show: PublicEvent) -> str:
    """With the offset of the place: that is how search engines show it."""
    return local(moment, show.timezone).isoformat(timespec="seconds")


def _schema(word: str) -> str:
    return f"https://schema.org/{word}"
