"""Finds the words: `render(data, brand)` is a letter in text and HTML. Pure, but for reading the templates once.

`templates/NAME.txt` begins with the subject, then the line that mail programs show beside it, then the text.
`templates/NAME.html` is the body of `base.html`. A value that a template names and the struct has not is an error.
"""

import re
import textwrap
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from fullhouse.kit.letters import Letter, LetterData, one_line
from fullhouse.kit.times import local
from fullhouse.messaging.mail_model import Brand

T = TypeVar("T")
WIDTH = 72
SUBJECT_MAX = 120
BLACK, WHITE = "#000000", "#FFFFFF"
_FOLDER = FileSystemLoader(Path(__file__).with_name("templates"))
_LABEL = re.compile(r"  \S[^:\n]{0,11}: +|  |- ")


def _environment(*, html: bool) -> Environment:
    made = Environment(
        loader=_FOLDER,
        autoescape=html,  # noqa: S701 (plain text has no markup to escape)
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=not html,
    )
    made.filters |= {"when": when, "clock": clock}
    return made


def when(moment: datetime, zone: str) -> str:
    """Saturday 14 March 2026, 19:30 (Europe/Amsterdam)."""
    there = local(moment, zone)
    return f"{there:%A} {there.day} {there:%B} {there.year}, {there:%H:%M} ({_zone_name(zone)})"


def clock(moment: datetime, zone: str) -> str:
    return f"{local(moment, zone):%H:%M}"


def _zone_name(zone: str) -> str:
    return zone.replace("_", " ")


_TEXT, _HTML = _environment(html=False), _environment(html=True)


def render(data: LetterData, brand: Brand) -> Letter:
    data, brand = _clean(data), _clean(brand)
    values: dict[str, Any] = {
        "it": data,
        "brand": brand,
        "ink": ink_on(brand.colour),
        "link": lambda path: brand.address + path,
    }
    words = _TEXT.get_template(f"{data.template}.txt").render(values)
    subject, preheader, text = words.split("\n", 2)
    ending = _TEXT.get_template("ending.txt").render(values)
    values["preheader"] = preheader
    return Letter(
        subject=textwrap.shorten(subject, SUBJECT_MAX, placeholder="…") if len(subject) > SUBJECT_MAX else subject,
        text=wrapped(text.strip() + "\n\n" + ending),
        html=_HTML.get_template(f"{data.template}.html").render(values),
        sender_name=brand.sender_name or brand.name,
        reply_to=brand.reply_to or brand.contact_email,
    )


def wrapped(text: str) -> str:
    """In lines that a narrow window shows whole. An address is never broken; what goes on under a label is indented."""
    return "\n".join(_wrapped_line(line) for line in text.rstrip().split("\n")) + "\n"


def _wrapped_line(line: str) -> str:
    label = _LABEL.match(line)
    indent = " " * (label.end() if label else 0)
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _clean(value: T) -> T:
    """Every text in it as one printable line: nobody's name can begin a header, a line or a paragraph of ours."""
    if isinstance(value, str):
        return one_line(value)  # type: ignore[return-value]
    if isinstance(value, tuple):
        return tuple(map(_clean, value))  # type: ignore[return-value]
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        return type(value)(**{name: _clean(getattr(value, name)) for name in names})
    return value


@lru_cache(maxsize=1024)
def ink_on(colour: str) -> str:
    """Black or white, whichever is easier to read on this colour, by WCAG's measure: at least 4.5 for every one."""
    return max((BLACK, WHITE), key=lambda ink: contrast(ink, colour))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
