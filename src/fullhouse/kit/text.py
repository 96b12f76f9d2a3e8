"""Text as machines compare it."""

import re
import unicodedata

SLUG_MAX = 80
_TERM = re.compile(r"""(-?)(?:"([^"]*)"?|([^\s"]+))""")
_NO_WORD = re.compile(r"[\x00-\x1f'\\]")


def folded(text: str) -> str:
    """Without accents, case and outer space: “São  Paulo” and “sao paulo” are the same city."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(plain.casefold().split())


def searchable(text: str) -> str:
    """Folded, and without signs that PostgreSQL may take for letters: in the C locale, all beyond ASCII are."""
    return "".join(c if c.isascii() or c.isalnum() else " " for c in folded(text))


def tsquery(typed: str) -> str:
    """What somebody typed, as PostgreSQL's `to_tsquery` reads it: words, “"words in a row"”, `-without`, `or`. The last
    word may be unfinished. Whatever else is typed is inside of quotes, and means nothing.
    """
    query, operator, last = "", "", None
    for minus, phrase, word in _TERM.findall(searchable(typed)):
        if word.casefold() == "or" and not minus:
            operator = " | "
            continue
        words = " ".join(_NO_WORD.sub(" ", phrase or word).split())
        if not any(map(str.isalnum, words)):
            continue
        query += (operator or " & ") * bool(query) + "!" * bool(minus)
        query += f"'{words}'"
        operator, last = "", None if minus or phrase else words
    # A prefix of one or two letters would be found almost everywhere; in other scripts a sign may be a word.
    return f"{query}:*" if last and len(last.encode()) > 2 else query


def slug(text: str, fallback: str) -> str:
    """A readable piece of an address: “Für Elise — live!” is `fur-elise-live`."""
    words = re.sub(r"[^a-z0-9]+", "-", folded(text)).strip("-")
    return words[:SLUG_MAX].rstrip("-") or fallback
