"""schema.org: what search engines are told, and that no title gets out of its script element."""

from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest

from fullhouse.events.public import json_ld
from fullhouse.kit.money import Money
from tests.events.listed import ID, listed, picture

URL = "https://example.org/o/grand-house/the-tempest"


def described(**more: Any) -> dict[str, Any]:
    images = ["https://example.org/images/1/large.jpg"] if more.get("cover_images") else []
    about = json_ld.render_event(
        listed(**more), url=URL, organizer_url="https://example.org/o/grand-house", images=images
    )
    read: dict[str, Any] = msgspec.json.decode(json_ld.render_script(about))
    assert read == about
    return read


def test_a_show() -> None:
    assert described() == {
        "@context": "https://schema.org",
        "@type": "Event",
        "@id": f"urn:uuid:{ID}",
        "name": "The Tempest",
        "description": "An island, a storm, a duke.",
        "url": URL,
        "startDate": "2030-06-01T20:00:00+02:00",
        "endDate": "2030-06-01T22:00:00+02:00",
        "eventStatus": "https://schema.org/EventScheduled",
        "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
        "location": {
            "@type": "Place",
            "name": "Grande Salle",
            "address": {
                "@type": "PostalAddress",
                "streetAddress": "Place Xavier-Neujean 7, Liège",
                "addressLocality": "Liège",
                "addressCountry": "BE",
            },
        },
        "organizer": {
            "@type": "Organization",
            "name": "The Grand House",
            "url": "https://example.org/o/grand-house",
        },
        "offers": {
            "@type": "Offer",
            "url": URL,
            "availability": "https://schema.org/InStock",
            "validFrom": "2030-01-01T10:00:00+01:00",
            "validThrough": "2030-06-01T20:00:00+02:00",
        },
    }
    assert described(cover_images=[picture()])["image"] == ["https://example.org/images/1/large.jpg"]


@pytest.mark.parametrize(
    ("phase", "rescheduled", "status", "previous"),
    [
        ("published", False, "EventScheduled", None),
        ("live", False, "EventScheduled", None),
        ("postponed", False, "EventPostponed", None),
        ("postponed", True, "EventRescheduled", "2030-03-01T19:00:00+01:00"),
    ],
)
def test_status(phase: str, rescheduled: bool, status: str, previous: str | None) -> None:
    new = datetime(2030, 6, 1, 18, tzinfo=UTC) if rescheduled else None
    first = datetime(2030, 3, 1, 18, tzinfo=UTC)
    found = described(phase=phase, rescheduled_at=new, first_start_time=first)
    assert found["eventStatus"] == f"https://schema.org/{status}"
    assert found.get("previousStartDate") == previous


@pytest.mark.parametrize(
    ("sale_status", "availability"),
    [("upcoming", "PreOrder"), ("on_sale", "InStock"), ("sold_out", "SoldOut"), ("suspended", None), ("closed", None)],
)
def test_what_is_on_offer(sale_status: str, availability: str | None) -> None:
    offers = described(sale_status=sale_status).get("offers")
    assert (offers and offers["availability"]) == (availability and f"https://schema.org/{availability}")


def test_online_and_somewhere_in_a_city() -> None:
    online = described(address=None, venue_name="The stream")
    assert online["eventAttendanceMode"] == "https://schema.org/OnlineEventAttendanceMode"
    assert online["location"] == {"@type": "VirtualLocation", "name": "The stream", "url": URL}
    somewhere = described(address=None, venue_name="Liège", country="ZZ")
    assert somewhere["eventAttendanceMode"] == "https://schema.org/OfflineEventAttendanceMode"
    assert somewhere["location"]["address"] == {"@type": "PostalAddress", "addressLocality": "Liège"}


class _Scripts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize(
    "title",
    [
        "</script><script>alert(1)</script>",
        "<!--<script>",
        "</SCRIPT >",
        "]]>",
        "&lt;/script&gt;",
        'quote " and \\ backslash',
        "line\u2028separator\u2029",
        "🎭 مسرح",
    ],
)
def test_no_title_leaves_its_element(title: str) -> None:
    about = json_ld.render_event(listed(title=title), url=URL, organizer_url=URL, images=[])
    text = json_ld.render_script(about)
    assert not set("<>&\u2028\u2029") & set(text)
    parser = _Scripts()
    parser.feed(f'<script type="application/ld+json">{text}</script>')
    assert parser.tags == ["script"]
    assert msgspec.json.decode(parser.text)["name"] == title


@pytest.mark.parametrize(
    ("least", "said"),
    [
        (Money(12_050, "ZAR"), {"price": "120.50", "priceCurrency": "ZAR"}),
        (Money(0, "EUR"), {"price": "0.00", "priceCurrency": "EUR"}),
        (Money(500, "JPY"), {"price": "500", "priceCurrency": "JPY"}),
        (None, {}),
    ],
)
def test_what_a_place_costs_at_least(least: Money | None, said: dict[str, str]) -> None:
    about = json_ld.render_event(listed(), url=URL, organizer_url=URL, images=[], least=least)
    assert {name: value for name, value in about["offers"].items() if name.startswith("price")} == said
