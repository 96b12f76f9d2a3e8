"""The script that ties tests to requirements reads marks and tables as people write them."""

import ast
from collections import Counter

import pytest
from scripts import requirements

LEDGER = """\
# Requirements
| id | what | tests | state |
|---|---|---|---|
| HOLD-1 | A seat is held. | – | open |
| HOLD-2 | All or nothing. | `tests/gone.py` (3) | proven |
"""

TESTS = """\
import pytest

@pytest.mark.req("HOLD-1", "HOLD-2")
def test_plain(): ...

@pytest.mark.req("HOLD-2")
async def test_async(): ...

@pytest.mark.parametrize("seats", [1, pytest.param(2, marks=pytest.mark.req("HOLD-6"))])
def test_one_case(seats): ...

@pytest.mark.req("QUEUE-1")
class TestQueue:
    pytestmark = [pytest.mark.fault, pytest.mark.req("QUEUE-2")]

    def test_join(self): ...

    @pytest.mark.req("QUEUE-1")
    def test_leave(self): ...

    def helper(self): ...

@pytest.mark.req("HOLD-9")
def not_a_test(): ...
"""


def test_marks_count_once_for_each_test_that_they_cover() -> None:
    assert Counter(requirements.named(ast.parse(TESTS))) == {
        "HOLD-1": 1,
        "HOLD-2": 2,
        "HOLD-6": 1,
        "QUEUE-1": 2,
        "QUEUE-2": 2,
    }


def test_a_mark_on_the_module_covers_all_of_it() -> None:
    module = ast.parse('pytestmark = pytest.mark.req("MSG-1")\n' + TESTS)
    assert Counter(requirements.named(module))["MSG-1"] == 5


def test_an_id_must_be_written_out() -> None:
    with pytest.raises(ValueError, match="malformed"):
        list(requirements.named(ast.parse("@pytest.mark.req(HOLD)\ndef test_it(): ...")))


def test_tests_and_state_are_filled_in_and_the_rest_is_kept() -> None:
    proofs = {"HOLD-1": Counter({"tests/b.py": 1, "tests/a.py": 2})}
    filled = requirements.filled_in(LEDGER, proofs)
    assert "| HOLD-1 | A seat is held. | `tests/a.py` (2), `tests/b.py` (1) | proven |\n" in filled
    assert "| HOLD-2 | All or nothing. | – | open |\n" in filled
    assert filled.splitlines()[:3] == LEDGER.splitlines()[:3]
    assert requirements.filled_in(filled, proofs) == filled


def test_what_changed_is_shown_line_by_line() -> None:
    assert requirements.changed(LEDGER, requirements.filled_in(LEDGER, {})) == [
        "-| HOLD-2 | All or nothing. | `tests/gone.py` (3) | proven |",
        "+| HOLD-2 | All or nothing. | – | open |",
    ]


def test_an_unknown_id_is_named_with_its_file() -> None:
    proofs = {"HOLD-1": Counter({"tests/a.py": 1}), "HOLD-77": Counter({"tests/a.py": 1})}
    assert requirements.unknown(LEDGER, proofs) == [
        "tests/a.py names HOLD-77, which docs/requirements.md does not know."
    ]


def test_every_row_of_the_real_ledger_is_understood() -> None:
    rows = [line for line in requirements.LEDGER.read_text().splitlines() if line.startswith("| ")]
    data = [row for row in rows if not row.startswith("| id ")]
    assert data
    assert all(requirements.ROW.fullmatch(row) for row in data)
