"""What people do in the console, in their words."""

import asyncio
import re
from typing import Any

from playwright.async_api import Locator, Page, expect

from tests.accounts.helpers import data
from tests.browser.chromium import Visit, Visitor
from tests.fixtures import Client, Tenant


async def signed_in(visit: Visit, token: str, path: str, **options: Any) -> Visitor:
    """As somebody whose browser has their session."""
    one: Visitor = await visit(**options)
    await become(one, token)
    await one.go(path)
    return one


async def at_the_desk(visit: Visit, tenant: Tenant, path: str, **options: Any) -> Visitor:
    """As the owner, at a page of the console that has come."""
    one = await signed_in(visit, tenant.tokens["owner"], f"/console{path}", **options)
    await settled(one.page)
    return one


async def become(one: Visitor, token: str) -> None:
    await one.context.add_cookies(
        [{"name": "fullhouse", "value": token, "url": one.origin, "httpOnly": True, "sameSite": "Lax"}]
    )


async def settled(page: Page) -> None:
    """The page has come, with what it shows. Live lines stay open, so that the network is never idle."""
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await expect(page.locator("[aria-busy=true], .loading")).to_have_count(0)
    await page.wait_for_timeout(150)


async def answer(page: Page, deed: str, reason: str | None = None) -> Locator:
    """A dialog that says what will happen: why, and then yes."""
    dialog = page.get_by_role("dialog")
    if reason:
        await dialog.get_by_label("Reason").fill(reason)
    await dialog.get_by_role("button", name=deed).click()
    return dialog


async def linked(staff: Client, path: str) -> str:
    """Where a letter's link leads. The worker writes it a moment later."""
    found = None
    async with asyncio.timeout(20):
        while not found:
            bodies = [letter["body"] or "" for letter in data(await staff.get("/api/org/mailbox"))]
            found = re.search(rf"^https?://[^/\s]+({path}\S*#\S+)$", "\n".join(bodies), re.MULTILINE)
            await asyncio.sleep(0 if found else 0.2)
    return found[1]


def figure(page: Page, label: str) -> Locator:
    """One of the strip's: its number stands below its word."""
    return page.locator("dl > div", has=page.get_by_text(label, exact=True)).locator("dd")


def row(page: Page, table: str, words: str) -> Locator:
    return page.get_by_role("table", name=table).get_by_role("row").filter(has_text=words)
