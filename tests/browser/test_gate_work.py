"""A long evening at the gate: tests before the doors open, out again, no pointer, no way back, a phone on its side."""

import json
import re
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.accounts.helpers import data
from tests.browser.chromium import Visit, Visitor
from tests.browser.gate import PHONE, Evening, an_evening, by_hand, next_one, open_doors, pair, reach, verdict
from tests.browser.looks import clean
from tests.browser.office import answer, settled, signed_in
from tests.fixtures import Client, Tenant


async def at_the_gate(visit: Visit, tenant: Tenant, evening: Evening, **options: Any) -> Visitor:
    device: Visitor = await visit("/scan/", **{"viewport": PHONE, "permissions": ["camera"]} | options)
    await pair(device, tenant, evening)
    return device


@pytest.mark.req("SCAN-1", "SCAN-2")
async def test_tests_before_the_doors_open_then_in_and_out_without_a_pointer(
    visit: Visit, client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    evening = await an_evening(client, staff, tenant, "search", "override", live=False)
    device = await at_the_gate(visit, tenant, evening)
    page = device.page
    first = evening.tickets[0]

    async def type_code(code: str) -> None:
        await reach(page, page.get_by_role("button", name="Type or search"))
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Ticket code, name or order")).to_be_focused()
        await page.keyboard.type(code.lower(), delay=150)
        await page.keyboard.press("Enter")

    await type_code(first["code"])
    await expect(verdict(page)).to_contain_text("Not open yet")
    await expect(verdict(page).get_by_role("button", name="Next")).to_be_focused()
    await page.keyboard.press("Tab")  # on to the page's end: what lies behind the verdict is out of reach
    await expect(page.get_by_role("button", name="Entry")).to_be_focused()
    await reach(page, verdict(page).get_by_role("button", name="Next"))
    await page.keyboard.press("Enter")
    await expect(verdict(page)).to_have_count(0)

    await reach(page, page.get_by_role("button", name="More"))
    await page.keyboard.press("Enter")
    await reach(page, page.get_by_label("Test scans"))
    await page.keyboard.press("Space")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("status").get_by_text("Test", exact=True)).to_be_visible()
    for _ in range(2):  # as often as they like
        await by_hand(page, first["qr"])
        await expect(verdict(page)).to_contain_text("Welcome")
        await expect(verdict(page)).to_contain_text("Test scan, not counted")
        await next_one(page)
    await expect(page.get_by_title("Scanned in and out on this device")).to_have_text("0 in 0 out 0 inside")

    await open_doors(staff, evening.event_id)
    await reach(page, page.get_by_role("button", name="More"))
    await page.keyboard.press("Enter")
    await reach(page, page.get_by_label("Test scans"))
    await page.keyboard.press("Space")
    await page.keyboard.press("Escape")
    await type_code(first["code"])
    await expect(verdict(page)).to_contain_text("Welcome")
    await next_one(page)
    await reach(page, page.get_by_role("button", name="Exit"))
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status").get_by_text("Exit", exact=True)).to_be_visible()
    await by_hand(page, first["qr"])
    await expect(verdict(page)).to_contain_text("Goodbye")
    assert await device.violations() == [], "on the way out"
    await next_one(page)
    await by_hand(page, first["qr"])
    await expect(verdict(page)).to_contain_text("Not inside")
    await next_one(page)
    await expect(page.get_by_title("Scanned in and out on this device")).to_have_text("1 in 1 out 0 inside")
    kept = await owner.fetch(
        "SELECT direction, test, reason FROM scans WHERE event_id = $1 ORDER BY recorded_at", evening.event_id
    )
    assert [tuple(row) for row in kept] == [
        ("in", False, "not_yet"),
        ("in", True, None),
        ("in", True, None),
        ("in", False, None),
        ("out", False, None),
        ("out", False, "not_inside"),
    ]


@pytest.mark.req("SCAN-1")
async def test_a_device_that_is_revoked_forgets_everything(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    evening = await an_evening(client, staff, tenant, "search")
    device = await at_the_gate(visit, tenant, evening)
    page = device.page
    await by_hand(page, evening.qrs[0])
    await expect(verdict(page)).to_contain_text("Welcome")
    assert (await staff.delete(f"/api/scan/devices/{evening.device_id}")).status_code == 204
    device.expects("401 (Unauthorized)")
    await by_hand(page, evening.qrs[1])
    await expect(page.get_by_text("This device was unpaired in the console. Ask for a new code.")).to_be_visible()
    assert await device.violations() == [], "unpaired"
    left = await page.evaluate(
        """async () => {
             const [{ name }] = await indexedDB.databases();
             const db = await new Promise((done) => (indexedDB.open(name).onsuccess = (e) => done(e.target.result)));
             const all = [...db.objectStoreNames].map((store) => new Promise((done) =>
               (db.transaction(store).objectStore(store).count().onsuccess = (e) => done(e.target.result))));
             return Promise.all(all); }"""
    )
    assert set(left) == {0}, "keys, tickets or scans are still there"
    await page.reload()
    await expect(page.get_by_role("heading", name="Pair this scanner")).to_be_visible()


async def test_a_search_offers_what_enter_would_do_and_says_who_is_inside(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    evening = await an_evening(client, staff, tenant, "search")
    device = await at_the_gate(visit, tenant, evening)
    page = device.page
    await by_hand(page, evening.qrs[0])
    await next_one(page)
    await page.get_by_role("button", name="Type or search").click()
    field, stressed = page.get_by_role("textbox"), page.get_by_role("dialog").locator(".call")
    await field.fill(evening.tickets[0]["code"])
    await expect(stressed).to_have_text("Check code")
    await field.fill("Ada B")
    await expect(stressed).to_have_text("Search")
    await field.press("Enter")
    found = page.get_by_role("list", name="Tickets found").get_by_role("listitem")
    await expect(found).to_have_count(3)
    await expect(found.locator(".inside")).to_have_text(re.compile("^Inside since"))
    assert await device.violations() == [], "found"


@pytest.mark.req("SCAN-1", "SCAN-4")
async def test_whom_a_revoked_device_let_in_is_not_forgotten(
    visit: Visit, client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    evening = await an_evening(client, staff, tenant, "search")
    device = await at_the_gate(visit, tenant, evening)
    page = device.page
    await expect(page.get_by_text("The Tempest")).to_be_visible()  # it has its tickets
    device.expects("ERR_INTERNET_DISCONNECTED", "Failed to load resource", "ERR_FAILED", "401 (Unauthorized)")
    await device.context.set_offline(True)
    await by_hand(page, evening.qrs[0])
    await expect(verdict(page)).to_contain_text("Checked offline")
    assert (await staff.delete(f"/api/scan/devices/{evening.device_id}")).status_code == 204
    await device.context.set_offline(False)
    kept = page.get_by_role("region", name="1 scan not synced yet")
    await expect(kept).to_contain_text("The Tempest")
    await expect(page.get_by_text("This device was unpaired in the console.")).to_be_visible()
    await page.reload()
    await kept.get_by_role("button", name="Delete them").click()
    await expect(kept.get_by_role("alert")).to_contain_text("Delete 1 scan?")
    assert await device.violations() == [], "kept"
    await kept.get_by_role("button", name="Cancel").click()
    async with page.expect_download() as saving:
        await kept.get_by_role("button", name="Save as file").click()
    (show,) = json.loads((await (await saving.value).path()).read_text())
    assert [scan["code"] for scan in show["scans"]] == [evening.tickets[0]["code"]]

    await pair(device, tenant, await evening.another(staff))
    await expect(page.get_by_text("to sync")).to_have_count(0)
    (told,) = await owner.fetch("SELECT admitted, offline, device_id FROM scans WHERE event_id = $1", evening.event_id)
    assert (told["admitted"], told["offline"], str(told["device_id"])) == (True, True, evening.device_id)


@pytest.mark.req("SCAN-3", "BUY-5")
async def test_a_ticket_that_was_passed_on_is_refused_without_a_line_too(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    evening = await an_evening(client, staff, tenant, "override")
    device = await at_the_gate(visit, tenant, evening)
    page, ticket = device.page, evening.tickets[0]
    await expect(page.get_by_text("The Tempest")).to_be_visible()
    to = {"name": "Bohumila", "email": "bo@example.org"}
    now = data(await staff.post(f"/api/tickets/{ticket['id']}/transfer", json=to))
    await by_hand(page, ticket["code"])
    await expect(verdict(page)).to_contain_text("was transferred")
    for secret in (now["code"], now["holder_name"]):  # whoever had it looks on
        await expect(verdict(page)).not_to_contain_text(secret)
    await next_one(page)
    await page.get_by_role("button", name="More").click()
    await page.get_by_role("button", name="Sync now").click()
    await expect(page.get_by_role("button", name="Sync now")).to_be_enabled()
    await page.keyboard.press("Escape")
    device.expects("ERR_INTERNET_DISCONNECTED", "Failed to load resource", "ERR_FAILED")
    await device.context.set_offline(True)
    await by_hand(page, ticket["code"])
    await expect(verdict(page)).to_contain_text("was transferred")
    await expect(verdict(page)).to_contain_text("Checked offline")
    await next_one(page)
    await by_hand(page, now["code"])
    await expect(verdict(page)).to_contain_text("Welcome")
    await device.context.set_offline(False)


@pytest.mark.parametrize("size", [(844, 390), (568, 320)], ids=["a phone", "a small one"])
async def test_a_phone_on_its_side_shows_all_of_it(
    visit: Visit, client: Client, staff: Client, tenant: Tenant, size: tuple[int, int]
) -> None:
    evening = await an_evening(client, staff, tenant, "search", "override")
    device = await at_the_gate(visit, tenant, evening, viewport={"width": size[0], "height": size[1]})
    page = device.page
    for name in ("Type or search", "More", "Entry", "Exit", "Sound on"):
        await expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    await by_hand(page, evening.qrs[0])
    await expect(verdict(page)).to_contain_text("Welcome")
    for name in ("Undo", "Next"):
        await expect(verdict(page).get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    await next_one(page)
    await by_hand(page, evening.qrs[0])
    await expect(verdict(page)).to_contain_text("Already")
    await expect(verdict(page).get_by_role("button", name="Let in anyway")).to_be_in_viewport(ratio=1)
    assert await device.violations() == [], "on its side"
    await next_one(page)
    await page.get_by_role("button", name="More").click()
    await expect(page.get_by_role("button", name="Close")).to_be_in_viewport(ratio=1)


async def test_no_barrier_behind_the_viewfinder_of_a_small_phone(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    evening = await an_evening(client, staff, tenant, "search", "override")
    device = await at_the_gate(visit, tenant, evening, viewport={"width": 360, "height": 640})
    page = device.page
    await clean(device, "at work")
    await by_hand(page, evening.qrs[0])
    await expect(verdict(page)).to_contain_text("Welcome")
    await clean(device, "a verdict")
    await next_one(page)
    for way in ("", "Counts by gate", "Recent scans"):
        await page.get_by_role("button", name="More").click()
        if way:
            await page.get_by_role("button", name=way).click()
        dialog = page.get_by_role("dialog")
        await expect(dialog).to_contain_text({"": "Phone", "Counts by gate": "North", "Recent scans": "Welcome"}[way])
        await clean(device, way or "More")
        await dialog.get_by_role("button", name="Close").click()


async def find(page: Page, words: str) -> Locator:
    """Who is found by these words, one item each."""
    await page.get_by_role("button", name="Type or search").click()
    await page.get_by_label("Ticket code, name or order").fill(words)
    await page.get_by_role("button", name="Search", exact=True).click()
    found = page.get_by_role("list", name="Tickets found").get_by_role("listitem")
    await expect(found.first).to_be_visible()
    return found


@pytest.mark.req("SCAN-2", "SCAN-3")
async def test_somebody_without_a_ticket_at_hand_is_found_and_a_supervisor_lets_them_in_again(
    visit: Visit, client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    evening = await an_evening(client, staff, tenant, "search", "override")
    device = await at_the_gate(visit, tenant, evening)
    page = device.page
    await expect(await find(page, "zz")).to_contain_text("No tickets found")
    await page.get_by_role("button", name="Close").click()
    found = await find(page, "Ada Buyer")  # the visitor's own check reads every address
    await expect(found).to_have_count(3)
    await expect(found.first).to_contain_text("Not entered yet")
    assert await device.violations() == [], "found"
    first = found.filter(has_text=evening.tickets[0]["code"])
    await first.get_by_role("button", name="Let in").click()
    await expect(verdict(page)).to_contain_text("Welcome")
    await next_one(page)

    again = (await find(page, "Ada Buyer")).filter(has_text=evening.tickets[0]["code"])
    await expect(again).to_contain_text("Inside since")
    await again.get_by_role("button", name="Let in").click()
    await expect(verdict(page)).to_contain_text("Already inside")
    await verdict(page).get_by_role("button", name="Let in anyway").click()
    dialog = page.get_by_role("dialog", name="Let in anyway?")
    await dialog.get_by_role("button", name="Let in").click()
    await expect(dialog.get_by_role("alert")).to_have_text("Enter a reason.")
    assert await device.violations() == [], "asked why"
    await dialog.get_by_role("button", name="Left without an exit scan").click()
    await dialog.get_by_role("button", name="Let in").click()
    await expect(verdict(page)).to_contain_text("Welcome")
    await expect(verdict(page)).to_contain_text("Let in by a supervisor")
    assert await device.violations() == [], "overridden"
    kept = await owner.fetch(
        "SELECT admitted, reason, override FROM scans WHERE event_id = $1 ORDER BY recorded_at", evening.event_id
    )
    assert [tuple(row) for row in kept] == [
        (True, None, None),
        (False, "already_inside", None),
        (True, "already_inside", "Left without an exit scan"),
    ]


@pytest.mark.req("SCAN-4")
async def test_who_came_in_twice_is_an_incident_until_somebody_closes_it(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    evening = await an_evening(client, staff, tenant, "search")
    south = await at_the_gate(visit, tenant, await evening.another(staff))
    await expect(south.page.get_by_text("The Tempest")).to_be_visible()  # it has its tickets
    south.expects("ERR_INTERNET_DISCONNECTED", "Failed to load resource", "ERR_FAILED")
    await south.context.set_offline(True)
    device = await at_the_gate(visit, tenant, evening)
    page = device.page
    for at in (device, south):  # which knows nothing of the other
        await by_hand(at.page, evening.qrs[0])
        await expect(verdict(at.page)).to_contain_text("Welcome")
        await next_one(at.page)
    await south.context.set_offline(False)
    await expect(south.page.get_by_text("to sync")).to_have_count(0, timeout=20_000)

    async def incidents() -> Locator:
        await page.get_by_role("button", name="More").click()
        await page.get_by_role("button", name="Incidents").click()
        return page.get_by_role("dialog", name="Incidents")

    told = await incidents()
    await expect(told).to_contain_text("Entered twice: Ada Buyer")
    await expect(told.get_by_role("listitem")).to_have_count(1)
    assert await device.violations() == [], "an incident"
    await told.get_by_role("button", name="Close").click()

    desk = await signed_in(visit, tenant.tokens["owner"], f"/console/events/{evening.event_id}/devices")
    await settled(desk.page)
    listed = desk.page.get_by_role("listitem").filter(has_text="Ada Buyer")
    await expect(listed).to_contain_text("already inside")
    await listed.get_by_role("button", name="Close incident").click()
    assert await desk.violations() == [], "what was found"
    dialog = await answer(desk.page, "Close incident", "Twins with one phone.")
    await expect(dialog).to_be_hidden()
    await expect(listed).to_contain_text("closed")
    await expect(await incidents()).to_contain_text("resolved: Twins with one phone.")
