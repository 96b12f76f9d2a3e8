"""Posters for the demo's shows: drawn from a seed, abstract, like a printed programme in a few inks.

A motif is a function that draws on a sheet with three inks; the seed chooses motif, inks and every measure. Each is
drawn at twice the size and reduced, which makes its edges smooth.
"""

import math
import random
from collections.abc import Callable
from io import BytesIO

from PIL import Image, ImageChops, ImageDraw

SIZE = (1600, 1000)
_SCALE = 2
_W, _H = SIZE[0] * _SCALE, SIZE[1] * _SCALE
PAPER, INK = "#F7F5F0", "#16181D"
GREEN, AMBER, NIGHT, BLUE, ORANGE, PLUM = "#0F5C4D", "#F2B233", "#14213D", "#2A6FDB", "#E07A1F", "#8C2F6B"
SCHEMES = (  # ground, then three inks: the first is the loudest
    (PAPER, GREEN, AMBER, INK),
    (NIGHT, AMBER, PAPER, BLUE),
    (AMBER, INK, PAPER, GREEN),
    (PAPER, PLUM, ORANGE, NIGHT),
    (GREEN, PAPER, AMBER, INK),
    (PAPER, BLUE, ORANGE, NIGHT),
    (PLUM, AMBER, PAPER, NIGHT),
    (INK, ORANGE, PAPER, GREEN),
)
Inks = tuple[str, str, str, str]
Motif = Callable[[ImageDraw.ImageDraw, random.Random, Inks], None]


def poster(seed: str) -> bytes:
    """A JPEG of 1600 × 1000: the same for the same seed, and another for another."""
    chance = random.Random(seed)  # noqa: S311
    motif, inks = chance.choice(MOTIFS), chance.choice(SCHEMES)
    sheet = Image.new("RGB", (_W, _H), inks[0])
    motif(ImageDraw.Draw(sheet), chance, inks)
    out = BytesIO()
    _grain(sheet.reduce(_SCALE), chance).save(out, "JPEG", quality=92, subsampling=0)
    return out.getvalue()


def _grain(sheet: Image.Image, chance: random.Random) -> Image.Image:
    """Paper is never quite even."""
    width, height = SIZE[0] // 4, SIZE[1] // 4
    noise = Image.frombytes("L", (width, height), chance.randbytes(width * height)).point(lambda v: 249 + v // 40)
    return ImageChops.multiply(sheet, noise.resize(SIZE, Image.Resampling.BILINEAR).convert("RGB"))


def _disc(draw: ImageDraw.ImageDraw, x: float, y: float, radius: float, ink: str) -> None:
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=ink)


# --- motifs


def _tide(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """A sun, or a moon, over waves."""
    ground, loud, second, third = inks
    _disc(draw, _W * chance.uniform(0.25, 0.75), _H * chance.uniform(0.3, 0.42), _H * chance.uniform(0.2, 0.3), loud)
    rows, swell = chance.randint(6, 8), _H * chance.uniform(0.022, 0.04)
    for row in range(rows):
        base = _H * (0.5 + 0.52 * row / rows)
        length, shift = _W / chance.uniform(2.2, 4.5), chance.uniform(0, math.tau)
        crest = [(x, base + swell * math.sin(math.tau * x / length + shift)) for x in range(0, _W + 16, 16)]
        draw.polygon([*crest, (_W, _H), (0, _H)], fill=(second, third, ground, third)[row % 4])


def _arches(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """Tiles of quarter circles, as theatres have them on the floor."""
    across, down = 8, 5
    side = _W // across
    for row in range(down):
        for column in range(across):
            x, y = column * side, row * side
            first, second = chance.sample(inks, 2)
            draw.rectangle((x, y, x + side, y + side), fill=first)
            corner = chance.choice(((x, y), (x + side, y), (x, y + side), (x + side, y + side)))
            _wedge(draw, corner, (x + side / 2, y + side / 2), side, second)
            if chance.random() < 0.45:
                _wedge(draw, corner, (x + side / 2, y + side / 2), side * 0.5, first)


def _wedge(
    draw: ImageDraw.ImageDraw, corner: tuple[float, float], towards: tuple[float, float], radius: float, ink: str
) -> None:
    start = {(True, True): 0, (False, True): 90, (False, False): 180, (True, False): 270}[
        towards[0] > corner[0], towards[1] > corner[1]
    ]
    box = (corner[0] - radius, corner[1] - radius, corner[0] + radius, corner[1] + radius)
    draw.pieslice(box, start, start + 90, fill=ink)


def _rays(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """A lamp: beams from one point, and rings around it."""
    _, loud, second, third = inks
    x, y = _W * chance.choice((0.22, 0.5, 0.78)), _H * chance.uniform(0.5, 0.62)
    beams, turn = chance.choice((14, 18, 22)), chance.uniform(0, math.tau)
    for beam in range(beams):
        from_, to = (turn + math.tau * (beam + part) / beams for part in (0.0, 0.5))
        points = [(x + 2 * _W * math.cos(angle), y + 2 * _W * math.sin(angle)) for angle in (from_, to)]
        draw.polygon([(x, y), *points], fill=second if beam % 2 else third)
    radius = _H * chance.uniform(0.3, 0.36)
    for part, ink in ((1.0, inks[0]), (0.86, loud), (0.5, inks[0]), (0.38, third)):
        _disc(draw, x, y, radius * part, ink)


def _skyline(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """Bars of different height, each with a round or a slanting head: organ pipes, or houses at a quay."""
    _, loud, second, third = inks
    _disc(draw, _W * chance.uniform(0.15, 0.85), _H * chance.uniform(0.2, 0.3), _H * chance.uniform(0.1, 0.16), loud)
    count = chance.choice((9, 11, 13))
    wide = _W / count
    for bar in range(count):
        left, right = bar * wide, (bar + 1) * wide + 1
        top = _H * chance.uniform(0.3, 0.78)
        ink = chance.choice((loud, second, third, third))
        draw.rectangle((left, top, right, _H), fill=ink)
        if chance.random() < 0.5:
            draw.pieslice((left, top - wide / 2, right, top + wide / 2), 180, 360, fill=ink)
        else:
            draw.polygon([(left, top), (right, top), (right if chance.random() < 0.5 else left, top - wide)], fill=ink)
        for step in range(int((_H - top) / (wide * 0.5)) - 1):
            if chance.random() < 0.3:
                y = top + wide * (0.35 + 0.5 * step)
                draw.rectangle((left + wide * 0.36, y, left + wide * 0.64, y + wide * 0.22), fill=inks[0])


def _records(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """Two sets of rings that meet, as sound does."""
    ground, loud, second, third = inks
    draw.rectangle((_W * chance.uniform(0.4, 0.6), 0, _W, _H), fill=second)
    for x, y, ink, other in (
        (_W * chance.uniform(0.24, 0.36), _H * chance.uniform(0.4, 0.6), loud, ground),
        (_W * chance.uniform(0.64, 0.76), _H * chance.uniform(0.4, 0.6), third, second),
    ):
        radius, rings = _H * chance.uniform(0.36, 0.46), chance.choice((5, 6, 7))
        for ring in range(rings):
            _disc(draw, x, y, radius * (1 - ring / rings), ink if ring % 2 == 0 else other)


def _curtain(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """Folds that open on a lit stage."""
    _, loud, second, third = inks
    middle, floor = _W * chance.uniform(0.4, 0.6), _H * 0.84
    draw.polygon([(middle, -_H * 0.1), (middle - _W * 0.24, floor), (middle + _W * 0.24, floor)], fill=second)
    draw.rectangle((0, floor, _W, _H), fill=third)
    draw.ellipse((middle - _W * 0.24, floor - _H * 0.06, middle + _W * 0.24, floor + _H * 0.06), fill=second)
    _disc(draw, middle, floor - _H * 0.13, _H * 0.13, third)
    folds = chance.choice((7, 8, 9))
    for side in (-1, 1):
        edge = 0 if side < 0 else _W
        for fold in range(folds, 0, -1):
            reach = (middle - _W * 0.2 if side < 0 else _W - middle - _W * 0.2) * fold / folds
            pulled = reach * chance.uniform(0.62, 0.72)
            fall = [(reach + (pulled - reach) * _ease(step / 40), _H * step / 40) for step in range(41)]
            outer = [(edge - side * width, y) for width, y in fall]
            draw.polygon([(edge, 0), *outer, (edge, _H)], fill=loud if fold % 2 else third)


def _ease(t: float) -> float:
    """From 0 to 1, slow at both ends."""
    return t * t * (3 - 2 * t)


MOTIFS: tuple[Motif, ...] = (_tide, _arches, _rays, _skyline, _records, _curtain)
