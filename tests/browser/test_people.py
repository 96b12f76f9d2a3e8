"""Whoever has an account: signing in by password or by a mailed link, their tickets, and one that is passed on."""

import re
from urllib.parse import urlencode

import pytest
from playwright.async_api import Locator, Page, expect

from fullhouse.kit.services import Services
from tests.accounts.helpers import PASSWORD, data, give_password
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.browser.looks import PHONE, clean
from tests.browser.office import linked
from tests.checkout.helpers import begun, buy, hold
from tests.fixtures import Client, Tenant


async def _sign_in(visitor: Visitor, tenant: Tenant, email: str, password: str) -> None:
    await visitor.go(f"/sign-in?at={tenant.organization.slug}")
    await _with_password(visitor.page, email, password)


async def _with_password(page: Page, email: str, password: str) -> None:
    await page.get_by_label("Email").fill(email)
    await page.get_by_label("Password").fill(password)
    await page.get_by_role("button", name="Sign in", exact=True).click()


def _cards(page: Page) -> Locator:
    """Tickets, each under its show or alone."""
    return page.get_by_role("main").get_by_role("listitem")


@pytest.mark.req("BUY-5")
async def test_no_barrier_among_my_tickets(
    visit: Visit, client: Client, staff: Client, tenant: Tenant, services: Services
) -> None:
    await give_password(services, tenant, "customer")
    sale = await counter.small_house(staff)
    buyer = client.as_(tenant.tokens["customer"])
    data(await buy(buyer, await begun(buyer, sale, 0, 1)), 201)
    visitor = await visit("/", **PHONE)
    page = visitor.page
    visitor.expects("401 (Unauthorized)")
    await _sign_in(visitor, tenant, "customer@example.org", "not the password")
    await expect(page.get_by_role("status").filter(has_text=re.compile(r"\w"))).to_be_visible()
    await clean(visitor, "a wrong password")
    await _sign_in(visitor, tenant, "customer@example.org", PASSWORD)
    await expect(_cards(page)).to_have_count(2)
    await expect(page.get_by_role("link", name=re.compile("^Signed in as"))).to_be_visible()
    await clean(visitor, "coming up")
    await page.get_by_role("link", name="Show QR code").first.click()
    await expect(_cards(page)).to_have_count(1)
    await expect(page.get_by_role("img", name=re.compile("QR code"))).to_be_visible()
    await clean(visitor, "a ticket")
    await page.go_back()
    await expect(_cards(page)).to_have_count(2)
    await page.get_by_role("button", name="Transfer ticket").first.click()
    await clean(visitor, "to be passed on")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Their name").fill("Bohumila")
    await dialog.get_by_label("Their email").fill("bohumila@example.org")
    await dialog.get_by_role("button", name="Transfer ticket").click()
    await expect(_cards(page)).to_have_count(1)
    await page.get_by_role("button", name="Transferred").click()
    await expect(_cards(page)).to_have_count(1)
    await clean(visitor, "passed on")
    for tab in ("Past", "Cancelled or refunded"):
        await page.get_by_role("button", name=tab).click()
        await expect(page.get_by_text("No tickets here")).to_be_visible()
        await clean(visitor, tab)
    visitor.expects("ERR_INTERNET_DISCONNECTED")
    await visitor.context.set_offline(True)
    await expect(page.get_by_text("You’re offline.")).to_be_visible()
    await clean(visitor, "offline")
    await visitor.context.set_offline(False)


ELSEWHERE = ("//evil.example", "/\\evil.example", "/\t/evil.example", "/\n\\evil.example", "https://evil.example/my")


@pytest.mark.req("HOLD-3", "CHK-2")
async def test_who_signs_in_from_a_checkout_comes_back_to_it_with_the_seats(
    visit: Visit, staff: Client, tenant: Tenant, services: Services
) -> None:
    await give_password(services, tenant, "customer")
    sale = await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant)
    page = visitor.page
    await page.get_by_role("link", name="Sign in", exact=True).click()
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    await expect(page.get_by_text("The seats in your basket")).to_be_hidden()
    await visitor.go(counter.path(tenant))
    await counter.open_list(page, "A")
    for number in (5, 6):
        await counter.seat(page, "A", number).click()
        await expect(counter.taken(page)).to_have_count(number - 4)
    await counter.to_checkout(page)
    await clean(visitor, "a guest's checkout")
    await page.get_by_role("button", name="Sign in", exact=True).click()
    await expect(page.get_by_text("You keep the seats in your basket")).to_be_visible()
    await clean(visitor, "signing in with a basket")
    await _with_password(page, "customer@example.org", PASSWORD)
    await expect(page).to_have_url(re.compile(counter.path(tenant)))
    await expect(page.get_by_role("heading", name="Checkout")).to_be_visible()
    await expect(page.get_by_label("Email")).to_have_value("customer@example.org")
    await expect(page.get_by_role("button", name="Sign in", exact=True)).to_have_count(0)
    await expect(counter.basket(page).get_by_text(re.compile(r"row A, seat [56]$"))).to_have_count(2)
    await counter.pay(page)
    (order,) = data(await staff.get(sale.path("orders")))
    assert (order["status"], order["buyer_email"]) == ("paid", "customer@example.org")
    await visitor.go(f"/my?at={tenant.organization.slug}")
    await expect(_cards(page)).to_have_count(2)


@pytest.mark.req("HOLD-8")
async def test_what_is_too_much_for_one_person_is_said(
    visit: Visit, staff: Client, tenant: Tenant, services: Services, client: Client
) -> None:
    await give_password(services, tenant, "customer")
    sale = await counter.small_house(staff)
    data(await staff.put(sale.path("seating-policy"), json={"policy": {"max_holds_per_user": 2}}))
    await hold(client.as_(tenant.tokens["customer"]), sale, 30)
    visitor = await counter.at_the_map(visit, tenant)
    page = visitor.page
    await counter.open_list(page, "A")
    for number in (5, 6):
        await counter.seat(page, "A", number).click()
        await expect(counter.taken(page)).to_have_count(number - 4)
    await page.get_by_role("link", name="Sign in", exact=True).click()
    await _with_password(page, "customer@example.org", PASSWORD)
    said = re.compile("Removed from your basket: .*row A, seat 6.*over the limit per person")
    await expect(page.get_by_text(said)).to_be_visible()
    await expect(counter.taken(page)).to_have_count(2)
    await clean(visitor, "something was given back")


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
async def test_nobody_is_sent_elsewhere_by_signing_in(
    elsewhere: str, visit: Visit, tenant: Tenant, services: Services
) -> None:
    await give_password(services, tenant, "customer")
    visitor = await visit("/")
    await visitor.go(f"/sign-in?{urlencode({'at': tenant.organization.slug, 'next': elsewhere})}")
    await _with_password(visitor.page, "customer@example.org", PASSWORD)
    await expect(visitor.page.get_by_role("heading", name="My tickets")).to_be_visible()
    await expect(visitor.page).to_have_url(re.compile(f"^{visitor.origin}/my"))


async def test_a_ticket_that_cannot_be_passed_on_says_why(
    visit: Visit, client: Client, staff: Client, tenant: Tenant, services: Services
) -> None:
    await give_password(services, tenant, "customer")
    buyer = client.as_(tenant.tokens["customer"])
    data(await buy(buyer, await begun(buyer, await counter.small_house(staff), 0)), 201)
    visitor = await visit("/")
    page = visitor.page
    visitor.expects("ERR_INTERNET_DISCONNECTED")
    await _sign_in(visitor, tenant, "customer@example.org", PASSWORD)
    await page.get_by_role("button", name="Transfer ticket").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Their name").fill("Bohumila")
    await dialog.get_by_label("Their email").fill("bohumila@example.org")
    await visitor.context.set_offline(True)
    await dialog.get_by_role("button", name="Transfer ticket").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("You’re offline")
    await expect(dialog.get_by_label("Their name")).to_have_value("Bohumila")
    await visitor.context.set_offline(False)
    await dialog.get_by_role("button", name="Transfer ticket").click()
    await expect(dialog).to_be_hidden()
    await expect(page.get_by_text("Ticket transferred to Bohumila")).to_be_visible()
    await expect(_cards(page)).to_have_count(0)


async def test_a_mailed_link_opens_the_account(visit: Visit, staff: Client, tenant: Tenant) -> None:
    visitor = await visit("/")
    page = visitor.page
    await visitor.go(f"/sign-in?at={tenant.organization.slug}")
    await page.get_by_label("Email").fill(counter.EMAIL)
    await page.get_by_role("button", name="Email me a sign-in link instead").click()
    await expect(page.get_by_role("status").filter(has_text=re.compile(r"\w{5}"))).to_be_visible()
    await visitor.go(await linked(staff, "/sign-in"))
    await clean(visitor, "by a link")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("heading", name="My tickets")).to_be_visible()
    await expect(page).to_have_url(re.compile("/my"))
    assert not [address for address in visitor.addresses if counter.EMAIL in address]
