"""From the show's page to the tickets, and everything that can come between."""

import re
from datetime import timedelta
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import clean
from tests.checkout.helpers import add_type, selling, selling_types
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall
from tests.test_serve import House


@pytest.mark.req("BUY-1", "BUY-5")
async def test_two_seats_are_bought(visit: Visit, staff: Client, tenant: Tenant, house: House) -> None:
    sale = await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant)
    page = visitor.page
    await counter.buy(page, 2)
    await expect(page.get_by_role("img", name=re.compile("QR code of ticket"))).to_have_count(2)
    await expect(page.get_by_role("listitem").get_by_text(re.compile(r"row \w+, seat \d+"))).to_have_count(2)
    for picture in await page.get_by_role("img", name=re.compile("QR code")).all():
        assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
    (order,) = data(await staff.get(sale.path("orders")))
    assert (order["status"], order["buyer_email"]) == ("paid", counter.EMAIL)
    await page.get_by_role("link", name="View order").click()
    await expect(page.get_by_text("Paid. See you there.")).to_be_visible()
    await expect(page.get_by_role("heading", level=2)).to_have_count(2)
    _nobody_is_named(visitor.addresses, house)


def _nobody_is_named(addresses: list[str], house: House) -> None:
    """Neither in an address, which ends in other people's logs, nor in ours."""
    for word in (counter.EMAIL, "thandi", "radebe"):
        assert not [address for address in addresses if word in address.lower()]
        assert word not in house.text.lower()


@pytest.mark.req("TT-1")
async def test_the_basket_asks_for_what_is_paid(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    charges = [
        {"name": "Service", "kind": "fee", "amount": 145, "basis_points": 333},
        {"name": "City tax", "kind": "tax", "basis_points": 175},
        {"name": "VAT", "kind": "tax", "basis_points": 600, "included": True},
    ]
    data(await staff.put(sale.path("charges"), json={"charges": charges}))
    visitor = await counter.at_the_map(visit, tenant)
    page = visitor.page
    await counter.best(page, 3)
    bill = counter.basket(page)
    await expect(bill).to_contain_text("Service")
    await expect(bill).to_contain_text("VAT, included")
    said = await bill.locator("dd, .total b").all_inner_texts()
    await clean(visitor, "a basket with fees")
    await counter.to_checkout(page)
    assert (await bill.locator("dd, .total b").all_inner_texts())[1:] == said


async def test_a_seat_is_picked_on_the_map(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    page = (await counter.at_the_map(visit, tenant)).page
    await page.get_by_role("application").scroll_into_view_if_needed()
    box = await page.get_by_role("application").bounding_box()
    assert box
    words = await _hovered(page, box)
    await page.mouse.down()
    await page.mouse.up()
    await expect(counter.taken(page)).to_have_count(1)
    await expect(counter.basket(page)).to_contain_text(words.split(":")[0])


async def _hovered(page: Page, box: Any) -> str:
    """Moves about until there is a free seat under the mouse: its tip says so."""
    tip = page.locator(".tip")
    for step in range(400):
        x, y = 0.05 + 0.9 * (step % 40) / 40, 0.15 + 0.7 * (step // 40) / 10
        await page.mouse.move(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
        if await tip.count() and ": available" in (found := await tip.inner_text()):
            return found
    raise AssertionError("there is no available seat anywhere on the map")


@pytest.mark.req("HOLD-3", "HOLD-10")
async def test_two_browsers_want_one_seat(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    first, second = [(await counter.at_the_map(visit, tenant)) for _ in range(2)]
    for one in (first, second):
        one.expects("409 (Conflict)")
        await counter.open_list(one.page, "A")
        await expect(counter.seat(one.page, "A", 5)).to_be_enabled()
    buttons = [await counter.seat(one.page, "A", 5).element_handle() for one in (first, second)]
    for button in buttons:  # both before either hears of the other
        assert button
        await button.evaluate("button => setTimeout(() => button.click(), 50)")
    winner, loser = await _one_has_it(first.page, second.page)
    await expect(counter.taken(winner)).to_have_count(1)
    await expect(counter.taken(loser)).to_have_count(0)
    await expect(counter.basket(loser).locator(".wrong")).not_to_be_empty()
    await counter.seat(loser, "A", 8).click()  # and chooses another
    await expect(counter.taken(loser)).to_have_count(1)


async def _one_has_it(*pages: Any) -> tuple[Any, Any]:
    told = counter.basket(pages[0]).locator(".wrong").or_(counter.taken(pages[0]))
    await expect(told.first).to_be_visible()
    return (pages[0], pages[1]) if await counter.taken(pages[0]).count() else (pages[1], pages[0])


@pytest.mark.req("HOLD-4")
async def test_a_hold_expires_on_the_screen(visit: Visit, staff: Client, tenant: Tenant, clock: Any) -> None:
    await counter.small_house(staff)
    page = (await counter.at_the_map(visit, tenant, clock=True)).page
    await counter.best(page, 2)
    await expect(counter.basket(page).get_by_text("Held for you")).to_be_visible()
    await expect(counter.basket(page).locator("svg text")).to_have_text(re.compile(r"^[45]:\d\d$"))
    await page.clock.fast_forward("03:10")
    await expect(counter.basket(page).get_by_text("left to check out")).to_have_text("2:00 left to check out.")
    await clock(timedelta(minutes=6))
    await page.clock.fast_forward("02:00")
    await expect(counter.basket(page).get_by_text("Your hold has expired").first).to_be_visible()
    await expect(counter.taken(page)).to_have_count(0)
    other = (await counter.at_the_map(visit, tenant)).page  # they are anybody's again
    await counter.best(other, 2)


async def test_a_hold_that_ends_leaves_the_others_alone(
    visit: Visit, staff: Client, tenant: Tenant, clock: Any
) -> None:
    await counter.small_house(staff)
    page = (await counter.at_the_map(visit, tenant, clock=True)).page
    await counter.open_list(page, "A")
    await counter.seat(page, "A", 1).click()
    await expect(counter.taken(page)).to_have_count(1)
    await clock(timedelta(minutes=4))
    await counter.seat(page, "A", 8).click()
    await expect(counter.taken(page)).to_have_count(2)
    await counter.taken(page).first.focus()
    await clock(timedelta(minutes=6))
    await page.clock.fast_forward("06:00")
    await expect(counter.basket(page).get_by_text("Back on sale")).to_contain_text("row A, seat 1.")
    await expect(counter.taken(page)).to_have_accessible_name(re.compile("seat 8"))
    await expect(counter.basket(page).get_by_role("timer")).to_be_visible()
    await expect(page.get_by_role("button", name="Try to get them back")).to_be_visible()
    await expect(page.locator(":focus")).to_have_text("Your basket")  # not at the next that could be given back


@pytest.mark.req("CHK-2", "HOLD-4")
async def test_the_clock_of_a_checkout_is_its_own(visit: Visit, staff: Client, tenant: Tenant) -> None:
    """The five minutes of a hold become the checkout's ten, and whoever fills in their name is not hurried."""
    await counter.small_house(staff)
    page = (await counter.at_the_map(visit, tenant)).page
    timer = counter.basket(page).get_by_role("timer")
    await counter.best(page, 2)
    await expect(timer).to_contain_text(re.compile(r"\b(5:00|4:\d\d)"))
    await counter.to_checkout(page)
    await expect(timer).to_contain_text(re.compile(r"\b(10:00|9:\d\d)"))


@pytest.mark.req("CHK-2")
async def test_a_checkout_is_found_again(visit: Visit, staff: Client, tenant: Tenant) -> None:
    """The page is closed, or the line goes dead, in the middle of it."""
    await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant)
    page = visitor.page
    await counter.best(page, 2)
    await counter.to_checkout(page)
    visitor.expects("ERR_INTERNET_DISCONNECTED", "Failed to load resource")
    await visitor.context.set_offline(True)
    await counter.fill_in(page)
    await page.get_by_role("button", name=re.compile("^Pay ")).click()
    await expect(page.get_by_role("alert")).to_contain_text("You’re offline")
    await visitor.context.set_offline(False)
    await page.reload()
    await expect(page.get_by_role("heading", name="Checkout")).to_be_visible()
    await expect(counter.basket(page).get_by_text("Welcome back")).to_be_visible()
    await counter.fill_in(page)
    await counter.pay(page)


@pytest.mark.req("CHK-2")
async def test_waiting_for_money_survives_a_dead_line(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant)
    page = visitor.page
    await counter.best(page, 1)
    await counter.to_checkout(page)
    await counter.fill_in(page)
    await page.get_by_label("Method").select_option("silent")
    await page.get_by_role("button", name=re.compile("^Pay ")).click()
    await expect(page.get_by_role("button", name="Confirming your payment")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("button", name="Confirming your payment")).to_be_visible()
    visitor.expects("ERR_INTERNET_DISCONNECTED", "Failed to load resource")
    await visitor.context.set_offline(True)
    await expect(counter.basket(page).get_by_text("You’re offline. Check your connection.")).to_be_visible()
    await expect(page.get_by_role("button", name="Check again")).to_be_enabled()
    await visitor.context.set_offline(False)


@pytest.mark.req("BUY-3")
@pytest.mark.req("TT-1")
async def test_another_type_says_its_price_before_it_is_chosen(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    about = "Bring something that shows your age."
    await add_type(staff, sale.event_id, name="Under 26", price=900, description=about, kind="seated")
    visitor = await counter.at_the_map(visit, tenant)
    bill = counter.basket(visitor.page)
    await counter.best(visitor.page, 1)
    kind = bill.get_by_label("Ticket type for")
    names = [text.split(" · ") for text in await kind.locator("option").all_inner_texts()]
    assert names == [[names[0][0]], ["Under 26", "€9.00"]]  # of the one that is chosen, the line says it
    await expect(bill).not_to_contain_text(about)
    await kind.select_option(index=1)
    await expect(bill).to_contain_text(about)
    await expect(bill.locator(".price")).to_have_text("€9.00")
    await clean(visitor, "a basket with a choice")


async def test_what_costs_nothing_asks_for_no_money(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff, price=0)
    visitor = await counter.at_the_map(visit, tenant)
    page = visitor.page
    await counter.best(page, 2)
    await expect(counter.basket(page)).to_contain_text("Free")
    await counter.to_checkout(page)
    await expect(counter.basket(page)).not_to_contain_text("0.00")
    await expect(page.get_by_role("radio")).to_have_count(1)
    await expect(page.get_by_label("Nothing to pay")).to_be_checked()
    await expect(page.get_by_role("button", name=re.compile("^Pay "))).to_have_count(0)
    assert await visitor.violations() == [], "checkout"
    await counter.fill_in(page)
    await page.get_by_role("button", name="Get tickets").click()
    await expect(page.get_by_role("heading", name="Your order is confirmed")).to_be_visible()
    await expect(page.get_by_role("img", name=re.compile("QR code of ticket"))).to_have_count(2)
    assert await visitor.violations() == [], "bought"
    (order,) = data(await staff.get(sale.path("orders")))
    assert (order["status"], order["total"]["amount"]) == ("paid", 0)
    await page.get_by_role("link", name="View order").click()
    await expect(page.get_by_text("Confirmed. See you there.")).to_be_visible()
    assert await visitor.violations() == [], "order"


@pytest.mark.req("HOLD-12", "TT-1")
async def test_a_types_own_limit_is_said_with_its_number(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await selling_types(staff, 10, max_per_order=2)
    visitor = await visit(counter.path(tenant))
    visitor.expects("409 (Conflict)")
    page = visitor.page
    await page.get_by_label("Number of tickets: entry").select_option("2")
    await page.get_by_role("button", name="Add").click()
    await expect(counter.taken(page)).to_have_count(1)
    await page.get_by_role("button", name="Add").click()
    await expect(counter.basket(page).locator(".wrong")).to_contain_text("At most 2 “entry” tickets per order.")


@pytest.mark.req("POL-1", "HOLD-12")
@pytest.mark.parametrize(
    ("most", "offered"), [({}, ["0", "1"]), ({"max_wheelchair_seats_per_booking": 0}, []),
                          ({"max_seats_per_booking": 3, "max_wheelchair_seats_per_booking": 2}, ["0", "1", "2"])],
)  # fmt: skip
async def test_the_selectors_offer_what_one_booking_may_have(
    visit: Visit, staff: Client, tenant: Tenant, most: dict[str, int], offered: list[str]
) -> None:
    sale = await selling(staff, hall(2, 8, wheelchairs=2))
    data(await staff.put(sale.path("seating-policy"), json={"policy": most}))
    page = (await counter.at_the_map(visit, tenant)).page
    seats = page.get_by_label("Seats", exact=True).locator("option")
    await expect(seats).to_have_count(most.get("max_seats_per_booking", 10))
    assert await page.get_by_label("wheelchair").locator("option").all_inner_texts() == offered


@pytest.mark.req("BUY-3")
async def test_a_declined_card_loses_nothing(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant)
    visitor.expects("402 (Payment Required)")
    page = visitor.page
    await counter.best(page, 1)
    await counter.to_checkout(page)
    await page.get_by_role("button", name=re.compile("^Pay ")).click()
    await expect(page.get_by_text("Enter the name for this order.")).to_be_visible()  # beside the field
    await counter.fill_in(page)
    await page.get_by_label("Method").select_option("decline")
    await page.get_by_role("button", name=re.compile("^Pay ")).click()
    await expect(page.get_by_role("alert")).to_have_text("The card was declined. Your tickets are still held for you.")
    await expect(page.get_by_label("Name")).to_have_value(counter.NAME)
    await page.get_by_label("Method").select_option("approve")
    await counter.pay(page)


@pytest.mark.req("QUEUE-2")
async def test_the_line_lets_in_and_the_seats_are_paid_for(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    data(await staff.put(sale.path("queue/settings"), json={"mode": "on", "slots": 1}))
    inside = await visit(f"{counter.path(tenant)}/queue")
    await expect(inside.page.get_by_role("application")).to_be_visible()  # there is room for one
    waits = await visit(f"{counter.path(tenant)}/queue")
    await expect(waits.page.get_by_text("Your place in the queue")).to_be_visible()
    await expect(waits.page.locator("#number")).to_have_text("1")
    await waits.page.reload()  # which moves nobody
    await expect(waits.page.locator("#number")).to_have_text("1")
    await counter.buy(inside.page, 1)
    await expect(waits.page.get_by_role("application")).to_be_visible(timeout=30_000)
    await counter.buy(waits.page, 2)


@pytest.mark.req("EV-7")
async def test_a_postponed_show_says_so_and_sells_nothing(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    event = {"id": str(sale.event_id)}
    data(await move(staff, event, "postpone", reason="Storm warning"))
    page = (await visit(counter.path(tenant))).page
    await expect(page.get_by_role("note")).to_contain_text("postponed")
    await expect(page.get_by_role("note")).to_contain_text("no new date yet")
    await expect(page.get_by_role("application")).to_have_count(0)


@pytest.mark.req("BUY-4")
async def test_a_refund_shows_on_the_orders_page(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    page = (await counter.at_the_map(visit, tenant)).page
    await counter.buy(page, 1)
    await page.get_by_role("link", name="View order").click()
    await expect(page.get_by_text("Paid. See you there.")).to_be_visible()
    (order,) = data(await staff.get(sale.path("orders")))
    wish = {"reason": "The buyer is ill.", "fees": "return"}
    key = {"idempotency-key": order["id"]}
    data(await staff.post(f"/api/orders/{order['id']}/refunds", json=wish, headers=key), 201)
    await page.reload()
    await expect(page.get_by_text("This order was refunded.")).to_be_visible()
    await expect(page.get_by_role("row", name=re.compile("^Refund"))).to_be_visible()
