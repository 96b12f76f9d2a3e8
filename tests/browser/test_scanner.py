"""The gate scanner on a device of its own: paired by a code, read by a camera, without a line, and told afterwards."""

import io
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import segno
from PIL import Image
from playwright.async_api import expect

from tests.browser.chromium import Visit, Visitor, chromium, visitor
from tests.browser.gate import PHONE, Evening, an_evening, by_hand, next_one, pair, verdict
from tests.browser.looks import clean
from tests.fixtures import Client, Tenant

WIDE, HIGH = 640, 480


@pytest.fixture
async def evening(client: Client, staff: Client, tenant: Tenant) -> Evening:
    return await an_evening(client, staff, tenant, "search")


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
    film(evening.qrs[0], tmp_path / "ticket.y4m")
    async with (
        chromium(f"--use-file-for-fake-video-capture={tmp_path / 'ticket.y4m'}") as browser,
        visitor(browser, origin, viewport=PHONE, permissions=["camera"]) as one,
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

    await expect(verdict(page)).to_contain_text("Welcome", timeout=20_000)  # the camera saw it
    await next_one(page)
    assert await device.violations() == [], "at work"
    await by_hand(page, evening.qrs[1])
    await expect(verdict(page)).to_contain_text("Welcome")
    await next_one(page)
    await by_hand(page, evening.qrs[1])
    await expect(verdict(page)).to_contain_text("Already")
    assert await device.violations() == [], "a verdict"
    await next_one(page)

    await page.wait_for_function("navigator.serviceWorker.controller !== null || navigator.serviceWorker.ready")
    device.expects("ERR_INTERNET_DISCONNECTED", "Failed to load resource", "ERR_FAILED")
    await device.context.set_offline(True)
    await page.reload()  # the page itself is kept
    await expect(page.get_by_text("Offline, saving scans")).to_be_visible()
    await expect(verdict(page)).to_contain_text("Already", timeout=20_000)  # the camera sees the first ticket again
    await next_one(page)
    assert await device.violations() == [], "offline"
    await by_hand(page, evening.qrs[2])
    await expect(verdict(page)).to_contain_text("Welcome")
    await expect(verdict(page)).to_contain_text("Checked offline")
    await expect(page.get_by_text(re.compile(r"\d to sync"))).to_be_visible()
    await next_one(page)

    await device.context.set_offline(False)
    await expect(page.get_by_text("to sync")).to_have_count(0, timeout=20_000)
    rows = await owner.fetch(
        "SELECT admitted, offline FROM scans WHERE event_id = $1 ORDER BY recorded_at, at", evening.event_id
    )
    assert [(row["admitted"], row["offline"]) for row in rows if row["admitted"]] == [
        (True, False),
        (True, False),
        (True, True),
    ]


# --- where it does not work, or says no

INSECURE = "Object.defineProperty(globalThis, 'isSecureContext', { value: false })"
NO_CAMERA = "navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('No', 'NotAllowedError') }"


@pytest.mark.req("SCAN-1")
async def test_a_page_that_is_not_secure_says_so(visit: Visit) -> None:
    one = await visit("/health/live", viewport=PHONE)
    await one.context.add_init_script(INSECURE)
    await one.go("/scan/")
    await expect(one.page.get_by_role("heading", name="Not a secure connection")).to_be_visible()
    await clean(one, "insecure")


@pytest.mark.req("SCAN-1")
async def test_a_second_window_of_a_device_says_so(visit: Visit) -> None:
    one = await visit("/scan/", viewport=PHONE)
    await expect(one.page.get_by_role("button", name="Pair")).to_be_visible()
    first, one.page = one.page, await one.context.new_page()
    await one.go("/scan/")
    await expect(one.page.get_by_role("heading", name="Open in another window")).to_be_visible()
    await clean(one, "open elsewhere")
    await first.close()
    await one.page.get_by_role("button", name="Try again").click()
    await expect(one.page.get_by_role("button", name="Pair")).to_be_visible()


@pytest.mark.req("SCAN-1", "SCAN-4")
async def test_a_gate_without_a_camera_says_no_to_what_is_not_a_ticket(
    visit: Visit, evening: Evening, tenant: Tenant
) -> None:
    one = await visit("/health/live", viewport=PHONE)
    await one.context.add_init_script(NO_CAMERA)
    await pair(one, tenant, evening)
    await expect(one.page.get_by_text("This page may not use the camera.")).to_be_visible()
    await clean(one, "camera denied")
    await by_hand(one.page, "NOT-A-TICKET")
    await expect(verdict(one.page)).to_contain_text("Not found")
    await clean(one, "a red verdict")
