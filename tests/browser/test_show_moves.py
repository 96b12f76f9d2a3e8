"""A show that is put off or called off from the console: asked why first, and everybody learns of it."""

import pytest
from playwright.async_api import Page, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import clean
from tests.browser.office import answer, settled, signed_in
from tests.checkout.helpers import Sale, bought
from tests.events.helpers import make_venue
from tests.fixtures import Client, Tenant


@pytest.fixture
async def sale(client: Client, staff: Client, tenant: Tenant) -> Sale:
    sale = await counter.small_house(staff)
    await bought(client, tenant, sale, 0, 1)
    return sale


async def not_without_a_reason(page: Page, deed: str) -> None:
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name=deed).click()
    await expect(dialog.get_by_label("Reason")).to_be_focused()


@pytest.mark.req("EV-6", "BUY-4", "EV-14")
async def test_a_show_is_cancelled_and_paid_back(visit: Visit, staff: Client, tenant: Tenant, sale: Sale) -> None:
    one = await signed_in(visit, tenant.tokens["owner"], f"/console/events/{sale.event_id}")
    page = one.page
    await settled(page)
    await page.get_by_role("button", name="Cancel event").click()
    await expect(page.get_by_role("dialog")).to_contain_text("All orders are refunded automatically")
    await clean(one, "asked why")
    await not_without_a_reason(page, "Cancel event")
    assert data(await staff.get(f"/api/events/{sale.event_id}"))["status"] == "published"
    await expect(await answer(page, "Cancel event", "The roof is not safe.")).to_be_hidden()
    await expect(page.get_by_text("Cancelled: The roof is not safe.")).to_be_visible()
    await expect(page.get_by_text("1 of 1 orders")).to_be_visible()
    await expect(page.get_by_role("button", name="Archive")).to_be_visible()
    for gone in ("Cancel event", "Postpone", "Publish", "Open doors"):
        await expect(page.get_by_role("button", name=gone, exact=True)).to_have_count(0)
    await clean(one, "cancelled")
    (order,) = data(await staff.get(sale.path("orders")))
    assert order["status"] == "refunded"
    shop = await visit("/")
    shop.expects("404 (Not Found)", "410 (Gone)")
    await shop.go(counter.path(tenant))
    await expect(shop.page.get_by_role("button", name="Best available")).to_have_count(0)


@pytest.mark.req("EV-7", "EV-8", "EV-14", "EV-16")
async def test_a_show_is_postponed_and_given_a_new_date(
    visit: Visit, staff: Client, tenant: Tenant, sale: Sale
) -> None:
    """From the list, where one deed is in sight and the others are a press away."""
    one = await signed_in(visit, tenant.tokens["owner"], "/console/events")
    page = one.page
    await settled(page)
    await page.get_by_label("More actions for The Tempest").click()
    await clean(one, "more")
    await page.get_by_role("button", name="Postpone", exact=True).click()
    await not_without_a_reason(page, "Postpone")
    await clean(one, "asked why")
    await expect(await answer(page, "Postpone", "Storm warning.")).to_be_hidden()
    row = page.get_by_role("row", name="The Tempest")
    await expect(row).to_contain_text("Postponed")
    await expect(row).to_contain_text("Sales paused")
    shop = (await visit(counter.path(tenant))).page
    await expect(shop.get_by_role("note")).to_contain_text("postponed")

    await row.get_by_role("button", name="Set new date").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Set new date").click()
    await expect(dialog.get_by_label("New date")).to_be_focused()  # nor without a date
    await dialog.get_by_label("New date").fill("2090-07-01T20:00")
    await clean(one, "a new date")
    await expect(await answer(page, "Set new date")).to_be_hidden()
    await expect(row).to_contain_text("1 Jul")
    event = data(await staff.get(f"/api/events/{sale.event_id}"))
    assert event["rescheduled_at"] == "2090-07-01T18:00:00Z", "in the venue's time"
    assert event["postponement_reason"] == "Storm warning."
    await shop.reload()
    await expect(shop.get_by_role("note")).to_contain_text("New date")


@pytest.mark.req("EV-9", "SEAT-3")
async def test_a_move_to_another_venue_asks_before_the_seating_plan_goes(
    visit: Visit, staff: Client, tenant: Tenant
) -> None:
    sale = await counter.small_house(staff)
    there = await make_venue(staff, name="Open Air")
    one = await signed_in(visit, tenant.tokens["owner"], f"/console/events/{sale.event_id}/details")
    one.expects("409 (Conflict)")
    page = one.page
    await settled(page)
    drop = page.get_by_label("Remove the layout")
    await page.get_by_label("Venue").select_option(there["id"])
    await page.get_by_label("Reason").fill("Storm warning.")
    await expect(drop).to_have_count(0)
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("The event would lose its seating plan.")).to_be_visible()
    data(await staff.get(sale.path("layout")))
    await drop.check()
    await clean(one, "asked")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Saved.")).to_be_visible()
    assert data(await staff.get(f"/api/events/{sale.event_id}"))["venue_name"] == "Open Air"
    assert (await staff.get(sale.path("layout"))).status_code == 404
