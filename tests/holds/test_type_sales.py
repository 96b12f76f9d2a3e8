"""Places of a ticket type, where an event has no layout: held while the type is on sale, by whoever may see it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from tests.accounts.helpers import data, refused
from tests.checkout.helpers import Sale, add_promo, add_type, selling, selling_types
from tests.fixtures import Client
from tests.holds.helpers import hall, on_sale, row_counts

Move = Callable[[timedelta], Any]
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


async def take(who: Client, sale: Sale, type_id: str, quantity: int = 1, **more: Any) -> httpx.Response:
    wish = {"items": [{"ticket_type_id": type_id, "quantity": quantity}]} | more
    return await who.post(sale.path("holds"), json=wish)


async def typed(staff: Client, **kind: Any) -> tuple[Sale, str]:
    sale = await selling_types(staff, 10)
    return sale, await add_type(staff, sale.event_id, name="odd", price=100, quantity=10, kind="ga", **kind)


@pytest.mark.req("TT-1", "HOLD-6", "HOLD-13")
async def test_a_type_is_held_from_its_first_second_to_its_last(
    staff: Client, buyer: Client, owner: Any, clock: Move
) -> None:
    now = datetime.now(UTC)
    begin, end = now + 10 * MINUTE, now + 20 * MINUTE
    sale, type_id = await typed(staff, sale_start_at=begin.isoformat(), sale_end_at=end.isoformat())

    async def at(when: datetime) -> httpx.Response:
        await clock(when - datetime.now(UTC))
        return await take(buyer, sale, type_id)

    # The database's time runs on from where it was put, so the near side of an edge is a few seconds wide.
    assert refused(await at(begin - 10 * SECOND)) == (409, "ticket_type_not_on_sale")
    assert await row_counts(owner, sale.show) == (0, 0, 0)
    data(await at(begin + SECOND), 201)
    data(await at(end - 10 * SECOND), 201)
    before = await row_counts(owner, sale.show)
    assert refused(await at(end + SECOND)) == (409, "ticket_type_not_on_sale")
    assert await row_counts(owner, sale.show) == before


@pytest.mark.req("HOLD-1", "HOLD-6")
async def test_an_event_is_sold_from_its_first_second_to_its_last(
    staff: Client, buyer: Client, owner: Any, clock: Move
) -> None:
    sale = await on_sale(staff, hall(1, 4))
    begin = datetime.now(UTC) + 10 * MINUTE
    end = begin + 10 * MINUTE
    window = "UPDATE events SET sale_start_at = $2, sale_end_at = $3 WHERE id = $1"
    await owner.execute(window, sale.event_id, begin, end)

    async def at(when: datetime, seat: int) -> httpx.Response:
        await clock(when - datetime.now(UTC))
        return await buyer.post(sale.path(f"seats/{sale.seat(seat)}/reserve"), json={})

    assert refused(await at(begin - 10 * SECOND, 0)) == (400, "event_sales_closed")
    data(await at(begin + SECOND, 0), 201)
    data(await at(end - 10 * SECOND, 1), 201)
    assert refused(await at(end + SECOND, 2)) == (400, "event_sales_closed")


@pytest.mark.req("TT-1", "HOLD-6", "HOLD-13")
async def test_a_hidden_type_is_held_by_whoever_has_its_code(staff: Client, buyer: Client, owner: Any) -> None:
    sale, type_id = await typed(staff, hidden=True)
    other = sale.types["entry"]
    await add_promo(staff, sale, code="FRIENDS", kind="access", amount=None, ticket_type_ids=[type_id])
    await add_promo(staff, sale, code="OTHERS", kind="access", amount=None, ticket_type_ids=[other])
    codes: list[dict[str, Any]] = [{}, {"promo_code": "WRONG"}, {"promo_code": "OTHERS"}]
    for code in codes:
        assert refused(await take(buyer, sale, type_id, **code)) == (404, "ticket_type_not_found"), code
    assert await row_counts(owner, sale.show) == (0, 0, 0)
    data(await take(buyer, sale, type_id, promo_code=" friends "), 201)


@pytest.mark.req("TT-1", "HOLD-6")
async def test_a_code_shows_its_types_in_its_own_time_only(staff: Client, buyer: Client, clock: Move) -> None:
    now = datetime.now(UTC)
    sale, type_id = await typed(staff, hidden=True)
    times = {"valid_from": (now + 10 * MINUTE).isoformat(), "valid_until": (now + 20 * MINUTE).isoformat()}
    await add_promo(staff, sale, code="FRIENDS", kind="access", amount=None, ticket_type_ids=[type_id], **times)
    for minutes, status in ((9, 404), (11, 201), (19, 201), (21, 404)):
        await clock(minutes * MINUTE)
        assert (await take(buyer, sale, type_id, promo_code="FRIENDS")).status_code == status, minutes


@pytest.mark.req("TT-1", "HOLD-6", "SEAT-3")
async def test_where_there_is_a_layout_places_are_held_and_no_types(staff: Client, buyer: Client, owner: Any) -> None:
    """Otherwise there would be tickets for seats without a seat."""
    sale = await selling(staff, quantity=10)
    for name in ("seat", "pit"):
        assert refused(await take(buyer, sale, sale.types[name])) == (409, "ticket_type_not_on_sale")
    assert await row_counts(owner, sale.show) == (0, 0, 0)


@pytest.mark.req("TT-1")
async def test_a_type_of_another_event_is_none(staff: Client, buyer: Client) -> None:
    sale, _ = await typed(staff)
    elsewhere = await selling(staff, quantity=10, name="Another night")
    assert refused(await take(buyer, sale, elsewhere.types["pit"])) == (404, "ticket_type_not_found")
