"""Addresses that the API's outline names: the waiting list, a show's metrics, the platform's page."""

import pytest

from tests.accounts.helpers import data
from tests.checkout.helpers import selling
from tests.events.helpers import show_in
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest


@pytest.fixture
def house(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.mark.req("BUY-6")
async def test_the_waiting_list_has_both_of_its_names(client: Client, house: Client, tenant: Tenant) -> None:
    sale = await selling(house)
    settings = data(await house.put(sale.path("waiting-list/settings"), json={"enabled": True}))
    assert settings == data(await house.get(sale.path("waitlist/settings")))
    buyer = await guest(client, tenant)
    for name in ("waiting-list", "waitlist"):
        answer = await buyer.get(sale.path(name))
        assert (answer.status_code, answer.json()["code"]) == (404, "not_on_waitlist")
        joined = await buyer.post(sale.path(name), json={"party": 2, "email": "ada@example.org"})
        assert (joined.status_code, joined.json()["code"]) == (409, "places_left")
        assert data(await house.get(sale.path(f"{name}/entries"))) == []


@pytest.mark.req("OBS-1")
async def test_a_show_has_metrics(house: Client, client: Client, other_tenant: Tenant) -> None:
    sale = await selling(house)
    found = data(await house.get(sale.path("metrics")))
    (listed,) = data(await house.get("/api/org/metrics"))["shows"]
    assert found == listed
    assert found["event_id"] == str(sale.event_id)
    assert found["measures"]
    plain = await show_in(house, "published", name="Without seats")
    assert data(await house.get(f"/api/events/{plain['id']}/metrics"))["measures"] == []
    elsewhere = client.as_(other_tenant.tokens["owner"])
    assert (await elsewhere.get(sale.path("metrics"))).status_code == 404


async def test_the_platform_has_a_page(client: Client) -> None:
    answer = await client.get("/platform")
    assert (answer.status_code, answer.headers["location"]) == (302, "/console/platform/organizations")
    assert (await client.get(answer.headers["location"])).status_code == 200
