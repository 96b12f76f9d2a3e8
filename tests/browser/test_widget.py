"""A show's box office inside of somebody else's page: one script tag, a purchase, and no session of the house's."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import FrameLocator, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import PHONE, clean
from tests.fixtures import Client, Tenant


@asynccontextmanager
async def shop(text: str) -> AsyncIterator[str]:
    """A site of somebody else's. A real one: Chromium lets no made-up page speak to this machine."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write((head + text).encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://localhost:{server.sockets[0].getsockname()[1]}/"  # by another name than the house's


@pytest.mark.req("BUY-1")
async def test_a_purchase_in_another_site(visit: Visit, staff: Client, tenant: Tenant, origin: str) -> None:
    sale = await counter.small_house(staff)
    one = await visit("/health/live")
    async with shop(_page(origin, tenant)) as address:
        one.may_reach(address)
        await one.page.goto(address)
        frame = one.page.frame_locator("iframe")
        await expect(frame.get_by_role("application")).to_be_visible()
        await _buy(frame)
        (order,) = data(await staff.get(sale.path("orders")))
        assert (order["status"], order["buyer_email"]) == ("paid", counter.EMAIL)
        assert not await one.context.cookies(), "the frame has a session of the house's own"


@pytest.mark.parametrize("named", [True, False])
async def test_a_site_that_is_not_named_sees_nothing(
    named: bool, visit: Visit, staff: Client, tenant: Tenant, origin: str
) -> None:
    await counter.small_house(staff)
    one = await visit("/health/live")
    async with shop(_page(origin, tenant)) as address:
        sites = [address.rstrip("/") if named else "https://www.harbour.example"]
        data(await staff.patch("/api/org", json={"embed_origins": sites}))
        one.may_reach(address)
        if not named:
            one.expects("frame-ancestors", "chrome-error:")
        async with one.page.expect_response(re.compile("/embed/")) as framed:
            await one.page.goto(address)
        assert f"frame-ancestors {sites[0]}" in (await framed.value).headers["content-security-policy"]
        frame = one.page.frame_locator("iframe")
        if named:
            await expect(frame.get_by_role("application")).to_be_visible()
        else:
            await expect(one.page.locator("iframe")).to_be_visible()
            inside = one.page.frames[1]
            await inside.wait_for_load_state()
            assert inside.url.startswith("chrome-error:")
            await expect(frame.get_by_role("heading", name="The Tempest")).to_have_count(0)


def _page(origin: str, tenant: Tenant) -> str:
    tag = f'<script src="{origin}/widget.js" data-org="{tenant.organization.slug}" data-show="{counter.SHOW}"></script>'
    return f'<!doctype html><html lang="en"><title>A shop</title><body><h1>Our evening</h1>{tag}</body></html>'


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_it_is_readable_in_a_site_that_is_only_light(
    scheme: str, visit: Visit, staff: Client, tenant: Tenant, origin: str
) -> None:
    await counter.small_house(staff)
    one = await visit("/health/live", color_scheme=scheme)
    async with shop(_page(origin, tenant)) as address:
        one.may_reach(address)
        await one.page.goto(address)
        title = one.page.frame_locator("iframe").get_by_role("heading", level=1)
        await expect(title).to_be_visible()
        ink = await title.evaluate("(element) => getComputedStyle(element).color")
        paper = await title.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert abs(_grey(ink) - _grey(paper)) > 150, (ink, paper)


async def test_no_barrier_in_the_frame(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await counter.small_house(staff)
    one = await visit(f"/embed/{tenant.organization.slug}/{counter.SHOW}", **PHONE)
    page = one.page
    await expect(page.get_by_role("application")).to_be_visible()
    await clean(one, "the map")
    await counter.best(page, 2)
    await clean(one, "a basket")
    await counter.to_checkout(page)
    await clean(one, "the checkout")


def _grey(color: str) -> float:
    """Of an opaque colour; one that lets the other site through has none of its own."""
    parts = [int(part) for part in re.findall(r"\d+", color)]
    assert len(parts) == 3, color
    return sum(parts) / 3


async def _buy(frame: FrameLocator) -> None:
    await frame.get_by_role("button", name="Best available").click()
    await expect(frame.get_by_role("button", name=re.compile("^Remove (?!code |them)"))).to_have_count(2)
    await frame.get_by_role("button", name="Continue to checkout").click()
    await frame.get_by_label("Name").fill(counter.NAME)
    await frame.get_by_label("Email").fill(counter.EMAIL)
    await frame.get_by_role("button", name=re.compile("^Pay ")).click()
    await expect(frame.get_by_role("heading", name="Your order is confirmed")).to_be_visible()
