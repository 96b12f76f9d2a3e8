"""One's own tickets before they are there, when they cannot be read, when there are none, and by their show."""

import asyncio
import re

import pytest
from playwright.async_api import Route, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.browser.looks import clean
from tests.browser.office import signed_in
from tests.browser.test_states import _refuse
from tests.checkout.helpers import begun, buy
from tests.events.helpers import move
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("BUY-5")
TABS = {"Upcoming": "upcoming", "Past": "past", "Transferred": "transferred", "Cancelled or refunded": "refunded"}
LOOKING, UNREAD = "Loading your tickets…", "Couldn’t load your tickets."
NOTHING = {
    "Upcoming": "Tickets that you buy while signed in",
    "Past": "Tickets for past events",
    "Transferred": "Tickets that you transfer",
    "Cancelled or refunded": "Tickets that were cancelled or refunded",
}


@pytest.fixture
async def visitor(visit: Visit, staff: Client, tenant: Tenant) -> Visitor:
    """Somebody who has a seat in the basket, and no ticket yet."""
    await counter.small_house(staff)
    one = await counter.at_the_map(visit, tenant)
    await counter.best(one.page, 1)
    return one


async def _choose(visitor: Visitor, tab: str) -> None:
    await visitor.page.get_by_role("button", name=tab, exact=True).click()


async def test_while_they_are_looked_for(visitor: Visitor, tenant: Tenant) -> None:
    page, answered = visitor.page, asyncio.Event()

    async def wait(route: Route) -> None:
        await answered.wait()
        await route.continue_()

    await page.route("**/api/me/tickets?*", wait)
    await visitor.go(f"/my?at={tenant.organization.slug}")
    looking = page.get_by_role("status").filter(has_text=LOOKING)
    for tab in (None, *TABS):
        if tab:
            await _choose(visitor, tab)
        await expect(looking.locator(".ghost")).to_have_count(2)
        await expect(looking.locator(".ghost").first).to_be_visible()
        await clean(visitor, f"looking, {tab}")
        answered.set()
        await expect(page.get_by_text("No tickets here")).to_be_visible()
        await expect(looking).to_have_count(0)
        answered.clear()


async def test_when_they_cannot_be_read(visitor: Visitor, tenant: Tenant) -> None:
    page = visitor.page
    visitor.expects("503")
    await page.route("**/api/me/tickets?*", _refuse)
    await visitor.go(f"/my?at={tenant.organization.slug}")
    await expect(page.get_by_text(UNREAD)).to_be_visible()  # all of it
    await clean(visitor, "nothing can be read")
    await page.unroute("**/api/me/tickets?*", _refuse)
    await page.get_by_role("button", name="Try again").click()
    await expect(page.get_by_text("No tickets here")).to_be_visible()
    for tab, group in TABS.items():
        path = re.compile(rf"/api/me/tickets\?group={group}$")
        await page.route(path, _refuse)
        await _choose(visitor, tab)
        await expect(page.get_by_role("alert").filter(has_text=UNREAD)).to_be_visible()
        await expect(page.get_by_text("No tickets here")).to_have_count(0)
        await clean(visitor, f"unread, {tab}")
        await page.unroute(path, _refuse)
        await page.get_by_role("button", name="Try again").click()
        await expect(page.get_by_text("No tickets here")).to_be_visible()
        await expect(page.get_by_text(UNREAD)).to_have_count(0)


async def test_when_there_are_none(visitor: Visitor, tenant: Tenant) -> None:
    page = visitor.page
    await visitor.go(f"/my?at={tenant.organization.slug}")
    for tab in TABS:
        await _choose(visitor, tab)
        await expect(page.get_by_role("status").filter(has_text="No tickets here")).to_contain_text(NOTHING[tab])
        await clean(visitor, f"none, {tab}")
    await page.get_by_role("link", name="See what’s on").click()
    await expect(page).to_have_url(re.compile(f"/o/{tenant.organization.slug}$"))
    await expect(page.get_by_role("link", name="The Tempest").first).to_be_visible()


async def test_they_stand_under_their_show_and_the_soonest_is_first(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    """What became of the show is said once, in its heading."""
    buyer = client.as_(tenant.tokens["customer"])
    later = await counter.small_house(staff)
    sooner = await counter.small_house(
        staff, name="Twelfth Night", start_at="2090-05-01T19:00:00Z", end_at="2090-05-01T21:00:00Z"
    )
    for sale, seat in ((later, 0), (sooner, 0), (later, 1), (sooner, 1)):
        data(await buy(buyer, await begun(buyer, sale, seat)), 201)
    data(await move(staff, {"id": str(later.event_id)}, "postpone"))
    one = await signed_in(visit, tenant.tokens["customer"], f"/my?at={tenant.organization.slug}")
    page = one.page
    await expect(page.get_by_role("heading", level=2)).to_have_text(["Twelfth Night", "The Tempest", "Account"])
    for show, told in (("Twelfth Night", 0), ("The Tempest", 1)):
        section = page.get_by_role("region", name=show)
        await expect(section.get_by_role("listitem")).to_have_count(2)
        await expect(section.get_by_text("Postponed: no new date yet.")).to_have_count(told)
    await clean(one, "tickets of two shows")
