"""A plain wish waits for its batch without a task; what is not plain takes the long way."""

from functools import partial
from typing import Any

import pytest

from fullhouse.holds import actions
from tests.accounts.helpers import data
from tests.fixtures import Client
from tests.holds.helpers import OnSale, hall, on_sale

pytestmark = pytest.mark.req("HOLD-1", "HOLD-6")


@pytest.fixture
def long_way(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Who took it, by verb."""
    taken: list[str] = []

    def noted(verb: str, run: Any, *args: Any, **more: Any) -> Any:
        taken.append(verb)
        return run(*args, **more)

    for verb in ("reserve", "hold_items"):
        monkeypatch.setattr(actions, verb, partial(noted, verb, getattr(actions, verb)))
    return taken


async def reserve(buyer: Client, sale: OnSale, seat: int) -> Any:
    return data(await buyer.post(sale.path(f"seats/{sale.seat(seat)}/reserve"), json={}), 201)


async def hold(buyer: Client, sale: OnSale, *items: dict[str, Any], **more: str) -> Any:
    return data(await buyer.post(sale.path("holds"), json={"items": list(items)}, headers=more), 201)


async def test_a_seat_and_places_need_no_task(staff: Client, buyer: Client, long_way: list[str]) -> None:
    sale = await on_sale(staff, hall(pit=5))
    await reserve(buyer, sale, 0)
    await hold(buyer, sale, {"zone_id": sale.zones["pit"], "quantity": 2})
    assert long_way == []


async def test_what_is_not_plain_takes_the_long_way(staff: Client, buyer: Client, long_way: list[str]) -> None:
    sale = await on_sale(staff, hall(3, 8, wheelchairs=1, pit=5))
    await hold(buyer, sale, {"seat_id": sale.seat(0)})
    await hold(buyer, sale, {"zone_id": sale.zones["pit"]}, **{"Idempotency-Key": "once"})
    assert long_way == ["hold_items", "hold_items"]
