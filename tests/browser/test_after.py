"""After buying: a mail once more, a ticket passed on, a show that is moved; and an offer from the waiting list."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Route, expect

from fullhouse.kit.ids import new_id
from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import clean
from tests.checkout.helpers import bought, migrate
from tests.checkout.test_late import given_up
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import a_process, hall


@pytest.mark.req("BUY-5")
async def test_whoever_has_an_orders_page_has_its_letter_sent_again(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    visitor, _ = await counter.at_order(visit, client, staff, tenant)
    again = visitor.page.get_by_role("button", name="Email the tickets again")
    await again.click()
    await expect(visitor.page.get_by_text("emailed the tickets to ada@example.org")).to_be_visible()
    await clean(visitor, "an order's page")
    visitor.expects("429")
    for _ in range(3):
        async with visitor.page.expect_response("**/api/order/resend"):  # a click before the answer would not count
            await again.click()
        await expect(again).to_be_enabled()
    await expect(visitor.page.locator("[data-resent][data-kind=error]")).to_be_visible()


@pytest.mark.req("BUY-5")
async def test_whoever_has_an_orders_page_passes_a_ticket_on(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    visitor, order = await counter.at_order(visit, client, staff, tenant)
    page, (gone, kept) = visitor.page, order["tickets"]
    await page.get_by_text("Transfer ticket").first.click()
    form = page.get_by_role("form", name=f"Transfer ticket {gone['number']}")
    await form.get_by_label("Their name").fill(counter.NAME)
    await form.get_by_label("Their email").fill(counter.EMAIL)
    await clean(visitor, "passing a ticket on")
    await form.get_by_role("button").click()
    await expect(page.get_by_role("img", name=f"QR code of ticket {gone['number']}")).to_have_count(0)
    await expect(page.get_by_role("img", name=f"QR code of ticket {kept['number']}")).to_be_visible()


@pytest.mark.req("BUY-3")
@pytest.mark.parametrize("accept", [True, False])
async def test_whoever_paid_late_answers_on_the_orders_page(
    visit: Visit,
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    server_url: str,
    tmp_path: Path,
    accept: bool,
) -> None:
    sale = await counter.small_house(staff)
    async with a_process(server_url, tmp_path) as process:
        late = await given_up(client, tenant, owner, process, sale, 0, 1)
        await late.leaves()
        await bought(client, tenant, sale, 0)
        order = await late.comes()
    visitor = await visit(f"/orders/{order['secret']}")
    page = visitor.page
    await expect(page.get_by_role("heading", name="row A, seat 2")).to_be_visible()
    await clean(visitor, "an order that needs consent")
    await page.get_by_role("button", name="Accept these" if accept else "Get a full refund").click()
    if accept:
        await expect(page.get_by_role("img", name=re.compile("^QR code of ticket"))).to_have_count(2)
    else:
        await expect(page.get_by_role("status").first).to_contain_text("This order was cancelled")
    await expect(page.get_by_role("button", name="Accept these")).to_have_count(0)


@pytest.mark.req("BUY-6")
async def test_an_offer_ends_by_the_clock_of_the_place(visit: Visit) -> None:
    visitor = await visit("/", timezone_id="Pacific/Auckland")
    entry = {"status": "offered", "party": 2, "email": counter.EMAIL, "position": None, "timezone": "Europe/Brussels"}
    entry |= {"answer_by": "2090-06-01T19:00:00Z", "offer": [{"quantity": 2, "zone_name": "Pit", "row": None}]}

    async def offer(route: Route) -> None:
        await route.fulfill(json={"data": entry | {"show_path": "/o/house/show"}})

    await visitor.page.route("**/api/waitlist", offer)
    await visitor.go("/waiting-list#secret")
    until = re.compile(r"^Held for you until Thursday,? 1 June 2090 at 21:00 \(Europe/Brussels\): 2 tickets\.$")
    await expect(visitor.page.get_by_role("status")).to_have_text(until)


@pytest.mark.req("EV-7")
async def test_a_postponed_shows_order_is_no_barrier(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    visitor, order = await counter.at_order(visit, client, staff, tenant)
    data(await move(staff, {"id": order["event_id"]}, "postpone"))
    await visitor.page.reload()
    await expect(visitor.page.get_by_role("note")).to_contain_text("This event is postponed")
    await clean(visitor, "the order of a postponed show")


@pytest.mark.req("EV-7", "EV-8")
async def test_my_tickets_say_which_date_counts(visit: Visit, staff: Client, tenant: Tenant) -> None:
    event = {"id": str((await counter.small_house(staff)).event_id)}
    visitor = await counter.at_the_map(visit, tenant)
    page = visitor.page
    await counter.buy(page, 1)
    data(await move(staff, event, "postpone"))
    await visitor.go(f"/my?at={tenant.organization.slug}")
    await expect(page.get_by_text("Postponed: no new date yet.")).to_be_visible()
    await clean(visitor, "my ticket of a postponed show")
    data(await move(staff, event, "reschedule"))
    await page.reload()
    await expect(
        page.get_by_text(re.compile(r"^New date\. It was originally planned for Thursday,? 1 June 2090"))
    ).to_be_visible()
    await expect(page.get_by_text(re.compile(r"^Friday,? 1 September 2090, 21:00"))).to_be_visible()
    await expect(page.get_by_role("link", name="Add to calendar")).to_be_visible()
    for name in ("start", "end"):
        data(await move(staff, event, name))
    await page.reload()
    await page.get_by_role("button", name="Past").click()
    await expect(page.get_by_role("link", name="PDF")).to_be_visible()
    await expect(page.get_by_role("link", name="Add to calendar")).to_have_count(0)


@pytest.mark.req("SEAT-4", "BUY-4")
@pytest.mark.parametrize("accept", [True, False])
async def test_whoever_has_another_seat_says_whether_it_will_do(
    visit: Visit, staff: Client, tenant: Tenant, accept: bool
) -> None:
    sale = await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant)
    page = visitor.page
    await counter.open_list(page, "D")
    await counter.seat(page, "D", 10).click()
    await expect(counter.taken(page)).to_have_count(1)
    await counter.to_checkout(page)
    await counter.fill_in(page)
    await counter.pay(page)
    await migrate(staff, sale, hall(3, 10))  # the last row goes
    await visitor.go("/my")
    question = page.get_by_role("region", name=re.compile("^New seat for ticket"))
    await expect(question).to_contain_text(re.compile("Old seat.*row D, seat 10.*New seat.*row [A-C], seat"))
    await expect(question).to_contain_text("Answer by")
    await clean(visitor, "a moved seat")
    await question.get_by_role("button", name="Accept the new seat" if accept else "Get a full refund").click()
    said = "The new seat is yours." if accept else "You get a full refund, fees included."
    await expect(page.get_by_text(said)).to_be_visible()
    await expect(question).to_have_count(0)
    await expect(page.get_by_role("link", name="PDF")).to_have_count(1 if accept else 0)
    await page.reload()
    await expect(page.get_by_role("heading", name="My tickets")).to_be_visible()
    await expect(question).to_have_count(0)


@pytest.mark.req("BUY-5")
async def test_my_tickets_say_when_they_cannot_be_read_and_whose_they_are(
    visit: Visit, staff: Client, tenant: Tenant
) -> None:
    await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant)
    page = visitor.page
    await counter.best(page, 1)
    here = {"id": str(tenant.id), "slug": tenant.organization.slug, "name": "This house"}
    there = {"id": str(new_id()), "slug": "another", "name": "Another house"}
    await page.route("**/api/auth/sessions", lambda route: route.fulfill(json={"data": [there, here]}))
    visitor.expects("ERR_FAILED")
    await page.get_by_role("link", name="My tickets").click()
    await expect(page).to_have_url(re.compile(rf"/my\?at={tenant.organization.slug}$"))
    houses = page.get_by_role("navigation", name="Organisations").get_by_role("link")
    await expect(houses).to_have_text(["Another house", "This house"])
    await expect(houses.nth(1)).to_have_attribute("aria-current", "page")
    await expect(houses.nth(0)).to_have_attribute("href", "/my?at=another")
    await page.route("**/api/me/tickets?group=past", lambda route: route.abort())
    await page.get_by_role("button", name="Past").click()
    await expect(page.get_by_text("Couldn’t load your tickets.")).to_be_visible()
    await expect(page.get_by_text("No tickets here")).to_have_count(0)
    await clean(visitor, "tickets that could not be read")
    await page.unroute("**/api/me/tickets?group=past")
    await page.get_by_role("button", name="Try again").click()
    await expect(page.get_by_text("No tickets here")).to_be_visible()


@pytest.mark.req("BUY-5")
async def test_an_order_that_waits_for_its_money_says_when_it_is_there(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    order = await bought(client, tenant, await counter.small_house(staff), 0)
    visitor = await visit("/")
    looks = 0

    async def pending_at_first(route: Route) -> None:
        nonlocal looks
        looks += 1
        answer = await route.fetch()
        text = await answer.text()
        await route.fulfill(response=answer, body=text.replace(" data-keep", " data-pending") if looks <= 2 else text)

    await visitor.page.route("**/orders/*", pending_at_first)
    await visitor.go(f"/orders/{order['secret']}")
    await expect(visitor.page.locator("[data-pending]")).to_have_count(1)
    await expect(visitor.page.locator("[data-pending]")).to_have_count(0)
    assert looks >= 4  # the page, a look too early, a look in time, the page
    await visitor.page.unroute_all(behavior="wait")  # one that is under way would fail in the next test
