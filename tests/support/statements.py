"""Statements of the stores, as tests look at them and change them."""

from typing import Any

import pytest

from fullhouse.kit.db.sql import Query, Statement


def without(monkeypatch: pytest.MonkeyPatch, statement: Statement[..., Any], guard: str) -> None:
    """From here on the statement runs without this piece of it."""
    text = statement.query.text
    assert guard in text, "the guard has another shape now: the mutant must follow it"
    monkeypatch.setattr(statement, "query", statement.query._replace(text=text.replace(guard, "")))


def replace(monkeypatch: pytest.MonkeyPatch, statement: Statement[..., Any], text: str) -> None:
    """From here on another statement runs in its place. It takes the same."""
    query = Query.parse(text)
    assert set(query.parameters) == set(statement.query.parameters)
    monkeypatch.setattr(statement, "query", query)
