"""Loads the statements of a domain's `queries.sql`, each under `-- name:`, and makes typed functions of them.

    user_by_email = sql.one(queries.user_by_email, User)     # await user_by_email(tx, email) -> User | None

A parameter is `:name`. It may be null only if the text says `:name?`, and an array may have nulls only with `:name[?]`.
`:org` is the organisation of the transaction: no caller passes it. A column's name is the field's name. Text that
several statements share, such as a list of columns, is written once under `-- part:` and inserted by `{its_name}`, also
in later parts.

A statement's parameters are declared in the `queries.py` beside it, which `make schema` generates from the parameter
types that a database reports. So mypy checks every call: one parameter may be given by position, several by name.
"""

import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, ParamSpec, Protocol, TypeVar
from uuid import UUID

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")
_NAME = re.compile(r"^-- (name|part): *(\w+) *$", re.MULTILINE)
_PART = re.compile(r"\{([a-z]\w*)\}")
# Comments, string literals and casts are left as they are.
_PARAMETER = re.compile(r"--[^\n]*|'(?:[^']|'')*'|::|(?<!\w):(?P<name>[a-z]\w*)(?P<null>\?|\[\?\])?")
TENANT = "org"


class Runs(Protocol):
    """What a statement can run on: a transaction, or a bare connection."""

    async def fetch(self, query: str, *args: Any) -> list[Any]: ...
    async def fetchrow(self, query: str, *args: Any) -> Any: ...
    async def fetchval(self, query: str, *args: Any) -> Any: ...
    async def execute(self, query: str, *args: Any) -> str: ...


class Tenant(Runs, Protocol):
    """A transaction of an organisation."""

    @property
    def organization_id(self) -> UUID | None: ...


class Query(NamedTuple):
    """A statement with PostgreSQL's own `$1`, `$2`; `:org` is the first of them."""

    text: str
    parameters: tuple[str, ...]  # without `:org`
    is_tenants: bool
    nullable: Mapping[str, str]  # `?` or `[?]`

    @classmethod
    def parse(cls, text: str) -> "Query":
        found = [match for match in _PARAMETER.finditer(text) if match["name"]]
        names = dict.fromkeys(sorted((match["name"] for match in found), key=lambda name: name != TENANT))
        numbers = {name: f"${number}" for number, name in enumerate(names, 1)}
        numbered = _PARAMETER.sub(lambda match: numbers[match["name"]] if match["name"] else match[0], text)
        nullable = {match["name"]: match["null"] for match in found if match["null"]}
        return cls(numbered, tuple(name for name in names if name != TENANT), TENANT in names, nullable)

    def arguments(self, organization_id: UUID | None, /, *given: Any, **named: Any) -> list[Any]:
        """The arguments for PostgreSQL, in the order of the parameters' numbers."""
        try:
            values = [*given, *(named[name] for name in self.parameters[len(given) :])]
        except KeyError as missing:
            raise TypeError(f"the statement needs {missing}") from None
        if len(given) + len(named) != len(self.parameters):
            raise TypeError(f"the statement takes {', '.join(self.parameters) or 'nothing'}")
        if not self.is_tenants:
            return values
        if organization_id is None:
            raise LookupError("a statement with :org needs a transaction of an organisation")
        return [organization_id, *values]


class Statement(Generic[P, T]):
    """A query, and the conversion of its rows. Called with a transaction and the query's parameters."""

    def __init__(
        self, takes: Callable[P, None], row: Callable[..., Any] | None, run: Callable[[Any, list[Any]], Awaitable[T]]
    ) -> None:
        self.name = f"{takes.__module__}.{takes.__name__}"
        self.query = find_query(takes)
        self.row = row
        self._run = run
        STATEMENTS.append(self)

    async def __call__(self, *given: P.args, **named: P.kwargs) -> T:
        tx: Any
        tx, *values = given
        organization_id = tx.organization_id if self.query.is_tenants else None
        return await self._run(tx, [self.query.text, *self.query.arguments(organization_id, *values, **named)])


STATEMENTS: list[Statement[Any, Any]] = []  # tests compare them with a database
USED: set[str] = set()  # names of queries that are used


def one(takes: Callable[P, None], row: Callable[..., R]) -> Statement[P, R | None]:
    async def run(tx: Runs, what: list[Any]) -> R | None:
        record = await tx.fetchrow(*what)
        return None if record is None else row(**record)

    return Statement(takes, row, run)


def many(takes: Callable[P, None], row: Callable[..., R]) -> Statement[P, list[R]]:
    async def run(tx: Runs, what: list[Any]) -> list[R]:
        return [row(**record) for record in await tx.fetch(*what)]

    return Statement(takes, row, run)


def rows(takes: Callable[P, None]) -> Statement[P, list[Any]]:
    """Driver records without conversion: for hot statements, whose rows are read once."""

    async def run(tx: Runs, what: list[Any]) -> list[Any]:
        return await tx.fetch(*what)

    return Statement(takes, None, run)


def value(takes: Callable[P, None], of: Callable[..., R]) -> Statement[P, R | None]:
    """The first column of the first row; `of` only names its type."""

    async def run(tx: Runs, what: list[Any]) -> R | None:
        found: R | None = await tx.fetchval(*what)
        return found

    return Statement(takes, None, run)


def count(takes: Callable[P, None]) -> Statement[P, int]:
    """How many rows the statement touched."""

    async def run(tx: Runs, what: list[Any]) -> int:
        return int((await tx.execute(*what)).rpartition(" ")[2])

    return Statement(takes, None, run)


def text(takes: Callable[..., None]) -> str:
    """The statement's text alone, for callers that run it in another way."""
    return find_query(takes).text


def find_query(takes: Callable[..., None]) -> Query:
    """The query of this name in the `queries.sql` beside the module."""
    USED.add(f"{takes.__module__}.{takes.__name__}")
    file = sys.modules[takes.__module__].__file__
    assert file is not None
    return load(Path(file).with_suffix(".sql"))[takes.__name__]


@cache
def load(path: Path) -> Mapping[str, Query]:
    _, *pieces = _NAME.split(path.read_text())
    kinds, names, bodies = pieces[::3], pieces[1::3], pieces[2::3]
    if len(set(names)) < len(names):
        raise ValueError(f"a statement is named twice in {path}")
    texts = {name: body.strip().rstrip(";") for name, body in zip(names, bodies, strict=True)}
    parts: dict[str, str] = {}

    def expand(text: str) -> str:
        return _PART.sub(lambda found: parts[found[1]], text)

    for kind, name in zip(kinds, names, strict=True):
        if kind == "part":
            parts[name] = expand(texts.pop(name))
    return {name: Query.parse(expand(text)) for name, text in texts.items()}
