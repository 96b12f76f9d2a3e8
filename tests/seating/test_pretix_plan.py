"""Plans of pretix, as its editor writes them and as people mend them by hand."""

import copy
import json
from typing import Any

import numpy as np
import pytest

from fullhouse.kit.errors import Malformed
from fullhouse.seating.plans.chart import build_chart
from fullhouse.seating.plans.checks import check
from fullhouse.seating.plans.plan import Plan, PlanInvalid, Point, walk
from fullhouse.seating.plans.pretix.importer import import_plan

pytestmark = pytest.mark.req("SEAT-1")


def seat(guid: str, number: str, x: float, y: float = 0.0, category: str = "Stalls") -> dict[str, Any]:
    position = {"x": x, "y": y}
    return {"seat_guid": guid, "uuid": f"u-{guid}", "seat_number": number, "position": position, "category": category}


def row(label: str, x: float, y: float, seats: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "uuid": f"r-{label}-{y}",
        "row_number": label,
        "row_number_position": "both",
        "position": {"x": x, "y": y},
        "seats": seats,
    }


def hall() -> dict[str, Any]:
    """Stalls with an aisle after the fourth seat, a balcony numbered odd and even, a stage and a bar."""
    stalls = [
        row(label, 10, 40 * i, [seat(f"S-{label}-{n}", str(n), 25 * n + (50 if n > 4 else 0)) for n in range(1, 9)])
        for i, label in enumerate("ABC")
    ]
    order = [1, 3, 5, 2, 4, 6]  # as somebody listed them; they stand 5 3 1 2 4 6
    places = {number: index for index, number in enumerate([5, 3, 1, 2, 4, 6])}
    balcony = [row("1", 0, 0, [seat(f"B-{n}", str(n), 25 * places[n], category="Balcony") for n in order])]
    return {
        "name": "Town hall",
        "size": {"width": 600, "height": 500},
        "categories": [{"name": "Stalls", "color": "#2a6fdb"}, {"name": "Balcony", "color": "#E71"}],
        "zones": [
            {
                "name": "Stalls",
                "zone_id": "stalls",
                "uuid": "z1",
                "position": {"x": 100, "y": 120},
                "rows": stalls,
                "areas": [
                    {
                        "uuid": "a1",
                        "shape": "rectangle",
                        "color": "#ccc",
                        "border_color": "#000",
                        "rotation": 0,
                        "position": {"x": 50, "y": -100},
                        "rectangle": {"width": 200, "height": 40},
                        "text": {"position": {"x": 100, "y": 20}, "color": "#333", "text": "Bühne", "size": 16},
                    },
                    {
                        "shape": "circle",
                        "position": {"x": 400, "y": 300},
                        "circle": {"radius": 30},
                        "text": {"text": "Bar", "position": {"x": 0, "y": 0}},
                    },
                ],
            },
            {
                "name": "Balcony",
                "uuid": "z2",
                "position": {"x": 140, "y": 400},
                "rows": balcony,
                "areas": [
                    {
                        "shape": "polygon",
                        "position": {"x": -20, "y": -20},
                        "polygon": {
                            "points": [{"x": 0, "y": 0}, {"x": 200, "y": 0}, {"x": 200, "y": 50}, {"x": 0, "y": 50}]
                        },
                    }
                ],
            },
        ],
    }


def changed(*path: Any, to: Any) -> dict[str, Any]:
    """The hall with one value replaced."""
    document = copy.deepcopy(hall())
    at: Any = document
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = to
    return document


def numbers(plan: Plan, zone: int) -> list[list[str]]:
    return [[s.number for s in r.seats] for section in plan.zones[zone].sections for r in section.rows]


def test_a_plan_is_read_and_sound() -> None:
    plan, notes = import_plan(hall())
    assert check(plan) == []
    assert (plan.name, plan.width, plan.height) == ("Town hall", 600, 500)
    assert [(zone.key, zone.name) for zone in plan.zones] == [("stalls", "Stalls"), ("Balcony", "Balcony")]
    assert [(c.key, c.name, c.color) for c in plan.price_categories] == [
        ("stalls", "Stalls", "#2a6fdb"),
        ("balcony", "Balcony", "#EE7711"),
    ]
    assert len(list(walk(plan))) == 30
    assert not any("not known" in note or "new keys" in note for note in notes)


def test_text_does_as_well_as_an_object() -> None:
    assert import_plan(json.dumps(hall()).encode()) == import_plan(hall())


def test_positions_add_up_and_guids_become_keys() -> None:
    plan, _ = import_plan(hall())
    first = plan.zones[0].sections[0].rows[1].seats[0]
    assert (first.key, first.number, first.x, first.y) == ("S-B-1", "1", 100 + 10 + 25, 120 + 40 + 0)
    assert first.price_category == "stalls"


def test_neighbours_are_found_once_and_written_down() -> None:
    plan, notes = import_plan(hall())
    assert [s.key for s in plan.zones[0].sections[0].rows[0].seats if s.gap_before] == ["S-A-5"]
    assert build_chart(plan).run.tolist()[:8] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert any(
        "a step above 1.6 times the usual one in the row is an aisle (3 found in 4 rows)" in note for note in notes
    )


def test_seats_stand_as_they_stand_not_as_they_are_listed() -> None:
    plan, notes = import_plan(hall())
    assert numbers(plan, 1) == [["5", "3", "1", "2", "4", "6"]]
    assert not any(s.gap_before for s in plan.zones[1].sections[0].rows[0].seats)
    assert "In 1 row the seats were not listed in order: they were sorted by position." in notes


def test_a_round_table_keeps_its_order() -> None:
    angles = [2 * np.pi * i / 8 for i in range(8)]
    around = [seat(f"T-{i}", str(i + 1), float(40 * np.cos(a)), float(40 * np.sin(a))) for i, a in enumerate(angles)]
    plan, _ = import_plan(changed("zones", 1, "rows", to=[row("T", 0, 0, around)]))
    assert numbers(plan, 1) == [["1", "2", "3", "4", "5", "6", "7", "8"]]


def test_a_short_row_is_measured_by_the_others() -> None:
    plan, _ = import_plan(changed("zones", 1, "rows", to=[row("1", 0, 0, [seat("x", "1", 0), seat("y", "2", 150)])]))
    assert [s.gap_before for s in plan.zones[1].sections[0].rows[0].seats] == [False, True]


def test_areas_are_a_stage_an_outline_or_told_of() -> None:
    plan, notes = import_plan(hall())
    assert plan.focal_point == Point(100 + 50 + 100, 120 - 100 + 20)
    assert "The area “Bühne” is used as the point that people look at." in notes
    assert "The area “Bar” is a drawing without places and was left out." in notes
    assert plan.zones[0].area == ()
    assert plan.zones[1].area[0] == Point(120, 380)
    assert len(plan.zones[1].area) == 4


def test_a_turned_area() -> None:
    turned = changed("zones", 0, "areas", 0, "rotation", to=90)
    assert import_plan(turned)[0].focal_point == Point(150 - 20, 20 + 100)


def test_without_a_stage_the_upper_edge_is_looked_at() -> None:
    plan, notes = import_plan(changed("zones", 0, "areas", to=[]))
    assert plan.focal_point == Point(300, 0)
    assert any(note.startswith("No stage was found") for note in notes)


def test_unknown_fields_are_told_of_and_not_fatal() -> None:
    document = changed("zones", 0, "rows", 0, "seats", 0, "colour", to="red")
    document["zones"][0]["rows"][1]["seats"][3]["colour"] = "red"
    document["licence"] = "free"
    plan, notes = import_plan(document)
    assert len(list(walk(plan))) == 30
    assert "The field zones[].rows[].seats[].colour is not known here and was left out, 2 times." in notes
    assert "The field licence is not known here and was left out, 1 time." in notes


def test_the_older_format() -> None:
    document = hall()
    del document["size"]
    for zone in document["zones"]:
        zone["displayed"] = True
        zone["areas"] = [{"width": 10, "height": 5, "position": {"x": 0, "y": 0}, "text": "Stage"}]
        for each in zone["rows"]:
            each["seats_spacing"] = 25
    plan, _ = import_plan(document)
    assert check(plan) == []
    assert plan.focal_point is not None


def test_guids_are_made_clean_and_single() -> None:
    document = hall()
    first, second, third = document["zones"][0]["rows"][0]["seats"][:3]
    first["seat_guid"], second["seat_guid"], third["seat_guid"] = "Süd / 1", "S-A-4", ""
    plan, notes = import_plan(document)
    assert check(plan) == []
    assert [s.key for s in plan.zones[0].sections[0].rows[0].seats[:4]] == ["S-d-1", "S-A-4", "A-3", "S-A-4-2"]
    assert "3 seats got new keys: the seat_guid was missing, unclean or double." in notes


def test_many_equal_guids_take_no_longer_than_they_must() -> None:
    rows = [row(str(r), 0, 30 * r, [seat("same", str(n), 25 * n) for n in range(100)]) for r in range(100)]
    plan, _ = import_plan(changed("zones", 0, "rows", to=rows))
    assert len({place.seat.key for place in walk(plan)}) == 10_006


def test_places_outside_the_size_make_the_plan_larger() -> None:
    plan, _ = import_plan(changed("zones", 1, "position", to={"x": -300, "y": 900}))
    assert check(plan) == []
    assert plan.width > 600
    assert plan.height > 900


def test_rows_of_one_name_become_sections() -> None:
    document = hall()
    document["zones"][0]["rows"][1]["row_number"] = "A"
    plan, notes = import_plan(document)
    assert check(plan) == []
    assert [(s.name, [r.label for r in s.rows]) for s in plan.zones[0].sections] == [
        ("Stalls", ["A", "C"]),
        ("Stalls 2", ["A"]),
    ]
    assert "“Stalls” has rows of the same name: they became 2 sections." in notes


def test_blocks_that_each_begin_with_one_become_sections() -> None:
    document = hall()
    for i, each in enumerate(document["zones"][0]["rows"][0]["seats"]):
        each["seat_number"] = str(i % 4 + 1)
    plan, _ = import_plan(document)
    assert check(plan) == []
    assert [[r.label for r in s.rows] for s in plan.zones[0].sections] == [["A", "B", "C"], ["A"]]


def test_numbers_that_cannot_be_told_apart_are_made_anew() -> None:
    document = hall()
    document["zones"][0]["rows"][0]["seats"][1]["seat_number"] = "1"
    plan, notes = import_plan(document)
    assert check(plan) == []
    assert numbers(plan, 0)[0] == ["1", "2", "3", "4", "5", "6", "7", "8"]
    assert "Row A of “Stalls” had two seats of one number: it was renumbered." in notes


def test_missing_names_and_numbers_as_integers() -> None:
    document = hall()
    del document["zones"][0]["name"], document["zones"][0]["zone_id"]
    document["zones"][0]["rows"][0]["row_number"] = 7
    document["zones"][0]["rows"][0]["seats"][0]["seat_number"] = 1
    document["zones"][0]["rows"][0]["seats"][1]["seat_number"] = ""
    plan, notes = import_plan(document)
    assert check(plan) == []
    assert (plan.zones[0].key, plan.zones[0].name) == ("zone-1", "Zone 1")
    assert plan.zones[0].sections[0].rows[0].label == "7"
    assert "1 seat without a number: counted from the row's beginning." in notes


def test_a_category_that_nobody_listed_is_added() -> None:
    document = changed("zones", 0, "rows", 0, "seats", 0, "category", to="Box")
    plan, notes = import_plan(document)
    assert check(plan) == []
    assert [category.name for category in plan.price_categories] == ["Stalls", "Balcony", "Box"]
    assert "The category “Box” is not among the plan's categories and was added." in notes


def test_a_zone_without_seats_is_left_out() -> None:
    plan, notes = import_plan(changed("zones", 1, "rows", to=[]))
    assert [zone.name for zone in plan.zones] == ["Stalls"]
    assert "The zone “Balcony” has no seats and was left out." in notes


@pytest.mark.parametrize(
    ("document", "paths"),
    [
        ({}, {"zones"}),
        ({"zones": 3}, {"zones"}),
        ({"zones": [{"name": "A"}]}, {"zones[0].rows"}),
        (
            changed("zones", 0, "rows", 0, "seats", 0, "position", to={"x": "left", "y": 0}),
            {"zones[0].rows[0].seats[0].position.x"},
        ),
        (
            changed("zones", 0, "rows", 0, "seats", 0, "position", to={"x": 1e9, "y": 0}),
            {"zones[0].rows[0].seats[0].position.x"},
        ),
        (
            changed("zones", 0, "rows", 0, "seats", to=[{"seat_number": "1"}, 4]),
            {"zones[0].rows[0].seats[0].position", "zones[0].rows[0].seats[1]"},
        ),
    ],
)
def test_what_has_not_the_shape_of_a_plan_is_refused_with_its_places(document: dict[str, Any], paths: set[str]) -> None:
    with pytest.raises(PlanInvalid) as caught:
        import_plan(document)
    assert {error.path for error in caught.value.fields} == paths


@pytest.mark.parametrize("text", [b"", b"nonsense", b"\xff\xfe"])
def test_what_is_no_json_is_malformed(text: bytes) -> None:
    with pytest.raises(Malformed):
        import_plan(text)


def test_a_list_is_no_plan() -> None:
    with pytest.raises(PlanInvalid):
        import_plan(b"[]")
