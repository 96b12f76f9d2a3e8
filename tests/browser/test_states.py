"""A show's page in each state that it can be in: it says so, sells or not, and is no barrier to anybody."""

import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.browser.looks import PHONE, clean
from tests.browser.office import linked
from tests.checkout.helpers import Sale, add_type, bought, hold, selling, selling_types
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall

AMBER = "rgb(253, 240, 210)"
Prepare = Callable[[Client, Client, Tenant], Awaitable[Any]]
See = Callable[[Page], Awaitable[None]]


async def _postponed(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    data(await move(staff, {"id": str(sale.event_id)}, "postpone", reason="Storm warning"))


async def _a_new_date(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    event = {"id": str(sale.event_id)}
    data(await move(staff, event, "postpone", reason="Storm warning"))
    data(await move(staff, event, "reschedule", rescheduled_at="2090-07-01T18:00:00Z"))


async def _live(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    data(await staff.post(f"/api/events/{sale.event_id}/start"))


async def _sold_out(client: Client, staff: Client, tenant: Tenant) -> None:
    sale: Sale = await selling(staff, hall(1, 2))
    await bought(client, tenant, sale, 0, 1)


async def _standing(client: Client, staff: Client, tenant: Tenant) -> None:
    await selling(staff, hall(2, 6, wheelchairs=1, pit=20))


async def _without_a_plan(client: Client, staff: Client, tenant: Tenant) -> Sale:
    return await selling_types(staff, 4)


async def _see_postponed(page: Page) -> None:
    await expect(page.get_by_role("note")).to_contain_text("postponed")
    await expect(page.get_by_role("application")).to_have_count(0)


async def _see_new_date(page: Page) -> None:
    await expect(page.get_by_role("note")).to_contain_text("New date")
    await expect(page.get_by_role("application")).to_be_visible()


async def _see_live(page: Page) -> None:
    await expect(page.get_by_role("note")).to_contain_text("On now")


async def _see_sold_out(page: Page) -> None:
    await expect(page.get_by_role("group", name="Waitlist")).to_contain_text("Sold out")
    await expect(page.get_by_role("button", name="Best available")).to_have_count(0)


async def _see_standing(page: Page) -> None:
    await expect(page.get_by_label("Wheelchair spaces")).to_be_visible()


async def _see_types(page: Page) -> None:
    await expect(page.get_by_role("button", name="Add")).to_be_visible()
    await expect(page.get_by_text("Only 4 left")).to_be_visible()


STATES: dict[str, tuple[Prepare, See]] = {
    "postponed": (_postponed, _see_postponed),
    "a new date": (_a_new_date, _see_new_date),
    "live": (_live, _see_live),
    "sold out": (_sold_out, _see_sold_out),
    "with standing places": (_standing, _see_standing),
    "without a plan": (_without_a_plan, _see_types),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.req("EV-5")
async def test_no_barrier_in_any_state(state: str, visit: Visit, client: Client, staff: Client, tenant: Tenant) -> None:
    prepare, see = STATES[state]
    await prepare(client, staff, tenant)
    visitor = await visit(counter.path(tenant), **PHONE)
    await see(visitor.page)
    await clean(visitor, state)


@pytest.mark.req("EV-7")
async def test_amber_is_for_time(visit: Visit, client: Client, staff: Client, tenant: Tenant) -> None:
    await _postponed(client, staff, tenant)
    page = (await visit(counter.path(tenant))).page
    await expect(page.get_by_role("note")).to_have_css("background-color", AMBER)


@pytest.mark.req("BUY-6")
async def test_a_name_goes_on_the_waiting_list(visit: Visit, client: Client, staff: Client, tenant: Tenant) -> None:
    await _sold_out(client, staff, tenant)
    visitor = await visit(counter.path(tenant))
    page = visitor.page
    form = page.get_by_role("group", name="Waitlist")
    await form.get_by_label("Email").fill(counter.EMAIL)
    await form.get_by_role("button").click()
    await expect(form.get_by_role("status")).to_contain_text(counter.EMAIL)
    await clean(visitor, "on the list")
    await visitor.go(await linked(staff, "/waiting-list"))
    await expect(page.get_by_role("button", name="Leave the waitlist")).to_be_visible()
    await clean(visitor, "one's place on the list")


@pytest.mark.req("HOLD-4")
async def test_no_barrier_when_time_runs_out(visit: Visit, staff: Client, tenant: Tenant, clock: Any) -> None:
    await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant, clock=True)
    page = visitor.page
    await counter.best(page, 2)
    await page.clock.fast_forward("04:20")
    await expect(counter.basket(page).get_by_role("timer")).to_contain_text("0:")
    await clean(visitor, "the last minute")
    await clock(timedelta(minutes=6))
    await page.clock.fast_forward("02:00")
    await expect(counter.basket(page).get_by_text("Your hold has expired").first).to_be_visible()
    await page.clock.resume()
    await clean(visitor, "expired")


@pytest.mark.req("ZONE-1")
async def test_places_without_seats_are_bought(visit: Visit, client: Client, staff: Client, tenant: Tenant) -> None:
    await _standing(client, staff, tenant)
    visitor = await counter.at_the_map(visit, tenant)
    page = visitor.page
    await page.get_by_role("button", name="Show as list").click()
    await page.get_by_role("button", name="Pit", exact=True).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("combobox").or_(dialog.get_by_role("spinbutton")).first.focus()
    await clean(visitor, "how many places")
    await dialog.locator("button.call").click()
    await expect(counter.taken(page)).to_have_count(1)
    await counter.to_checkout(page)
    await counter.fill_in(page)
    await counter.pay(page)


@pytest.mark.req("TT-1")
async def test_tickets_of_a_show_without_a_plan_are_bought(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    sale = await _without_a_plan(client, staff, tenant)
    visitor = await visit(counter.path(tenant))
    page = visitor.page
    await _see_types(page)
    await add_type(staff, sale.event_id, name="Friends", price=1000, quantity=9, kind="ga")
    data(await staff.patch(f"/api/events/{sale.event_id}", json={"description": "Friends are welcome."}))
    await expect(page.get_by_text("Only 9 left")).to_be_visible()  # the show told of itself
    await page.get_by_label("Number of tickets: entry").select_option("2")
    await page.get_by_role("button", name="Add").first.click()
    await expect(counter.taken(page)).to_have_count(1)
    await clean(visitor, "places in the basket")
    await counter.to_checkout(page)
    await counter.fill_in(page)
    await counter.pay(page)
    await expect(page.get_by_role("img", name=re.compile("QR code of ticket"))).to_have_count(2)


# --- what goes wrong, and what is offered then


async def _refuse(route: Route) -> None:
    await route.fulfill(status=503, json={"status": 503, "code": "unavailable"})


async def _shut(visitor: Visitor, client: Client, tenant: Tenant, sale: Sale) -> None:
    visitor.expects("503")
    await visitor.page.route("**/api/events/*/offers", _refuse)
    await visitor.go(counter.path(tenant))
    await expect(visitor.page.get_by_role("button", name="Try again")).to_be_visible()


async def _line_is_dead(visitor: Visitor, client: Client, tenant: Tenant, sale: Sale) -> None:
    visitor.expects("ERR_FAILED")
    await visitor.page.route("**/api/events/*/stream", lambda route: route.abort())
    await visitor.go(counter.path(tenant))
    await expect(visitor.page.get_by_text("Reconnecting")).to_be_visible()
    await expect(visitor.page.get_by_text("Reconnecting")).to_have_css("padding-top", "0px")  # no room is made for it


async def _taken_before(visitor: Visitor, client: Client, tenant: Tenant, sale: Sale) -> None:
    """Somebody else was faster, while the wish was on its way."""
    page, other = visitor.page, await guest(client, tenant)

    async def be_faster(route: Route) -> None:
        await hold(other, sale, 0)
        await route.continue_()

    visitor.expects("409")
    await visitor.go(counter.path(tenant))
    await counter.open_list(page, "A")
    await page.route("**/api/events/*/seats/*/reserve", be_faster, times=1)
    await counter.seat(page, "A", 1).click()
    await expect(page.get_by_text(re.compile("^The nearest available seat is .*row A, seat 2"))).to_be_visible()
    await expect(page.get_by_role("button", name="Choose this seat")).to_be_visible()


async def _paid_late(visitor: Visitor, client: Client, tenant: Tenant, sale: Sale) -> None:
    page = visitor.page

    async def late(route: Route) -> None:
        answer = await route.fetch()
        told = await answer.json()
        await route.fulfill(response=answer, json={"data": told["data"] | {"status": "needs_consent"}})

    await page.route("**/api/checkout/*/purchase", late)
    await visitor.go(counter.path(tenant))
    await counter.best(page, 1)
    await counter.to_checkout(page)
    await counter.fill_in(page)
    await page.get_by_role("button", name=re.compile("^Pay ")).click()
    await expect(page.get_by_role("heading", name="Your seats were no longer available")).to_be_visible()


async def _my_tickets_unread(visitor: Visitor, client: Client, tenant: Tenant, sale: Sale) -> None:
    visitor.expects("503")
    await visitor.page.route("**/api/me", _refuse)
    await visitor.go(f"/my?at={tenant.organization.slug}")
    await expect(visitor.page.get_by_text("Couldn’t load your tickets.")).to_be_visible()


TROUBLES = {
    "shut": _shut,
    "no news": _line_is_dead,
    "taken before": _taken_before,
    "paid late": _paid_late,
    "my tickets": _my_tickets_unread,
}


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_no_barrier_where_something_went_wrong(
    trouble: str, visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    sale = await counter.small_house(staff)
    visitor = await visit("/health/live")
    await TROUBLES[trouble](visitor, client, tenant, sale)
    await clean(visitor, trouble)


ORDERS = {
    "pending": "Your payment is being confirmed",
    "cancelled": "This order was cancelled",
    "partly_refunded": "Part of this order was refunded",
    "refunded": "This order was refunded",
}


@pytest.mark.parametrize("status", ORDERS)
async def test_no_barrier_in_any_state_of_an_order(
    status: str, visit: Visit, client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    order = await bought(client, tenant, await counter.small_house(staff), 0, 1)
    was_paid = status.endswith("refunded")
    await owner.execute(
        "UPDATE orders SET status = $2, paid_at = CASE WHEN $3 THEN paid_at END WHERE id = $1",
        order["id"],
        status,
        was_paid,
    )
    visitor = await visit(f"/orders/{order['secret']}")
    await expect(visitor.page.get_by_role("status").first).to_contain_text(ORDERS[status])
    await clean(visitor, status)
