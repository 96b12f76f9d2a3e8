"""A poster for a show that has no picture: drawn from its id, so that it is always the same and hardly another's. Pure.

Posters are prints: their inks do not change with the reader's light. Only attributes, no styles: the content security
policy allows none in a page.
"""

from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID

from markupsafe import Markup

WIDTH, HEIGHT = 300, 200


class Inks(NamedTuple):
    ground: str
    figure: str
    accent: str


INKS = (
    Inks("#14213d", "#f7f5f0", "#7ea6e8"),
    Inks("#0f5c4d", "#f7f5f0", "#8cc9b9"),
    Inks("#8c2f6b", "#f7f5f0", "#e6aed0"),
    Inks("#e6e0d3", "#16181d", "#0f5c4d"),
    Inks("#2a6fdb", "#f7f5f0", "#14213d"),
    Inks("#e07a1f", "#16181d", "#f7f5f0"),
    Inks("#16181d", "#eceae5", "#e07a1f"),
)


class _Dice:
    """Small numbers out of an id, one after the other."""

    def __init__(self, show_id: UUID) -> None:
        self._left = show_id.int & (1 << 62) - 1  # the random end: the beginning is the time

    def roll(self, faces: int) -> int:
        self._left, rolled = divmod(self._left, faces)
        return rolled


def svg(show_id: UUID, category: str) -> Markup:
    dice = _Dice(show_id)
    inks = INKS[dice.roll(len(INKS))]
    known = PATTERNS.get(category, EVERY)
    shapes = known[dice.roll(len(known))](dice, inks)
    return Markup(  # noqa: S704 - numbers and colours of our own
        f'<svg class="print" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="xMidYMid slice" aria-hidden="true"'
        f' focusable="false"><path fill="{inks.ground}" d="M0 0h{WIDTH}v{HEIGHT}H0z"/>{shapes}</svg>'
    )


def _house(dice: _Dice, inks: Inks) -> str:
    """Rows of seats around a stage. One group of them is taken."""
    rows = [62 + 26 * n for n in range(6)]
    taken, x = dice.roll(4), 110 + 10 * dice.roll(9)
    seats = "".join(f"M{x - r} 0a{r} {r} 0 0 0 {2 * r} 0" for r in rows)
    group = f"M{x - rows[taken]} 0a{rows[taken]} {rows[taken]} 0 0 0 {2 * rows[taken]} 0"
    pen = 'fill="none" stroke-width="11" stroke-linecap="round"'
    return (
        f'<path {pen} stroke="{inks.figure}" stroke-dasharray="0 19" d="{seats}"/>'
        f'<path {pen} stroke="{inks.accent}" stroke-dasharray="0 19 0 19 0 19 0 400" stroke-dashoffset="-76"'
        f' d="{group}"/>'
        f'<path fill="{inks.figure}" d="M{x - 30} 0h60v14a8 8 0 0 1-8 8h-44a8 8 0 0 1-8-8z"/>'
    )


def _curtain(dice: _Dice, inks: Inks) -> str:
    """Folds that hang from the top, drawn apart by some width."""
    gap, width = 50 + 12 * dice.roll(6), 17
    left = (WIDTH - gap) // 2
    folds = "".join(
        f"M{x} 0h{width - 5}v{150 - abs(n % 4 - 2) * 9}a{(width - 5) / 2} 9 0 0 1-{width - 5} 0z"
        for n, x in enumerate(range(0, WIDTH, width))
        if x + width < left or x > left + gap
    )
    return (
        f'<circle cx="150" cy="{178 - dice.roll(30)}" r="{22 + 4 * dice.roll(4)}" fill="{inks.accent}"/>'
        f'<path fill="{inks.figure}" d="{folds}M0 188h300v12H0z"/>'
    )


def _tides(dice: _Dice, inks: Inks) -> str:
    """Waves, each a little later than the one above, and something that floats."""
    length, height = 50 + 10 * dice.roll(4), 8 + 3 * dice.roll(4)
    waves = "".join(
        f"M{-length - shift} {y}" + f"q{length / 4} {-height} {length / 2} 0t{length / 2} 0" * (WIDTH // length + 3)
        for y, shift in zip(range(86, 206, 19), range(0, 140, 1 + 7 * dice.roll(3)), strict=False)
    )
    x, y, radius = 60 + 20 * dice.roll(10), 52 + dice.roll(20), 24 + 2 * dice.roll(8)
    return (
        f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{inks.accent}"/>'
        f'<path fill="none" stroke="{inks.figure}" stroke-width="6" d="{waves}"/>'
    )


def _moon(dice: _Dice, inks: Inks) -> str:
    """A disc behind lines that come closer."""
    x, radius = 80 + 14 * dice.roll(11), 56 + 4 * dice.roll(6)
    lines = "".join(f"M0 {y}h300v{2 + n * 2.2:.0f}H0z" for n, y in enumerate((92, 106, 121, 138)))
    return (
        f'<circle cx="{x}" cy="104" r="{radius}" fill="{inks.figure}"/>'
        f'<path fill="{inks.ground}" d="{lines}M0 157h300v43H0z"/>'
        f'<circle cx="{WIDTH - x}" cy="40" r="9" fill="{inks.accent}"/>'
    )


def _beams(dice: _Dice, inks: Inks) -> str:
    """Light from above, on one spot each."""
    spots = [50 + 10 * dice.roll(5), 130 + 10 * dice.roll(5), 210 + 10 * dice.roll(5)]
    lit = dice.roll(3)
    drawn = ""
    for n, spot in enumerate(spots):
        ink, lamp = (inks.accent if n == lit else inks.figure), 75 + 75 * n
        drawn += (
            f'<path fill="{ink}" fill-opacity="{0.95 if n == lit else 0.3}" d="M{lamp - 4} 0h8L{spot + 40} 172h-80z"/>'
        )
        drawn += f'<ellipse cx="{spot}" cy="172" rx="40" ry="11" fill="{ink}"/>'
    return drawn


def _tiles(dice: _Dice, inks: Inks) -> str:
    """Quarter circles, each turned by chance."""
    turns = (
        "h50a50 50 0 0 1-50 50z",
        "m50 0v50a50 50 0 0 1-50-50z",
        "m50 50h-50a50 50 0 0 1 50-50z",
        "m0 50v-50a50 50 0 0 1 50 50z",
    )
    inked = {"figure": "", "accent": ""}
    for n in range(24):
        piece = f"M{n % 6 * 50} {n // 6 * 50}{turns[dice.roll(4)]}"
        inked["accent" if n % 5 == 3 else "figure"] += piece
    return f'<path fill="{inks.figure}" d="{inked["figure"]}"/><path fill="{inks.accent}" d="{inked["accent"]}"/>'


Pattern = Callable[[_Dice, Inks], str]
EVERY: tuple[Pattern, ...] = (_house, _curtain, _tides, _moon, _beams, _tiles)
PATTERNS: dict[str, tuple[Pattern, ...]] = {
    "theatre": (_curtain, _house, _beams, _moon),
    "concert": (_tides, _tiles, _beams, _moon),
}
