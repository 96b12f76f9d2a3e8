"""Prints which tests prove which requirement, and through which door: HTTP, a page, the broker, the command line.

    python scripts/requirements.py    prints a table of all requirements with their tests

A test names what it proves by `@pytest.mark.req("HOLD-3", "HOLD-5")`, on itself, its class or its module.
docs/requirements.md states for each requirement the doors through which it is proven; tests/test_requirements.py
requires at least one test through each of them. Counts are in no file, because they change with every test.
"""

import contextlib
import io
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
LEDGER = ROOT / "docs" / "requirements.md"
ROW = re.compile(r"\| (?P<id>[A-Z]+-\d+) \| (?P<what>[^|]*) \| (?P<doors>[^|]*) \|")

# A test goes through a door if it uses one of these fixtures, directly or through others. `database` is for
# requirements that show only in query plans, constraints and policies.
DOORS: dict[str, frozenset[str]] = {
    "HTTP": frozenset(
        {
            "tests.fixtures.lane",
            "tests.fixtures.client",
            "tests.test_serve.house",
            "tests.faults.conftest.house",
            "tests.events.test_caches_walked.lanes",
            "tests.events.test_sale_by_the_clock.walk",
        }
    ),
    "page": frozenset({"tests.browser.conftest.browser"}),
    "broker": frozenset({"tests.conftest.amqp_url"}),
    "command line": frozenset({"tests.test_operators.run"}),
    "database": frozenset(
        {
            "tests.conftest.postgres_url",
            "tests.conftest.owner_url",
            "tests.conftest.server_url",
            "tests.prove.conftest.owner_url",
        }
    ),
}


class Proof(NamedTuple):
    test: str
    file: str
    requirements: frozenset[str]
    doors: frozenset[str]


class Requirement(NamedTuple):
    what: str
    doors: frozenset[str]


class Collector:
    """A pytest plugin that collects the proofs among the tests."""

    def __init__(self) -> None:
        self.proofs: list[Proof] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.proofs = read_proofs(items)


def main() -> int:
    collector = Collector()
    with contextlib.redirect_stdout(io.StringIO()) as listed:
        status = pytest.main(["--collect-only", str(ROOT / "tests")], [collector])
    if status:
        print(listed.getvalue())
        return int(status)
    print("\n".join(describe(read_ledger(LEDGER.read_text()), collector.proofs)))
    return 0


def read_proofs(items: Iterable[pytest.Item]) -> list[Proof]:
    marked = ((item, frozenset(id for mark in item.iter_markers("req") for id in mark.args)) for item in items)
    return [
        Proof(item.name, item.path.relative_to(ROOT).as_posix(), ids, find_doors(item)) for item, ids in marked if ids
    ]


def find_doors(item: pytest.Item) -> frozenset[str]:
    asked = set(_name_fixtures(item))
    return frozenset(door for door, keys in DOORS.items() if not keys.isdisjoint(asked))


def _name_fixtures(item: pytest.Item) -> Iterable[str]:
    """The fixtures that a test uses, directly or through others, qualified by the module that defines them."""
    info = item._fixtureinfo  # type: ignore[attr-defined]
    found: Mapping[str, list[pytest.FixtureDef[object]]] = info.name2fixturedefs
    return (f"{definitions[-1].func.__module__}.{name}" for name, definitions in found.items())


def read_ledger(text: str) -> dict[str, Requirement]:
    rows = (row for row in map(ROW.fullmatch, text.splitlines()) if row)
    return {row["id"]: Requirement(row["what"], frozenset(row["doors"].split(", "))) for row in rows}


def find_mistakes(ledger: Mapping[str, Requirement], proofs: Iterable[Proof]) -> list[str]:
    files: dict[str, set[str]] = defaultdict(set)
    seen: dict[str, set[str]] = defaultdict(set)
    for proof in proofs:
        for id in proof.requirements:
            files[id].add(proof.file)
            seen[id] |= proof.doors
    return [
        *(
            f"{file} names {id}, which docs/requirements.md does not have."
            for id in files.keys() - ledger.keys()
            for file in files[id]
        ),
        *(
            f"{id} names the door {door!r}; there are: {', '.join(DOORS)}."
            for id, row in ledger.items()
            for door in row.doors - DOORS.keys()
        ),
        *(
            f"{id} has no test that goes through: {door}."
            for id, row in ledger.items()
            for door in sorted(row.doors & DOORS.keys() - seen[id])
        ),
    ]


def describe(ledger: Mapping[str, Requirement], proofs: Iterable[Proof]) -> Iterable[str]:
    """A table in Markdown, one row a requirement, with the number of its tests in each file."""
    tests: dict[str, Counter[str]] = defaultdict(Counter)
    for proof in proofs:
        for id in proof.requirements:
            tests[id][proof.file] += 1
    yield "| id | what | through | tests |\n|---|---|---|---|"
    for id, row in ledger.items():
        listed = ", ".join(f"`{file}` ({count})" for file, count in sorted(tests[id].items()))
        yield f"| {id} | {row.what} | {', '.join(sorted(row.doors))} | {listed} |"


if __name__ == "__main__":
    sys.exit(main())
