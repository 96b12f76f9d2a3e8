"""Tickets on a device without a connection: they open with their codes, and there is room for many."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import clean
from tests.browser.office import signed_in
from tests.checkout.helpers import begun, buy
from tests.fixtures import Client, Tenant

KEPT = "Saved on this device"


@pytest.mark.req("BUY-5")
async def test_an_order_opens_without_a_connection_with_its_codes(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    visitor, order = await counter.at_order(visit, client, staff, tenant)
    page = visitor.page
    await expect(page.get_by_text(KEPT)).to_be_visible()
    await page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
    visitor.expects("ERR_INTERNET_DISCONNECTED", "Failed to load resource")
    await visitor.context.set_offline(True)
    await page.reload()
    for ticket in order["tickets"]:
        await expect(page.get_by_role("img", name=f"QR code of ticket {ticket['number']}")).to_be_visible()
    await expect(page.get_by_role("heading", level=1)).to_have_css("font-size", "38px")  # and it is dressed
    await visitor.context.set_offline(False)


@pytest.mark.req("BUY-5")
async def test_my_tickets_open_without_a_connection_with_their_codes(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    """All of them, and each by itself, though nobody had opened it before."""
    sale = await counter.small_house(staff)
    buyer = client.as_(tenant.tokens["customer"])
    data(await buy(buyer, await begun(buyer, sale, 0, 1)), 201)
    tickets = data(await buyer.get("/api/me/tickets"))
    visitor = await signed_in(visit, tenant.tokens["customer"], f"/my?at={tenant.organization.slug}")
    page = visitor.page
    await expect(page.get_by_text(KEPT)).to_be_visible()
    await page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
    visitor.expects("ERR_INTERNET_DISCONNECTED", "Failed to load resource")
    await visitor.context.set_offline(True)
    await page.reload()
    await expect(page.get_by_text("You’re offline.")).to_be_visible()
    await expect(page.get_by_role("link", name="Show QR code")).to_have_count(2)
    await clean(visitor, "my tickets without a connection")
    for ticket in tickets:
        await visitor.go(f"/my/tickets/{ticket['id']}")
        code = page.get_by_role("img", name=re.compile("QR code"))
        await expect(code).to_be_visible()
        await expect(code).not_to_have_js_property("naturalWidth", 0)  # and it is drawn
        await page.reload()
        await expect(code).to_be_visible()
        await expect(page.get_by_text(ticket["number"])).to_be_visible()
    await clean(visitor, "a ticket without a connection")
    await visitor.context.set_offline(False)


@pytest.mark.req("BUY-5")
async def test_a_hundred_tickets_are_kept_and_the_oldest_go_whole(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    visitor, _ = await counter.at_order(visit, client, staff, tenant)
    page = visitor.page
    await expect(page.get_by_text(KEPT)).to_be_visible()
    await page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
    assert await _with_tickets(page, 0, 100) == list(range(100))
    left = await _with_tickets(page, 100, 150)
    assert left == list(range(150 - len(left), 150))
    assert len(left) >= 100


async def _with_tickets(page: Page, first: int, last: int) -> list[int]:
    """Keeps so many tickets as the page of my tickets does, opens the order again, and says which are kept whole."""
    await page.evaluate(
        """async ([first, last]) => {
            const cache = await caches.open("fullhouse-tickets-1");
            for (let n = first; n < last; n++)
                for (const path of [`/my/tickets/t${n}`, `/api/tickets/t${n}`, `/api/tickets/t${n}.qr.svg`])
                    await cache.put(path, new Response("kept"));
        }""",
        [first, last],
    )
    await page.reload()
    await expect(page.get_by_text(KEPT)).to_be_visible()
    paths: list[str] = await page.evaluate(
        "caches.open('fullhouse-tickets-1').then((cache) => cache.keys())"
        ".then((all) => all.map((one) => new URL(one.url).pathname))"
    )
    parts = [int(found[1]) for path in paths if (found := re.search(r"/t(\d+)(?:\.qr\.svg)?$", path))]
    assert {parts.count(n) for n in parts} == {3}
    return sorted(set(parts))
