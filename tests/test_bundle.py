"""How much somebody loads before they see a page: the built scripts, packed as they are sent."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

BUILT = Path(__file__).parents[1] / "src/fullhouse/web/built"
MOST_KB = {"store": 60, "my": 60, "console": 150, "scan": 60}


def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((BUILT / "manifest.json").read_text())
    return found


def closure(known: dict[str, Any], *entries: str) -> set[str]:
    """These, and all that they import."""
    seen, todo = set[str](), [*entries]
    while todo:
        if (key := todo.pop()) not in seen:
            seen.add(key)
            todo += known[key].get("imports", ())
    return seen


def kilobytes(known: dict[str, Any], *entries: str) -> float:
    """Of the scripts of these, and of all that they import."""
    files = {file for key in closure(known, *entries) if (file := known[key]["file"]).endswith(".js")}
    return sum(len(gzip.compress((BUILT / file).read_bytes())) for file in files) / 1000


# The scripts that a page has beside its program's, by its language. The scanner asks for its words itself.
SPOKEN: dict[str, dict[str, list[str]]] = {
    "store": {"en": ["lib/words/speak/en"], "af": ["lib/words/speak/af"]},
    "my": {
        "en": ["lib/words/speak/en", "lib/words/speak/en/later"],
        "af": ["lib/words/speak/af", "lib/words/speak/af/later"],
    },
    "console": {"en": ["lib/words/speak/en"], "af": ["lib/words/speak/af", "console/words/af"]},
    "scan": {"en": []},
}


def entry(program: str) -> str:
    return f"src/{program}/main.ts"


@pytest.mark.parametrize(("program", "language"), [(name, spoken) for name in MOST_KB for spoken in SPOKEN[name]])
def test_no_page_is_large(program: str, language: str) -> None:
    known, main = manifest(), entry(program)
    words = [entry(script) for script in SPOKEN[program][language]]
    heavy = {page: kilobytes(known, *words, main, page) for page in (main, *known[main].get("dynamicImports", ()))}
    assert {page: size for page, size in heavy.items() if size >= MOST_KB[program]} == {}


@pytest.mark.parametrize("language", ["en", "af"])
def test_who_only_looks_does_not_load_the_checkout(language: str) -> None:
    """It comes while somebody chooses; and of what the shop has already, it loads nothing again."""
    known, words = manifest(), f"lib/words/speak/{language}"
    shop = kilobytes(known, entry(words), entry("store"))
    both = kilobytes(known, entry(words), entry("store"), entry(f"{words}/later"), entry("checkout"))
    assert shop + 5 < both < MOST_KB["store"] + 20
    assert not {"checkout", "QrCode"} & {known[key].get("name") for key in closure(known, entry(words), entry("store"))}


@pytest.mark.parametrize("program", ["store", "my"])
def test_nobody_loads_a_language_that_they_do_not_read(program: str) -> None:
    """The program alone says nothing, in any language."""
    known = manifest()
    alone = kilobytes(known, entry(program))
    for language in SPOKEN[program].values():
        assert kilobytes(known, *map(entry, language), entry(program)) > alone + 2


@pytest.mark.parametrize("program", ["scan", "console"])
def test_only_who_has_a_ticket_loads_what_shows_its_code(program: str) -> None:
    """Neither a script for it nor a style sheet."""
    known = manifest()
    loaded = [known[key] for key in (entry(program), *known[entry(program)]["imports"])]
    assert not [file for chunk in loaded for file in [chunk["file"], *chunk.get("css", [])] if "QrCode" in file]
