"""Ticket types: what a show sells, when, where and how many."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from fullhouse.kit.services import Services
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import InsufficientInventory
from tests.accounts.helpers import data
from tests.checkout.helpers import add_type, bought, selling
from tests.counts import Counts
from tests.events.helpers import draft, move, trail
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall, on_sale

ADULT: dict[str, Any] = {"name": "Adult", "price": 2500, "currency": "EUR", "kind": "ga", "quantity": 50}
SEATED: dict[str, Any] = {"name": "Stalls", "price": 4500, "currency": "EUR", "kind": "seated"}


@pytest.fixture
def house(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


async def add(house: Client, event_id: Any, **said: Any) -> Any:
    return data(await house.post(f"/api/events/{event_id}/ticket-types", json=ADULT | said), 201)


@pytest.mark.req("TT-1", "AUD-1")
async def test_a_type_is_made_changed_and_deleted(house: Client, tenant: Tenant, owner: Any) -> None:
    event = await draft(house, capacity=100)
    made = await house.post(f"/api/events/{event['id']}/ticket-types", json=ADULT)
    kind = data(made, 201)
    where = made.headers["location"]
    assert where == f"/api/events/{event['id']}/ticket-types/{kind['id']}"
    assert (kind["tier"], kind["entitlement"], kind["held"], kind["sold"]) == ("general", "single", 0, 0)
    changed = data(await house.patch(where, json={"price": 3000, "quantity": 60}, headers={"if-match": '"1"'}))
    assert (changed["price"], changed["quantity"], changed["version"]) == (3000, 60, 2)
    stale = await house.patch(where, json={"price": 1}, headers={"if-match": '"1"'})
    assert (stale.status_code, stale.json()["code"]) == (412, "stale_version")
    assert [row["id"] for row in data(await house.get(f"/api/events/{event['id']}/ticket-types"))] == [kind["id"]]
    assert (await house.delete(where)).status_code == 204
    assert (await house.get(where)).json()["code"] == "ticket_type_not_found"
    actions = [row["action"] for row in await trail(owner, tenant, kind)]
    assert actions == ["ticket_type.created", "ticket_type.updated", "ticket_type.deleted"]


@pytest.mark.req("TT-1")
async def test_what_is_sold_is_counted_with_and_without_a_quantity(
    client: Client, house: Client, tenant: Tenant
) -> None:
    sale = await selling(house)
    await add_type(house, sale.event_id, name="few", price=100, quantity=5, kind="ga")
    await bought(client, tenant, sale, 0, 1)
    await bought(client, tenant, sale, 2, pit=3)
    back = await bought(client, tenant, sale, 3)
    wish, key = {"reason": "The buyer is ill.", "fees": "return"}, {"idempotency-key": "back"}
    data(await house.post(f"/api/orders/{back['id']}/refunds", json=wish, headers=key), 201)
    kinds = data(await house.get(sale.path("ticket-types")))
    assert {kind["name"]: kind["sold"] for kind in kinds} == {"seat": 3, "pit": 3, "few": 0}


@pytest.mark.req("TT-1")
@pytest.mark.parametrize(
    ("said", "code", "field"),
    [
        ({"price": -1}, "invalid", "price"),
        ({"price": 1_000_000}, "price_too_high", "price"),
        ({"quantity": 0}, "invalid", "quantity"),
        ({"quantity": 100_001}, "invalid", "quantity"),
        ({"quantity": None}, "invalid", "quantity"),
        ({"quantity": 101}, "quantity_above_capacity", "quantity"),
        ({"currency": "eur"}, "invalid", "currency"),
        ({"kind": "seated"}, "invalid", "kind"),
        ({"zones": ["stalls"]}, "invalid", "kind"),
        ({"tier": "gold"}, "invalid", "tier"),
        ({"entitlement": "limited_reentry_per_day"}, "invalid", "max_daily_entries"),
        ({"max_daily_entries": 2}, "invalid", "max_daily_entries"),
        ({"valid_days": ["2090-06-02"]}, "invalid", "valid_days"),
        ({"valid_days": ["2090-06-01", "2090-06-01"]}, "invalid", "valid_days"),
        ({"max_per_order": 11}, "invalid", "max_per_order"),
        ({"sale_end_at": "2090-06-30T19:00:00Z"}, "invalid", "sale_end_at"),
        ({"sale_start_at": "2000-01-01T00:00:00Z"}, "invalid", "sale_start_at"),
        ({"sold": 3}, "unknown_field", "sold"),
        ({"organization_id": "01900000-0000-7000-8000-000000000000"}, "unknown_field", "organization_id"),
    ],
)
async def test_what_a_type_cannot_be(house: Client, owner: Any, said: dict[str, Any], code: str, field: str) -> None:
    event = await draft(house, capacity=100, sale_start_at="2089-01-01T00:00:00Z")
    async with Counts(owner).unchanged():
        answer = await house.post(f"/api/events/{event['id']}/ticket-types", json=ADULT | said)
    assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
    assert field in [row["path"] for row in answer.json()["fields"]]


@pytest.mark.req("TT-1")
async def test_all_types_together_fit_the_show_and_share_a_currency(house: Client) -> None:
    event = await draft(house, capacity=100)
    await add(house, event["id"], quantity=60)
    path = f"/api/events/{event['id']}/ticket-types"
    for said, code, status in (
        ({"name": "B", "quantity": 41}, "quantity_above_capacity", 422),
        ({"name": "B", "quantity": 40, "currency": "GBP"}, "one_currency", 422),
        ({"quantity": 10}, "name_taken", 409),
    ):
        answer = await house.post(path, json=ADULT | said)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    await add(house, event["id"], name="B", quantity=40)


async def test_a_seated_show_sells_its_zones_by_their_keys(house: Client) -> None:
    show = await on_sale(house, hall(pit=20))
    path = show.path("ticket-types")
    keys = list(show.zones)
    wrong = await house.post(path, json=SEATED | {"zones": ["nowhere"], "prices": {"Z": 1}})
    assert {row["path"] for row in wrong.json()["fields"]} == {"zones", "prices"}
    kind = data(await house.post(path, json=SEATED | {"zones": keys[:1]}), 201)
    assert (kind["quantity"], kind["held"], kind["sold"]) == (None, None, None)


@pytest.mark.req("TT-1", "BUY-6")
async def test_buyers_see_what_is_not_hidden(client: Client, house: Client, owner: Any) -> None:
    event = await draft(house, capacity=100)
    await add(house, event["id"], position=2)
    hidden = await add(house, event["id"], name="Friends", hidden=True, quantity=5, position=1)
    await add(house, event["id"], name="Late", quantity=5, position=3, sale_start_at="2090-05-01T00:00:00Z")
    promo = {"code": "insider", "kind": "access", "ticket_type_ids": [hidden["id"]]}
    data(await house.post(f"/api/events/{event['id']}/promo-codes", json=promo), 201)
    path = f"/api/events/{event['id']}/offers"
    assert (await client.get(path)).status_code == 404  # nobody sees a draft
    data(await move(house, event, "publish"))
    shown = data(await client.get(path))
    assert [(offer["name"], offer["status"], offer["left"]) for offer in shown] == [
        ("Adult", "on_sale", 50),
        ("Late", "upcoming", 5),
    ]
    assert shown[0]["price"] == {"amount": 2500, "currency": "EUR"}
    assert shown[0]["charges"] == []
    fee = {"name": "Service", "kind": "fee", "amount": 100}
    data(await house.put("/api/org/charges", json={"charges": [fee]}))
    assert fee.items() <= data(await client.get(path))[0]["charges"][0].items()
    assert data(await client.get(path, params={"code": "INSIDER"}))[0]["name"] == "Friends"
    guess = await client.get(path, params={"code": "GUESS"})
    assert (guess.status_code, guess.json()["code"]) == (422, "promo_code_unknown")


async def counted(services: Services, tenant: Tenant, event_id: UUID) -> list[tuple[int | None, int | None]]:
    async with services.database.tenant(tenant.id) as tx:
        return [(kind.held, kind.sold) for kind in await types.list_types(tx, event_id)]


@pytest.mark.req("BUY-1", "TT-1")
async def test_a_type_is_never_sold_more_often_than_it_is_there(
    house: Client, services: Services, tenant: Tenant
) -> None:
    event = await draft(house, capacity=100)
    kind = await add(house, event["id"], quantity=10)
    event_id, type_id = UUID(event["id"]), UUID(kind["id"])

    async def take_three() -> bool:
        try:
            async with services.database.tenant(tenant.id) as tx:
                await types.hold_quantities(tx, event_id, {type_id: 3})
        except InsufficientInventory:
            return False
        return True

    assert sum(await asyncio.gather(*(take_three() for _ in range(20)))) == 3
    assert await counted(services, tenant, event_id) == [(9, 0)]
    async with services.database.tenant(tenant.id) as tx:
        await types.sell_held(tx, event_id, {type_id: 6})
        await types.release_held(tx, event_id, {type_id: 3})
    assert await counted(services, tenant, event_id) == [(0, 6)]
    path = f"/api/events/{event_id}/ticket-types/{type_id}"
    below = await house.patch(path, json={"quantity": 5})
    assert (below.status_code, below.json()["code"]) == (409, "quantity_below_sold")
    used = await house.delete(path)
    assert (used.status_code, used.json()["code"]) == (409, "ticket_type_in_use")
    async with services.database.tenant(tenant.id) as tx:
        await types.release_sold(tx, event_id, {type_id: 6})
    assert (await house.delete(path)).status_code == 204


@pytest.mark.req("TT-1", "EV-5")
async def test_seats_that_are_sold_or_blocked_are_not_left_though_other_places_are(
    client: Client, tenant: Tenant, owner: Any
) -> None:
    """The pit is for a hidden type; the zone of the seats still has room by its number."""
    staff = client.as_(tenant.tokens["owner"])
    sale = await selling(staff, hall(1, 4, pit=2))
    data(await staff.patch(sale.path(f"ticket-types/{sale.types['pit']}"), json={"hidden": True}))
    await bought(client, tenant, sale, 0)
    left = "SELECT sold_out FROM app.stock($1, $2)"
    assert await owner.fetchval(left, tenant.id, sale.event_id) is False
    seats = {"seat_ids": [sale.show.seat(n) for n in (1, 2, 3)], "reason": "The camera stands there."}
    data(await staff.post(sale.path("seats/block"), json=seats))
    assert await owner.fetchval(left, tenant.id, sale.event_id) is True
