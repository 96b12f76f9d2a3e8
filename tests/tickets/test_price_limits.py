"""What a ticket costs at most: by its currency, and by what the organisation allows."""

from typing import Any

import pytest

from fullhouse.kit.money import PRICE_MAX, highest_price
from tests.accounts.helpers import data
from tests.events.helpers import ENTRY, draft
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("TT-1", "TT-2")


@pytest.fixture
def house(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.mark.parametrize(
    ("currency", "most"),
    [
        ("EUR", 999_999),
        ("USD", 999_999),
        ("KWD", 9_999_990),  # three digits after the point
        ("ZAR", 9_999_990),
        ("JPY", 999_999),  # none
        ("HUF", 99_999_900),
        ("NGN", 999_999_000),
        ("COP", 999_999_000),
        ("VND", 99_999_900),
        ("IDR", 9_999_990_000),
    ],
)
async def test_each_currency_has_its_own_ceiling(house: Client, currency: str, most: int) -> None:
    assert highest_price(currency) == most <= PRICE_MAX
    path = f"/api/events/{(await draft(house))['id']}/ticket-types"
    wish = ENTRY | {"currency": currency}
    assert data(await house.post(path, json=wish | {"price": most}), 201)["price"] == most
    refused = await house.post(path, json=wish | {"name": "Dearer", "price": most + 1})
    assert (refused.status_code, refused.json()["code"], refused.json()["most"]) == (422, "price_too_high", most)
    assert [field["path"] for field in refused.json()["fields"]] == ["price"]


async def _price(house: Client, event: Any, name: str, price: int, currency: str = "EUR") -> int:
    wish = ENTRY | {"name": name, "price": price, "currency": currency}
    return (await house.post(f"/api/events/{event['id']}/ticket-types", json=wish)).status_code


async def test_an_organisation_raises_it_for_its_own_currency(house: Client) -> None:
    event, abroad = await draft(house), await draft(house, name="Abroad")
    assert data(await house.get("/api/org"))["ticket_price_max"] is None
    assert await _price(house, event, "Box", 2_000_000) == 422
    raised = {"currency": "EUR", "ticket_price_max": 2_000_000}
    assert data(await house.patch("/api/org", json=raised))["ticket_price_max"] == 2_000_000
    assert await _price(house, event, "Box", 2_000_000) == 201
    assert await _price(house, event, "Suite", 2_000_001) == 422
    assert await _price(house, abroad, "Box", 1_000_000, "USD") == 422  # it is said of euros
    data(await house.patch("/api/org", json={"ticket_price_max": None}))
    assert await _price(house, event, "Loge", 1_000_000) == 422
    assert (await house.patch("/api/org", json={"ticket_price_max": PRICE_MAX + 1})).status_code == 422


async def test_a_price_of_many_units_is_shown_and_offered(house: Client, client: Client, tenant: Tenant) -> None:
    event = await draft(house)
    assert await _price(house, event, "Masuk", 9_000_000_000, "IDR") == 201
    data(await house.post(f"/api/events/{event['id']}/publish"))
    (offer,) = data(await client.get(f"/api/events/{event['id']}/offers"))
    assert offer["price"] == {"amount": 9_000_000_000, "currency": "IDR"}
    page = await client.get(f"/o/{tenant.organization.slug}/{event['slug']}")
    assert page.status_code == 200
