"""The type of a check, and the construction of one from a statement in this folder."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fullhouse.kit.db import sql

REPORTED_MAX = 100  # violations that a check reports at most

Find = Callable[[Any], Awaitable[list[str]]]


class Check(NamedTuple):
    name: str
    invariant: str
    find: Find


def sql_check(name: str, what: str, subject: str) -> Check:
    """The check of this name in `subject`.sql. It is one statement, so it reads one snapshot, however busy the database
    is. Each row is a sentence.
    """
    query = load_queries(subject)[name.replace(" ", "_")].text

    async def find(connection: Any) -> list[str]:
        rows = await connection.fetch(query)
        return sorted(row[0] for row in rows[:REPORTED_MAX])

    return Check(name, what, find)


def load_queries(subject: str) -> Mapping[str, sql.Query]:
    return sql.load(Path(__file__).with_name(f"{subject}.sql"))
