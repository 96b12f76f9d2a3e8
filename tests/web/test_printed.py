"""A show in words: its place, its sale, its hours, and a poster where there is no picture."""

from typing import Any

import pytest

from fullhouse.kit.ids import new_id
from fullhouse.web import posters, programme
from tests.events.listed import listed, picture


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
    it = programme.printed(listed(**more))
    assert (it.place, it.venue) == (place, venue)


@pytest.mark.parametrize(
    ("more", "label", "sale"),
    [
        ({}, "", "On sale until Saturday 1 June 2030, 20:00."),
        ({"sale_status": "upcoming"}, "Not on sale yet", "Tickets go on sale on Tuesday 1 January 2030, 10:00."),
        ({"sale_status": "sold_out"}, "Sold out", "Sold out."),
        ({"sale_status": "closed"}, "Sale closed", "The sale is closed."),
        (
            {"phase": "postponed", "sale_status": "suspended"},
            "Postponed",
            "Nothing is sold until there is a new date.",
        ),
        ({"phase": "live"}, "Now on", "On sale until Saturday 1 June 2030, 20:00."),
    ],
)
def test_sale_in_words(more: dict[str, Any], label: str, sale: str) -> None:
    it = programme.printed(listed(**more))
    assert (it.label, it.sale) == (label, sale)


def test_a_night_that_ends_tomorrow() -> None:
    show = listed()
    late = listed(end_time=show.start_time.replace(hour=23, minute=30))
    assert programme.printed(late).when == ["Saturday 1 June 2030, 20:00", "until Sunday 2 June 2030, 01:30"]


def test_a_cover_or_a_poster_of_our_own() -> None:
    assert programme.printed(listed()).cover is None
    assert programme.printed(listed(cover_images=[picture()])).cover == picture()
    ids = [new_id() for _ in range(200)]
    for category in ("theatre", "concert", "other"):
        drawn = [posters.svg(it, category) for it in ids]
        assert drawn == [posters.svg(it, category) for it in ids]
        assert len(set(drawn)) > 150
        assert all(it.startswith("<svg") and it.endswith("</svg>") and "style" not in it for it in drawn)
