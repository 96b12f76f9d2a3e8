"""A buyer's whole way in Afrikaans: no page says anything that the English catalogues say."""

import re

import pytest
from playwright.async_api import Page, expect

from fullhouse.web.words import AF, EN
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.english import WORDS, in_english
from tests.fixtures import Client, Tenant

LOCALE = {"locale": "af-ZA"}
# Everything that is said on a page: what is shown or hidden, and what only a screen reader says.
SAID = """() => {
  const said = [document.title];
  for (const one of document.querySelectorAll('body *')) {
    if (one.closest('script, style, noscript, [lang=en]')) continue;
    for (const node of one.childNodes) if (node.nodeType === Node.TEXT_NODE) said.push(node.data);
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) said.push(one.getAttribute(name) ?? '');
  }
  return said.map((text) => text.replace(/\\s+/g, ' ').trim()).filter(Boolean);
}"""


async def in_afrikaans(page: Page, place: str) -> None:
    assert await page.locator("html").get_attribute("lang") == "af", place
    said: list[str] = await page.evaluate(SAID)
    assert said
    wrong = in_english(said)
    assert not wrong, f"{place} says in English: {wrong}"


def say(key: str) -> str:
    """What the box office says in Afrikaans."""
    texts = "".join((WORDS / path).read_text() for path in ("af.ts", "later/af.ts"))
    found = re.search(rf"^  {key}: '(.*)',$", texts, re.MULTILINE)
    assert found, key
    return found[1]


async def test_a_buyer_meets_no_english(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    visitor: Visitor = await visit(counter.path(tenant), **LOCALE)
    page = visitor.page
    await expect(page.get_by_text(say("live"))).to_be_visible()
    await in_afrikaans(page, "the show's page")
    await page.get_by_role("button", name=say("asList")).click()
    await in_afrikaans(page, "the list of seats")
    await page.get_by_role("combobox", name=say("seats"), exact=True).select_option("2")
    await page.get_by_role("button", name=say("best")).click()
    await expect(page.get_by_role("button", name=re.compile("^Verwyder (?!kode )"))).to_have_count(2)
    await in_afrikaans(page, "the basket")
    await page.get_by_role("button", name=say("toCheckout")).click()
    await expect(page.get_by_role("heading", name=say("checkout"))).to_be_visible()
    await page.get_by_label(say("name")).fill(counter.NAME)
    await page.get_by_label(say("email")).fill(counter.EMAIL)
    await in_afrikaans(page, "the checkout")
    await page.get_by_role("button", name=re.compile("^Betaal ")).click()
    await expect(page.get_by_role("heading", name=say("confirmed"))).to_be_visible()
    await in_afrikaans(page, "what was bought")
    await page.get_by_role("link", name=say("openOrder")).click()
    await expect(page.get_by_text(AF("keep_secret"))).to_be_visible()
    await in_afrikaans(page, "the order")
    visitor.expects("429 (Too Many Requests)")
    for _ in range(4):  # one more than may be
        await page.get_by_role("button", name=AF("resend")).click()
        await expect(page.get_by_role("button", name=AF("resend"))).to_be_enabled()
    await expect(page.get_by_text(AF("refusal_rate_limited"))).to_be_visible()
    await in_afrikaans(page, "an order that was mailed too often")
    await visitor.go(f"/my?at={tenant.organization.slug}")
    await expect(page.get_by_role("link", name=say("showCode"))).to_have_count(2)
    await in_afrikaans(page, "my tickets")
    await page.get_by_role("button", name=say("transfer")).first.click()
    await in_afrikaans(page, "passing one on")
    await page.keyboard.press("Escape")
    await page.get_by_role("link", name=say("showCode")).first.click()
    await expect(page.get_by_role("link", name=say("allTickets"))).to_be_visible()
    await in_afrikaans(page, "one ticket")
    letters = (await staff.get("/api/org/mailbox")).json()["data"]
    assert [letter["subject"] for letter in letters if letter["template"] == "order_confirmed"]
    for letter in letters:
        if letter["template"] == "order_confirmed":
            assert letter["subject"].startswith("Jou kaartjies vir ")


@pytest.mark.parametrize(
    "place", ["", "/o/{org}", "{show}/queue", "/embed/{org}/the-tempest", "/my", "/sign-in", "/join", "/waiting-list"]
)
async def test_other_pages_are_in_afrikaans_too(visit: Visit, staff: Client, tenant: Tenant, place: str) -> None:
    await counter.small_house(staff)
    path = place.format(org=tenant.organization.slug, show=counter.path(tenant)) or "/"
    visitor: Visitor = await visit("/health/live", **LOCALE)
    visitor.expects("401 (Unauthorized)")
    # Nobody waits for this show: with an answer the line's page would leave for the show's.
    await visitor.page.route("**/api/events/*/queue", lambda _: None)
    await visitor.go(path)
    await visitor.page.wait_for_load_state("networkidle" if "queue" not in place else "load")
    await in_afrikaans(visitor.page, path)


@pytest.mark.parametrize(("locale", "told"), [("af-ZA", AF("in_form")), ("en-GB", "name: Enter some text")])
async def test_who_joins_without_a_name_is_told_so(visit: Visit, locale: str, told: str) -> None:
    visitor: Visitor = await visit("/join#a-link", locale=locale)
    visitor.expects("422")
    page = visitor.page
    await page.locator("[name=name]").fill("   ")
    await page.locator("[name=password]").fill("a long enough password")
    await page.locator("[data-link] button").click()
    await expect(page.locator("main [role=status]")).to_contain_text(told)


async def test_a_word_of_english_is_found(visit: Visit) -> None:
    """The measure itself: one text that was forgotten is enough."""
    visitor: Visitor = await visit("/", **LOCALE)
    await in_afrikaans(visitor.page, "the programme")
    for forgotten in (EN("search_hint"), "At most 6 “Adult” tickets per order.", "Row C. Choose a row"):
        await visitor.page.evaluate("text => document.querySelector('main').append(text)", forgotten)
        with pytest.raises(AssertionError, match="says in English"):
            await in_afrikaans(visitor.page, "the programme")
        await visitor.page.reload()
