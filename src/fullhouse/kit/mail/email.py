"""Emails before and after they are written: data, and text. Pure: domains derive from `EmailData` in their models."""

import re
from typing import ClassVar
from uuid import UUID

import msgspec

# Control characters, and those that change the direction of the text after them.
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f\x80-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


class EmailData(msgspec.Struct, frozen=True, kw_only=True):
    """Base of the data of all emails. `template` names the text; the docstring says when it is sent."""

    template: ClassVar[str]


class Email(msgspec.Struct, frozen=True, kw_only=True):
    """A written email, as text and as HTML."""

    subject: str
    text: str
    html: str
    sender_name: str | None = None
    reply_to: str | None = None


class AttachmentRef(msgspec.Struct, frozen=True):
    """A reference to an attachment: a maker of this `kind` makes the file of `id` when the email is sent."""

    kind: str
    id: UUID


def to_one_line(text: str) -> str:
    """The text on one line, for headers and lines of an email, without characters that change its direction."""
    return " ".join(_UNPRINTABLE.sub("", text).split())
