"""The order of `trending` stands still for whoever pages through it."""

import random
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from fullhouse.events import policy
from fullhouse.events.policy import Move
from fullhouse.events.store import DELETE_OLD_RANKS
from fullhouse.kit.db.cursors import BadCursor
from fullhouse.kit.db.database import delete_in_batches
from tests.accounts.helpers import refused
from tests.events.helpers import DAY, HOUR
from tests.events.trending import MINUTE, House, finder, house
from tests.fixtures import Client, soaking

__all__ = ["finder", "house"]  # fixtures

pytestmark = pytest.mark.req("FEED-2")


async def walk(house: House, between: Callable[[], Any]) -> list[UUID]:
    """All pages, two at a time; `between` happens after each."""
    found: list[UUID] = []
    cursor = None
    while True:
        page = await house.page(cursor, limit=2)
        found += [show.id for show in page.data]
        cursor = page.next_cursor
        if cursor is None:
            return found
        await between()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(40 if soaking() else 4))
async def test_pages_neither_skip_nor_repeat_while_the_order_moves(house: House, seed: int) -> None:
    dice = random.Random(seed)
    shows = [await house.show(days=dice.randint(5, 60)) for _ in range(9)]
    for event in shows:
        await house.act(event, views=dice.choice([0, 1, 5, 50]))
    await house.settle()
    alive, born = list(shows), list(shows)

    async def a_new_show() -> None:
        alive.append(await house.show(days=dice.randint(5, 60)))
        born.append(alive[-1])

    async def one_is_taken_back() -> None:
        event = alive.pop(dice.randrange(len(alive)))
        await house.move(event, dice.choice([Move.UNPUBLISH, Move.CANCEL]))

    async def looks() -> None:
        for event in dice.sample(alive, 3):
            await house.act(event, views=dice.choice([1, 20, 400]), sold=dice.choice([0, 2]))

    async def another_date() -> None:
        event = dice.choice(alive)
        start = event.start_at + dice.randint(-4, 200) * DAY
        await house.change(event, start_at=start, end_at=start + HOUR, doors_at=start)

    async def time_passes() -> None:
        await house.wait(timedelta(seconds=dice.choice([1, 31, 65, 300])))

    happenings = [a_new_show, one_is_taken_back, looks, looks, looks, another_date, house.rank, house.rank, time_passes]

    async def something() -> None:
        for happens in dice.choices(happenings, k=4):
            await happens()

    found = Counter(await walk(house, something))
    throughout = {event.id for event in shows} & {event.id for event in alive}
    assert max(found.values()) == 1
    assert throughout <= set(found)
    assert set(found) <= {event.id for event in born}


@pytest.mark.parametrize("ahead", [policy.EPOCHS_AHEAD, 0])
async def test_without_versions_a_show_that_rises_would_be_skipped(
    house: House, ahead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The walk above can fail: it does where a new rank holds at once."""
    shows = [await house.show(days=10 + n) for n in range(6)]
    monkeypatch.setattr(policy, "EPOCHS_AHEAD", ahead)

    async def the_last_rises() -> None:
        await house.act(shows[-1], sold=100)
        await house.rank()

    found = await walk(house, the_last_rises)
    assert found == [event.id for event in (shows if ahead else shows[:-1])]


async def test_who_begins_later_sees_the_new_order_and_who_began_before_the_old_one(house: House) -> None:
    first, second, third = [await house.show(days=10 + n) for n in range(3)]
    cursor = (await house.page(limit=1)).next_cursor
    await house.act(third, views=100)
    await house.settle()
    assert await house.order() == [third.id, first.id, second.id]
    assert await house.order(cursor=cursor) == [second.id, third.id]


async def test_a_cursor_is_good_for_an_hour(house: House) -> None:
    shows = [await house.show(days=10 + n) for n in range(3)]
    cursor = (await house.page(limit=1)).next_cursor
    await house.act(shows[2], views=100)
    await house.rank()
    await house.wait(59 * MINUTE)
    await delete_in_batches(house.finder, DELETE_OLD_RANKS)
    assert await house.order(cursor=cursor) == [shows[1].id, shows[2].id]
    await house.wait(2 * MINUTE)
    with pytest.raises(BadCursor):
        await house.page(cursor)


async def test_a_cursor_belongs_to_its_list(house: House, client: Client) -> None:
    for _ in range(3):
        await house.show(category="theatre")
    asked: dict[str, Any] = {"city": house.city, "limit": 1}
    lists: list[dict[str, Any]] = [
        {"sort": "latest"}, {"sort": "trending"}, {"sort": "trending", "category": "theatre"},
        {"sort": "trending", "q": "show"},
    ]  # fmt: skip

    async def get(**params: Any) -> Any:
        return await client.get("/event/v1/events", params=asked | params)

    cursors = [(await get(**mine)).json()["next_cursor"] for mine in lists]
    assert None not in cursors
    for mine in lists:
        for other, cursor in zip(lists, cursors, strict=True):
            answer = await get(**mine, cursor=cursor)
            if mine is other:
                assert answer.status_code == 200, answer.text
            else:
                assert refused(answer) == (422, "invalid_cursor")
    for forged in ("None", "x", cursors[1][:-2] + "AA", f"{cursors[1]}:None"):
        for _ in range(2):  # also when the page that it might be taken for is kept
            assert refused(await get(sort="trending", cursor=forged)) == (422, "invalid_cursor")
