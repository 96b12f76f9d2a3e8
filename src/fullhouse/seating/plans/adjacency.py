"""Finds neighbouring seats from coordinates, for plans that do not list them."""

from collections.abc import Sequence
from itertools import pairwise
from math import atan2, cos, hypot, sin
from statistics import fmean, median
from typing import Protocol, TypeVar

XY = tuple[float, float]
GAP = 1.6  # times the usual spacing: a wider step is an aisle or a missing seat


class Placed(Protocol):
    @property
    def at(self) -> XY: ...


P = TypeVar("P", bound=Placed)


def step_lengths(row: Sequence[Placed]) -> list[float]:
    """The distance from each seat to the next."""
    return [hypot(b.at[0] - a.at[0], b.at[1] - a.at[1]) for a, b in pairwise(row)]


def spacing(rows: Sequence[Sequence[Placed]]) -> float:
    """The usual step in all of these rows."""
    usual = [step for row in rows for step in step_lengths(row)]
    return median(usual) if usual else 1.0


def find_gaps(row: Sequence[Placed], usual: float) -> list[bool]:
    """For each seat whether an aisle or a missing seat lies before it. A short row is measured by `usual`."""
    distances = step_lengths(row)
    limit = GAP * (median(distances) if len(distances) >= 3 else usual)
    return [False, *(way > limit for way in distances)] if row else []


def sort_by_position(row: list[P]) -> list[P]:
    """The seats in the order in which they stand. Plans may list odd numbers first, then even ones.

    Sorted along the row's main direction, if that shortens the path through all of them; around a table it does not.
    """
    if len(row) < 3:
        return row
    middle = (fmean(p.at[0] for p in row), fmean(p.at[1] for p in row))
    away = [(p.at[0] - middle[0], p.at[1] - middle[1]) for p in row]
    turn = atan2(2 * sum(x * y for x, y in away), sum(x * x - y * y for x, y in away)) / 2
    along = sorted(range(len(row)), key=lambda i: away[i][0] * cos(turn) + away[i][1] * sin(turn))
    if along.index(0) > len(row) / 2:
        along.reverse()
    ordered = [row[i] for i in along]
    return ordered if sum(step_lengths(ordered)) < 0.99 * sum(step_lengths(row)) else row
