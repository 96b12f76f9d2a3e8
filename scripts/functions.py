"""Keeps docs/functions.md true: where the current text of each of the database's functions and procedures stands.

    python scripts/functions.py           exits 1 if it is out of date
    python scripts/functions.py --write   writes it

A migration that was applied never changes, so a function that is made better stands in a later one again, whole. Who
reads wants the last. tests/test_functions.py compares what is found here with a database.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MIGRATIONS = ROOT / "src" / "fullhouse" / "migrations"
PAGE = ROOT / "docs" / "functions.md"
CHANGED = re.compile(
    r"^[ \t]*(?P<verb>CREATE|DROP|ALTER)(?:\s+OR\s+REPLACE)?\s+(?:FUNCTION|PROCEDURE|ROUTINE)\s+(?:IF\s+EXISTS\s+)?"
    r"(?P<names>app\.[^;]+)",
    re.MULTILINE | re.IGNORECASE,
)
NAME = re.compile(r"app\.(\w+)", re.IGNORECASE)
RENAMED = re.compile(r"\sRENAME\s+TO\s+(\w+)", re.IGNORECASE)
HEAD = """# The database's functions and procedures

What is decided under locks in one statement, and what must hold whoever writes, is a function in the schema `app`. A
migration never changes once it was applied, so a function that is made better stands in a later one again: here is
where its current text is. `make schema` writes this page.

| function or procedure | current text | before |
|---|---|---|
"""


def main(arguments: list[str]) -> int:
    texts = {file.name: file.read_text() for file in sorted(MIGRATIONS.glob("[0-9]*.sql"))}
    page = HEAD + "".join(_row(name, places) for name, places in sorted(defined(texts).items()))
    if "--write" in arguments:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        print("docs/functions.md is out of date: run `make schema`.")
        return 1
    return 0


def defined(texts: dict[str, str]) -> dict[str, list[tuple[str, int]]]:
    """File and line of every text of a function that there is, the current one last. `texts` are in their order."""
    found: dict[str, list[tuple[str, int]]] = {}
    gone: dict[str, list[tuple[str, int]]] = {}  # what comes again was there before
    for file, text in texts.items():
        for match in CHANGED.finditer(text):
            first, *others = (name.lower() for name in NAME.findall(match["names"]))
            match match["verb"].upper():
                case "CREATE":
                    places = found.setdefault(first, gone.pop(first, []))
                    places.append((file, text.count("\n", 0, match.start("verb")) + 1))
                case "DROP":
                    gone |= {name: found.pop(name) for name in (first, *others) if name in found}
                case "ALTER" if renamed := RENAMED.search(match["names"]):
                    found[renamed[1].lower()] = found.pop(first)
    return found


def _row(name: str, places: list[tuple[str, int]]) -> str:
    *before, (file, line) = places
    link = f"[{file}](../src/fullhouse/migrations/{file}#L{line})"
    return f"| `app.{name}` | {link} | {', '.join(each[:4] for each, _ in before)} |\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
