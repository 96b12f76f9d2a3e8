"""The waiting room: it outlasts a house that is full, says how long a place lasts, and is quiet otherwise."""

import asyncio
import re

import pytest
from playwright.async_api import Route, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.fixtures import Client, Tenant


async def _in_line(visit: Visit, staff: Client, tenant: Tenant) -> Visitor:
    sale = await counter.small_house(staff)
    data(await staff.put(sale.path("queue/settings"), json={"mode": "on", "slots": 1}))
    first = await visit(f"{counter.path(tenant)}/queue")
    await expect(first.page.get_by_role("application")).to_be_visible()
    waits: Visitor = await visit(f"{counter.path(tenant)}/queue")
    await expect(waits.page.locator("#number")).to_have_text("1")
    return waits


@pytest.mark.req("QUEUE-2", "OBS-2")
@pytest.mark.parametrize(
    ("status", "code"), [(503, "unavailable"), (429, "rate_limited"), (502, None)], ids=["full", "too often", "proxy"]
)
async def test_a_line_outlasts_a_house_that_is_full_for_a_moment(
    visit: Visit, staff: Client, tenant: Tenant, status: int, code: str | None
) -> None:
    """Nobody presses a button: who waits has gone for a coffee."""
    waits = await _in_line(visit, staff, tenant)
    waits.expects(str(status))
    page, refused = waits.page, 0

    async def refuse(route: Route) -> None:
        nonlocal refused
        refused += 1
        body = f'{{"status": {status}, "code": "{code}", "detail": "Full for a moment."}}' if code else "<h1>Oh no</h1>"
        await route.fulfill(status=status, body=body, headers={"retry-after": "1"})

    await page.route("**/queue", refuse)
    async with asyncio.timeout(30):
        while refused < 2:  # it was told no, and asks again by itself
            await asyncio.sleep(0.2)
    await expect(page.locator("#hint")).to_have_text("Very busy just now; trying again. Your place is kept.")
    await expect(page.locator("#number")).to_have_text("1")  # it is kept, so it is said
    await page.unroute("**/queue", refuse)
    await expect(page.locator("#hint")).to_have_text("")
    await expect(page.locator("#updated")).to_have_text(re.compile("^[0-3] s ago"))


@pytest.mark.req("QUEUE-2")
async def test_a_line_is_quiet_while_nothing_changes_and_counts_down_beside_it(
    visit: Visit, staff: Client, tenant: Tenant
) -> None:
    page = (await _in_line(visit, staff, tenant)).page
    left = page.get_by_role("timer")
    await expect(left).to_have_text(re.compile(r"^Your place is kept for (2\d|30):\d\d\.$"))
    before = await left.text_content()
    said = await page.evaluate(
        """() => new Promise((resolve) => {
            let n = 0;
            const watch = new MutationObserver((all) => (n += all.length));
            for (const one of document.querySelectorAll("[aria-live], [role=status]"))
                watch.observe(one, { childList: true, characterData: true, subtree: true });
            setTimeout(() => resolve(n), 4500);
        })"""
    )
    assert said == 0
    assert await left.text_content() != before
