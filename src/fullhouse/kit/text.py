"""Text as machines compare it."""

import re
import unicodedata

SLUG_MAX = 80


def folded(text: str) -> str:
    """Without accents, case and outer space: “São  Paulo” and “sao paulo” are the same city."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(plain.casefold().split())


def slug(text: str, fallback: str) -> str:
    """A readable piece of an address: “Für Elise — live!” is `fur-elise-live`."""
    words = re.sub(r"[^a-z0-9]+", "-", folded(text)).strip("-")
    return words[:SLUG_MAX].rstrip("-") or fallback
