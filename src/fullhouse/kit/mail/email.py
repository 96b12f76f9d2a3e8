"""What a letter is, before and after somebody has found the words. Pure: rooms derive from it in their models."""

import re
from typing import ClassVar
from uuid import UUID

import msgspec

# Controls, and the signs that turn the reading order of all that follows.
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f\x80-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


class LetterData(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all that a letter can say. `template` names the words; the docstring says when it is written."""

    template: ClassVar[str]


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """In words, twice: as text and as HTML."""

    subject: str
    text: str
    html: str
    sender_name: str | None = None
    reply_to: str | None = None


class Enclosure(msgspec.Struct, frozen=True):
    """Something to go with a letter, by name: a maker of this `kind` makes it of `id` when the letter leaves."""

    kind: str
    id: UUID


def one_line(text: str) -> str:
    """Whatever is in a name: a header, and a line of a letter, is one line, and reads in its own direction."""
    return " ".join(_UNPRINTABLE.sub("", text).split())
