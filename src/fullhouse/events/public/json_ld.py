"""An event as schema.org JSON-LD, for search engines. Pure."""

from datetime import datetime
from typing import Any

import msgspec

from fullhouse.events.public.model import PublicEvent, is_online
from fullhouse.kit.money import Money
from fullhouse.kit.times import to_local

Json = dict[str, Any]

# A suspended or closed sale has no offer.
AVAILABILITY = {"upcoming": "PreOrder", "on_sale": "InStock", "sold_out": "SoldOut"}
UNKNOWN_COUNTRY = "ZZ"
# Valid in JSON unescaped, but `</script>` and `<!--` would end or change the surrounding element.
_UNSAFE = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def render_event(
    event: PublicEvent, *, url: str, organizer_url: str, images: list[str], least: Money | None = None
) -> Json:
    """Only fields with a known value: consumers read a missing field as unknown."""
    return {
        "@context": "https://schema.org",
        "@type": "Event",
        "@id": f"urn:uuid:{event.id}",
        "name": event.title,
        "description": event.description,
        "url": url,
        "startDate": _format_moment(event.start_time, event),
        "endDate": _format_moment(event.end_time, event),
        **_status(event),
        "eventAttendanceMode": _schema_url(
            "OnlineEventAttendanceMode" if is_online(event) else "OfflineEventAttendanceMode"
        ),
        "location": _location(event, url),
        **({"image": images} if images else {}),
        "organizer": {"@type": "Organization", "name": event.organization_name, "url": organizer_url},
        **_offers(event, url, least),
    }


def render_script(data: Json) -> str:
    """JSON escaped for `<script type="application/ld+json">`, whatever the texts contain."""
    text = msgspec.json.encode(data).decode()
    return "".join(_UNSAFE.get(character, character) for character in text)


def _status(event: PublicEvent) -> Json:
    if event.phase != "postponed":
        return {"eventStatus": _schema_url("EventScheduled")}
    if event.rescheduled_at is None:
        return {"eventStatus": _schema_url("EventPostponed")}
    return {
        "eventStatus": _schema_url("EventRescheduled"),
        "previousStartDate": _format_moment(event.first_start_time, event),
    }


def _location(event: PublicEvent, url: str) -> Json:
    if is_online(event):
        return {"@type": "VirtualLocation", "name": event.venue_name, "url": url}
    country = None if event.country == UNKNOWN_COUNTRY else event.country
    parts = {"streetAddress": event.address, "addressLocality": event.city, "addressCountry": country}
    known = {name: value for name, value in parts.items() if value}
    return {"@type": "Place", "name": event.venue_name, "address": {"@type": "PostalAddress", **known}}


def _offers(event: PublicEvent, url: str, least: Money | None) -> Json:
    if event.sale_status not in AVAILABILITY:
        return {}
    price, currency = str(least).split(" ") if least else ("", "")
    return {
        "offers": {
            "@type": "Offer",
            "url": url,
            "availability": _schema_url(AVAILABILITY[event.sale_status]),
            **({"price": price, "priceCurrency": currency} if least else {}),
            "validFrom": _format_moment(event.sale_start_at, event),
            "validThrough": _format_moment(event.sale_end_at, event),
        }
    }


def _format_moment(moment: datetime, event: PublicEvent) -> str:
    """With the UTC offset of the venue: search engines display local time."""
    return to_local(moment, event.timezone).isoformat(timespec="seconds")


def _schema_url(word: str) -> str:
    return f"https://schema.org/{word}"
