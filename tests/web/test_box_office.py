"""What a show's page asks for at once, so that its box office need not wait for it."""

import pytest

from tests.checkout.helpers import selling, selling_types
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall
from tests.web.helpers import Seen


@pytest.fixture
def house(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


def fetched(page: Seen) -> list[str | None]:
    return [link["href"] for link in page.all("link", rel="preload") if link["as"] == "fetch"]


async def test_a_page_asks_at_once_for_what_its_box_office_reads_first(
    client: Client, house: Client, tenant: Tenant
) -> None:
    sale = await selling(house, hall(1, 4))
    page = Seen(await client.get(f"/o/{tenant.organization.slug}/the-tempest"))
    (office,) = page.all("div", **{"data-event": str(sale.event_id)})
    reads = [f"seatmap?layout={office['data-layout']}", "availability", "occupancy", "offers"]
    assert fetched(page) == [sale.path(read) for read in reads]
    for path in fetched(page):
        assert (await client.get(str(path))).status_code == 200
    kept = await client.get(sale.path(reads[0]))
    assert kept.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert kept.headers["x-layout-id"] == office["data-layout"]


async def test_a_show_without_a_plan_has_none_to_ask_for(client: Client, house: Client, tenant: Tenant) -> None:
    sale = await selling_types(house, 3)
    page = Seen(await client.get(f"/o/{tenant.organization.slug}/the-tempest"))
    (office,) = page.all("div", **{"data-event": str(sale.event_id)})
    assert office["data-layout"] == ""
    assert fetched(page) == [sale.path("offers")]


async def test_a_frame_asks_for_nothing_as_the_visitor(client: Client, house: Client, tenant: Tenant) -> None:
    """What a page's head asks for goes with the cookie; a frame's box office never does."""
    await selling(house, hall(1, 4))
    page = Seen(await client.get(f"/embed/{tenant.organization.slug}/the-tempest"))
    (office,) = page.all("div", **{"data-embedded": None})  # type: ignore[arg-type]
    assert office["data-layout"]
    assert fetched(page) == []
