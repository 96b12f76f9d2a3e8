"""A room's statements live in its `queries.sql`, each under `-- name:`; this loads them, typed. A `thing_store.py` has
a `thing_queries.sql`.

    statements = sql.load(__file__)
    user_by_email = statements.one("user_by_email", User)     # await user_by_email(tx, email) -> User | None

Parameters are PostgreSQL's own `$1`, `$2`. A column's name is the field's name. What several statements share (such
as a list of columns) stands once under `-- part:` and is meant by `{its_name}`; in parts further down, too.
"""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
_NAME = re.compile(r"^-- (name|part): *(\w+) *$", re.MULTILINE)
_PART = re.compile(r"\{([a-z]\w*)\}")


class Runs(Protocol):
    """Whatever a statement can run on: a transaction, or a bare connection."""

    async def fetch(self, query: str, *args: Any) -> list[Any]: ...
    async def fetchrow(self, query: str, *args: Any) -> Any: ...
    async def fetchval(self, query: str, *args: Any) -> Any: ...
    async def execute(self, query: str, *args: Any) -> str: ...


class Statements:
    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def one(self, name: str, row: Callable[..., T]) -> Callable[..., Awaitable[T | None]]:
        text = self.texts[name]

        async def run(tx: Runs, *args: Any) -> T | None:
            record = await tx.fetchrow(text, *args)
            return None if record is None else row(**record)

        return run

    def many(self, name: str, row: Callable[..., T]) -> Callable[..., Awaitable[list[T]]]:
        text = self.texts[name]

        async def run(tx: Runs, *args: Any) -> list[T]:
            return [row(**record) for record in await tx.fetch(text, *args)]

        return run

    def value(self, name: str, of: Callable[..., T]) -> Callable[..., Awaitable[T | None]]:
        """The first column of the first row; `of` only names its type."""
        text = self.texts[name]

        async def run(tx: Runs, *args: Any) -> T | None:
            found: T | None = await tx.fetchval(text, *args)
            return found

        return run

    def count(self, name: str) -> Callable[..., Awaitable[int]]:
        """How many rows the statement touched."""
        text = self.texts[name]

        async def run(tx: Runs, *args: Any) -> int:
            return int((await tx.execute(text, *args)).rpartition(" ")[2])

        return run


def load(module_file: str) -> Statements:
    path = Path(module_file)
    path = path.with_name(path.stem.replace("store", "queries") + ".sql")
    _, *pieces = _NAME.split(path.read_text())
    kinds, names, bodies = pieces[::3], pieces[1::3], pieces[2::3]
    if len(set(names)) < len(names):
        raise ValueError(f"a statement is named twice in {path}")
    texts = {name: body.strip().rstrip(";") for name, body in zip(names, bodies, strict=True)}
    parts: dict[str, str] = {}

    def whole(text: str) -> str:
        return _PART.sub(lambda found: parts[found[1]], text)

    for kind, name in zip(kinds, names, strict=True):
        if kind == "part":
            parts[name] = whole(texts.pop(name))
    return Statements({name: whole(text) for name, text in texts.items()})
