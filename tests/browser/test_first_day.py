"""An organiser's first day: what a house says in which nothing is planned yet, and what a person asks next."""

import re

from playwright.async_api import expect

from fullhouse.seating.plans.plan import encode
from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import PHONE, clean
from tests.browser.office import at_the_desk, settled, signed_in
from tests.checkout.helpers import bought
from tests.events.helpers import make_venue
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall


async def test_a_new_house_is_told_what_comes_first(visit: Visit, staff: Client, tenant: Tenant) -> None:
    one = await at_the_desk(visit, tenant, "")
    await expect(one.page.get_by_role("heading", name="Set up your first event")).to_be_visible()
    await expect(one.page.get_by_role("link", name="Add a venue")).to_be_visible()
    await expect(one.page.get_by_text("Done", exact=True)).to_have_count(0)
    await clean(one, "a new house")
    await one.go("/console/layouts/new")
    await expect(one.page.get_by_role("heading", level=1, name="New layout")).to_be_visible()
    await one.go("/console/ledger")
    await expect(one.page.get_by_text("No entries yet")).to_be_visible()
    await expect(one.page.get_by_text("No entries", exact=True)).to_have_count(0)
    await make_venue(staff)
    await one.go("/console/")
    await expect(one.page.get_by_text("Done", exact=True)).to_have_count(1)
    await counter.small_house(staff)
    await one.go("/console/")
    await settled(one.page)
    await expect(one.page.get_by_text("Upcoming events").first).to_be_visible()
    await expect(one.page.get_by_role("heading", name="Set up your first event")).to_have_count(0)
    one.check()


async def test_a_show_that_is_not_here_has_a_way_back(visit: Visit, tenant: Tenant) -> None:
    one = await at_the_desk(visit, tenant, "/events")
    one.expects("404")
    await one.go("/console/events/00000000-0000-7000-8000-000000000000")
    await expect(one.page.get_by_text("It may have been deleted, or the link may be wrong.")).to_be_visible()
    await one.page.get_by_role("button", name="Go back").click()
    await expect(one.page.get_by_role("heading", level=1, name="Events")).to_be_visible()
    one.check()


async def test_a_phone_says_whose_pages_these_are(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    name = data(await staff.get(f"/api/events/{sale.event_id}"))["name"]
    one = await at_the_desk(visit, tenant, f"/events/{sale.event_id}/report", **PHONE)
    await expect(one.page.get_by_role("banner")).to_contain_text(name)
    await one.go("/console/orders")
    await expect(one.page.get_by_role("banner")).not_to_contain_text(name)
    one.check()


async def test_the_ledger_names_orders_by_their_codes(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    order = await bought(client, tenant, await counter.small_house(staff), 0)
    one = await at_the_desk(visit, tenant, "/ledger")
    await one.page.get_by_role("link", name=order["code"]).first.click()
    await expect(one.page.get_by_role("heading", level=1, name=f"Order {order['code']}")).to_be_visible()
    one.check()


async def test_two_versions_are_compared_row_by_row(visit: Visit, staff: Client, tenant: Tenant) -> None:
    """What happened to a whole row is said once, in words and not by keys."""
    sale = await counter.small_house(staff)
    path = f"/api/layouts/{sale.show.layout_id}"
    before = data(await staff.get(path))
    json = {"content-type": "application/json"}
    wider = data(await staff.post(f"{path}/versions", content=encode(hall(4, 40)), headers=json), 201)
    one = await at_the_desk(visit, tenant, f"/layouts/{wider['id']}/compare/{before['id']}")
    added = one.page.locator("section", has=one.page.get_by_role("heading", name=re.compile("^Added")))
    row = added.get_by_role("listitem").first
    await expect(row.get_by_role("button")).to_have_text(re.compile(r", row \w+$"))
    await expect(row).to_contain_text(re.compile(r"\d+ seats"))
    await row.get_by_role("button").click()
    await clean(one, "compared")
    one.check()


async def test_the_houses_reasons_are_said_in_the_readers_language(
    visit: Visit, client: Client, tenant: Tenant
) -> None:
    wrong = {
        "organization": tenant.organization.slug,
        "email": tenant.people["owner"].email,
        "password": "not the one at all",
    }
    await client.post("/api/auth/login", json=wrong)
    one = await signed_in(visit, tenant.tokens["owner"], "/console/audit?lang=af")
    await expect(one.page.get_by_text("verkeerde wagwoord").first).to_be_visible()
    one.check()
