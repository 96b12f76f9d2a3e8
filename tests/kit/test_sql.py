"""Statements load by name and become typed calls; the database understands each of them."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from uuid import UUID

import asyncpg
import msgspec
import pytest
from scripts import queries

import fullhouse
import fullhouse.processes.worker  # all stores, and all that runs their statements
from fullhouse.checkout import store as checkout
from fullhouse.kit.db import sql
from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.db.sql import Query, Statement
from fullhouse.seating import store as seating

PRODUCT = Path(fullhouse.__file__).parent
FILES = {str(file.relative_to(PRODUCT)): file for file in queries.files()}
ALL = [
    pytest.param(query, id=f"{file.parent.name}.{name}")
    for file in sorted(PRODUCT.rglob("*queries.sql"))
    for name, query in sql.load(file).items()
]
BOUND = [pytest.param(statement, id=statement.name.removeprefix("fullhouse.")) for statement in sql.STATEMENTS]


def module_of(file: Path) -> str:
    return ".".join(("fullhouse", *file.relative_to(PRODUCT).with_suffix("").parts))


class Row(msgspec.Struct):
    n: int
    word: str


def loaded(folder: Path, text: str) -> dict[str, str]:
    file = folder / "queries.sql"
    file.write_text(text)
    return {name: query.text for name, query in sql.load(file).items()}


# --- those of the product, and the database


@pytest.mark.parametrize("query", ALL)
async def test_the_database_understands_every_statement(owner: Any, query: Query) -> None:
    await owner.prepare(query.text)


@pytest.mark.parametrize("name", FILES)
async def test_what_statements_take_is_written_beside_them(owner: asyncpg.Connection, name: str) -> None:
    file = FILES[name]
    assert file.with_suffix(".py").read_text() == await queries.written(owner, file), "run `make schema`"


def test_every_statement_that_is_written_is_used() -> None:
    written = {f"{module_of(file)}.{name}" for file in FILES.values() for name in sql.load(file)}
    assert written == sql.USED


def test_there_are_statements() -> None:
    assert min(len(ALL), len(BOUND)) > 500


@pytest.mark.parametrize("statement", BOUND)
async def test_columns_are_what_its_row_has(owner: asyncpg.Connection, statement: Statement[Any, Any]) -> None:
    """By name, and by type where the row says one that the database knows."""
    if (fields := fields_of(statement.row)) is None:
        return
    columns = {each.name: each.type for each in (await owner.prepare(statement.query.text)).get_attributes()}
    required = {name for name, field in fields.items() if field.required}
    assert required <= columns.keys() <= fields.keys()
    for name, type_ in columns.items():
        known = queries.TYPES.get(type_.name.removesuffix("[]"), ("object", ""))[0]
        if known in ("UUID", "bool", "bytes", "date", "datetime", "float", "timedelta"):
            assert {known, "Any", "object"} & set(names_in(fields[name].type)), f"{name} is {type_.name}"


def names_in(hint: Any) -> Iterator[str]:
    yield getattr(hint, "__name__", "")
    for part in get_args(hint):
        yield from names_in(part)


class Field(msgspec.Struct):
    type: Any
    required: bool


def fields_of(row: Any) -> dict[str, Field] | None:
    """Of a row that is a struct or a named tuple; a function that makes one of them says nothing."""
    if not inspect.isclass(row):
        return None
    if issubclass(row, msgspec.Struct):
        return {field.name: Field(field.type, field.required) for field in msgspec.structs.fields(row)}
    hints = inspect.get_annotations(row, eval_str=True)
    defaults: dict[str, Any] = getattr(row, "_field_defaults", {})
    return {name: Field(hint, name not in defaults) for name, hint in hints.items()} if hints else None


# --- the loader


def test_a_statement_runs_from_its_name_to_the_next(tmp_path: Path) -> None:
    assert loaded(
        tmp_path,
        "-- A preface, which belongs to none.\n\n"
        "-- name: first\n-- Why it is odd.\nSELECT 1;\n\n"
        "-- name: second\nSELECT ';'\n;\n",
    ) == {"first": "-- Why it is odd.\nSELECT 1", "second": "SELECT ';'\n"}


def test_a_name_is_given_once(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="named twice"):
        loaded(tmp_path, "-- name: same\nSELECT 1;\n-- name: same\nSELECT 2;\n")


def test_a_part_stands_for_what_several_statements_share(tmp_path: Path) -> None:
    assert loaded(
        tmp_path,
        "-- part: columns\na,\nb\n\n"
        "-- name: all\nSELECT {columns} FROM t;\n-- name: some\nSELECT {columns}, {more} FROM t;\n"
        "-- part: more\nc;\n",
    ) == {"all": "SELECT a,\nb FROM t", "some": "SELECT a,\nb, c FROM t"}


def test_a_part_may_have_parts_above_it(tmp_path: Path) -> None:
    assert loaded(tmp_path, "-- part: a\na\n-- part: both\n{a}, b\n-- name: it\nSELECT {both};\n") == {
        "it": "SELECT a, b"
    }


def test_a_part_further_down_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="later"):
        loaded(tmp_path, "-- part: a\n{later}\n-- part: later\nb\n-- name: it\nSELECT {a};\n")


@pytest.mark.parametrize("text", ["'{}'", "'{1,2}'", "'{\"a\": 1}'", "'{ columns }'", "'{Columns}'", "'{{}}'"])
def test_braces_that_name_no_part_stay_as_they_are(tmp_path: Path, text: str) -> None:
    assert loaded(tmp_path, f"-- part: columns\na\n-- name: it\nSELECT {text} AS x;\n") == {"it": f"SELECT {text} AS x"}


def test_an_unknown_part_is_noticed_when_the_module_is_imported(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="colums"):
        loaded(tmp_path, "-- part: columns\na\n-- name: it\nSELECT {colums} FROM t;\n")


def test_a_part_and_a_statement_have_different_names(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="named twice"):
        loaded(tmp_path, "-- part: same\na\n-- name: same\nSELECT {same};\n")


# --- parameters


def test_parameters_are_numbered_as_they_come_after_the_organisation() -> None:
    query = Query.parse("SELECT :b FROM t WHERE a = :a AND organization_id = :org AND b <> :b")
    assert query == Query("SELECT $2 FROM t WHERE a = $3 AND organization_id = $1 AND b <> $2", ("b", "a"), True, {})


@pytest.mark.parametrize(
    "text", ["SELECT a::text", "SELECT ':a'", "SELECT 'it''s :a'", "-- of :a\nSELECT 1", "SELECT a[1:b]", "SELECT a:b"]
)
def test_what_only_looks_like_a_parameter_stays(text: str) -> None:
    assert Query.parse(text) == Query(text, (), False, {})


def test_what_may_be_null_is_said_once() -> None:
    query = Query.parse("SELECT :a?::text, :a, :b[?]::uuid[], :c[1]")
    assert query == Query("SELECT $1::text, $1, $2::uuid[], $3[1]", ("a", "b", "c"), False, {"a": "?", "b": "[?]"})


def test_arguments_come_in_the_order_of_their_numbers() -> None:
    query = Query.parse("SELECT :b, :a, :org")
    assert query.arguments(UUID(int=7), a=1, b=2) == [UUID(int=7), 2, 1]
    assert query.arguments(UUID(int=7), 2, a=1) == [UUID(int=7), 2, 1]


@pytest.mark.parametrize("asked", [{}, {"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": 1, "c": 3}])
def test_arguments_are_all_that_it_takes_and_nothing_else(asked: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="the statement"):
        Query.parse("SELECT :b, :a").arguments(None, **asked)


def test_an_argument_is_not_given_twice() -> None:
    with pytest.raises(TypeError, match="the statement"):
        Query.parse("SELECT :b, :a").arguments(None, 1, 2, a=3)


async def test_a_statement_of_a_tenant_needs_one(services: Any) -> None:
    database: Database = services.database
    from fullhouse.events import store

    async with database.without_tenant() as tx:
        with pytest.raises(LookupError, match="organisation"):
            await store.event_by_id(tx, UUID(int=7))


# --- running


@pytest.fixture
def takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """A module with statements of a test's own."""
    (tmp_path / "some_queries.sql").write_text(
        "-- name: rows\nSELECT n, 'word ' || n AS word FROM generate_series(1, :most::int) n;\n"
        "-- name: touch\nUPDATE users SET name = name WHERE role = :role;\n"
    )
    (tmp_path / "some_queries.py").write_text("def rows(tx, /, most): ...\ndef touch(tx, /, role): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sql, "STATEMENTS", [])
    monkeypatch.setattr(sql, "USED", set())
    module = __import__("some_queries")
    return lambda name: getattr(module, name)


async def test_each_kind_returns_what_it_says(takes: Callable[[str], Any], tx: Tx) -> None:
    one, many = sql.one(takes("rows"), Row), sql.many(takes("rows"), Row)
    value, count = sql.value(takes("rows"), int), sql.count(takes("touch"))
    assert await one(tx, 2) == Row(1, "word 1")
    assert await one(tx, 0) is None
    assert await many(tx, 2) == [Row(1, "word 1"), Row(2, "word 2")]
    assert await many(tx, 0) == []
    assert (await value(tx, 2), await value(tx, 0)) == (1, None)
    assert (await count(tx, "staff"), await count(tx, "nobody")) == (1, 0)


if TYPE_CHECKING:  # mypy reports a `type: ignore` that hides nothing: so these are mistakes that `make check` sees

    async def _mistakes(tx: Tx, event_id: UUID, zone_id: UUID, email: str, digest: bytes) -> None:
        await checkout.place_order(
            tx,
            session_id=email,  # type: ignore[arg-type]
            user_id=event_id,
            order_id=event_id,
            attempt_id=event_id,
            code=digest,  # type: ignore[arg-type]
            secret_hash=email,  # type: ignore[arg-type]
            provider="test",
            method=None,
            buyer_name=None,  # type: ignore[arg-type]
            buyer_email=email,
            key=email,
            body_hash=digest,
            first_ask_s=1,
            give_up_s=1,
            tickets_max=1,
            actor_type="user",
            actor_name=None,
            ip=None,
            user_agent=None,
            request_id=None,
        )
        await seating.remove_guest(tx, event_id, zone_id, email)  # type: ignore[call-arg]
        await seating.remove_guest(tx, event_id=event_id, zone_id=zone_id)  # type: ignore[call-arg]
        await seating.remove_guest(tx, event_id=event_id, zone_id=zone_id, mail=email)  # type: ignore[call-arg]
