"""What the English catalogues say: a page in another language must not."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fullhouse.tickets.words import WORDS as ON_TICKETS
from fullhouse.web.words import AF, EN

WORDS = Path(__file__).parents[1] / "frontend/src/lib/words"
PLACE = re.compile(r"\$\{[^}]*\}|\{\w+\}")


def texts(language: str) -> Iterator[str]:
    """What the pages, the box office and tickets can say."""
    yield from (EN if language == "en" else AF).texts.values()
    yield from ON_TICKETS.of(language).texts.values()
    for file in (f"{language}.ts", f"problems.{language}.ts"):
        source = re.sub(r"^\s*//.*$", "", (WORDS / file).read_text(), flags=re.MULTILINE)
        yield from (found[1] or found[2] for found in re.finditer(r"'((?:[^'\n])+)'|`([^`]+)`", source))


@cache
def english() -> list[re.Pattern[str]]:
    """Of two words and more: one alone may be Afrikaans too. So may what both languages say alike."""
    same = set(texts("af"))
    found = []
    for text in set(texts("en")) - same:
        if len(re.findall(r"[A-Za-z’']{2,}", PLACE.sub(" ", text))) >= 2:
            parts = map(re.escape, PLACE.split(text))
            found.append(re.compile(rf"(?<!\w){'.{0,80}?'.join(parts)}(?!\w)"))
    assert len(found) > 250
    return found


def in_english(said: list[str]) -> set[str]:
    return {text for text in said for known in english() if known.search(text)}
