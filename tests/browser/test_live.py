"""A show without a plan, while others buy and its house changes its mind: the page says so by itself."""

import pytest
from playwright.async_api import Page, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.checkout.helpers import selling, selling_types
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest


async def _keep(page: Page) -> None:
    """Whoever loads the page again loses this mark."""
    await expect(page.get_by_text("Live availability")).to_be_visible()
    await page.evaluate("window.kept = true")


async def _same_page(page: Page) -> None:
    assert await page.evaluate("window.kept === true")


@pytest.mark.req("HOLD-10", "TT-1")
async def test_somebody_buys_the_last_place_while_another_looks(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await selling_types(staff, 1)
    looks, buys = [await visit(counter.path(tenant)) for _ in range(2)]
    await expect(looks.page.get_by_text("Only 1 left")).to_be_visible()
    await _keep(looks.page)
    await buys.page.get_by_role("button", name="Add").click()
    await expect(counter.taken(buys.page)).to_have_count(1)
    await expect(looks.page.get_by_role("group", name="Waitlist")).to_contain_text("Sold out")
    await expect(looks.page.get_by_role("button", name="Add")).to_have_count(0)
    assert not await looks.violations()
    await counter.to_checkout(buys.page)
    await counter.fill_in(buys.page)
    await counter.pay(buys.page)
    await expect(looks.page.get_by_role("group", name="Waitlist")).to_contain_text("Sold out")
    await _same_page(looks.page)


@pytest.mark.req("HOLD-10", "TT-1")
async def test_what_is_given_back_can_be_had_at_once_and_no_more_than_is_left(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    sale = await selling_types(staff, 3)
    page = (await visit(counter.path(tenant))).page
    await page.get_by_label("Number of tickets: entry").select_option("3")
    await _keep(page)
    other = await guest(client, tenant)
    wish = {"items": [{"ticket_type_id": sale.types["entry"], "quantity": 2}]}
    held = data(await other.post(sale.path("holds"), json=wish), 201)["items"][0]["hold_id"]
    await expect(page.get_by_text("Only 1 left")).to_be_visible()
    await expect(page.get_by_label("Number of tickets: entry")).to_have_value("1")
    assert (await other.delete(f"/api/holds/{held}")).status_code == 204
    await expect(page.get_by_text("Only 3 left")).to_be_visible()
    await _same_page(page)


@pytest.mark.req("HOLD-10", "TT-1")
async def test_a_price_changes_while_somebody_looks(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await selling_types(staff, 4)
    page = (await visit(counter.path(tenant))).page
    await expect(page.get_by_text("€25.00", exact=True)).to_be_visible()
    await _keep(page)
    data(await staff.patch(sale.path(f"ticket-types/{sale.types['entry']}"), json={"price": 3100}))
    await expect(page.get_by_text("€31.00", exact=True)).to_be_visible()
    await expect(page.get_by_text("€25.00", exact=True)).to_have_count(0)
    await expect(page.locator("[data-from]")).to_have_text(["From €31.00", "From €31.00"])  # in the head, too
    await _same_page(page)


@pytest.mark.req("HOLD-10", "TT-1")
async def test_the_head_says_the_least_of_what_a_plan_sells(visit: Visit, staff: Client, tenant: Tenant) -> None:
    """Its places are seats and a pit: the dearer one is no news, the cheaper one is."""
    sale = await selling(staff)
    page = (await counter.at_the_map(visit, tenant)).page
    for name, price, least in (("seat", 3000, "€25.00"), ("pit", 2800, "€28.00"), ("seat", 1900, "€19.00")):
        data(await staff.patch(sale.path(f"ticket-types/{sale.types[name]}"), json={"price": price}))
        await expect(page.locator("[data-from]")).to_have_text([f"From {least}"] * 2)
