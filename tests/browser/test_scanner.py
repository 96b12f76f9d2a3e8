"""The gate scanner on a device of its own: paired by a code, read by a camera, without a line, and told afterwards."""

import io
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import segno
from PIL import Image
from playwright.async_api import Page, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visitor, chromium, visitor
from tests.checkout.helpers import begun, buy
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest

WIDE, HIGH = 640, 480


class Evening(NamedTuple):
    """A show that is on, with a gate and people who have tickets: what is in their QR codes."""

    event_id: str
    code: str
    tickets: list[str]


@pytest.fixture
async def evening(client: Client, staff: Client, tenant: Tenant) -> Evening:
    sale = await counter.small_house(staff)
    event = data(await staff.get(f"/api/events/{sale.event_id}"))
    gate = data(
        await staff.post(f"/api/venues/{event['venue_id']}/gates", json={"gate_code": "G1", "name": "North"}), 201
    )
    buyer = await guest(client, tenant)
    data(await buy(buyer, await begun(buyer, sale, 0, 1, 2)), 201)
    codes = [ticket["qr"] for ticket in data(await buyer.get("/api/me/tickets"))]
    data(await staff.post(f"/api/events/{sale.event_id}/start"))
    wish = {"event_id": str(sale.event_id), "name": "Phone", "gate_ids": [gate["id"]], "rights": ["scan", "search"]}
    pairing = data(await staff.post("/api/scan/devices", json=wish), 201)
    return Evening(str(sale.event_id), pairing["code"], codes)


def film(text: str, file: Path) -> None:
    """What a camera sees of a code: one frame of raw video, which Chromium shows again and again."""
    out = io.BytesIO()
    segno.make(text, error="m").save(out, kind="png", scale=6, border=4)
    sheet = Image.new("L", (WIDE, HIGH), 235)
    code = Image.open(out).convert("L")
    code = code.resize((min(420, code.width), min(420, code.height)), Image.Resampling.NEAREST)
    sheet.paste(code, ((WIDE - code.width) // 2, (HIGH - code.height) // 2))
    grey = bytes([128]) * (WIDE * HIGH // 2)
    header = f"YUV4MPEG2 W{WIDE} H{HIGH} F25:1 Ip A1:1 C420jpeg\n".encode()
    file.write_bytes(header + (b"FRAME\n" + sheet.tobytes() + grey) * 2)


@pytest.fixture
async def device(evening: Evening, origin: str, tmp_path: Path) -> AsyncIterator[Visitor]:
    """A phone whose camera looks at the first ticket."""
    film(evening.tickets[0], tmp_path / "ticket.y4m")
    async with (
        chromium(f"--use-file-for-fake-video-capture={tmp_path / 'ticket.y4m'}") as browser,
        visitor(browser, origin, viewport={"width": 390, "height": 780}, permissions=["camera"]) as one,
    ):
        yield one
        one.check()


@pytest.mark.req("SCAN-1", "SCAN-4")
async def test_a_phone_at_the_gate(device: Visitor, evening: Evening, tenant: Tenant, owner: Any) -> None:
    page = device.page
    await device.go("/scan/")
    assert await device.violations() == [], "pairing"
    await page.get_by_label("Organisation").fill(tenant.organization.slug)
    await page.get_by_label("Code").fill(evening.code)
    await page.get_by_role("button", name="Pair").click()
    await expect(page.get_by_role("heading", name="North")).to_be_visible()
    await expect(page.get_by_text("Online", exact=True)).to_be_visible()

    await expect(_verdict(page)).to_contain_text("Welcome", timeout=20_000)  # the camera saw it
    await _next(page)
    assert await device.violations() == [], "at work"
    await _by_hand(page, evening.tickets[1])
    await expect(_verdict(page)).to_contain_text("Welcome")
    await _next(page)
    await _by_hand(page, evening.tickets[1])
    await expect(_verdict(page)).to_contain_text("Already")
    assert await device.violations() == [], "a verdict"
    await _next(page)

    await page.wait_for_function("navigator.serviceWorker.controller !== null || navigator.serviceWorker.ready")
    device.expects("ERR_INTERNET_DISCONNECTED", "Failed to load resource", "ERR_FAILED")
    await device.context.set_offline(True)
    await page.reload()  # the page itself is kept
    await expect(page.get_by_text("Offline, saving here")).to_be_visible()
    await _by_hand(page, evening.tickets[2])
    await expect(_verdict(page)).to_contain_text("Welcome")
    await expect(_verdict(page)).to_contain_text("Decided here")
    await expect(page.get_by_text(re.compile(r"\d to sync"))).to_be_visible()
    await _next(page)

    await device.context.set_offline(False)
    await expect(page.get_by_text("to sync")).to_have_count(0, timeout=20_000)
    rows = await owner.fetch(
        "SELECT admitted, offline FROM scans WHERE event_id = $1 ORDER BY recorded_at, at", evening.event_id
    )
    assert [(row["admitted"], row["offline"]) for row in rows if row["admitted"]] == [
        (True, False), (True, False), (True, True),
    ]  # fmt: skip


def _verdict(page: Page) -> Any:
    return page.get_by_role("region", name="Verdict")


async def _next(page: Page) -> None:
    """A welcome goes by itself; whoever is faster presses."""
    if await _verdict(page).count():
        await page.keyboard.press("Escape")
    await expect(_verdict(page)).to_have_count(0)


async def _by_hand(page: Page, code: str) -> None:
    """A hand-held scanner types very fast."""
    await page.evaluate(
        """code => { for (const key of [...code, 'Enter'])
             document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })) }""",
        code,
    )
