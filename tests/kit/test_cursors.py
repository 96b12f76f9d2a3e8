"""Cursors: they come back as they were written, and are worth nothing altered or elsewhere."""

from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullhouse.kit.db.cursors import BadCursor, Cursors
from fullhouse.kit.ids import new_id
from fullhouse.kit.secrets import Keyring

KEYRING = Keyring("a key that is long enough")
moments = st.datetimes(timezones=st.just(UTC))


class Row(NamedTuple):
    created_at: datetime
    id: UUID


def rows(count: int) -> list[Row]:
    return [Row(datetime(2026, 1, 1, second=n % 60, microsecond=n, tzinfo=UTC), new_id()) for n in range(count)]


@given(moments, st.uuids(), st.integers(-(2**53), 2**53), st.text())
def test_a_key_comes_back_with_its_types(moment: datetime, id_: UUID, number: int, text: str) -> None:
    cursors = Cursors(KEYRING, "list", new_id())
    cursor = cursors.write(moment, id_, number, text)
    assert cursors.read(cursor, datetime, UUID, int, str) == (moment, id_, number, text)


def test_the_first_page_needs_none() -> None:
    assert Cursors(KEYRING, "list").read(None, int) is None


@given(st.text(max_size=200))
def test_what_we_did_not_write_is_refused(text: str) -> None:
    with pytest.raises(BadCursor):
        Cursors(KEYRING, "list").read(text, int)


@pytest.mark.req("TEN-2")
def test_a_cursor_is_worth_nothing_in_another_list_organisation_or_filter() -> None:
    organization_id = new_id()
    cursor = Cursors(KEYRING, "list", organization_id, None).write(1)
    assert Cursors(KEYRING, "list", organization_id, None).read(cursor, int) == (1,)
    for scope in (("other", organization_id, None), ("list", new_id(), None), ("list", organization_id, "filter")):
        with pytest.raises(BadCursor):
            Cursors(KEYRING, *scope).read(cursor, int)
    with pytest.raises(BadCursor):
        Cursors(Keyring("another key"), "list", organization_id, None).read(cursor, int)


@given(st.integers(0, 30), st.integers(1, 10))
def test_pages_together_are_the_list(count: int, limit: int) -> None:
    everything, seen, cursor = rows(count), [], None
    cursors = Cursors(KEYRING, "list")
    while True:
        after = cursors.read(cursor, datetime, UUID)
        found = [row for row in everything if after is None or tuple(row) > after]
        page = cursors.page(found[: limit + 1], limit, "created_at", "id")
        assert len(page.data) <= limit
        seen += page.data
        cursor = page.next_cursor
        if cursor is None:
            break
        assert page.data
    assert seen == everything
