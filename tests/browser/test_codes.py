"""A promo code in the shop: hidden ticket types are bought with it, before anything else is chosen."""

import re
from typing import Any

import msgspec
import pytest
from playwright.async_api import Locator, Page, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.browser.looks import clean
from tests.checkout.helpers import Sale, add_promo, add_type, bought, selling_types
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("BUY-6", "TT-1")
ACCESS: dict[str, Any] = {"code": "FRIENDS", "kind": "access", "amount": None, "max_uses": None}
APPLIED = "Code FRIENDS applied. It unlocks: Friends."


async def with_hidden(staff: Client, sale: Sale, **kind: Any) -> Sale:
    """And a type that only whoever has the code sees."""
    hidden = await add_type(staff, sale.event_id, name="Friends", price=900, hidden=True, **kind)
    await add_promo(staff, sale, **ACCESS, ticket_type_ids=[hidden])
    return msgspec.structs.replace(sale, types=sale.types | {"friends": hidden})


async def seated(staff: Client) -> Sale:
    return await with_hidden(staff, await counter.small_house(staff), kind="seated")


async def unseated(staff: Client, quantity: int = 4) -> Sale:
    return await with_hidden(staff, await selling_types(staff, quantity), kind="ga", quantity=3)


async def at_the_list(visit: Visit, tenant: Tenant, query: str = "") -> Visitor:
    """At the tickets of an event without seats."""
    one: Visitor = await visit(counter.path(tenant) + query)
    await expect(one.page.get_by_label("Number of tickets: entry")).to_be_visible()
    return one


async def enter(page: Page, code: str) -> None:
    field = page.get_by_role("textbox", name="Promo code")
    if not await field.is_visible():
        await page.get_by_text("Have a promo code?").click()
    await field.fill(code)
    await page.get_by_role("button", name="Apply").click()


def line(page: Page, name: str) -> Locator:
    return page.get_by_role("listitem").filter(has_text=name)


async def add(page: Page, name: str) -> None:
    await line(page, name).get_by_role("button", name="Add").click()
    await expect(counter.taken(page)).to_have_count(1)


async def types_of_order(staff: Client, sale: Sale) -> list[str]:
    (order,) = data(await staff.get(sale.path("orders")))
    tickets = data(await staff.get(f"/api/orders/{order['id']}"))["tickets"]
    return [ticket["ticket_type_id"] for ticket in tickets]


async def test_seats_are_bought_as_a_hidden_type(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await seated(staff)
    one = await counter.at_the_map(visit, tenant)
    page = one.page
    await expect(counter.basket(page)).to_contain_text("€25.00")
    await enter(page, " friends")
    await expect(counter.basket(page)).to_contain_text(APPLIED)
    await expect(counter.basket(page)).to_contain_text("€9.00")  # what a seat costs now
    await clean(one, "a code is applied")
    await counter.best(page, 2)
    await expect(counter.basket(page).locator(".total")).to_contain_text("€18.00")
    await clean(one, "a basket with a code")
    await counter.to_checkout(page)
    await counter.fill_in(page)
    await counter.pay(page)
    assert await types_of_order(staff, sale) == [sale.types["friends"]] * 2


async def test_tickets_of_a_hidden_type_are_bought_where_there_are_no_seats(
    visit: Visit, staff: Client, tenant: Tenant
) -> None:
    sale = await unseated(staff)
    one = await at_the_list(visit, tenant)
    page = one.page
    await expect(line(page, "Friends")).to_have_count(0)
    await enter(page, "FRIENDS")
    await expect(line(page, "Friends")).to_contain_text("€9.00")
    await clean(one, "what a code shows")
    await add(page, "Friends")
    await counter.to_checkout(page)
    await counter.fill_in(page)
    await counter.pay(page)
    assert await types_of_order(staff, sale) == [sale.types["friends"]]
    await page.reload()  # the code was for this purchase
    await expect(page.get_by_label("Number of tickets: entry")).to_be_visible()
    await expect(line(page, "Friends")).to_have_count(0)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("NONSENSE", "This code isn’t valid for this event. Check the spelling."),
        ("SOON", re.compile(r"^This code isn’t valid yet\. It starts on 1 Jan, 00:00, your time\.$")),
        ("LATE", "This code has expired."),
        ("  ", "Enter a promo code."),
    ],
)
async def test_a_code_that_is_not_valid_says_why_beside_the_field(
    visit: Visit, staff: Client, tenant: Tenant, typed: str, says: str | re.Pattern[str]
) -> None:
    sale = await unseated(staff)
    await add_promo(staff, sale, code="SOON", valid_from="2090-01-01T00:00:00Z")
    await add_promo(staff, sale, code="LATE", valid_until="2020-01-01T00:00:00Z")
    one = await at_the_list(visit, tenant)
    one.expects("422 (Unprocessable")
    await enter(one.page, typed)
    await expect(one.page.get_by_role("alert").filter(has_text=re.compile("code"))).to_have_text(says)
    await expect(one.page.get_by_role("textbox", name="Promo code")).to_be_focused()
    await clean(one, "a code that is not valid")
    await enter(one.page, "FRIENDS")
    await expect(counter.basket(one.page)).to_contain_text(APPLIED)


async def test_a_code_stays_after_a_reload_until_it_is_removed(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await unseated(staff)
    page = (await at_the_list(visit, tenant)).page
    await enter(page, "FRIENDS")
    await expect(line(page, "Friends")).to_have_count(1)
    await page.reload()
    await expect(counter.basket(page)).to_contain_text(APPLIED)
    await expect(line(page, "Friends")).to_have_count(1)
    await page.get_by_role("button", name="Remove code FRIENDS").click()
    await expect(page.get_by_role("textbox", name="Promo code")).to_be_focused()
    await expect(line(page, "Friends")).to_have_count(0)
    await page.reload()
    await expect(page.get_by_label("Number of tickets: entry")).to_be_visible()
    await expect(page.get_by_text("Have a promo code?")).to_be_visible()
    await expect(line(page, "Friends")).to_have_count(0)


async def test_a_code_comes_with_the_link(visit: Visit, staff: Client, tenant: Tenant) -> None:
    """And leaves the address: who removes it does not get it back by a reload."""
    await unseated(staff)
    page = (await at_the_list(visit, tenant, "?code=friends")).page
    await expect(counter.basket(page)).to_contain_text(APPLIED)
    assert "code" not in page.url
    await page.get_by_role("button", name="Remove code FRIENDS").click()
    await page.reload()
    await expect(page.get_by_text("Have a promo code?")).to_be_visible()


async def test_who_removes_the_code_is_told_what_it_held(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await unseated(staff)
    one = await at_the_list(visit, tenant)
    page = one.page
    await enter(page, "FRIENDS")
    await add(page, "Friends")
    await page.get_by_role("button", name="Remove code FRIENDS").click()
    await expect(counter.basket(page)).to_contain_text("These tickets need a promo code")
    to_checkout = page.get_by_role("button", name="Continue to checkout")
    await expect(to_checkout).to_have_attribute("aria-disabled", "true")
    await clean(one, "tickets that need a code")
    await enter(page, "FRIENDS")  # it was not meant
    await expect(to_checkout).to_have_attribute("aria-disabled", "false")
    await page.get_by_role("button", name="Remove code FRIENDS").click()
    await page.get_by_role("button", name="Remove them").click()
    await expect(counter.taken(page)).to_have_count(0)
    await add(page, "entry")


async def test_a_code_takes_something_off_before_the_checkout(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    await add_promo(staff, sale, code="TENTH", kind="percent", basis_points=1000, amount=None)
    page = (await counter.at_the_map(visit, tenant)).page
    await counter.best(page, 2)
    await enter(page, "TENTH")
    await expect(counter.basket(page)).to_contain_text("You get 10% off.")
    total = counter.basket(page).locator(".total")
    await expect(total).to_contain_text("€45.00")
    await counter.to_checkout(page)
    await expect(total).to_contain_text("€45.00")
    await counter.fill_in(page)
    await counter.pay(page)
    (order,) = data(await staff.get(sale.path("orders")))
    assert order["total"]["amount"] == 4500


@pytest.mark.req("QUEUE-1", "QUEUE-2")
async def test_the_waiting_room_goes_on_for_who_has_a_code_when_all_else_is_sold(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    sale = await unseated(staff, 1)
    await bought(client, tenant, sale, entry=1)
    data(await staff.put(sale.path("queue/settings"), json={"mode": "on", "slots": 1}))
    first, second, without = [await visit(counter.path(tenant)) for _ in range(3)]
    for one in (first, second):
        one.expects("403 (Forbidden)")  # wait for your turn first
        await enter(one.page, "FRIENDS")
        await line(one.page, "Friends").get_by_role("button", name="Add").click()
        if one is first:
            await expect(one.page).to_have_url(re.compile("#tickets$"))  # let in at once, and back
    await expect(second.page.locator("#number")).to_have_text("1")
    await second.page.reload()
    await expect(second.page.locator("#number")).to_have_text("1")
    without.expects("409 (Conflict)")
    await without.go(f"{counter.path(tenant)}/queue")
    await expect(without.page.locator("#word")).to_have_text(re.compile("sold out", re.IGNORECASE))
    for one in (first, second):  # who has bought makes room for the next
        await expect(counter.basket(one.page)).to_contain_text(APPLIED)
        await add(one.page, "Friends")
        await counter.to_checkout(one.page)
        await counter.fill_in(one.page)
        await counter.pay(one.page)


@pytest.mark.req("QUEUE-2")
async def test_the_waiting_room_is_asked_with_the_code(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    """Of who has nothing yet but the code, and comes to the room by its address."""
    sale = await unseated(staff, 1)
    await bought(client, tenant, sale, entry=1)
    data(await staff.put(sale.path("queue/settings"), json={"mode": "on", "slots": 1}))
    page = (await visit(counter.path(tenant))).page
    await enter(page, "FRIENDS")
    await expect(counter.basket(page)).to_contain_text(APPLIED)
    await page.goto(page.url + "/queue")
    await expect(counter.basket(page)).to_contain_text(APPLIED)  # let in at once, and back at the tickets


async def test_a_checkout_that_does_not_load_says_so_and_loads_on_a_second_try(
    visit: Visit, staff: Client, tenant: Tenant
) -> None:
    await counter.small_house(staff)
    one = await counter.at_the_map(visit, tenant)
    one.expects("ERR_FAILED", "Failed to fetch dynamically imported module")
    page = one.page
    await page.route("**/assets/checkout-*", lambda route: route.abort())
    await counter.best(page, 1)
    await page.get_by_role("button", name="Continue to checkout").click()
    await expect(page.get_by_role("heading", name="Couldn’t load checkout")).to_be_focused()
    await expect(page.get_by_text("Your tickets are still held for you.")).to_be_visible()
    await expect(counter.taken(page)).to_have_count(0)  # they are in the checkout, and it is begun
    await clean(one, "a checkout that did not load")
    await page.unroute("**/assets/checkout-*")
    await page.get_by_role("button", name="Try again").click()
    await expect(page.get_by_role("heading", name="Checkout")).to_be_visible()
    await counter.fill_in(page)
    await counter.pay(page)


async def test_a_page_from_before_an_update_is_loaded_again_for_its_checkout(
    visit: Visit, staff: Client, tenant: Tenant
) -> None:
    await counter.small_house(staff)
    one = await counter.at_the_map(visit, tenant)
    one.expects("404 (Not Found)", "Failed to fetch dynamically imported module")
    page = one.page
    await page.route("**/assets/checkout-*", lambda route: route.fulfill(status=404, body=""))
    await counter.best(page, 1)
    await page.get_by_role("button", name="Continue to checkout").click()
    await expect(page.get_by_text("This page is out of date.")).to_be_visible()
    await page.unroute("**/assets/checkout-*")
    await page.get_by_role("button", name="Try again").click()
    await expect(page.get_by_role("heading", name="Checkout")).to_be_visible()
    await expect(counter.basket(page).get_by_text("Welcome back")).to_be_visible()
