"""Reports in the console: a funnel with its numbers beside it, stopped shows marked, and a file to take along."""

import csv

import pytest
from playwright.async_api import Locator, Page, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import clean
from tests.browser.office import figure, settled, signed_in
from tests.checkout.helpers import begun, bought, hold
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest

pytestmark = pytest.mark.req("OBS-3")


def outcome(page: Page, table: str, name: str) -> Locator:
    found = page.get_by_role("table", name=table).get_by_role("row")
    return found.filter(has=page.get_by_role("rowheader", name=name, exact=True)).get_by_role("cell").first


async def drawn(page: Page, title: str) -> list[str]:
    """The words on the funnel, from top to bottom."""
    picture = page.get_by_role("img", name=title)
    await expect(picture.locator("rect")).to_have_count(3)
    return [" ".join(text.split()) for text in await picture.locator("text.step").all_text_contents()]


async def test_a_show_from_hold_to_sale(visit: Visit, client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    await bought(client, tenant, sale, 0, 1)
    await begun(await guest(client, tenant), sale, 2, 3)
    changed = await guest(client, tenant)
    for item in await hold(changed, sale, 4, 5):
        assert (await changed.delete(f"/api/holds/{item['hold_id']}")).status_code == 204
    one = await signed_in(visit, tenant.tokens["staff"], f"/console/events/{sale.event_id}/report")
    page = one.page
    await settled(page)
    assert await drawn(page, "From hold to sale") == ["6 Held", "4 Reached checkout", "2 Sold"]
    holds = {"Held": 6, "Reached checkout": 4, "Sold": 2, "Removed by the buyer": 2, "Still held": 2}
    for name, count in holds.items():
        await expect(outcome(page, "Outcome of holds", name)).to_have_text(str(count))
    await expect(figure(page, "Holds that became sales").first).to_have_text("33%")
    await expect(outcome(page, "Outcome of checkouts", "Bought")).to_have_text("1")
    await expect(outcome(page, "Outcome of checkouts", "In progress")).to_have_text("1")
    await clean(one, "a report")


async def test_a_cancelled_show_is_marked_in_the_list_and_on_its_report(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    stopped, other = await counter.small_house(staff), await counter.small_house(staff, name="Twelfth Night")
    await hold(await guest(client, tenant), stopped, 0, 1)
    await bought(client, tenant, other, 0, 1)
    data(await move(staff, {"id": stopped.event_id}, "cancel", reason="The roof leaks."))
    one = await signed_in(visit, tenant.tokens["owner"], "/console/reports")
    page = one.page
    await settled(page)
    assert await drawn(page, "From hold to sale, all events below") == ["4 Held", "2 Reached checkout", "2 Sold"]
    listed = page.get_by_role("table", name="Reports").get_by_role("row")
    await expect(listed.filter(has_text="The Tempest")).to_contain_text("Cancelled")
    await expect(listed.filter(has_text="Twelfth Night")).to_contain_text("100%")
    await clean(one, "the list")
    await page.get_by_label("Status").select_option("Cancelled")
    await expect(listed).to_have_count(2)  # with its head
    await page.get_by_role("link", name="The Tempest").click()
    await expect(page.get_by_text("This event was cancelled.")).to_be_visible()
    await expect(page.get_by_text("Reason: The roof leaks.")).to_be_visible()
    await expect(outcome(page, "Outcome of holds", "Ended by the system")).to_have_text("2")
    await clean(one, "cancelled")


async def test_reports_are_taken_along_as_a_file(visit: Visit, client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    await bought(client, tenant, sale, 0, 1)
    one = await signed_in(visit, tenant.tokens["owner"], "/console/reports")
    await settled(one.page)
    async with one.page.expect_download() as waiting:
        await one.page.get_by_role("button", name="Export as CSV").click()
    path = await (await waiting.value).path()
    (line,) = csv.DictReader(path.read_text("utf-8-sig").splitlines())
    assert (line["show"], line["holds"], line["sold"], line["hold to sale"]) == ("The Tempest", "2", "2", "1.0")


async def test_without_shows_without_holds_and_without_an_answer(visit: Visit, staff: Client, tenant: Tenant) -> None:
    one = await signed_in(visit, tenant.tokens["owner"], "/console/reports")
    page = one.page
    await expect(page.get_by_text("No reports yet")).to_be_visible()
    await clean(one, "no shows")
    sale = await counter.small_house(staff)
    await one.go(f"/console/events/{sale.event_id}/report")
    await expect(page.get_by_role("heading", name="No holds yet")).to_be_visible()
    await clean(one, "no holds")
    await one.go("/console/reports?state=cancelled")
    await expect(page.get_by_text("No matching events")).to_be_visible()
    one.expects("/api/org/reports")
    await page.route("**/api/org/reports*", lambda route: route.fulfill(status=500, body="{}"))
    await one.go("/console/reports")
    await expect(page.get_by_text("Couldn’t load the reports")).to_be_visible()
    await clean(one, "no answer")
    await page.unroute("**/api/org/reports*")
    await page.get_by_role("button", name="Try again").click()
    await expect(page.get_by_role("link", name="The Tempest")).to_be_visible()
