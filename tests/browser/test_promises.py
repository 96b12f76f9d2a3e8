"""What holds for every page: readable without scripts, usable by keyboard, on a small phone, in the dark, by all."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from fullhouse.kit.languages import SYMBOLS, Words
from fullhouse.kit.money import Money
from fullhouse.web.words import AF, EN
from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import PHONE, clean
from tests.fixtures import Client, Tenant


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
    await page.get_by_role("link", name="Open my order").click()
    await expect(page.get_by_text("Paid. See you there.")).to_be_visible()
    await clean(visitor, "order")


async def test_no_barrier_on_the_pages_around_it(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    data(await staff.put(sale.path("queue/settings"), json={"mode": "on", "slots": 1}))
    (await visit(f"{counter.path(tenant)}/queue")).expects("403")
    line = await visit(f"{counter.path(tenant)}/queue")
    await expect(line.page.get_by_text("Your place in line")).to_be_visible()
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
    await expect(page.locator(".spoken")).to_have_text(re.compile(r"row B, seat \d+: free"))
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
    await expect(page.get_by_role("heading", name="You are going")).to_be_visible()


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


async def _tab_to(page: Page, selector: str) -> None:
    for _ in range(60):
        if await page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached with the tabulator key")


async def test_a_show_is_readable_without_scripts(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    page = (await visit(counter.path(tenant), java_script_enabled=False)).page
    await expect(page.get_by_role("heading", level=1)).to_have_text("The Tempest")
    for words in ("An island, a storm, a duke.", "Liège", "1 June 2090", "allow scripts"):
        await expect(page.get_by_text(words).first).to_be_visible()
    await expect(page.get_by_role("link", name="Add to calendar")).to_be_visible()


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
