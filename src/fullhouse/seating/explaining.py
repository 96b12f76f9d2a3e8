"""What allocation says about itself, in sentences. Names come from outside: nothing here knows a plan."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from fullhouse.seating.index import Index


class Names(NamedTuple):
    row: Callable[[int], str]  # of a row's index: "A"
    seat: Callable[[int], str]  # of an ordinal: "A-1"


NUMBERS = Names(row=lambda row: str(row + 1), seat=lambda ordinal: str(ordinal + 1))
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def words(number: int) -> str:
    return WORDS[number] if number < len(WORDS) else str(number)


def listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def seated(index: Index, pieces: Sequence[Sequence[int]], own: Sequence[int], names: Names) -> str:
    """“4 together in row A, 1 in row B, one row behind”."""
    rows = [int(index.chart.row[piece[0]]) for piece in pieces]
    base = int(index.chart.row[own[0]]) if own else rows[0]
    said = []
    for place, (piece, row) in enumerate(zip(pieces, rows, strict=True)):
        text = f"{len(piece)} {'together ' if len(piece) > 1 else ''}in row {names.row(row)}"
        said.append(text if place == 0 and not own else text + from_base(index, base, row))
    return ", ".join(said)


def from_base(index: Index, base: int, row: int) -> str:
    if index.row_section[row] != index.row_section[base]:
        return " of another section"
    if row == base:
        return ", further along the row"
    distance = abs(row - base)
    return f", {words(distance)} row{'s' * (distance > 1)} {'behind' if row > base else 'in front'}"


def alone(orphans: Sequence[int], names: Names) -> str:
    """“leaves A-1 and A-4 alone”."""
    return f"leaves {listed([names.seat(ordinal) for ordinal in orphans])} alone"
