"""Houses drawn in text, for allocation. A row `/` begins a section.

`.` free, `x` gone, `o` the party's own, `-` in play but not for this buyer, `|` an aisle, `w` a wheelchair space
(`W` gone), `c` a companion seat of the nearest one (`C` soft-reserved).
"""

from typing import NamedTuple

import numpy as np

from fullhouse.seating.allocation.best_available import Choice, Refused, best_available
from fullhouse.seating.allocation.explanations import Names
from fullhouse.seating.allocation.index import BoolArray, Index, build_index
from fullhouse.seating.allocation.orphans import AllocationRules
from fullhouse.seating.plans.chart import Chart

DEFAULT = AllocationRules()


class Drawn(NamedTuple):
    index_: Index
    free: BoolArray
    in_play: BoolArray
    own: list[int]
    soft: list[int]
    letters: str
    language: str = "en"

    def names(self) -> Names:
        row = self.index_.chart.row
        firsts = {int(place): int(np.argmax(row == place)) for place in np.unique(row)}
        return Names(
            row=lambda place: chr(65 + place),
            seat=lambda seat: f"{chr(65 + int(row[seat]))}-{seat - firsts[int(row[seat])] + 1}",
        ).in_language(self.language)


def drawn(*rows: str, focal: tuple[float, float] | None = None) -> Drawn:
    seats: list[tuple[str, int, int, int, float]] = []  # letter, section, row, run, x
    section = run = row = 0
    for text in rows:
        if text == "/":
            section += 1
            continue
        for place, letter in enumerate(text):
            if letter != "|":
                seats.append((letter, section, row, run, place))
            run += letter == "|"
        row, run = row + 1, run + 1
    letters = "".join(seat[0] for seat in seats)
    companion_of = [-1] * len(seats)
    for place, letter in enumerate(letters):
        if letter in "cC":
            wheels = [other for other, known in enumerate(letters) if known in "wW"]
            companion_of[place] = min(wheels, key=lambda wheel: (abs(wheel - place), wheel), default=-1)
    middle = (len(rows[0]) - 1) / 2
    numbers = [np.array([seat[field] for seat in seats]) for field in (1, 2, 3)]
    chart = Chart(
        zone=numbers[0],
        section=numbers[0],
        row=numbers[1],
        run=numbers[2],
        x=np.array([seat[4] for seat in seats], float),
        y=np.array([seat[2] + 3 * seat[1] for seat in seats], float),
        category=np.array([1 if letter in "wW" else 2 if letter in "cC" else 0 for letter in letters]),
        price=np.zeros(len(seats), int),
        companion_of=np.array(companion_of),
        focal_x=focal[0] if focal else middle,
        focal_y=focal[1] if focal else -4.0,
    )
    return Drawn(
        build_index(chart),
        np.array([letter in ".wc" for letter in letters]),
        np.array([letter in ".wcC-" for letter in letters]),
        [place for place, letter in enumerate(letters) if letter == "o"],
        [place for place, letter in enumerate(letters) if letter == "C"],
        letters,
    )


def hall(sections: int = 3, rows: int = 20, seats: int = 25, aisle_after: int = 12) -> Index:
    line = "." * aisle_after + "|" + "." * (seats - aisle_after)
    plan = [line for _ in range(rows)]
    return drawn(*[row for _ in range(sections) for row in ("/", *plan)][1:]).index_


def ask(
    house: Drawn,
    quantity: int,
    rules: AllocationRules = DEFAULT,
    *,
    accessible: int = 0,
    rotate: int = 0,
    zones: set[int] | None = None,
) -> Choice | Refused:
    return best_available(
        house.index_,
        house.free,
        house.in_play,
        quantity,
        rules,
        accessible=accessible,
        own=house.own,
        soft_reserved=house.soft,
        rotate=rotate,
        zones=zones,
        names=house.names(),
    )


def got(
    house: Drawn, quantity: int, rules: AllocationRules = DEFAULT, *, accessible: int = 0, rotate: int = 0
) -> Choice:
    answer = ask(house, quantity, rules, accessible=accessible, rotate=rotate)
    assert isinstance(answer, Choice), answer
    return answer
