"""Every requirement is proven through the doors that docs/requirements.md names, and the script tells them apart."""

from collections.abc import Iterable

import pytest
from scripts.requirements import (
    DOORS,
    LEDGER,
    ROOT,
    ROW,
    Proof,
    Requirement,
    describe,
    find_doors,
    find_mistakes,
    read_ledger,
    read_proofs,
)

TEXT = """\
# Requirements
| id | what | proven through |
|---|---|---|
| HOLD-1 | A seat is held. | HTTP |
| HOLD-2 | All or nothing. | HTTP, page |
"""


def prove(*ids: str, doors: Iterable[str] = ("HTTP",), file: str = "tests/a.py") -> Proof:
    return Proof("test_it", file, frozenset(ids), frozenset(doors))


def test_every_requirement_is_proven_through_its_doors(request: pytest.FixtureRequest) -> None:
    """Of a part of the tests, only what their marks say can be judged."""
    items = request.session.items
    mistakes = find_mistakes(read_ledger(LEDGER.read_text()), read_proofs(items))
    whole = {item.path for item in items} >= set((ROOT / "tests").rglob("test_*.py"))
    assert [line for line in mistakes if whole or "has no test" not in line] == []


@pytest.mark.req("TEN-1", "TEN-2")
def test_the_doors_of_a_test_are_seen_by_its_fixtures(request: pytest.FixtureRequest, server_url: str) -> None:
    assert find_doors(request.node) == {"database"}
    (proof,) = read_proofs([request.node])
    assert proof.requirements == {"TEN-1", "TEN-2"}
    assert proof.file == "tests/test_requirements.py"


def test_doors_are_fixtures_that_exist() -> None:
    for key in frozenset().union(*DOORS.values()):
        module, _, fixture = key.rpartition(".")
        text = (ROOT / (module.replace(".", "/") + ".py")).read_text()
        assert f"def {fixture}(" in text, key


def test_a_door_that_no_test_goes_through_is_a_mistake() -> None:
    ledger = read_ledger(TEXT)
    assert find_mistakes(ledger, [prove("HOLD-1", "HOLD-2"), prove("HOLD-2", doors=["page", "broker"])]) == []
    assert find_mistakes(ledger, [prove("HOLD-1", doors=[]), prove("HOLD-2")]) == [
        "HOLD-1 has no test that goes through: HTTP.",
        "HOLD-2 has no test that goes through: page.",
    ]


def test_unknown_ids_and_doors_are_mistakes() -> None:
    ledger = read_ledger(TEXT.replace("HTTP, page", "HTTP, window"))
    assert find_mistakes(ledger, [prove("HOLD-1", "HOLD-2", "HOLD-77")]) == [
        "tests/a.py names HOLD-77, which docs/requirements.md does not have.",
        f"HOLD-2 names the door 'window'; there are: {', '.join(DOORS)}.",
    ]


def test_tests_are_counted_by_file() -> None:
    table = list(describe(read_ledger(TEXT), [prove("HOLD-1"), prove("HOLD-1"), prove("HOLD-1", file="tests/b.py")]))
    assert table[1:] == [
        "| HOLD-1 | A seat is held. | HTTP | `tests/a.py` (2), `tests/b.py` (1) |",
        "| HOLD-2 | All or nothing. | HTTP, page |  |",
    ]


def test_every_row_of_the_real_ledger_is_understood() -> None:
    rows = [line for line in LEDGER.read_text().splitlines() if line.startswith("| ") and not line.startswith("| id ")]
    assert rows
    assert all(ROW.fullmatch(row) for row in rows)
    assert len(read_ledger("\n".join(rows))) == len(rows), "an id stands twice"
    assert all(isinstance(row, Requirement) for row in read_ledger("\n".join(rows)).values())
