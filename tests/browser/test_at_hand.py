"""What a buyer needs next is in sight: the way to the seats, those that were found, the sum, the time that is left."""

import re
from typing import Any

from playwright.async_api import Locator, Page, Route, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import PHONE
from tests.checkout.helpers import selling
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall


async def box(one: Locator) -> Any:
    found = await one.bounding_box()
    assert found
    return found


def on(page: Page) -> Locator:
    return counter.basket(page).get_by_role("button", name="Continue to checkout")


async def test_a_long_basket_grows_no_longer_than_the_map(visit: Visit, staff: Client, tenant: Tenant) -> None:
    """Eight seats are pushed within the basket: the sum and the way on stand beside the map's foot."""
    await counter.small_house(staff)
    page = (await counter.at_the_map(visit, tenant)).page
    office = page.get_by_role("region", name=re.compile("^Tickets for"))
    before = (await box(office))["height"]
    await counter.best(page, 8)
    whole, button = await box(office), await box(on(page))
    assert whole["height"] == before
    assert button["y"] + button["height"] <= whole["y"] + whole["height"]


async def test_seats_that_were_found_are_shown_close(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    page = (await counter.at_the_map(visit, tenant, **PHONE)).page
    around = page.locator("svg", has=page.locator("title", has_text="Overview of the map"))
    await expect(around).to_have_count(0)  # all of it is in sight
    await counter.best(page, 2)
    await expect(around).to_be_visible()


async def test_a_phone_shows_the_seats_the_sum_and_the_way_on(visit: Visit, staff: Client, tenant: Tenant) -> None:
    """Fees and taxes have their lines, but not in front of what is bought."""
    sale = await counter.small_house(staff)
    fees = [{"name": name, "kind": "fee", "amount": 100} for name in ("Service", "Restoration", "City")]
    data(await staff.put(sale.path("charges"), json={"charges": fees}))
    page = (await counter.at_the_map(visit, tenant, **PHONE)).page
    await counter.best(page, 2)
    await page.get_by_role("region", name=re.compile("^Tickets for")).evaluate("it => it.scrollIntoView()")
    sheet, button = await box(counter.basket(page)), await box(on(page))
    assert button["y"] + button["height"] <= 740
    both = [await box(one) for one in await counter.taken(page).all()]
    assert all(sheet["y"] < one["y"] and one["y"] + one["height"] <= button["y"] for one in both), (sheet, both, button)


async def test_a_phone_shows_the_time_and_the_sum_above_the_form(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    page = (await counter.at_the_map(visit, tenant, **PHONE)).page
    await counter.best(page, 2)
    await counter.to_checkout(page)
    form, seats = (
        page.get_by_role("heading", name="Checkout"),
        counter.basket(page).get_by_text(re.compile("row ., seat")),
    )
    for one in (counter.basket(page).get_by_role("timer"), counter.basket(page).get_by_text("Total")):
        assert (await box(one))["y"] < (await box(form))["y"]
    await expect(seats.first).to_be_hidden()
    await counter.basket(page).get_by_text("Your 2 tickets").click()
    await expect(seats).to_have_count(2)
    await expect(seats.first).to_be_visible()


async def test_the_way_to_the_seats_is_at_hand_until_they_are(visit: Visit, staff: Client, tenant: Tenant) -> None:
    """On a phone the seats are screens away: a bar leads there, and is gone when one has arrived."""
    await counter.small_house(staff)
    page = (await counter.at_the_map(visit, tenant, **PHONE)).page
    way = page.get_by_role("link", name=re.compile("^Choose seats"))
    await expect(way).to_have_count(1)
    assert (await box(way))["y"] + (await box(way))["height"] <= 740
    await expect(way).to_have_text("Choose seats · From €25.00")
    await way.click()
    await expect(page.get_by_role("application")).to_be_in_viewport()
    await expect(way).not_to_be_in_viewport()


async def test_a_phone_shows_why_nothing_was_taken(visit: Visit, staff: Client, tenant: Tenant) -> None:
    """The basket is empty and below the screen: what was refused is said in front of the map."""
    await counter.small_house(staff)
    slow, fast = [await counter.at_the_map(visit, tenant, **PHONE) for _ in "ab"]
    await counter.open_list(slow.page, "B")
    await slow.page.route("**/api/events/*/stream", lambda route: route.abort())
    await slow.page.route("**/api/events/*/availability", lambda route: route.abort())
    slow.expects("ERR_FAILED", "409")
    free = counter.seat(slow.page, "B", 1)
    await expect(free).to_have_attribute("aria-disabled", "false")
    await slow.page.route("**/api/events/*/seats/*/reserve", lambda route: _first(fast.page, route))
    await free.click()
    told = counter.basket(slow.page).get_by_text("has just been taken")
    await expect(told).to_be_in_viewport()


async def _first(page: Page, route: Route) -> None:
    """Somebody else is faster, while the question is on its way."""
    if route.request.method == "POST":
        await counter.open_list(page, "B")
        await counter.seat(page, "B", 1).click()
        await expect(counter.taken(page)).to_have_count(1)
    await route.continue_()


async def test_a_basket_says_which_place_is_for_a_wheelchair(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await selling(staff, hall(2, 6, wheelchairs=1))
    page = (await counter.at_the_map(visit, tenant)).page
    await page.get_by_label("Wheelchair spaces").select_option("1")
    await counter.best(page, 2)
    await expect(counter.basket(page).get_by_text("wheelchair space", exact=True)).to_have_count(1)
