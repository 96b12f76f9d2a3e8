"""A show in words: its place, its sale, its hours, and a poster where there is no picture."""

from datetime import timedelta
from typing import Any

import pytest

from fullhouse.web import event_views
from tests.events.listed import listed, picture, poster


@pytest.mark.parametrize(
    ("more", "place", "venue"),
    [
        ({}, ["Grande Salle", "Place Xavier-Neujean 7, Liège, BE"], "Grande Salle, Liège"),
        ({"address": "Kouter 1"}, ["Grande Salle", "Kouter 1", "Liège, BE"], "Grande Salle, Liège"),
        ({"address": None, "venue_name": "Liège", "country": "ZZ"}, ["Liège"], "Liège"),
        ({"address": None, "venue_name": "The stream"}, ["The stream", "Online"], "Online · The stream"),
    ],
)
def test_places(more: dict[str, Any], place: list[str], venue: str) -> None:
    it = event_views.to_view(listed(**more))
    assert (it.place, it.venue) == (place, venue)


@pytest.mark.parametrize(
    ("more", "label", "sale"),
    [
        ({}, "", "On sale until Saturday 1 June 2030, 20:00."),
        ({"sale_status": "upcoming"}, "Not on sale yet", "Tickets go on sale on Tuesday 1 January 2030, 10:00."),
        ({"sale_status": "sold_out"}, "Sold out", "Sold out."),
        ({"sale_status": "closed"}, "Sales ended", "Ticket sales have ended."),
        (
            {"phase": "postponed", "sale_status": "suspended"},
            "Postponed",
            "Ticket sales are paused until there is a new date.",
        ),
        ({"phase": "live"}, "On now", "On sale until Saturday 1 June 2030, 20:00."),
    ],
)
def test_sale_in_words(more: dict[str, Any], label: str, sale: str) -> None:
    it = event_views.to_view(listed(**more))
    assert (it.label, it.sale) == (label, sale)


def test_a_night_that_ends_tomorrow() -> None:
    show = listed()
    late = listed(end_time=show.start_time.replace(hour=23, minute=30))
    assert event_views.to_view(late).when == ["Saturday 1 June 2030, 20:00", "until Sunday 2 June 2030, 01:30"]


@pytest.mark.parametrize(
    ("hours", "when", "short"),
    [
        (4, ["Saturday 1 June 2030", "20:00–24:00"], "Sat 1 Jun 2030, 20:00"),
        (
            28,
            ["Saturday 1 June 2030, 20:00", "until Sunday 2 June 2030, 24:00"],
            "Sat 1 Jun, 20:00 – Sun 2 Jun 2030",
        ),
    ],
    ids=["a night", "two days"],
)
def test_midnight_is_the_evenings_last_hour(hours: int, when: list[str], short: str) -> None:
    """Nobody comes on a third day because the second ends at 00:00."""
    show = listed()
    it = event_views.to_view(listed(end_time=show.start_time + timedelta(hours=hours)))
    assert (it.when, it.short) == (when, short)
    closes = event_views.to_view(listed(sale_end_at=show.start_time + timedelta(hours=4)))
    assert closes.sale == "On sale until Saturday 1 June 2030, 24:00."


def test_days_across_a_year_say_both() -> None:
    start = listed().start_time.replace(month=12, day=31)
    it = event_views.to_view(listed(start_time=start, end_time=start + timedelta(days=1)))
    assert it.short == "Tue 31 Dec 2030, 19:00 – Wed 1 Jan 2031"


def test_what_a_visitor_must_not_miss() -> None:
    soon = event_views.to_view(listed(sale_status="upcoming")).notice
    assert soon == ("Not on sale yet", "Tickets go on sale on Tuesday 1 January 2030, 10:00.")
    postponed = event_views.to_view(listed(phase="postponed", sale_status="suspended")).notice
    assert postponed
    assert postponed.text.endswith("Tickets already bought remain valid for the new date.")
    assert event_views.to_view(listed()).notice is None


def test_a_cover_or_a_generated_poster() -> None:
    assert event_views.to_view(listed()).cover == poster()
    assert event_views.to_view(listed(cover_images=[picture()])).cover == picture()
