"""The platform's own pages: who sells here, and a show that must be stopped."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.accounts.helpers import PASSWORD, data, make_platform_user
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.browser.looks import clean
from tests.browser.office import answer, settled
from tests.checkout.helpers import Sale, hold
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest


async def _signed_in(visit: Visit, owner: Any, role: str) -> Visitor:
    """By the door for the platform's staff."""
    email = await make_platform_user(owner, role)
    one: Visitor = await visit("/health/live")
    one.expects("401 (Unauthorized)")
    await one.go("/console")
    await one.page.get_by_text("Platform staff", exact=True).click()
    await one.page.get_by_label("Email").fill(email)
    await one.page.get_by_label("Password").last.fill(PASSWORD)
    await one.page.get_by_role("button", name="Sign in").click()
    await expect(one.page.get_by_role("heading", name="Organisations", level=1)).to_be_visible()
    return one


async def test_no_barrier_on_the_platforms_pages(
    visit: Visit, staff: Client, tenant: Tenant, client: Client, owner: Any
) -> None:
    await counter.small_house(staff)
    one = await _signed_in(visit, owner, "super_admin")
    await settled(one.page)
    await clean(one, "organisations")
    await one.page.get_by_role("button", name="Create organisation").click()
    await clean(one, "a new organisation")
    await one.go(f"/console/platform/organizations/{tenant.id}")
    await settled(one.page)
    await one.page.get_by_role("button", name="Set for this organisation").first.click()  # overrides the default
    await clean(one, "an organisation")


@pytest.mark.parametrize(("deed", "status"), [("Cancel", "cancelled"), ("Postpone", "postponed")])
@pytest.mark.req("RBAC-2", "EV-6", "EV-7")
async def test_a_tenant_manager_needs_the_organisations_word(
    deed: str, status: str, visit: Visit, staff: Client, tenant: Tenant, owner: Any
) -> None:
    sale: Sale = await counter.small_house(staff)
    one = await _signed_in(visit, owner, "tenant_manager")
    page = one.page
    await one.go(f"/console/platform/organizations/{tenant.id}")
    await page.get_by_role("button", name=f"{deed} The Tempest").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Reason").fill("The roof is not safe.")
    await dialog.get_by_role("button", name=f"{deed} event").click()
    await expect(dialog).to_be_visible()  # not without the approval
    await clean(one, "without an approval")
    await dialog.get_by_label("Approval by the organisation").fill("email of 3 May")
    await dialog.get_by_role("button", name=f"{deed} event").click()
    await expect(dialog).to_be_hidden()
    await expect(page.get_by_text(f"The Tempest {status}.")).to_be_visible()
    assert data(await staff.get(f"/api/events/{sale.event_id}"))["status"] == status


@pytest.mark.req("SEAT-7")
async def test_a_stranded_seat_is_set_free_by_the_platform(
    visit: Visit, client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    sale: Sale = await counter.small_house(staff)
    holder = await guest(client, tenant)
    await hold(holder, sale, 2)
    one = await _signed_in(visit, owner, "super_admin")
    page = one.page
    await one.go(f"/console/platform/organizations/{tenant.id}")
    await page.get_by_role("link", name="Seats of The Tempest").click()
    await settled(page)
    await expect(page.get_by_text("The Tempest.")).to_be_visible()
    await clean(one, "a map")
    await page.get_by_role("button", name="Show as list").click()
    await page.get_by_role("button", name="Row A", exact=True).click()
    await expect(page.get_by_text("10 selected, 1 of them held.")).to_be_visible()
    await clean(one, "a list")
    await page.get_by_role("button", name="Release 1").click()
    await clean(one, "asked why")
    await expect(await answer(page, "Release seats", "Its holder is gone.")).to_be_hidden()
    await expect(page.get_by_text("1 seat is on sale again.")).to_be_visible()
    assert data(await holder.get(sale.path("holds"))) == []
    assert "Its holder is gone." in str(data(await staff.get("/api/audit")))
