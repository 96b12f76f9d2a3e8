"""Messages for text that does not match a pattern: msgspec's own only quotes the regular expression."""

import ast
import re

# `(?!\n)` refuses a final line break, which `$` alone would allow; the messages do not mention it.
MESSAGES = {
    r"\S": "Enter some text; spaces alone are not enough.",
    r"^[a-z0-9](-?[a-z0-9]){0,99}$": "Lowercase letters and digits, with single hyphens between, such as main-hall.",
    r"^[a-z0-9](-?[a-z0-9]){1,62}$": "Lowercase letters and digits, with single hyphens between, such as main-hall.",
    r"^[a-z0-9](_?[a-z0-9]){0,39}$": "Lowercase letters and digits, with single underscores between, such as theatre.",
    r"^[a-z0-9](_?[a-z0-9]){0,62}$": "Lowercase letters and digits, with single underscores between, such as friends.",
    r"^[A-Z0-9][A-Z0-9_-]{0,39}$": "Capital letters, digits, hyphens and underscores, such as GATE_A.",
    r"^[A-Za-z0-9][A-Za-z0-9-]{2,39}$": "Three or more letters, digits and hyphens, such as FRIENDS-2030.",
    r"^[A-Za-z0-9][A-Za-z0-9._:-]*$": "Letters, digits, and . _ : - between them, such as A-1.",
    r"^#[0-9A-Fa-f]{6}$": "A colour as # and six digits from 0 to F, such as #2A6FDB.",
    r"^[A-Z]{3}$": "Three capital letters, such as EUR.",
    r"^[a-z]{2}$": "Two lowercase letters, such as en.",
    r"^[a-z]{2}(-[A-Z]{2})?$": "A language, and a country if need be, such as en or en-ZA.",
    r"^[^@\s<>,;:\"()\[\]\\]+@[^@\s<>,;:\"()\[\]\\]+$": "An e-mail address, such as ana@example.org.",
    r"^[^@\s]+@[^@\s]+$": "An e-mail address, such as ana@example.org.",
    r"^(\*|[a-z_]+(\.[a-z_]+)*(\.\*)?)$": "A fact, or a group of facts, such as event.published or event.*.",
    r"^\d{4}-\d{2}-\d{2}T": "A time such as 2026-01-31T19:30:00Z.",
}
DEFAULT_MESSAGE = "The format is not valid."
_COMPLAINT = re.compile(r"^Expected `str` matching regex (?P<quoted>'.*'|\".*\")$", re.DOTALL)


def find_message(pattern: str) -> str | None:
    return MESSAGES.get(pattern.removesuffix(r"(?!\n)"))


def translate_complaint(what: str) -> str | None:
    """The message for msgspec's error; None if it is not about a pattern."""
    found = _COMPLAINT.match(what)
    return found and (find_message(ast.literal_eval(found["quoted"])) or DEFAULT_MESSAGE)
