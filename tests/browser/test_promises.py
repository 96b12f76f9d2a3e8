"""What holds for every page: readable without scripts, usable by keyboard, on a small phone, in the dark, by all."""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, Route, expect

from fullhouse.kit.languages import SYMBOLS, Words
from fullhouse.kit.money import Money
from fullhouse.web.words import AF, EN
from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import PHONE, clean
from tests.checkout.helpers import bought, hold, selling, selling_types
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall


@pytest.mark.parametrize("options", [{}, PHONE], ids=["at a desk", "on a phone"])
async def test_no_barrier_from_the_programme_to_the_ticket(
    options: dict[str, Any], visit: Visit, staff: Client, tenant: Tenant
) -> None:
    """axe finds nothing in any state that a buyer passes through; and nothing is wider than the screen."""
    await counter.small_house(staff)
    await clean(await visit(f"/o/{tenant.organization.slug}", **options), "programme")
    visitor = await counter.at_the_map(visit, tenant, **options)
    page = visitor.page
    await clean(visitor, "map")
    await counter.open_list(page, "B")
    await clean(visitor, "list")
    await counter.seat(page, "B", 1).click()
    await expect(counter.taken(page)).to_have_count(1)
    await clean(visitor, "basket")
    await counter.to_checkout(page)
    await page.get_by_role("button", name=re.compile("^Pay ")).click()
    await clean(visitor, "checkout with mistakes")
    await counter.fill_in(page)
    await counter.pay(page)
    await clean(visitor, "bought")
    await page.get_by_role("link", name="View order").click()
    await expect(page.get_by_text("Paid. See you there.")).to_be_visible()
    await clean(visitor, "order")


async def test_no_barrier_on_the_pages_around_it(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    data(await staff.put(sale.path("queue/settings"), json={"mode": "on", "slots": 1}))
    (await visit(f"{counter.path(tenant)}/queue")).expects("403")
    line = await visit(f"{counter.path(tenant)}/queue")
    await expect(line.page.get_by_text("Your place in the queue")).to_be_visible()
    await clean(line, "waiting room")
    for path in ("/", "/sign-in", "/problems/seat_not_available"):
        await clean(await visit(path), path)
    papers = await visit("/api/docs")
    await papers.page.evaluate(  # of hundreds that are alike, a few
        "document.querySelectorAll(':is(.docs section, .contents ul):nth-of-type(n + 4)').forEach((it) => it.remove())"
    )
    await clean(papers, "the reference")
    lost = await visit("/")
    lost.expects("404 (Not Found)")
    await lost.go("/o/nobody/nothing")
    await clean(lost, "a dead link")
    mine = await visit("/")
    mine.expects("401 (Unauthorized)")
    await mine.go("/my")
    await expect(mine.page.get_by_role("heading", name="My tickets")).to_be_visible()
    await clean(mine, "my tickets")


async def test_a_purchase_without_a_mouse(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    page = (await counter.at_the_map(visit, tenant)).page
    await _tab_to(page, "[role=application]")
    for key in ("ArrowRight", "ArrowDown"):
        await page.keyboard.press(key)
    await expect(page.locator(".spoken")).to_have_text(re.compile(r"row B, seat \d+: available"))
    await page.keyboard.press("Enter")
    await expect(counter.taken(page)).to_have_count(1)
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Enter")
    await expect(counter.taken(page)).to_have_count(2)
    await _tab_to(page, "button.call")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Checkout")).to_be_visible()
    await _tab_to(page, "input[autocomplete=name]")
    await page.keyboard.type(counter.NAME)
    await page.keyboard.press("Tab")
    await page.keyboard.type(counter.EMAIL)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Your order is confirmed")).to_be_visible()


async def test_whoever_has_no_mouse_is_never_thrown_back_to_the_top(
    visit: Visit, staff: Client, tenant: Tenant
) -> None:
    """What was pressed may be busy, or gone: the keyboard goes on from where it was."""
    await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant)
    visitor.expects("402")  # a card that is declined
    page = visitor.page
    held = page.locator(":focus")
    await _tab_to(page, "form.best button")
    await page.keyboard.press("Enter")
    await expect(counter.taken(page)).to_have_count(2)
    await expect(held).to_have_text("Best available")
    second = await counter.taken(page).nth(1).get_attribute("aria-label")
    await _tab_to(page, "button.drop")
    await page.keyboard.press("Enter")
    await expect(counter.taken(page)).to_have_count(1)
    await expect(held).to_have_attribute("aria-label", second or "")
    await page.keyboard.press("Enter")
    await expect(counter.taken(page)).to_have_count(0)
    await expect(held).to_have_text("Choose your seats")
    await counter.best(page, 1)
    await counter.to_checkout(page)
    await counter.fill_in(page)
    await page.get_by_label("Method").select_option("Declined")
    await _tab_to(page, "form.pay button.call")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("The card was declined.")
    await expect(held).to_have_text(re.compile("^Pay "))


async def test_a_key_that_is_held_down_presses_once(visit: Visit, staff: Client, tenant: Tenant) -> None:
    """After a press the keyboard may be at what undoes it, or at the next that could be given back."""
    await counter.small_house(staff)
    page = (await counter.at_the_map(visit, tenant)).page
    await counter.best(page, 3)
    await _tab_to(page, "button.drop")
    await _hold_down(page)
    await expect(counter.taken(page)).to_have_count(2)
    await page.keyboard.press("Enter")
    await expect(counter.taken(page)).to_have_count(1)


async def _hold_down(page: Page) -> None:
    for _ in range(5):
        await page.keyboard.down("Enter")
        await page.wait_for_timeout(300)
    await page.keyboard.up("Enter")


async def test_whoever_takes_the_nearest_by_keyboard_goes_on_to_the_checkout(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    """A second press must not give back what the first has taken."""
    sale = await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant)
    visitor.expects("409")
    page = visitor.page
    await counter.open_list(page, "A")
    other = await guest(client, tenant)

    async def be_faster(route: Route) -> None:
        await hold(other, sale, 0)
        await route.continue_()

    await page.route("**/api/events/*/seats/*/reserve", be_faster, times=1)
    await counter.seat(page, "A", 1).click()
    await page.get_by_role("button", name="Choose this seat").focus()
    await page.keyboard.press("Enter")
    await expect(counter.taken(page)).to_have_count(1)
    await expect(page.locator(":focus")).to_have_text("Continue to checkout")


async def test_a_payment_that_takes_long_keeps_the_keyboard(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant)
    visitor.expects("ERR_FAILED")
    page = visitor.page
    await counter.best(page, 1)
    await counter.to_checkout(page)
    await counter.fill_in(page)
    await page.get_by_label("Method").select_option("silent")
    await page.route("**/api/orders/*", lambda route: route.abort())
    await _tab_to(page, "form.pay button.call")
    await page.keyboard.press("Enter")
    held = page.locator(":focus")
    await expect(held).to_have_text("Check again")
    await page.keyboard.press("Enter")
    await expect(held).to_have_text(re.compile("^Confirming your payment"))
    await expect(held).to_have_text("Check again")


async def test_whoever_is_asked_about_other_seats_is_taken_to_the_question(
    visit: Visit, staff: Client, tenant: Tenant
) -> None:
    await counter.small_house(staff)
    page = (await counter.at_the_map(visit, tenant)).page

    async def late(route: Route) -> None:
        answer = await route.fetch()
        order.update((await answer.json())["data"])
        await route.fulfill(response=answer, json={"data": order | {"status": "needs_consent"}})

    async def paid_back(route: Route) -> None:
        await route.fulfill(json={"data": order | {"status": "cancelled"}})

    order: dict[str, Any] = {}
    await page.route("**/api/checkout/*/purchase", late)
    await page.route("**/api/orders/*/consent", paid_back)
    await counter.best(page, 1)
    await counter.to_checkout(page)
    await counter.fill_in(page)
    await _tab_to(page, "form.pay button.call")
    await page.keyboard.press("Enter")
    held = page.locator(":focus")
    await expect(held).to_have_text(re.compile("^Your seats were no longer available"))
    await _tab_to(page, ".pay button")
    await page.keyboard.press("Enter")
    await expect(counter.basket(page).get_by_text("you get a full refund")).to_be_visible()
    await expect(held).to_have_text("Choose your seats")


async def test_the_waiting_list_keeps_the_keyboard(visit: Visit, client: Client, staff: Client, tenant: Tenant) -> None:
    """Whoever has joined is told so, and is not at the button that leaves; whoever leaves it goes on at the seats."""
    sale = await selling(staff, hall(1, 2))
    await bought(client, tenant, sale, 0, 1)
    page = (await visit(counter.path(tenant))).page
    form, held = page.get_by_role("group", name="Waitlist"), page.locator(":focus")
    await form.get_by_label("Email").fill(counter.EMAIL)
    await page.keyboard.press("Enter")
    await expect(form.get_by_role("status")).to_contain_text(counter.EMAIL)
    await expect(held).to_have_attribute("role", "status")

    async def some_left(route: Route) -> None:
        answer = await route.fetch()
        told = (await answer.json())["data"]
        zones = [zone | {"available": 1} for zone in told["zones"]]
        await route.fulfill(response=answer, json={"data": told | {"zones": zones}})

    async def some_sold(route: Route) -> None:
        answer = await route.fetch()
        offers = [offer | {"status": "on_sale"} for offer in (await answer.json())["data"]]
        await route.fulfill(response=answer, json={"data": offers})

    await page.route("**/api/events/*/occupancy", some_left)
    await page.route("**/api/events/*/offers", some_sold)
    await page.reload()
    await expect(page.get_by_role("button", name="Best available")).to_be_visible()
    await form.get_by_role("button", name="Leave the waitlist").focus()
    await page.keyboard.press("Enter")
    await expect(form).to_have_count(0)
    await expect(held).to_have_text("Choose your seats")


@pytest.mark.parametrize(("language", "said"), [("en", "Please reload it"), ("af", "Herlaai dit asseblief")])
async def test_a_page_whose_words_did_not_come_says_so(
    language: str, said: str, visit: Visit, staff: Client, tenant: Tenant
) -> None:
    await counter.small_house(staff)
    visitor = await visit("/health/live", locale=language)
    visitor.expects("ERR_FAILED")
    await visitor.page.route(f"**/built/assets/{language}-*.js", lambda route: route.abort())
    for path in (counter.path(tenant), f"/my?at={tenant.organization.slug}"):
        await visitor.go(path)
        await expect(visitor.page.get_by_text(said)).to_be_visible()


async def _tab_to(page: Page, selector: str) -> None:
    for _ in range(60):
        if await page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached with the tabulator key")


async def test_a_show_is_readable_without_scripts(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    visitor = await visit(counter.path(tenant), java_script_enabled=False)
    visitor.expects("preload")  # what the box office would read
    page = visitor.page
    await expect(page.get_by_role("heading", level=1)).to_have_text("The Tempest")
    for words in ("An island, a storm, a duke.", "Liège", "1 June 2090", "needs JavaScript"):
        await expect(page.get_by_text(words).first).to_be_visible()
    await expect(page.get_by_role("link", name="Add to calendar")).to_be_visible()


@pytest.mark.parametrize("seats", [True, False], ids=["with seats", "without"])
async def test_what_the_head_of_the_page_has_asked_for_is_not_asked_for_again(
    visit: Visit, staff: Client, tenant: Tenant, seats: bool
) -> None:
    """And a show without a plan is not asked for one: that would be an error in every buyer's browser."""
    await (counter.small_house(staff) if seats else selling_types(staff, 3))
    visitor = await visit(counter.path(tenant))
    await expect(visitor.page.get_by_text("Live availability")).to_be_visible()
    await expect(visitor.page.get_by_role("application")).to_have_count(int(seats))
    asked = [urlsplit(one).path.rpartition("/")[2] for one in visitor.addresses if "/api/events/" in one]
    reads = ["availability", "occupancy", "seatmap"] if seats else []
    # What is offered is asked for once more, some time after the line began.
    assert sorted({*asked} - {"offers", "stream"}) == reads
    assert [asked.count(read) for read in reads] == [1] * len(reads)
    assert asked.count("offers") <= 2


async def test_scripts_come_from_this_house_alone(visit: Visit, staff: Client, tenant: Tenant, client: Client) -> None:
    await counter.small_house(staff)
    for path in ("/", counter.path(tenant), f"{counter.path(tenant)}/queue", "/my", "/api/docs", "/sign-in"):
        policy = (await client.get(path)).headers["content-security-policy"]
        rules = dict(part.split(" ", 1) for part in policy.split("; "))
        assert rules["default-src"] == "'none'", path
        assert "unsafe" not in rules["script-src"].replace("'wasm-unsafe-eval'", ""), path
    visitor = await counter.at_the_map(visit, tenant)
    visitor.expects("Content Security Policy", "content security policy")
    ran = await visitor.page.evaluate(
        """() => { const script = document.createElement('script'); script.textContent = 'window.ran = true';
           document.body.append(script); return window.ran === true }"""
    )
    assert not ran, "an inline script ran"


async def test_no_script_sees_the_session(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    visitor = await counter.at_the_map(visit, tenant)
    await counter.best(visitor.page, 1)
    cookies = await visitor.context.cookies()
    assert cookies
    assert all(cookie["httpOnly"] and cookie["sameSite"] in ("Lax", "Strict") for cookie in cookies), cookies
    assert not await visitor.page.evaluate("document.cookie")
    kept = await visitor.page.evaluate("JSON.stringify(localStorage)")
    assert "fhs_" not in kept


@pytest.mark.parametrize("words", [EN, AF], ids=["en", "af"])
async def test_a_price_looks_the_same_before_and_after_a_script(words: Words, visit: Visit) -> None:
    """The house writes what is read without scripts, the browser what it shows itself."""
    page = (await visit("/sign-in")).page
    for currency in {*SYMBOLS["en"], *SYMBOLS["af"], "ZAR", "USD", "CHF", "KWD"}:
        for amount in (5, -123456789):
            money = Money(amount, currency)
            digits = len(f"{money}".split(" ")[0].partition(".")[2])
            written = await page.evaluate(
                """([language, currency, value, digits]) => new Intl.NumberFormat(language, {
                    style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits,
                }).format(value)""",
                [words.code, currency, amount / 10**digits, digits],
            )
            assert words.money(money) == written
