"""Statements load by name and become typed calls; and every statement of the house is one the database understands."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

import fullhouse
from fullhouse.kit import sql
from fullhouse.kit.db import Tx

HOUSE = Path(fullhouse.__file__).parent
ALL = [
    pytest.param(text, id=f"{file.parent.name}.{name}")
    for file in sorted(HOUSE.rglob("queries.sql"))
    for name, text in sql.load(str(file)).texts.items()
]


class Row(msgspec.Struct):
    n: int
    word: str


def loaded(folder: Path, text: str) -> sql.Statements:
    (folder / "queries.sql").write_text(text)
    return sql.load(str(folder / "store.py"))


@pytest.mark.parametrize("text", ALL)
async def test_the_database_understands_every_statement(owner: Any, text: str) -> None:
    await owner.prepare(text)


def test_there_are_statements() -> None:
    assert len(ALL) > 30


def test_a_statement_runs_from_its_name_to_the_next(tmp_path: Path) -> None:
    statements = loaded(
        tmp_path,
        "-- A preface, which belongs to none.\n\n"
        "-- name: first\n-- Why it is odd.\nSELECT 1;\n\n"
        "-- name: second\nSELECT ';'\n;\n",
    )
    assert statements.texts == {"first": "-- Why it is odd.\nSELECT 1", "second": "SELECT ';'\n"}


def test_a_name_is_given_once(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="named twice"):
        loaded(tmp_path, "-- name: same\nSELECT 1;\n-- name: same\nSELECT 2;\n")


def test_an_unknown_name_is_noticed_when_the_module_is_imported(tmp_path: Path) -> None:
    statements = loaded(tmp_path, "-- name: known\nSELECT 1;\n")
    for kind in (lambda: statements.one("unknown", Row), lambda: statements.count("unknown")):
        with pytest.raises(KeyError):
            kind()


def test_a_part_stands_for_what_several_statements_share(tmp_path: Path) -> None:
    statements = loaded(
        tmp_path,
        "-- part: columns\na,\nb\n\n"
        "-- name: all\nSELECT {columns} FROM t;\n-- name: some\nSELECT {columns}, {more} FROM t;\n"
        "-- part: more\nc;\n",
    )
    assert statements.texts == {"all": "SELECT a,\nb FROM t", "some": "SELECT a,\nb, c FROM t"}


def test_a_part_may_have_parts_above_it(tmp_path: Path) -> None:
    statements = loaded(tmp_path, "-- part: a\na\n-- part: both\n{a}, b\n-- name: it\nSELECT {both};\n")
    assert statements.texts == {"it": "SELECT a, b"}
    with pytest.raises(KeyError, match="later"):
        loaded(tmp_path, "-- part: a\n{later}\n-- part: later\nb\n-- name: it\nSELECT {a};\n")


@pytest.mark.parametrize("text", ["'{}'", "'{1,2}'", "'{\"a\": 1}'", "'{ columns }'", "'{Columns}'", "'{{}}'"])
def test_braces_that_name_no_part_stay_as_they_are(tmp_path: Path, text: str) -> None:
    statements = loaded(tmp_path, f"-- part: columns\na\n-- name: it\nSELECT {text} AS x;\n")
    assert statements.texts == {"it": f"SELECT {text} AS x"}


def test_an_unknown_part_is_noticed_when_the_module_is_imported(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="colums"):
        loaded(tmp_path, "-- part: columns\na\n-- name: it\nSELECT {colums} FROM t;\n")


def test_a_part_and_a_statement_have_different_names(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="named twice"):
        loaded(tmp_path, "-- part: same\na\n-- name: same\nSELECT {same};\n")


async def test_each_kind_returns_what_it_says(tmp_path: Path, tx: Tx) -> None:
    statements = loaded(
        tmp_path,
        "-- name: rows\nSELECT n, 'word ' || n AS word FROM generate_series(1, $1::int) n;\n"
        "-- name: touch\nUPDATE users SET name = name WHERE role = $1;\n",
    )
    one, many = statements.one("rows", Row), statements.many("rows", Row)
    value, count = statements.value("rows", int), statements.count("touch")
    assert await one(tx, 2) == Row(1, "word 1")
    assert await one(tx, 0) is None
    assert await many(tx, 2) == [Row(1, "word 1"), Row(2, "word 2")]
    assert await many(tx, 0) == []
    assert (await value(tx, 2), await value(tx, 0)) == (1, None)
    assert (await count(tx, "staff"), await count(tx, "nobody")) == (1, 0)
