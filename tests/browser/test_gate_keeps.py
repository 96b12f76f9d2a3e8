"""What a device keeps when the house is away, or has sent it away: scans, for a while, and the language it speaks."""

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest
from playwright.async_api import Route, expect

from tests.accounts.helpers import data
from tests.browser.chromium import Visit
from tests.browser.gate import PHONE, an_evening, by_hand, pair, verdict
from tests.browser.test_gate_work import at_the_gate
from tests.fixtures import Client, Tenant


@pytest.mark.req("SCAN-4")
async def test_what_the_house_heard_before_a_device_was_revoked_counts_once(
    visit: Visit, client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    """The batch arrives, its answer does not, and then the device is revoked: it cannot know what was heard."""
    evening = await an_evening(client, staff, tenant, "search")
    device = await at_the_gate(visit, tenant, evening)
    page = device.page
    await expect(page.get_by_text("The Tempest")).to_be_visible()
    device.expects("ERR_INTERNET_DISCONNECTED", "Failed to load resource", "ERR_FAILED", "401 (Unauthorized)")
    await device.context.set_offline(True)
    await by_hand(page, evening.qrs[0])
    await expect(verdict(page)).to_contain_text("Checked offline")

    async def swallow(route: Route) -> None:
        await route.fetch()
        assert (await staff.delete(f"/api/scan/devices/{evening.device_id}")).status_code == 204
        await route.abort()

    await device.context.route("**/api/scan/batch", swallow, times=1)
    await device.context.set_offline(False)
    await expect(page.get_by_role("region", name="1 scan not synced yet")).to_be_visible()
    await pair(device, tenant, await evening.another(staff))
    await expect(page.get_by_text("to sync")).to_have_count(0)
    counts = data(await staff.get(f"/api/events/{evening.event_id}/gates/live"))
    assert (counts["entered"], counts["incidents"]) == (1, 0)


@pytest.mark.req("SCAN-4")
async def test_what_nobody_needs_any_more_is_forgotten_with_a_word(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    evening = await an_evening(client, staff, tenant, "search")
    device = await at_the_gate(visit, tenant, evening)
    page = device.page
    await expect(page.get_by_text("The Tempest")).to_be_visible()
    device.expects("ERR_INTERNET_DISCONNECTED", "Failed to load resource", "ERR_FAILED")
    await device.context.set_offline(True)
    await by_hand(page, evening.qrs[0])
    await expect(verdict(page)).to_contain_text("Checked offline")
    await page.get_by_role("button", name="Next").click()
    await page.get_by_role("button", name="More").click()
    await page.get_by_role("button", name="Unpair").click()
    await page.get_by_role("alert").get_by_role("button", name="Unpair").click()
    await expect(page.get_by_role("region", name="1 scan not synced yet")).to_contain_text("kept on this device until")
    await device.context.set_offline(False)
    later = format_datetime(datetime(2099, 1, 1, tzinfo=UTC), usegmt=True)  # the show is far away

    async def long_after(route: Route) -> None:
        await route.fulfill(status=200, body="{}", headers={"date": later})

    await device.context.route("**/health/live", long_after)
    await page.reload()
    await expect(page.get_by_text("1 scan from The Tempest could not be synced within thirty days")).to_be_visible()
    await expect(page.get_by_role("region", name="not synced yet")).to_have_count(0)
    assert await device.violations() == [], "forgotten"


@pytest.mark.req("SCAN-4")
async def test_the_language_is_the_organisations_until_somebody_chooses_and_stays_without_a_line(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    evening = await an_evening(client, staff, tenant)
    data(await staff.patch("/api/org", json={"locale": "af-ZA"}))
    device = await visit("/scan/", viewport=PHONE, locale="zu")
    page = device.page
    await expect(page.get_by_role("heading", name="Pair this scanner")).to_be_visible()
    await page.get_by_label("Organisation").fill(tenant.organization.slug)
    await page.get_by_label("Code").fill(evening.code)
    await page.get_by_role("button", name="Pair").click()
    await expect(page.get_by_text("Aanlyn", exact=True)).to_be_visible()
    await expect(page.get_by_text("The Tempest")).to_be_visible()
    await page.evaluate("navigator.serviceWorker.ready")
    await page.reload()  # from now on the keeper serves it
    await expect(page.get_by_text("Aanlyn", exact=True)).to_be_visible()
    await page.get_by_role("button", name="Meer").click()
    device.expects("ERR_INTERNET_DISCONNECTED", "Failed to load resource", "ERR_FAILED")
    await device.context.set_offline(True)
    await page.get_by_label("Taal").select_option("English")
    await expect(page.get_by_role("heading", name="More")).to_be_visible()
    await page.get_by_role("button", name="Close").click()
    await by_hand(page, evening.qrs[0])
    await expect(verdict(page)).to_contain_text("Welcome")
    await page.reload()
    await expect(page.get_by_role("button", name="More")).to_be_visible()
    assert await page.evaluate("[document.documentElement.lang, document.title]") == ["en", "Gate scanner · fullhouse"]
