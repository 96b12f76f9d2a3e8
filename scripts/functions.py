"""Keeps docs/functions.md true: where the current text of each of the database's functions stands.

    python scripts/functions.py           exits 1 if it is out of date
    python scripts/functions.py --write   writes it

A migration that was applied never changes, so a function that is made better stands in a later one again, whole. Who
reads wants the last.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MIGRATIONS = ROOT / "src" / "fullhouse" / "migrations"
PAGE = ROOT / "docs" / "functions.md"
DEFINED = re.compile(r"^(?P<verb>CREATE|DROP)(?: OR REPLACE)? FUNCTION app\.(?P<name>\w+)", re.MULTILINE)
HEAD = """# The database's functions

What is decided under locks in one statement, and what must hold whoever writes, is a function in the schema `app`. A
migration never changes once it was applied, so a function that is made better stands in a later one again: here is
where its current text is. `make requirements` writes this page.

| function | current text | before |
|---|---|---|
"""


def main(arguments: list[str]) -> int:
    page = HEAD + "".join(_row(name, places) for name, places in sorted(defined().items()))
    if "--write" in arguments:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        print("docs/functions.md is out of date: run `make requirements`.")
        return 1
    return 0


def defined() -> dict[str, list[tuple[str, int]]]:
    """File and line of every text of a function that there is, the current one last."""
    found: dict[str, list[tuple[str, int]]] = {}
    gone: set[str] = set()
    for file in sorted(MIGRATIONS.glob("[0-9]*.sql")):
        text = file.read_text()
        for match in DEFINED.finditer(text):
            name = match["name"]
            if match["verb"] == "DROP":
                gone.add(name)
            else:
                gone.discard(name)
                found.setdefault(name, []).append((file.name, text.count("\n", 0, match.start()) + 1))
    return {name: places for name, places in found.items() if name not in gone}


def _row(name: str, places: list[tuple[str, int]]) -> str:
    *before, (file, line) = places
    link = f"[{file}](../src/fullhouse/migrations/{file}#L{line})"
    return f"| `app.{name}` | {link} | {', '.join(each[:4] for each, _ in before)} |\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
