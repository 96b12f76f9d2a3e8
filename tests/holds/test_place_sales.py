"""Seats and places of a zone, where an event has a layout: held while a ticket type sells them."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from fullhouse.seating.plans.plan import Plan
from tests.accounts.helpers import audited, data, refused
from tests.checkout.helpers import Sale, add_promo, add_type, bought, start
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, guest, hall, on_sale, row_counts
from tests.seating.helpers import rows_of

Move = Callable[[timedelta], Any]
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)

Take = Callable[..., Awaitable[httpx.Response]]


async def reserve(who: Client, sale: OnSale, ordinal: int = 0, **more: Any) -> httpx.Response:
    return await who.post(sale.path(f"seats/{sale.seat(ordinal)}/reserve"), json=more)


async def basket(who: Client, sale: OnSale, **more: Any) -> httpx.Response:
    items = [{"seat_id": sale.seat(n)} for n in (2, 3)]
    return await who.post(sale.path("holds"), json={"items": items} | more)


async def best(who: Client, sale: OnSale, **more: Any) -> httpx.Response:
    return await who.post(sale.path("holds"), json={"best_available": {"quantity": 2}} | more)


async def places(who: Client, sale: OnSale, **more: Any) -> httpx.Response:
    items = [{"zone_id": sale.zones["pit"], "quantity": 2}]
    return await who.post(sale.path("holds"), json={"items": items} | more)


WAYS: dict[str, tuple[str, Take]] = {
    "one seat": ("seated", reserve),
    "a basket": ("seated", basket),
    "the best": ("seated", best),
    "places": ("ga", places),
}
ways = pytest.mark.parametrize(("kind", "take"), list(WAYS.values()), ids=list(WAYS))


async def typed(staff: Client, kind: str, **more: Any) -> tuple[OnSale, str]:
    """A hall with a pit, and one type that sells the seats or the pit."""
    sale = await on_sale(staff, hall(4, 10, pit=50))
    return sale, await add_type(staff, sale.event_id, name="one", price=100, kind=kind, **more)


async def window(staff: Client, kind: str) -> tuple[OnSale, datetime, datetime]:
    begin = datetime.now(UTC) + 10 * MINUTE
    end = begin + 10 * MINUTE
    sale, _ = await typed(staff, kind, sale_start_at=begin.isoformat(), sale_end_at=end.isoformat())
    return sale, begin, end


@pytest.mark.req("TT-1", "HOLD-6", "HOLD-13")
@ways
async def test_nothing_is_held_before_its_types_are_on_sale_nor_after(
    kind: str, take: Take, staff: Client, client: Client, tenant: Tenant, buyer: Client, owner: Any, clock: Move
) -> None:
    sale, begin, end = await window(staff, kind)

    async def at(when: datetime, who: Client) -> httpx.Response:
        await clock(when - datetime.now(UTC))
        return await take(who, sale)

    # The database's time runs on from where it was put, so the near side of an edge is a few seconds wide.
    assert refused(await at(begin - 10 * SECOND, buyer)) == (409, "ticket_type_not_on_sale")
    assert await row_counts(owner, sale) == (0, 0, 0)
    assert "ticket_type_not_on_sale" in (await audited(owner, tenant, "seat_reserve_failed"))[0]["after"]
    data(await at(begin + SECOND, buyer), 201)
    before = await row_counts(owner, sale)
    somebody = await guest(client, tenant)
    await clock(end + SECOND - datetime.now(UTC))  # what was held is long over
    assert refused(await take(somebody, sale)) == (409, "ticket_type_not_on_sale")
    assert await row_counts(owner, sale) == before
    data(await at(end - 10 * SECOND, somebody), 201)


@pytest.mark.req("TT-1", "HOLD-6", "HOLD-13")
@ways
async def test_what_only_a_hidden_type_sells_is_held_with_its_code(
    kind: str, take: Take, staff: Client, buyer: Client, owner: Any
) -> None:
    sale, type_id = await typed(staff, kind, hidden=True)
    other = await add_type(staff, sale.event_id, name="other", price=100, kind="ga" if kind == "seated" else "seated")
    house = Sale(show=sale, types={}, staff=staff)
    await add_promo(staff, house, code="FRIENDS", kind="access", amount=None, ticket_type_ids=[type_id])
    await add_promo(staff, house, code="OTHERS", kind="access", amount=None, ticket_type_ids=[other])
    codes: list[dict[str, Any]] = [{}, {"promo_code": "WRONG"}, {"promo_code": "OTHERS"}]
    for said in codes:
        assert refused(await take(buyer, sale, **said)) == (409, "ticket_type_not_on_sale"), said
    assert await row_counts(owner, sale) == (0, 0, 0)
    data(await take(buyer, sale, promo_code=" friends "), 201)


@pytest.mark.req("TT-1", "HOLD-6", "HOLD-13")
async def test_a_code_that_is_used_up_holds_nothing_for_others(
    staff: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    """Nobody could buy what they hold; who has the last use in a checkout goes on with it."""
    sale, type_id = await typed(staff, "seated", hidden=True)
    house = Sale(show=sale, types={}, staff=staff)
    promo = await add_promo(
        staff, house, code="FRIENDS", kind="access", amount=None, ticket_type_ids=[type_id], max_uses=1
    )
    first, second = await guest(client, tenant), await guest(client, tenant)
    held = data(await reserve(first, sale, 9, promo_code="FRIENDS"), 201)
    items = [{"hold_id": held["hold_id"], "ticket_type_id": type_id}]
    data(await start(first, house, items, promo_code="FRIENDS"), 201)
    assert await owner.fetchval("SELECT uses FROM promo_codes WHERE id = $1", promo["id"]) == 1
    before = await row_counts(owner, sale)
    for take in (reserve, basket, best):
        assert refused(await take(second, sale, promo_code="FRIENDS")) == (409, "ticket_type_not_on_sale"), take
    assert await row_counts(owner, sale) == before
    data(await reserve(first, sale, 8, promo_code="FRIENDS"), 201)


@pytest.mark.req("TT-1", "HOLD-6", "HOLD-13")
async def test_a_code_shows_its_types_in_its_own_time_only(staff: Client, buyer: Client, clock: Move) -> None:
    now = datetime.now(UTC)
    sale, type_id = await typed(staff, "seated", hidden=True)
    times = {"valid_from": (now + 10 * MINUTE).isoformat(), "valid_until": (now + 20 * MINUTE).isoformat()}
    house = Sale(show=sale, types={}, staff=staff)
    await add_promo(staff, house, code="FRIENDS", kind="access", amount=None, ticket_type_ids=[type_id], **times)
    for minutes, status in ((9, 409), (11, 201), (19, 201), (21, 409)):
        await clock(minutes * MINUTE)
        assert (await reserve(buyer, sale, minutes, promo_code="FRIENDS")).status_code == status, minutes


@pytest.mark.req("TT-1", "HOLD-6", "HOLD-13")
@ways
async def test_what_is_sold_out_of_all_its_types_is_not_held(
    kind: str, take: Take, staff: Client, client: Client, tenant: Tenant, buyer: Client
) -> None:
    sale, type_id = await typed(staff, kind, quantity=2)
    house = Sale(show=sale, types={"seat": type_id, "pit": type_id}, staff=staff)
    await bought(client, tenant, house, *([20] if kind == "seated" else []), pit=0 if kind == "seated" else 1)
    held = data(await take(buyer, sale), 201)  # one is left; what is only held may come back, so two may try
    for line in held.get("items", [held]):
        assert (await buyer.delete(f"/api/holds/{line['hold_id']}")).status_code == 204
    await bought(client, tenant, house, *([21] if kind == "seated" else []), pit=0 if kind == "seated" else 1)
    assert refused(await take(buyer, sale)) == (409, "ticket_type_sold_out")
    await add_type(staff, sale.event_id, name="another", price=100, kind=kind, quantity=5)
    data(await take(buyer, sale), 201)


@pytest.mark.req("TT-1", "HOLD-6", "HOLD-13")
async def test_of_a_basket_the_line_that_nobody_sells_is_named(staff: Client, buyer: Client, owner: Any) -> None:
    sale, _ = await typed(staff, "seated")
    items = [{"seat_id": sale.seat(0)}, {"zone_id": sale.zones["pit"], "quantity": 1}]
    answer = await buyer.post(sale.path("holds"), json={"items": items})
    assert refused(answer) == (409, "ticket_type_not_on_sale")
    assert (answer.json()["item"], answer.json()["zone_id"]) == (1, sale.zones["pit"])
    assert await row_counts(owner, sale) == (0, 0, 0)


@pytest.mark.req("TT-1", "HOLD-3", "HOLD-13")
async def test_what_somebody_has_stays_theirs_after_the_types_time(staff: Client, buyer: Client, clock: Move) -> None:
    sale, _, end = await window(staff, "seated")
    await clock(end - MINUTE - datetime.now(UTC))
    first = data(await reserve(buyer, sale), 201)
    await clock(end + SECOND - datetime.now(UTC))
    assert data(await reserve(buyer, sale))["hold_id"] == first["hold_id"]
    assert refused(await reserve(buyer, sale, 1)) == (409, "ticket_type_not_on_sale")


@pytest.mark.req("TT-1", "HOLD-6", "HOLD-13")
async def test_staff_keep_places_before_the_sale(staff: Client, buyer: Client) -> None:
    begin = (datetime.now(UTC) + 10 * MINUTE).isoformat()
    sale, _ = await typed(staff, "seated", sale_start_at=begin)
    assert refused(await reserve(buyer, sale)) == (409, "ticket_type_not_on_sale")
    data(await reserve(staff, sale), 201)
    data(await places(staff, sale), 201)
    data(await best(staff, sale), 201)


def two_zones() -> Plan:
    """A row of seats each."""
    plan = rows_of(("A", 6), ("B", 6))
    (zone,) = plan.zones
    (section,) = zone.sections
    named = zip(("front", "back"), section.rows, strict=True)
    zones = (replace(zone, key=n, name=n.title(), sections=(replace(section, key=n, rows=(row,)),)) for n, row in named)
    return replace(plan, zones=tuple(zones))


@pytest.mark.req("TT-1", "ALLOC-1", "HOLD-13")
async def test_the_best_are_chosen_where_something_is_sold(
    staff: Client, client: Client, tenant: Tenant, buyer: Client, owner: Any
) -> None:
    """The front stalls are better, and their type is not on sale yet: none of them is proposed, and so none refused."""
    sale = await on_sale(staff, two_zones())
    begin = (datetime.now(UTC) + 10 * MINUTE).isoformat()
    front = {"zones": ["front"], "sale_start_at": begin}
    await add_type(staff, sale.event_id, name="front", price=100, kind="seated", **front)
    await add_type(staff, sale.event_id, name="back", price=100, kind="seated", zones=["back"])
    found = data(await best(buyer, sale), 201)
    assert {line["block_name"] for line in found["items"]} == {"Back"}
    assert await audited(owner, tenant, "seat_reserve_failed") == []
    wish = {"quantity": 2, "zone_ids": [sale.zones["front"]]}
    other = await guest(client, tenant)
    answer = await other.post(sale.path("holds"), json={"best_available": wish})
    assert refused(answer) == (409, "ticket_type_not_on_sale")
    assert len(await audited(owner, tenant, "seat_reserve_failed")) == 1


@pytest.mark.req("TT-1", "ALLOC-1", "HOLD-13")
async def test_of_the_best_all_is_sold_out_or_something_may_be_sold_later(
    staff: Client, client: Client, tenant: Tenant, buyer: Client
) -> None:
    sale = await on_sale(staff, two_zones())
    begin = (datetime.now(UTC) + 10 * MINUTE).isoformat()
    front = await add_type(staff, sale.event_id, name="front", price=100, kind="seated", zones=["front"], quantity=2)
    back = {"zones": ["back"], "sale_start_at": begin}
    await add_type(staff, sale.event_id, name="back", price=100, kind="seated", **back)
    await bought(client, tenant, Sale(show=sale, types={"seat": front}, staff=staff), 0, 1)
    assert refused(await best(buyer, sale)) == (409, "ticket_type_not_on_sale")
    wish = {"quantity": 2, "zone_ids": [sale.zones["front"]]}
    answer = await buyer.post(sale.path("holds"), json={"best_available": wish})
    assert refused(answer) == (409, "ticket_type_sold_out")
