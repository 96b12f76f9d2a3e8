"""Text normalised for comparison, search and addresses."""

import re
import unicodedata

SLUG_MAX = 80
_TERM = re.compile(r"""(-?)(?:"([^"]*)"?|([^\s"]+))""")
_NO_WORD = re.compile(r"[\x00-\x1f'\\]")


def fold(text: str) -> str:
    """Without accents, case and outer space: “São  Paulo” and “sao paulo” are the same city."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(plain.casefold().split())


def to_searchable(text: str) -> str:
    """Folded, without symbols that PostgreSQL may treat as letters: in the C locale, all non-ASCII ones are."""
    return "".join(c if c.isascii() or c.isalnum() else " " for c in fold(text))


def to_tsquery(typed: str) -> str:
    """A typed search as a query for PostgreSQL's `to_tsquery`: words, “"a phrase"”, `-without`, `or`. The last word
    matches as a prefix. All other characters end up inside quotes, where they are not operators.
    """
    query, operator, last = "", "", None
    for minus, phrase, word in _TERM.findall(to_searchable(typed)):
        if word.casefold() == "or" and not minus:
            operator = " | "
            continue
        words = " ".join(_NO_WORD.sub(" ", phrase or word).split())
        if not any(map(str.isalnum, words)):
            continue
        query += (operator or " & ") * bool(query) + "!" * bool(minus)
        query += f"'{words}'"
        operator, last = "", None if minus or phrase else words
    # A prefix of one or two letters would match almost everything; in other scripts one character may be a word.
    return f"{query}:*" if last and len(last.encode()) > 2 else query


def make_slug(text: str, fallback: str) -> str:
    """A readable part of a URL: “Für Elise — live!” becomes `fur-elise-live`."""
    words = re.sub(r"[^a-z0-9]+", "-", fold(text)).strip("-")
    return words[:SLUG_MAX].rstrip("-") or fallback
