"""What a check is, and how a statement of this folder becomes one."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fullhouse.kit.db import sql

NAMED_MAX = 100  # rows that a check names; the first of them lead to the cause

Find = Callable[[Any], Awaitable[list[str]]]


class Check(NamedTuple):
    name: str
    what: str
    find: Find


def in_sql(name: str, what: str, subject: str) -> Check:
    """The check that `subject`.sql has under this name. What one statement finds is of one moment, however busy the
    database is. Each row is a sentence.
    """
    query = queries(subject)[name.replace(" ", "_")].text

    async def find(connection: Any) -> list[str]:
        rows = await connection.fetch(query)
        return sorted(row[0] for row in rows[:NAMED_MAX])

    return Check(name, what, find)


def queries(subject: str) -> Mapping[str, sql.Query]:
    return sql.load(Path(__file__).with_name(f"{subject}.sql"))
