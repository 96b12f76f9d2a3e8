"""Promo codes: what they take off, how often, and that nobody takes a use twice. Fees and taxes beside them."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types.model import PromoUsedUp
from tests.accounts.helpers import data
from tests.events.helpers import draft, trail
from tests.fixtures import Client, Tenant

TENTH: dict[str, Any] = {"code": "Tenth-Off", "kind": "percent", "basis_points": 1000}


@pytest.fixture
def house(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.fixture
async def path(house: Client) -> str:
    return f"/api/events/{(await draft(house))['id']}/promo-codes"


@pytest.mark.req("TT-1", "AUD-1")
async def test_a_code_is_made_switched_off_and_deleted(house: Client, path: str, tenant: Tenant, owner: Any) -> None:
    promo = data(await house.post(path, json=TENTH), 201)
    assert (promo["code"], promo["uses"], promo["spent"]) == ("TENTH-OFF", 0, 0)
    again = await house.post(path, json=TENTH | {"code": "tenth-off"})
    assert (again.status_code, again.json()["code"]) == (409, "code_taken")
    off = data(await house.patch(f"{path}/{promo['id']}", json={"active": False, "max_uses": 3}))
    assert (off["active"], off["max_uses"], off["version"]) == (False, 3, 2)
    assert [row["id"] for row in data(await house.get(path))] == [promo["id"]]
    assert (await house.delete(f"{path}/{promo['id']}")).status_code == 204
    assert (await house.get(f"{path}/{promo['id']}")).status_code == 404
    actions = [row["action"] for row in await trail(owner, tenant, promo)]
    assert actions == ["promo_code.created", "promo_code.updated", "promo_code.deleted"]


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"kind": "fixed"}, "basis_points"),
        ({"basis_points": None}, "basis_points"),
        ({"basis_points": 0}, "basis_points"),
        ({"kind": "fixed", "amount": 5, "basis_points": 0}, "basis_points"),
        ({"amount": 5}, "amount"),
        ({"basis_points": 10_001}, "basis_points"),
        ({"code": "no blanks"}, "code"),
        ({"ticket_type_ids": ["01900000-0000-7000-8000-000000000000"]}, "ticket_type_ids"),
        ({"valid_from": "2090-01-02T00:00:00Z", "valid_until": "2090-01-01T00:00:00Z"}, "valid_until"),
        ({"max_uses": 0}, "max_uses"),
    ],
)
async def test_what_a_code_cannot_be(house: Client, path: str, said: dict[str, Any], field: str) -> None:
    answer = await house.post(path, json=TENTH | said)
    assert answer.status_code == 422, answer.text
    assert field in [row["path"] for row in answer.json()["fields"]]


@pytest.mark.req("BUY-1")
async def test_a_hundred_want_the_one_use_of_a_code(
    house: Client, path: str, services: Services, tenant: Tenant
) -> None:
    promo = data(await house.post(path, json=TENTH | {"max_uses": 1}), 201)
    event_id = UUID(promo["event_id"])

    async def use(checkout_id: UUID) -> bool:
        try:
            async with services.database.tenant(tenant.id) as tx:
                found = await promos.lock_valid(tx, event_id, "tenth-off")
                await promos.count_use(tx, found, checkout_id, 120)
        except PromoUsedUp:
            return False
        return True

    checkouts = [new_id() for _ in range(100)]
    won = [c for c, got in zip(checkouts, await asyncio.gather(*map(use, checkouts)), strict=True) if got]
    assert len(won) == 1
    used = await house.delete(f"{path}/{promo['id']}")
    assert (used.status_code, used.json()["code"]) == (409, "promo_code_in_use")
    for _ in range(2):  # the second time there is nothing to give back
        async with services.database.tenant(tenant.id) as tx:
            await promos.release_uses(tx, won)
        back = data(await house.get(f"{path}/{promo['id']}"))
        assert (back["uses"], back["spent"]) == (0, 0)
    assert await use(new_id())


async def test_a_budget_is_never_overspent(house: Client, path: str, services: Services, tenant: Tenant) -> None:
    promo = data(await house.post(path, json=TENTH | {"budget": 100}), 201)
    async with services.database.tenant(tenant.id) as tx:
        found = await promos.lock_valid(tx, UUID(promo["event_id"]), "TENTH-OFF")
        await promos.count_use(tx, found, new_id(), 70)
    with pytest.raises(PromoUsedUp):
        async with services.database.tenant(tenant.id) as tx:
            await promos.count_use(tx, found, new_id(), 31)
    shrunk = await house.patch(f"{path}/{promo['id']}", json={"budget": 69})
    assert (shrunk.status_code, shrunk.json()["code"]) == (409, "promo_code_in_use")


async def test_charges_are_the_organisations_until_a_show_has_its_own(house: Client, path: str) -> None:
    vat = {"name": "VAT", "kind": "tax", "basis_points": 2100, "included": True}
    fee = {"name": "Service", "kind": "fee", "amount": 150}
    of_show = path.replace("promo-codes", "charges")
    assert data(await house.get(of_show))["charges"] == []
    data(await house.put("/api/org/charges", json={"charges": [vat]}))
    found = data(await house.get(of_show))
    assert (found["source"], [charge["name"] for charge in found["charges"]]) == ("organization", ["VAT"])
    data(await house.put(of_show, json={"charges": [fee]}))
    found = data(await house.get(of_show))
    assert (found["source"], [charge["name"] for charge in found["charges"]]) == ("event", ["Service"])
    assert (await house.delete(of_show)).status_code == 204
    assert data(await house.get(of_show))["source"] == "organization"
    for wrong in ({"name": "X", "kind": "fee"}, vat | {"amount": 3}, fee | {"included": True}):
        assert (await house.put(of_show, json={"charges": [wrong]})).status_code == 422
