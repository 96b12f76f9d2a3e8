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
    tag = f'<script src="{origin}/widget.js" data-org="{tenant.organization.slug}" data-show="{counter.SHOW}"></script>'
    page_text = f'<!doctype html><html lang="en"><title>A shop</title><body><h1>Our evening</h1>{tag}</body></html>'
    async with shop(page_text) as address:
        await one.context.route(address, lambda route: route.continue_())
        await one.page.goto(address)
        frame = one.page.frame_locator("iframe")
        await expect(frame.get_by_role("application")).to_be_visible()
        await _buy(frame)
        (order,) = data(await staff.get(sale.path("orders")))
        assert (order["status"], order["buyer_email"]) == ("paid", counter.EMAIL)
        assert not await one.context.cookies(), "the frame has a session of the house's own"


async def _buy(frame: FrameLocator) -> None:
    await frame.get_by_role("button", name="Best available").click()
    await expect(frame.get_by_role("button", name=re.compile("^Give back"))).to_have_count(2)
    await frame.get_by_role("button", name="Continue to checkout").click()
    await frame.get_by_label("Name").fill(counter.NAME)
    await frame.get_by_label("E-mail").fill(counter.EMAIL)
    await frame.get_by_role("button", name=re.compile("^Pay ")).click()
    await expect(frame.get_by_role("heading", name="You are going")).to_be_visible()
