"""What people do at a show's box office, in their words rather than in selectors."""

import asyncio
import re
from typing import Any, NamedTuple

from playwright.async_api import Locator, Page, expect

from tests.browser.chromium import Visit, Visitor
from tests.checkout.helpers import Sale, bought, selling
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall

NAME, EMAIL = "Thandi Radebe", "thandi.radebe@example.org"
SHOW = "the-tempest"


def path(tenant: Tenant, slug: str = SHOW) -> str:
    return f"/o/{tenant.organization.slug}/{slug}"


async def small_house(staff: Client, **more: Any) -> Sale:
    return await selling(staff, hall(4, 10), **more)


async def at_the_map(visit: Visit, tenant: Tenant, **options: Any) -> Visitor:
    """A visitor for whom the box office has opened, with the states of the seats."""
    one: Visitor = await visit(path(tenant), **options)
    await expect(one.page.get_by_role("application")).to_be_visible()
    await expect(one.page.get_by_text("Live availability")).to_be_visible()
    if options.get("clock"):  # soon after the line began the page asks once more, and hears the true time
        await one.page.clock.fast_forward("00:03")
        await asyncio.sleep(3)
    return one


def basket(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Your basket")


def taken(page: Page) -> Locator:
    """What is in the basket: each can be given back."""
    return basket(page).get_by_role("button", name=re.compile("^Remove (?!code |them)"))


async def best(page: Page, seats: int) -> None:
    await page.get_by_label("Seats", exact=True).select_option(str(seats))
    await page.get_by_role("button", name="Best available").click()
    await expect(taken(page)).to_have_count(seats)


async def open_list(page: Page, row: str) -> None:
    await page.get_by_role("button", name="Show as list").click()
    rows = page.get_by_role("combobox", name=re.compile("^Row"))
    option = rows.locator("option", has_text=re.compile(rf"^{row} "))
    await rows.select_option(await option.get_attribute("value"))


def seat(page: Page, row: str, number: int) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"row {row}, seat {number}\b"))


async def to_checkout(page: Page) -> None:
    await page.get_by_role("button", name="Continue to checkout").click()
    await expect(page.get_by_role("heading", name="Checkout")).to_be_visible()


async def fill_in(page: Page) -> None:
    await page.get_by_role("textbox", name=re.compile("^Name")).fill(NAME)
    await page.get_by_role("textbox", name=re.compile("^Email")).fill(EMAIL)


async def pay(page: Page) -> None:
    await page.get_by_role("button", name=re.compile("^Pay ")).click()
    await expect(page.get_by_role("heading", name="Your order is confirmed")).to_be_visible()


async def buy(page: Page, seats: int) -> None:
    await best(page, seats)
    await to_checkout(page)
    await fill_in(page)
    await pay(page)


async def at_order(visit: Visit, client: Client, staff: Client, tenant: Tenant) -> tuple[Visitor, Any]:
    """Whoever has opened the mailed link of an order of two."""
    order = await bought(client, tenant, await small_house(staff), 0, 1)
    return await visit(f"/orders/{order['secret']}"), order


# --- on the map


class Spot(NamedTuple):
    x: float
    y: float


async def seats_on(page: Page) -> dict[str, Spot]:
    """Where each seat is on the screen, by the words that the map says when something hovers over it."""
    await page.get_by_role("application").scroll_into_view_if_needed()
    found: dict[str, list[list[float]]] = await page.evaluate(
        """async () => {
             const canvas = document.querySelector('[role=application]'), found = {};
             const { left, top, width, height } = canvas.getBoundingClientRect();
             for (let y = top + 2; y < top + height; y += 6) for (let x = left + 2; x < left + width; x += 6) {
               const at = { clientX: x, clientY: y, pointerType: 'mouse', bubbles: true };
               canvas.dispatchEvent(new PointerEvent('pointermove', at));
               await null; await null;
               const said = document.querySelector('.tip')?.textContent.match(/row \\w+, seat \\d+/)?.[0];
               if (said) (found[said] ??= []).push([x, y]);
             }
             return found; }"""
    )
    return {
        words: Spot(sum(x for x, _ in spots) / len(spots), sum(y for _, y in spots) / len(spots))
        for words, spots in found.items()
    }
