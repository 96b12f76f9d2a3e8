"""Generated posters: abstract drawings in a few colours, from a seed. Used for events without a picture, and for the
demo's. Pure.

A motif is a function that draws on an image with three colours. The seed determines colours and measures, and the motif
too unless it is named. Drawn at twice the size and reduced, for smooth edges.
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
SCHEMES = (  # background, then three colours: the first is the strongest
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


def draw_poster(seed: str, motif_name: str | None = None) -> bytes:
    """A JPEG of 1600 × 1000, determined by the seed."""
    chance = random.Random(seed)  # noqa: S311
    motif, inks = MOTIFS[motif_name or chance.choice(list(MOTIFS))], chance.choice(SCHEMES)
    sheet = Image.new("RGB", (_W, _H), inks[0])
    motif(ImageDraw.Draw(sheet), chance, inks)
    out = BytesIO()
    _add_grain(sheet.reduce(_SCALE), chance).save(out, "JPEG", quality=92, subsampling=0)
    return out.getvalue()


def _add_grain(sheet: Image.Image, chance: random.Random) -> Image.Image:
    """Adds a little noise, like the texture of paper."""
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
    """Tiles of quarter circles."""
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


def _contours(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """A coast on a map: lines of the same depth around an island."""
    ground, loud, second, third = inks
    x, y, lobes, turn = _W * chance.uniform(0.4, 0.6), _H * 0.52, chance.choice((3, 4, 5)), chance.uniform(0, math.tau)
    for line in range(12, 0, -1):
        radius, wobble = _H * 0.075 * line, 0.1 + 0.022 * line
        shape = [
            (
                x + 1.35 * radius * (1 + wobble * math.sin(lobes * angle + turn)) * math.cos(angle),
                y + radius * (1 + wobble * math.cos((lobes - 1) * angle - turn)) * math.sin(angle),
            )
            for angle in (math.tau * step / 180 for step in range(180))
        ]
        draw.polygon(shape, fill=(loud if line < 4 else second) if line % 2 else ground)
    _disc(draw, x, y, _H * 0.035, third)


def _rain(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """Rain that slants over a house with one light."""
    ground, loud, second, third = inks
    for column in range(-14, 44):
        x, length = _W * column / 40, _H * chance.uniform(0.25, 0.7)
        y = _H * chance.uniform(-0.2, 0.6)
        width = _W * chance.choice((0.006, 0.009, 0.013))
        draw.line((x, y, x + length * 0.42, y + length), fill=chance.choice((second, second, loud)), width=int(width))
    left, right, eaves = _W * 0.56, _W * 0.84, _H * 0.66
    draw.polygon([(left - _W * 0.03, eaves), ((left + right) / 2, _H * 0.4), (right + _W * 0.03, eaves)], fill=third)
    draw.rectangle((left, eaves - 2, right, _H), fill=third)
    draw.rectangle((left + _W * 0.1, _H * 0.72, left + _W * 0.17, _H * 0.86), fill=ground)
    draw.rectangle((0, _H * 0.94, _W, _H), fill=third)


def _keys(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """A keyboard below, and above it the notes that fall on it."""
    ground, loud, second, third = inks
    count, top = 14, _H * 0.62
    wide = _W / count
    if ground == PAPER:  # as the keys are
        draw.rectangle((0, 0, _W, top), fill=second)
    for column in range(count):
        for _ in range(chance.randint(0, 2)):
            y, tall = _H * chance.uniform(0.05, 0.5), _H * chance.uniform(0.05, 0.16)
            ink = chance.choice((loud, third))
            draw.rounded_rectangle(
                (wide * (column + 0.22), y, wide * (column + 0.78), y + tall), radius=int(wide * 0.28), fill=ink
            )
    draw.rectangle((0, top - _H * 0.03, _W, top), fill=loud)
    draw.rectangle((0, top, _W, _H), fill=PAPER)
    for column in range(count):
        draw.line((wide * column, top, wide * column, _H), fill=third, width=8)
        if column % 7 not in (0, 3):
            draw.rectangle((wide * (column - 0.3), top, wide * (column + 0.3), _H * 0.86), fill=third)


def _leaves(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """Stems with leaves on both sides."""
    for stem in range(5):
        x, ink = _W * (0.1 + 0.2 * stem + chance.uniform(-0.02, 0.02)), inks[1 + stem % 3]
        top, lean = _H * chance.uniform(0.06, 0.3), _W * chance.uniform(-0.05, 0.05)
        draw.line((x, _H, x + lean, top), fill=ink, width=int(_W * 0.006))
        pairs = chance.choice((5, 6, 7))
        for pair in range(pairs):
            along = pair / pairs
            here, y, long = x + lean * along, _H + (top - _H) * along, _W * 0.085 * (1.15 - 0.6 * along)
            for side in (-1, 1):
                tip = (here + side * long, y - long * 0.75)
                draw.polygon(
                    [(here, y), *_bow((here, y), tip, side * 0.34), tip, *_bow(tip, (here, y), side * 0.34)], fill=ink
                )
        _disc(draw, x + lean, top, _W * 0.016, inks[1 + (stem + 1) % 3])


def _bow(start: tuple[float, float], end: tuple[float, float], depth: float) -> list[tuple[float, float]]:
    """Points on a line that bends to one side."""
    (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    bends = [(step / 12, depth * math.sin(math.pi * step / 12)) for step in range(1, 12)]
    return [(x + dx * t + dy * bend, y + dy * t - dx * bend) for t, bend in bends]


def _flame(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """Tongues, one inside the other, in a row of seven."""
    _, loud, second, third = inks
    for tongue in range(7):
        x, base = _W * (0.08 + 0.14 * tongue), _H * 0.9
        tall, lean = _H * chance.uniform(0.42, 0.8), _W * chance.uniform(-0.035, 0.035)
        for part, ink in ((1.0, loud), (0.68, second), (0.36, third)):
            half, peak = _W * 0.062 * part, base - tall * part
            rise = [(half * math.sin(math.pi * t**0.65), t) for t in (step / 30 for step in range(31))]
            sides = [
                [(x + lean * t * part + side * width, base + (peak - base) * t) for width, t in rise]
                for side in (-1, 1)
            ]
            draw.polygon([*sides[0], *reversed(sides[1])], fill=ink)
    draw.rectangle((0, _H * 0.9, _W, _H), fill=third)


def _aurora(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """Bands of light that hang over a dark horizon, among stars."""
    _, loud, second, third = inks
    draw.rectangle((0, 0, _W, _H), fill=NIGHT)
    for _ in range(70):
        _disc(draw, _W * chance.random(), _H * chance.random() * 0.8, _W * chance.uniform(0.0008, 0.002), PAPER)
    bright = [ink for ink in (loud, second, third, GREEN, AMBER) if ink not in (INK, NIGHT)][:3]
    for band, ink in enumerate(bright):
        shift, length = chance.uniform(0, math.tau), _W / chance.uniform(1.1, 1.8)
        for step in range(120):
            x = _W * step / 120
            y = _H * (0.2 + 0.17 * band) + _H * 0.1 * math.sin(math.tau * x / length + shift)
            tall = _H * (0.12 + 0.1 * abs(math.sin(step * 0.37 + shift)))
            draw.rectangle((x, y - tall / 2, x + _W / 170, y + tall / 2), fill=ink)
    ridge = [
        (x, _H * (0.86 + 0.04 * math.sin(x / _W * 9) + 0.02 * math.sin(x / _W * 31))) for x in range(0, _W + 40, 40)
    ]
    draw.polygon([*ridge, (_W, _H), (0, _H)], fill=INK)


def _hills(draw: ImageDraw.ImageDraw, chance: random.Random, inks: Inks) -> None:
    """Hills behind hills, a low sun, and flags."""
    ground, loud, second, third = inks
    _disc(draw, _W * chance.uniform(0.3, 0.7), _H * 0.42, _H * 0.24, loud)
    for row, ink in enumerate((second, third, ground, second, third)):
        base, length, shift = _H * (0.46 + 0.12 * row), _W / chance.uniform(0.9, 1.6), chance.uniform(0, math.tau)
        back = [(x, base + _H * 0.09 * math.sin(math.tau * x / length + shift)) for x in range(0, _W + 20, 20)]
        draw.polygon([*back, (_W, _H), (0, _H)], fill=ink)
    for pole in range(5):
        x, top = _W * (0.12 + 0.19 * pole), _H * chance.uniform(0.5, 0.6)
        draw.line((x, top, x, _H * 0.96), fill=INK, width=14)
        draw.polygon([(x, top), (x + _W * 0.06, top + _H * 0.045), (x, top + _H * 0.09)], fill=loud)


MOTIFS: dict[str, Motif] = {
    "tide": _tide, "arches": _arches, "rays": _rays, "skyline": _skyline, "records": _records, "curtain": _curtain,
    "contours": _contours, "rain": _rain, "keys": _keys, "leaves": _leaves, "flame": _flame, "aurora": _aurora,
    "hills": _hills,
}  # fmt: skip
