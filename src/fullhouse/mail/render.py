"""Renders emails: `render(data, brand, language)` returns one as text and HTML. Pure, except for reading the templates.

`templates/NAME.txt` begins with the subject, then the preheader that mail programs show beside it, then the text.
`templates/NAME.html` is the body of `base.html`. A template that names a field which the struct lacks raises.
Templates are in English, each text inside of `_("…")`; `words.py` has the translations.
"""

import re
import textwrap
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from fullhouse.kit.languages import Words
from fullhouse.kit.mail.email import Email, EmailData, to_one_line
from fullhouse.kit.times import to_local
from fullhouse.mail.model import Brand, HeldSpots
from fullhouse.mail.words import AFRIKAANS, TEXTS
from fullhouse.tickets import documents
from fullhouse.tickets.model import TicketPlace
from fullhouse.tickets.words import WORDS

T = TypeVar("T")
WIDTH = 72
SUBJECT_MAX = 120
LABEL_WIDTH = {"en": 10, "af": 13}
BLACK, WHITE = "#000000", "#FFFFFF"
_FOLDER = FileSystemLoader(Path(__file__).with_name("templates"))
_LABEL = re.compile(r"  \S[^:\n]{0,11}: +|  |- ")


def _create_environment(language: str, *, html: bool) -> Environment:
    environment = Environment(
        extensions=["jinja2.ext.i18n"],
        loader=_FOLDER,
        autoescape=html,  # noqa: S701 (plain text has no markup to escape)
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=not html,
    )
    translate, t = TEXTS[language], WORDS.of(language)
    environment.install_gettext_callables(  # type: ignore[attr-defined]
        translate, lambda one, many, n: translate(one if n == 1 else many), newstyle=True
    )
    environment.globals["language"] = language
    environment.filters |= {
        "when": partial(format_time, t),
        "clock": format_clock,
        "money": t.money,
        "label": partial(format_label, language),
        "place": partial(format_place, t, translate),
        "named": lambda text: translate(text) if text in AFRIKAANS else text,  # a value of a fixed set, such as a role
    }
    return environment


def format_time(t: Words, moment: datetime, zone: str) -> str:
    """Saturday 14 March 2026, 19:30 (Europe/Amsterdam)."""
    there = to_local(moment, zone)
    return f"{t.day(there)}, {there:%H:%M} ({_zone_name(zone)})"


def format_label(language: str, text: str) -> str:
    """The label of a line, padded so that the values form a column."""
    return f"  {text + ':':<{LABEL_WIDTH[language]}}"


def format_place(t: Words, translate: Callable[[str], str], it: TicketPlace | None) -> str:
    """Stalls, row C, seat 12; 2 × Stalls."""
    if it is None:
        return translate("no replacement seat")
    where = documents.render_place(it, t) or translate("general admission")
    return f"{it.quantity} × {where}" if isinstance(it, HeldSpots) and it.row is None else where


def format_clock(moment: datetime, zone: str) -> str:
    return f"{to_local(moment, zone):%H:%M}"


def _zone_name(zone: str) -> str:
    return zone.replace("_", " ")


_PLAIN = {language: _create_environment(language, html=False) for language in TEXTS}
_HTML = {language: _create_environment(language, html=True) for language in TEXTS}


def render(data: EmailData, brand: Brand, locale: str = "en") -> Email:
    data, brand = _sanitise(data), _sanitise(brand)
    language = locale[:2] if locale[:2] in TEXTS else "en"
    plain, html = _PLAIN[language], _HTML[language]
    values: dict[str, Any] = {
        "it": data,
        "brand": brand,
        "ink": text_colour_on(brand.colour),
        "link": lambda path: brand.address + path,
    }
    rendered = plain.get_template(f"{data.template}.txt").render(values)
    subject, preheader, text = rendered.split("\n", 2)
    ending = plain.get_template("ending.txt").render(values)
    values["preheader"] = preheader
    return Email(
        subject=textwrap.shorten(subject, SUBJECT_MAX, placeholder="…") if len(subject) > SUBJECT_MAX else subject,
        text=wrap_text(text.strip() + "\n\n" + ending),
        html=html.get_template(f"{data.template}.html").render(values),
        sender_name=brand.sender_name or brand.name,
        reply_to=brand.reply_to or brand.contact_email,
    )


def wrap_text(text: str) -> str:
    """Wraps lines at `WIDTH`. URLs are never broken; continuation lines are indented to their label."""
    return "\n".join(_wrap_line(line) for line in text.rstrip().split("\n")) + "\n"


def _wrap_line(line: str) -> str:
    label = _LABEL.match(line)
    indent = " " * (label.end() if label else 0)
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _sanitise(value: T) -> T:
    """Reduces every text to one printable line, so that no user input can start a header, a line or a paragraph."""
    if isinstance(value, str):
        return to_one_line(value)  # type: ignore[return-value]
    if isinstance(value, tuple):
        return tuple(map(_sanitise, value))  # type: ignore[return-value]
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        return type(value)(**{name: _sanitise(getattr(value, name)) for name in names})
    return value


@lru_cache(maxsize=1024)
def text_colour_on(colour: str) -> str:
    """Black or white, whichever contrasts more with this colour by WCAG: at least 4.5 for every colour."""
    return max((BLACK, WHITE), key=lambda ink: contrast(ink, colour))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
