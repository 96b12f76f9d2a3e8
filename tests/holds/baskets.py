"""Baskets over HTTP, for the tests of what is in them."""

from typing import Any

import httpx

from tests.fixtures import Client
from tests.holds.helpers import OnSale


def items(sale: OnSale, *ordinals: int, **zones: int) -> list[dict[str, Any]]:
    chosen: list[dict[str, Any]] = [{"seat_id": sale.seat(n)} for n in ordinals]
    return chosen + [{"zone_id": sale.zones[key], "quantity": count} for key, count in zones.items()]


async def order(who: Client, sale: OnSale, *ordinals: int, **zones: int) -> httpx.Response:
    return await who.post(sale.path("holds"), json={"items": items(sale, *ordinals, **zones)})


async def best(who: Client, sale: OnSale, quantity: int, **more: Any) -> httpx.Response:
    return await who.post(sale.path("holds"), json={"best_available": {"quantity": quantity, **more}})


def taken(basket: Any, sale: OnSale) -> list[int]:
    by_id = {sale.seat(n): n for n in range(200)}
    return [by_id[line["seat_id"]] for line in basket["items"] if line["seat_id"]]


async def chairs(owner: Any, sale: OnSale) -> list[tuple[int, int]]:
    """Wheelchair spaces, and the seat beside each."""
    rows = await owner.fetch(
        "SELECT w.ordinal, c.ordinal AS beside FROM event_seats c JOIN event_seats w ON w.event_id = c.event_id"
        " AND w.seat_id = c.companion_of WHERE c.event_id = $1 ORDER BY 1",
        sale.event_id,
    )
    return [(row["ordinal"], row["beside"]) for row in rows]
