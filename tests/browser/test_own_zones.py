"""A show may call a zone otherwise than its plan does, and price it otherwise: the box office goes by the show."""

import re

import msgspec
import pytest
from playwright.async_api import expect

from fullhouse.seating.plans.plan import PriceCategory
from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.checkout.helpers import Sale, add_type
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall, on_sale


@pytest.mark.req("SEAT-2", "TT-1")
async def test_a_zone_is_sold_by_its_own_name_and_price(visit: Visit, staff: Client, tenant: Tenant) -> None:
    plan = hall(4, 10, pit=50)
    more = (PriceCategory(key="dear", name="Dear"), PriceCategory(key="cheap", name="Cheap"))
    plan = msgspec.structs.replace(plan, price_categories=(*plan.price_categories, *more))
    show = await on_sale(staff, plan)
    seats, pit = show.zones[next(key for key in show.zones if key != "pit")], show.zones["pit"]
    overlay = {"zone_overrides": {pit: {"name": "Dance floor"}}, "pricing_zones": {pit: "cheap", seats: "dear"}}
    data(await staff.put(f"/api/events/{show.event_id}/layout", json={"layout_id": str(show.layout_id)} | overlay))
    prices = {"prices": {"dear": 4000, "cheap": 1500}}
    types = {
        name: await add_type(staff, show.event_id, name=name, kind=kind, price=2500, **prices)
        for name, kind in (("seat", "seated"), ("standing", "ga"))
    }
    sale = Sale(show=show, types=types, staff=staff)
    page = (await counter.at_the_map(visit, tenant)).page
    await expect(page.locator("[data-from]").first).to_have_text("From €15.00")
    await counter.open_list(page, "B")
    await counter.seat(page, "B", 1).click()
    await expect(counter.basket(page)).to_contain_text("€40.00")
    await page.get_by_role("button", name=re.compile("^Dance floor")).click()
    await page.get_by_role("dialog", name="Dance floor").locator("button.call").click()
    await expect(counter.basket(page)).to_contain_text("Dance floor")
    await expect(counter.basket(page)).to_contain_text("€70.00")
    await page.reload()  # what is found again is priced alike
    await expect(counter.taken(page)).to_have_count(2)
    await expect(counter.basket(page)).to_contain_text("€70.00")
    await counter.to_checkout(page)
    await counter.fill_in(page)
    await expect(page.get_by_role("button", name="Pay €70.00")).to_be_visible()
    data(await staff.patch(sale.path(f"ticket-types/{types['standing']}"), json={"prices": {"cheap": 1200}}))
    await expect(page.locator("[data-from]").first).to_have_text("From €12.00")
