"""The preview is well-formed, shows what there is, and stays small for a stadium."""

from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec.structs import replace

from fullhouse.seating.maps.drawing import NUMBERS_UP_TO, SIMPLE_ABOVE, render_svg
from fullhouse.seating.plans import generators
from fullhouse.seating.plans.generators import Arena, Curved, Festival, Straight, Tables, Theatre
from fullhouse.seating.plans.plan import Plan, Zone, walk
from tests.seating.helpers import house

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def dots(picture: str) -> int:
    paths = [path.get("d", "") for path in ElementTree.fromstring(picture).iter(f"{SVG}path")]
    return sum(path.count("h0") for path in paths if path.startswith("m"))


@pytest.mark.parametrize(
    "request_",
    [Straight(), Curved(), Theatre(), Tables(), Festival(), Arena(floor=100), Arena(stage="end")],
    ids=lambda request: type(request).__name__,
)
def test_every_seat_is_drawn_once(request_: generators.Generator) -> None:
    plan = generators.generate(request_)
    special = sum(place.seat.category != "standard" for place in walk(plan))
    assert dots(render_svg(plan)) == sum(1 for _ in walk(plan)) - special


def test_the_picture_says_what_is_where() -> None:
    plan = generators.festival(Festival())
    said = texts(render_svg(plan))
    assert {"Stage", "Pit", "Standing, 300", "Floor", "Free seating, 400", "Orchestra", "VIP lounge"} <= set(said)
    assert {"Orchestra (300)", "Pit (300)", "VIP lounge (50)", "Wheelchair", "Companion"} <= set(said)
    assert said.count("A") == 2  # the row's label, at both of its ends


def test_price_categories_have_their_colours() -> None:
    picture = render_svg(house())
    assert "#14213D" in picture
    assert "#123456" in picture


@pytest.mark.req("ACC-1")
def test_marks_are_explained_only_where_they_are_used() -> None:
    assert {"Wheelchair", "Companion", "Restricted view"} <= set(texts(render_svg(house())))
    assert not {"Wheelchair", "Companion", "Sold"} & set(texts(render_svg(generators.straight(Straight()))))


def test_states_are_told_apart_without_colour() -> None:
    states = np.array([0, 0, 0, 1, 2, 3, 0], dtype=np.uint8)
    picture = render_svg(house(), states)
    assert {"Sold", "Held", "Blocked"} <= set(texts(picture))
    assert dots(picture) == 2  # A-3 and V-2: the others have a mark of their own
    with pytest.raises(ValueError, match="3 states for 7 seats"):
        render_svg(house(), states[:3])


def test_text_from_outside_stays_text() -> None:
    wild = "</text><script>alert(1)</script>&\x00\x1b\"'"
    plan = house()
    section = replace(plan.zones[0].sections[0], name=wild)
    picture = render_svg(replace(plan, name=wild, zones=(replace(plan.zones[0], sections=(section,)), *plan.zones[1:])))
    root = ElementTree.fromstring(picture)
    assert not list(root.iter(f"{SVG}script"))
    assert "</text><script>alert(1)</script>&\"'" in texts(picture)


def test_numbers_are_written_into_the_seats_of_a_small_house() -> None:
    small, large = (generators.straight(Straight(rows=rows, seats_per_row=50)) for rows in (2, NUMBERS_UP_TO // 50 + 1))
    assert texts(render_svg(small)).count("37") == 2
    assert "37" not in texts(render_svg(large))


def test_a_stadium_is_a_few_paths() -> None:
    plan = generators.arena(
        Arena(tiers=3, rows_per_tier=26, floor_width=1000, floor_height=700, first_tier_sections=24)
    )
    seats = sum(1 for _ in walk(plan))
    assert seats > SIMPLE_ABOVE
    picture = render_svg(plan)
    assert dots(picture) == seats
    assert len(picture) < 12 * seats
    assert len(picture.splitlines()) < 300


def test_a_field_without_seats_has_a_picture_too() -> None:
    plan = Plan(name="Field", width=100, height=50, zones=(Zone(key="f", name="F", zone_type="ga_seated", capacity=9),))
    ElementTree.fromstring(render_svg(plan))
