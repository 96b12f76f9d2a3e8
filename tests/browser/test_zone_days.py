"""Places of a zone that are sold by the day: the shop asks for the ticket first, and says which days are sold out."""

import re
from typing import Any

import msgspec
import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import clean
from tests.checkout.helpers import Sale, add_type
from tests.checkout.test_places_by_day import FESTIVAL, FRIDAY, PLACES, SATURDAY, paid
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall, on_sale

pytestmark = pytest.mark.req("SEAT-6", "CAP-2")


async def festival(staff: Client, price: int = 0) -> Sale:
    """Standing room alone, for four: tickets for each of two days, and a pass for all."""
    plan = hall(1, 4, pit=PLACES)
    standing = tuple(zone for zone in plan.zones if zone.key == "pit")
    show = await on_sale(staff, msgspec.structs.replace(plan, zones=standing), event=FESTIVAL)
    kinds: dict[str, Any] = {"friday": ([FRIDAY], 1), "saturday": ([SATURDAY], 2), "pass": ([], 4)}
    types = {
        name: await add_type(staff, show.event_id, name=name.title(), kind="ga", valid_days=days, price=price * times)
        for name, (days, times) in kinds.items()
    }
    return Sale(show=show, types=types, staff=staff)


async def ask_for_places(page: Page) -> Locator:
    await page.get_by_role("button", name="Show as list").click()
    return await open_again(page)


async def open_again(page: Page) -> Locator:
    await page.get_by_role("button", name="Pit", exact=True).click()
    return page.get_by_role("dialog", name="Pit")


async def test_who_takes_places_says_for_which_day(visit: Visit, staff: Client, tenant: Tenant) -> None:
    """And has a ticket for that day, at its price; a pass beside it."""
    await festival(staff, price=2500)
    one = await counter.at_the_map(visit, tenant)
    page = one.page
    asked = await ask_for_places(page)
    for what in ("Best available", "Row"):  # there are no seats
        await expect(page.get_by_text(what)).to_be_hidden()
    await expect(asked.locator("label.ticket")).to_have_text(
        [re.compile(r"Friday\s*Fri 7 Jul.*€25"), re.compile(r"Saturday\s*Sat 8 Jul.*€50"), re.compile(r"Pass.*€100")]
    )
    await clean(one, "which ticket of a zone")
    await asked.get_by_role("radio", name="Saturday").check()
    await asked.get_by_label("Number of tickets").fill("2")
    await asked.get_by_role("button", name="Add 2 to basket").click()
    lines = counter.basket(page).locator("li")
    await expect(lines).to_have_text([re.compile(r"2 × Pit\s*Saturday.*€100")])
    asked = await open_again(page)
    await asked.get_by_role("radio", name="Pass").check()
    await asked.get_by_label("Number of tickets").fill("1")
    await asked.get_by_role("button", name="Add 1 to basket").click()
    await expect(lines).to_have_count(2)
    await expect(lines.nth(1)).to_contain_text("€100.00")
    await counter.to_checkout(page)
    await counter.fill_in(page)
    await page.get_by_role("button", name="Pay €200.00").click()
    await expect(page.get_by_role("heading", name="Your order is confirmed")).to_be_visible()


async def test_a_full_day_is_said_and_leaves_the_others(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    sale = await festival(staff)
    await paid(await guest(client, tenant), sale, "friday", PLACES)
    one = await counter.at_the_map(visit, tenant)
    page = one.page
    asked = await ask_for_places(page)
    tickets = {name: asked.get_by_role("radio", name=name.title()) for name in sale.types}
    said = asked.locator("label.ticket")
    await expect(said).to_contain_text(["Sold out", "€0.00", "Sold out"])  # a pass is for Friday, too
    for name in ("friday", "pass"):
        await expect(tickets[name]).to_be_disabled()
    await expect(tickets["saturday"]).to_be_checked()
    await clean(one, "a day is sold out")
    await asked.get_by_role("button", name="Add 2 to basket").click()
    await expect(counter.basket(page).locator("li")).to_have_text(re.compile(r"2 × Pit\s*Saturday"))
    await counter.to_checkout(page)


async def test_who_is_too_late_for_a_day_keeps_what_they_have(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    """Somebody was faster while the question stood open."""
    sale = await festival(staff)
    one = await counter.at_the_map(visit, tenant)
    one.expects("409")
    page = one.page
    asked = await ask_for_places(page)
    await asked.get_by_role("radio", name="Saturday").check()
    await asked.get_by_role("button", name="Add 2 to basket").click()
    await expect(counter.taken(page)).to_have_count(1)
    asked = await open_again(page)
    await asked.get_by_role("radio", name="Friday").check()
    await paid(await guest(client, tenant), sale, "friday", PLACES)
    await asked.get_by_role("button", name="Add 2 to basket").click()
    told = counter.basket(page).locator("[aria-live=polite]")
    await expect(told).to_have_text(re.compile("Your other tickets are still held for you.$"))
    await expect(counter.taken(page)).to_have_count(1)
    asked = await open_again(page)
    await expect(asked.get_by_role("radio", name="Friday")).to_be_disabled()
