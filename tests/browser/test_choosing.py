"""Choosing seat by seat: companions beside wheelchair spaces, no seat left alone, a connection that comes back."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import PHONE, clean
from tests.checkout.helpers import Sale, hold, selling
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall

KEPT = "A companion seat (Row B, Seat 2) is reserved for you."


@pytest.mark.req("ACC-1", "ACC-3")
async def test_a_companion_seat_is_offered_to_who_has_the_wheelchair_place(
    visit: Visit, staff: Client, tenant: Tenant
) -> None:
    """Said aloud, with its price, one press away; in the list it can be had by them and by nobody else."""
    await selling(staff, hall(2, 8, wheelchairs=1))
    mine, other = [await counter.at_the_map(visit, tenant) for _ in "ab"]
    for one in (mine, other):
        await counter.open_list(one.page, "B")
    page = mine.page
    await counter.seat(page, "B", 1).click()
    await expect(counter.basket(page).locator("[aria-live=assertive]")).to_have_text(KEPT)
    await expect(page.locator(".offer")).to_contain_text(KEPT)
    add = page.get_by_role("button", name="Add companion seat · €25.00")
    await expect(add).to_be_visible()
    theirs = counter.seat(page, "B", 2)
    await expect(theirs).to_have_accessible_name(re.compile("companion seat: reserved for you, €25.00$"))
    await expect(theirs).to_have_attribute("aria-disabled", "false")
    blocked = counter.seat(other.page, "B", 2)
    await expect(blocked).to_have_accessible_name(re.compile("not for sale$"))
    await expect(blocked).to_have_attribute("aria-disabled", "true")
    await clean(mine, "a companion seat is offered")
    await add.focus()
    await page.keyboard.press("Enter")
    await expect(counter.taken(page)).to_have_count(2)
    await expect(add).to_have_count(0)
    await expect(page.locator(":focus")).to_have_text("Continue to checkout")
    await counter.to_checkout(page)


@pytest.mark.req("ACC-1", "SEAT-5", "ACC-3")
async def test_a_companion_seat_is_taken_on_the_map_with_one_click(visit: Visit, staff: Client, tenant: Tenant) -> None:
    """Whoever has the wheelchair space sees it reserved, with its price; to others it is not for sale, then gone."""
    await selling(staff, hall(2, 8, wheelchairs=1))
    mine, other = [await counter.at_the_map(visit, tenant) for _ in "ab"]
    other.expects("409")
    spots = await counter.seats_on(mine.page)
    await other.page.get_by_role("application").scroll_into_view_if_needed()
    tip, theirs = [one.page.locator(".tip") for one in (mine, other)]
    chair, beside = spots["row B, seat 1"], spots["row B, seat 2"]
    await mine.page.mouse.click(*chair)
    await expect(counter.taken(mine.page)).to_have_count(1)
    # though the mouse rests
    await expect(tip).to_have_text(re.compile("row B, seat 1, wheelchair space: in your basket$"))
    await expect(counter.taken(mine.page)).to_be_in_viewport()  # beside the offer there is room for it
    await expect(mine.page.get_by_role("button", name="Add companion seat · €25.00")).to_be_visible()
    await _hover(mine.page, beside)
    await expect(tip).to_have_text(re.compile("row B, seat 2, companion seat: reserved for you, €25.00$"))
    await _hover(other.page, beside)
    await expect(theirs).to_have_text(re.compile("row B, seat 2, companion seat: not for sale$"))
    await other.page.mouse.click(*beside)
    await expect(counter.basket(other.page).locator("[aria-live=polite]")).to_have_text(re.compile("is not for sale"))
    await expect(counter.taken(other.page)).to_have_count(0)
    await mine.page.mouse.click(*beside)
    await expect(counter.taken(mine.page)).to_have_count(2)
    await expect(mine.page.locator(".offer")).to_have_count(0)
    await expect(mine.page.locator(".total")).to_contain_text("€50.00")
    await _hover(other.page, beside)
    await expect(theirs).to_have_text(re.compile("row B, seat 2, companion seat: in another basket$"))


async def _hover(page: Page, spot: counter.Spot) -> None:
    """From elsewhere: the tip says what was so when the mouse came."""
    await page.mouse.move(0, 0)
    await page.mouse.move(*spot)


@pytest.mark.req("ACC-1", "ACC-3")
async def test_it_is_offered_again_after_a_reload(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await selling(staff, hall(2, 8, wheelchairs=1))
    page = (await counter.at_the_map(visit, tenant, **PHONE)).page
    await counter.open_list(page, "B")
    await counter.seat(page, "B", 1).click()
    add = page.get_by_role("button", name="Add companion seat")
    await expect(add).to_be_in_viewport()
    await page.reload()
    await add.click()
    await expect(counter.taken(page)).to_have_count(2)


@pytest.mark.req("ACC-1")
async def test_it_is_offered_in_afrikaans(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await selling(staff, hall(2, 8, wheelchairs=1))
    page = (await visit(counter.path(tenant), locale="af-ZA")).page
    await expect(page.get_by_text("Regstreekse beskikbaarheid")).to_be_visible()
    await page.get_by_role("button", name="Wys as lys").click()
    await page.get_by_role("combobox", name=re.compile("^Ry")).select_option(index=2)
    await page.get_by_role("button", name=re.compile("ry B, sitplek 1, rolstoelplek")).click()
    kept = "’n Metgesel se sitplek (Ry B, Sitplek 2) is vir jou gereserveer."
    await expect(page.locator(".offer")).to_contain_text(kept)
    await page.get_by_role("button", name="Voeg metgesel se sitplek by").click()
    await expect(page.locator(".drop")).to_have_count(2)


async def _pick(page: Page, *numbers: int) -> None:
    await counter.open_list(page, "B")
    for n, number in enumerate(numbers, 1):
        await page.get_by_role("list", name="Seats").get_by_role("button", name=f"row B, seat {number}:").click()
        await expect(counter.taken(page)).to_have_count(n)


@pytest.mark.req("ALLOC-2", "ALLOC-4")
@pytest.mark.parametrize(
    ("picks", "press", "seats"),
    [
        ([2], "Move to seat 1 instead of 2", [1]),
        ([2], "Add seat 1 · €25.00", [2, 1]),
        ([2, 3], "Move to seat 1 instead of 3", [2, 1]),
        ([2, 3], "Add seat 1 · €25.00", [2, 3, 1]),
    ],
)
async def test_a_choice_that_leaves_a_seat_alone_is_mended_with_one_press(
    picks: list[int], press: str, seats: list[int], visit: Visit, staff: Client, tenant: Tenant
) -> None:
    """No click is refused; who leaves for checkout is told, and goes on from there."""
    await counter.small_house(staff)
    one = await counter.at_the_map(visit, tenant)
    one.expects("409")
    page = one.page
    await _pick(page, *picks)
    told = counter.basket(page).locator("[aria-live=polite]")
    await expect(told).to_have_text(re.compile(rf"row B, seat {picks[-1]} added to your basket"))
    await page.get_by_role("button", name="Continue to checkout").click()
    await expect(told).to_have_text(re.compile("would leave a single seat on its own: .*row B, seat 1"))
    await expect(counter.taken(page).first).to_be_in_viewport()  # what is to be moved is seen
    if len(picks) == 1:
        await clean(one, "a seat would be left alone")
    await page.get_by_role("button", name=press).click()
    await expect(page.get_by_role("heading", name="Checkout")).to_be_visible()
    lines = counter.basket(page).locator("li b")
    await expect(lines).to_have_text([re.compile(rf"row B, seat {n}$") for n in seats])


@pytest.mark.req("ALLOC-2")
async def test_somebody_faster_costs_nobody_their_seats(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    sale = await counter.small_house(staff)
    one = await counter.at_the_map(visit, tenant, **PHONE)
    one.expects("409")
    page = one.page
    await _pick(page, 2, 3)
    await page.get_by_role("button", name="Continue to checkout").click()
    move = page.get_by_role("button", name="Move to seat")
    await expect(move).to_be_in_viewport()
    other = await guest(client, tenant)
    data(await other.post(sale.path(f"seats/{sale.show.seat(10)}/reserve"), json={}), 201)
    await move.click()
    await expect(counter.basket(page).locator("[aria-live=polite]")).to_contain_text(
        "Your other tickets are still held for you."
    )
    await expect(counter.taken(page)).to_have_count(2)
    await counter.to_checkout(page)  # nothing is left alone any more


@pytest.mark.req("CHK-2")
@pytest.mark.parametrize("over", [False, True], ids=["still held", "over meanwhile"])
async def test_who_was_disconnected_is_told_when_the_connection_is_back(
    over: bool, visit: Visit, staff: Client, tenant: Tenant
) -> None:
    """For a few seconds, without a word lost; and what they hold is looked at again."""
    sale: Sale = await counter.small_house(staff)
    one = await visit("/health/live")
    one.expects("ERR_FAILED")
    page = one.page
    await page.route("**/api/events/*/stream", lambda route: route.abort())
    await one.go(counter.path(tenant))
    banner = page.get_by_role("status").filter(has_text=re.compile("offline|Reconnected"))
    await expect(banner).to_have_text("You’re offline. Check your connection.")
    await clean(one, "no connection")
    await counter.best(page, 1)
    if over:
        held = [sale.show.seat(n) for n in range(40)]
        wish = {"seat_ids": held, "reason": "A broken row"}
        assert data(await staff.post(sale.path("holds/release"), json=wish))["released"] == 1
    await page.unroute("**/api/events/*/stream")
    await expect(banner).to_have_text("Reconnected. Availability is up to date.")
    await clean(one, "reconnected", "day")
    if over:
        await expect(counter.basket(page).get_by_text("Your hold has expired")).to_be_visible()
    else:
        await expect(counter.taken(page)).to_have_count(1)
    await expect(banner).to_have_count(0)
    await expect(page.get_by_text("Live availability")).to_be_visible()


@pytest.mark.req("ALLOC-2")
async def test_a_basket_that_the_house_chose_goes_straight_on(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    sale = await counter.small_house(staff)
    await hold(await guest(client, tenant), sale, 0, 1)
    page = (await counter.at_the_map(visit, tenant)).page
    await counter.best(page, 3)
    await counter.to_checkout(page)
