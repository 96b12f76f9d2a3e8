"""`trending`: what people look at and buy comes first, and cools by the day."""

from datetime import UTC, datetime

import pytest

from fullhouse.kit.text import fold
from tests.events.helpers import DAY, HOUR
from tests.events.trending import MINUTE, House, finder, house

__all__ = ["finder", "house"]  # fixtures

pytestmark = pytest.mark.req("FEED-2")


async def test_what_is_looked_at_and_sold_comes_first(house: House) -> None:
    quiet, seen, sold = [await house.show() for _ in range(3)]
    await house.act(seen, views=50)
    await house.act(sold, sold=3)  # as much as 60 views
    await house.settle()
    assert await house.order() == [sold.id, seen.id, quiet.id]
    await house.act(seen, views=11)
    await house.settle()
    assert await house.order() == [seen.id, sold.id, quiet.id]


async def test_of_two_alike_the_nearer_one_comes_first(house: House) -> None:
    far, near = await house.show(days=20), await house.show(days=10)
    assert await house.order() == [near.id, far.id]
    later, sooner = await house.show(days=40), await house.show(days=35)
    assert await house.order() == [near.id, far.id, sooner.id, later.id]


@pytest.mark.parametrize(("heat", "first"), [(1.01, "far"), (0.99, "near")])
async def test_a_month_nearer_is_worth_twice_the_heat(house: House, heat: float, first: str) -> None:
    far, near = await house.show(days=40), await house.show(days=10)
    for event, at in ((near, 700.0), (far, 700.0 + heat)):
        await house.owner.execute("UPDATE event_stats SET heat = $2, unranked = true WHERE event_id = $1", event.id, at)
    await house.settle()
    assert await house.order() == ([far.id, near.id] if first == "far" else [near.id, far.id])


@pytest.mark.parametrize(("views", "first"), [(33, "today"), (31, "yesterday")])
async def test_heat_halves_in_a_day(house: House, views: int, first: str) -> None:
    """To be announced was worth one view for each: 65 yesterday are 32.5 today, and 1 yesterday half a view."""
    yesterday, today = await house.show(), await house.show()
    await house.act(yesterday, views=64)
    await house.wait(DAY)
    await house.act(today, views=views)
    await house.settle()
    assert await house.order() == ([today.id, yesterday.id] if first == "today" else [yesterday.id, today.id])


async def test_the_order_changes_only_when_somebody_does_something(house: House) -> None:
    shows = [await house.show(days=10 + 3 * n) for n in range(4)]
    for event, seen in zip(shows, (0, 3, 90, 1), strict=True):
        await house.act(event, views=seen)
    await house.settle()
    order, versions = await house.order(), [await house.versions(event) for event in shows]
    for shift in (MINUTE, HOUR, 5 * DAY, 2 * DAY):
        await house.wait(shift)
        assert await house.rank() == 0
        assert await house.order() == order
    assert [await house.versions(event) for event in shows] == versions


async def test_a_new_show_is_there_at_once(house: House) -> None:
    old = await house.show(days=10)
    await house.act(old, views=5)
    await house.settle()
    new = await house.show(days=9)
    assert await house.order() == [old.id, new.id]


@pytest.mark.req("FEED-3")
async def test_every_filter_works_in_this_order_too(house: House) -> None:
    now = datetime.now(UTC)
    cold = await house.show(days=10, category="theatre", name="A storm at sea")
    hot = await house.show(days=12, category="theatre", name="Calm")
    other = await house.show(days=50, category="concert", name="Songs", sale_start_at=now + 40 * DAY)
    await house.act(hot, views=10)
    await house.settle()
    assert await house.order() == [hot.id, cold.id, other.id]
    assert await house.order(city=fold("Elsewhere")) == []
    assert await house.order(category="theatre") == [hot.id, cold.id]
    assert await house.order(category="concert") == [other.id]
    assert await house.order(since=now + 11 * DAY) == [hot.id, other.id]
    assert await house.order(until=now + 11 * DAY) == [cold.id]
    assert await house.order(sale_status="on_sale") == [hot.id, cold.id]
    assert await house.order(sale_status="upcoming") == [other.id]
    assert await house.order(words="storm") == [cold.id]
    assert await house.order(words="storm", category="concert") == []


async def test_a_show_that_changes_its_category_is_found_by_the_new_one_soon(house: House) -> None:
    event = await house.show(category="theatre")
    await house.change(event, category="concert")
    await house.settle()
    assert await house.order(category="concert") == [event.id]
    assert await house.order(category="theatre") == []
