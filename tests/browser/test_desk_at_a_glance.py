"""What the console says at first sight: what is ahead, who did it, what is not over yet, and where to go from here."""

import re
from uuid import UUID

import pytest
from playwright.async_api import expect

from fullhouse.kit.db import audit
from fullhouse.kit.services import Services
from tests.accounts.helpers import PASSWORD, give_password
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.gate import PHONE, an_evening
from tests.browser.looks import clean
from tests.browser.office import answer, at_the_desk, row, settled, signed_in
from tests.checkout.helpers import Sale, bought
from tests.events.helpers import show_in
from tests.fixtures import Client, Tenant


@pytest.fixture
async def sale(staff: Client) -> Sale:
    return await counter.small_house(staff)


@pytest.mark.req("EV-2")
async def test_the_list_begins_with_what_is_still_to_come(
    visit: Visit, staff: Client, tenant: Tenant, sale: Sale
) -> None:
    await show_in(staff, "cancelled", name="Called Off", start_at="2089-01-01T19:00:00Z", end_at="2089-01-01T21:00:00Z")
    desk = await at_the_desk(visit, tenant, "/events")
    page = desk.page
    tabs = page.get_by_role("group", name="Status")
    await expect(tabs.get_by_role("button", name="Upcoming")).to_have_attribute("aria-pressed", "true")
    await expect(row(page, "Events", "The Tempest")).to_be_visible()
    await expect(row(page, "Events", "Called Off")).to_have_count(0)
    await tabs.get_by_role("button", name="All", exact=True).click()
    await expect(row(page, "Events", "Called Off")).to_be_visible()
    await page.reload()
    await expect(row(page, "Events", "Called Off")).to_be_visible()  # the address says which list it is
    await tabs.get_by_role("button", name="Live", exact=True).click()
    await expect(page.get_by_text("No live events")).to_be_visible()
    await clean(desk, "no live shows")


async def test_a_show_that_is_called_off_leaves_those_ahead(visit: Visit, tenant: Tenant, sale: Sale) -> None:
    page = (await at_the_desk(visit, tenant, "/events")).page
    await page.get_by_label("More actions for The Tempest").click()
    await page.get_by_role("button", name="Cancel event", exact=True).click()
    await expect(await answer(page, "Cancel event", "The lead is ill.")).to_be_hidden()
    await expect(row(page, "Events", "The Tempest")).to_have_count(0)
    await expect(page.get_by_text("under the other tabs")).to_be_visible()


async def test_a_new_house_is_told_to_draft_its_first_show(visit: Visit, tenant: Tenant) -> None:
    page = (await at_the_desk(visit, tenant, "/events")).page
    await expect(page.get_by_text("Create your first event")).to_be_visible()


async def test_a_page_that_is_not_theirs_says_where_to_go(visit: Visit, tenant: Tenant) -> None:
    one = await signed_in(visit, tenant.tokens["staff"], "/console/keys")
    await settled(one.page)
    await clean(one, "not open")
    await one.page.get_by_role("link", name="Go to Overview").click()
    await expect(one.page.get_by_role("heading", name="Overview", level=1)).to_be_visible()


async def test_the_way_to_this_page_is_in_sight_in_the_side_bar(visit: Visit, tenant: Tenant) -> None:
    """The last of many, on a screen that is not high."""
    low = {"width": 1280, "height": 620}
    page = (await at_the_desk(visit, tenant, "/webhooks", viewport=low)).page
    await expect(page.locator("aside").get_by_role("link", name="Webhooks")).to_be_in_viewport()


async def test_a_chart_without_sales_says_so(visit: Visit, client: Client, tenant: Tenant, sale: Sale) -> None:
    desk = await at_the_desk(visit, tenant, f"/events/{sale.event_id}")
    chart = desk.page.get_by_role("figure", name="Tickets sold by day")
    await expect(chart.get_by_text("No data for this period")).to_be_visible()
    await clean(desk, "nothing sold")
    await bought(client, tenant, sale, 0)
    await desk.page.reload()
    await expect(chart.locator("path.curve").first).to_be_attached()
    await expect(chart.get_by_text("No data for this period")).to_have_count(0)
    await expect(chart.locator("path.rest")).to_have_count(1)  # today is not over


async def test_every_letter_has_a_name(visit: Visit, tenant: Tenant) -> None:
    page = (await at_the_desk(visit, tenant, "/letters")).page
    names = await page.get_by_role("navigation", name="Emails").locator("li b").all_inner_texts()
    assert len(names) > 15
    assert [name for name in names if not re.match("[A-Z]", name)] == []


async def test_the_audit_says_who_signed_in(visit: Visit, client: Client, services: Services, tenant: Tenant) -> None:
    owner = tenant.people["owner"]
    await give_password(services, tenant, "owner")
    wish = {"organization": tenant.organization.slug, "email": owner.email, "password": PASSWORD}
    assert (await client.post("/api/auth/login", json=wish)).status_code == 201
    page = (await at_the_desk(visit, tenant, "/audit?action=session.opened")).page
    newest = page.get_by_role("region", name="Entries").locator("summary").first
    await expect(newest).to_contain_text(owner.name)


async def test_the_gates_have_what_was_done_last_beside_them(
    visit: Visit, client: Client, staff: Client, tenant: Tenant, services: Services
) -> None:
    evening = await an_evening(client, staff, tenant)
    async with services.database.tenant(tenant.id) as tx:
        for _ in range(6):  # as many as are shown
            await audit.write(tx, "seat_reserve_failed", "event", UUID(str(evening.event_id)))
    desk = await at_the_desk(visit, tenant, f"/events/{evening.event_id}/doors")
    page = desk.page
    await expect(page.get_by_text("Event started", exact=True)).to_be_visible()
    await clean(desk, "the latest")
    await page.get_by_role("link", name="View all").click()
    await expect(page.get_by_role("heading", name="Audit log", level=1)).to_be_visible()
    one = await signed_in(visit, tenant.tokens["scanner"], f"/console/events/{evening.event_id}/doors")
    await settled(one.page)
    await expect(one.page.get_by_role("heading", name="Recent activity")).to_have_count(0)  # the audit is not theirs


async def test_a_long_forms_answers_stay_in_sight(visit: Visit, tenant: Tenant, sale: Sale) -> None:
    desk = await at_the_desk(visit, tenant, f"/events/{sale.event_id}/tickets", viewport=PHONE)
    await desk.page.get_by_role("button", name="Add ticket type").click()
    save = desk.page.get_by_role("dialog").get_by_role("button", name="Save")
    await expect(save).to_be_in_viewport(ratio=1)
    await clean(desk, "a ticket type")


async def test_types_are_said_with_the_names_of_zones(visit: Visit, staff: Client, tenant: Tenant, sale: Sale) -> None:
    zone = (await staff.get(f"/api/events/{sale.event_id}/layout")).json()["data"]["zones"][0]
    assert zone["key"] != zone["name"]
    kind = (await staff.get(f"/api/events/{sale.event_id}/ticket-types")).json()["data"][0]
    changed = await staff.patch(
        f"/api/events/{sale.event_id}/ticket-types/{kind['id']}",
        json={"zones": [zone["key"]]},
        headers={"if-match": f'"{kind["version"]}"'},
    )
    assert changed.status_code == 200, changed.text
    page = (await at_the_desk(visit, tenant, f"/events/{sale.event_id}/tickets")).page
    await expect(row(page, "Ticket types", kind["name"])).to_contain_text(f"Seats: {zone['name']}")
