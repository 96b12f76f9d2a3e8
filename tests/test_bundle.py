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


def kilobytes(known: dict[str, Any], *entries: str) -> float:
    """Of the scripts of these, and of all that they import."""
    seen, todo = set[str](), [*entries]
    while todo:
        if (key := todo.pop()) not in seen:
            seen.add(key)
            todo += known[key].get("imports", ())
    files = {file for key in seen if (file := known[key]["file"]).endswith(".js")}
    return sum(len(gzip.compress((BUILT / file).read_bytes())) for file in files) / 1000


@pytest.mark.parametrize("program", MOST_KB)
def test_no_page_is_large(program: str) -> None:
    known = manifest()
    entry = f"src/{program}/main.ts"
    pages = (entry, *known[entry].get("dynamicImports", ()))
    heavy = {page: kilobytes(known, entry, page) for page in pages}
    assert {page: size for page, size in heavy.items() if size >= MOST_KB[program]} == {}
