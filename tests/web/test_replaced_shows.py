"""Where the address of a show leads that is not shown any more."""

import pytest

from tests.accounts.helpers import data
from tests.events.helpers import move, show_in
from tests.fixtures import Client, Tenant


@pytest.fixture
def house(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.mark.req("EV-5", "EV-10")
async def test_a_cancelled_shows_address_leads_to_what_took_its_place(
    client: Client, house: Client, tenant: Tenant
) -> None:
    first, second, third = [await show_in(house, "published", name=name) for name in ("One", "Two", "Three")]
    root = f"/o/{tenant.organization.slug}"
    for old, new in ((first, second), (second, third)):
        data(await house.patch(f"/api/events/{old['id']}", json={"replaced_by_event_id": new["id"]}))
    assert (await client.get(f"{root}/{first['slug']}")).status_code == 200  # it is still on
    data(await move(house, first, "cancel"))
    moved = await client.get(f"{root}/{first['slug']}")
    assert (moved.status_code, moved.headers["location"]) == (307, f"{root}/{second['slug']}")
    data(await move(house, second, "cancel"))
    moved = await client.get(f"{root}/{first['slug']}")
    assert moved.headers["location"] == f"{root}/{third['slug']}"
    data(await move(house, third, "cancel"))
    assert (await client.get(f"{root}/{first['slug']}")).status_code == 404


@pytest.mark.req("EV-5")
async def test_a_drafts_address_leads_nowhere(client: Client, house: Client, tenant: Tenant) -> None:
    hidden, public = await show_in(house, "draft", name="One"), await show_in(house, "published", name="Two")
    data(await house.patch(f"/api/events/{hidden['id']}", json={"replaced_by_event_id": public["id"]}))
    assert (await client.get(f"/o/{tenant.organization.slug}/{hidden['slug']}")).status_code == 404
