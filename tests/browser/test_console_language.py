"""The console in its reader's language: every page in Afrikaans, and how somebody changes it."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.accounts.helpers import PASSWORD, make_platform_user
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.browser.looks import clean, seen
from tests.browser.office import settled, signed_in
from tests.browser.test_console import PARTS, Stock, rows, stock
from tests.fixtures import Client, Tenant

__all__ = ["stock"]  # a fixture

WORDS = Path(__file__).parents[2] / "frontend/src/console/words"
LOCALE = {"locale": "af-ZA"}


def titles(catalogue: str) -> dict[str, str]:
    """What the pages are called, by the names in the sources."""
    (table,) = re.findall(r"^  titles: \{\n(.*?)^  \},", (WORDS / catalogue).read_text(), re.MULTILINE | re.DOTALL)
    return dict(re.findall(r"(\w+): '([^']+)'", table))


ENGLISH, AFRIKAANS = titles("frame.ts"), titles("af/frame.ts")
ONLY_ENGLISH = {text for name, text in ENGLISH.items() if AFRIKAANS[name] != text}


def test_most_pages_have_another_name() -> None:
    assert len(ONLY_ENGLISH) > len(ENGLISH) / 2


async def _spoken_wrong(page: Page) -> list[str]:
    """What of the frame is not in Afrikaans. The heading may be a thing's own name."""
    told = await page.evaluate(
        "() => ({ lang: document.documentElement.lang, heading: document.querySelector('h1').innerText,"
        " links: [...document.querySelectorAll('aside nav a')].map((link) => link.textContent) })"
    )
    assert told["links"]
    wrong = [f"a link: {text}" for text in told["links"] if text not in AFRIKAANS.values()]
    if told["lang"] != "af":
        wrong.append(f"lang: {told['lang']}")
    if told["heading"] in ONLY_ENGLISH or await page.title() in ONLY_ENGLISH:
        wrong.append(f"the heading: {told['heading']}")
    return wrong


async def _walked(one: Visitor, addresses: list[str]) -> dict[str, list[str]]:
    """What is wrong on these pages, at a desk and on a phone: words are longer in Afrikaans."""
    found = {}
    for address in addresses:
        await one.go(address)
        await settled(one.page)
        found[address] = [*await _spoken_wrong(one.page), *await seen(one, "day", "phone")]
    return {address: wrong for address, wrong in found.items() if wrong}


@pytest.mark.parametrize("part", range(PARTS))
async def test_every_page_speaks_afrikaans_and_fits(part: int, visit: Visit, stock: Stock, tenant: Tenant) -> None:
    pages = [row.path for row in rows() if not row.path.startswith("/platform")]
    one = await signed_in(visit, tenant.tokens["owner"], "/console", **LOCALE)
    assert await _walked(one, [stock.address(path) for path in pages[part::PARTS]]) == {}


async def test_the_platforms_pages_speak_afrikaans_too(visit: Visit, staff: Client, tenant: Tenant, owner: Any) -> None:
    sale = await counter.small_house(staff)
    email = await make_platform_user(owner, "super_admin")
    one: Visitor = await visit("/health/live", **LOCALE)
    one.expects("401 (Unauthorized)")
    await one.go("/console")
    await one.page.get_by_role("button", name="Platformpersoneel").click()
    await one.page.get_by_label("E-pos").fill(email)
    await one.page.get_by_label("Wagwoord").last.fill(PASSWORD)
    await clean(one, "the door", "day")
    await one.page.get_by_role("button", name="Meld aan").click()
    await expect(one.page.get_by_role("heading", name="Organisasies", level=1)).to_be_visible()
    house = f"/console/platform/organizations/{tenant.id}"
    assert await _walked(one, ["/console", house, f"{house}/events/{sale.event_id}/seats"]) == {}


async def test_somebody_changes_the_language_and_it_is_kept(visit: Visit, tenant: Tenant) -> None:
    one = await signed_in(visit, tenant.tokens["owner"], "/console?lang=en", **LOCALE)
    page = one.page
    heading = page.get_by_role("heading", level=1)
    await expect(heading).to_have_text("Overview")  # a wish in the address counts more than the browser's
    select = page.locator("aside").get_by_label("Taal")
    await expect(select).to_have_value("en")
    await select.select_option("Afrikaans")
    await expect(heading).to_have_text("Oorsig")
    await expect(page.locator("html")).to_have_attribute("lang", "af")
    assert "lang=" not in page.url
    await one.go("/console/orders")
    await expect(heading).to_have_text("Bestellings")
    await one.go(f"/o/{tenant.organization.slug}")
    await expect(page.locator("html")).to_have_attribute("lang", "af")  # the shop's pages know the wish, too
    await one.go("/console")
    await page.locator("aside").get_by_label("Language").select_option("English")
    await expect(heading).to_have_text("Overview")
    await one.go("/console/orders")
    await expect(heading).to_have_text("Orders")


async def test_what_is_typed_is_not_lost_with_the_language(visit: Visit, stock: Stock, tenant: Tenant) -> None:
    one = await signed_in(visit, tenant.tokens["owner"], stock.address("/events/:id/details"))
    page = one.page
    await settled(page)
    await page.get_by_label("Description").fill("Another one.")
    page.once("dialog", lambda dialog: dialog.dismiss())
    select = page.locator("aside").get_by_label("Language")
    async with page.expect_event("dialog"):
        await select.select_option("Afrikaans")
    await expect(page.get_by_label("Description")).to_have_value("Another one.")
    await expect(select).to_have_value("en")


async def test_numbers_days_and_money_are_written_as_the_language_writes_them(
    visit: Visit, stock: Stock, tenant: Tenant
) -> None:
    one = await signed_in(visit, tenant.tokens["owner"], stock.address("/orders/:id"), **LOCALE)
    await settled(one.page)
    bill = await one.page.locator(".bill .total td").inner_text()
    assert re.search(r"\d,\d\d$", bill), bill
