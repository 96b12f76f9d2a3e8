"""Where seats are looked after: blocked by a line around them, imported, generated, and put under rules."""

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from playwright.async_api import FilePayload, Page, expect

from fullhouse.kit.services import Services
from fullhouse.seating.plans.plan import encode
from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import clean
from tests.browser.office import answer, figure, settled, signed_in
from tests.checkout.helpers import bought, hold
from tests.events.helpers import make_venue
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall
from tests.seating.helpers import allow
from tests.seating.test_layouts import PRETIX

# --- by lasso


async def draw_around(page: Page, seats: dict[str, counter.Spot], row: str, first: int, last: int) -> None:
    """With a tail that hangs down two rows: what counts is the line, not the box around it."""
    one, other = seats[f"row {row}, seat {first}"], seats[f"row {row}, seat {last}"]
    room = abs(seats["row A, seat 2"].x - seats["row A, seat 1"].x) / 2
    left, right, top, bottom = one.x - room, other.x + room, one.y - room, one.y + room
    await page.mouse.move(left, top)
    await page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, bottom + 4 * room), (left, bottom), (left, top)):
        await page.mouse.move(x, y, steps=6)
    await page.mouse.up()


@pytest.mark.req("HOLD-7")
async def test_a_seat_is_taken_out_of_a_basket_with_a_reason(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    sale = await counter.small_house(staff)
    holder = await guest(client, tenant)
    await hold(holder, sale, 2)
    one = await signed_in(visit, tenant.tokens["staff"], f"/console/events/{sale.event_id}/seating")
    page = one.page
    await settled(page)
    await page.get_by_role("button", name="Show as list").click()
    await page.get_by_role("button", name="Row A", exact=True).click()
    await page.get_by_role("button", name="Release 1").click()
    await clean(one, "asked why")
    await expect(await answer(page, "Release seats", "A mistake of the till.")).to_be_hidden()
    await expect(page.get_by_text("1 seat released.")).to_be_visible()
    await expect(figure(page, "Held")).to_have_text("0")
    assert data(await holder.get(sale.path("holds"))) == []
    assert "A mistake of the till." in str(data(await staff.get("/api/audit")))


@pytest.mark.req("SEAT-7")
async def test_seats_are_blocked_by_a_line_around_them(
    visit: Visit, client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await counter.small_house(staff)
    await bought(client, tenant, sale, 0, 1)
    await hold(await guest(client, tenant), sale, 2)
    one = await signed_in(visit, tenant.tokens["owner"], f"/console/events/{sale.event_id}/seating")
    page = one.page
    await settled(page)
    seats = await counter.seats_on(page)
    assert len(seats) == 40
    await draw_around(page, seats, "A", 1, 5)
    told = page.get_by_role("status").filter(has_text="selected")
    await expect(told).to_have_text("5 selected: 2 available, 1 held, 2 sold (not affected).")
    await page.get_by_role("button", name="Deselect area").click()
    await draw_around(page, seats, "A", 5, 5)
    await expect(told).to_have_text("4 selected: 1 available, 1 held, 2 sold (not affected).")
    await page.get_by_text("Selected seats").click()
    await expect(page.get_by_text("row A: 1–4")).to_be_visible()
    await clean(one, "selected")

    await page.get_by_role("button", name="Block 2").click()
    dialog = page.get_by_role("dialog", name="Block 2 seats?")
    await expect(dialog).to_contain_text("1 of them is in a buyer’s basket")
    await expect(dialog).to_contain_text("2 of the selected seats are already sold")
    await clean(one, "asked why")
    await dialog.get_by_role("button", name="Block seats").click()
    await expect(dialog).to_be_visible()  # not without a reason
    await answer(page, "Block seats", "The camera stands there.")
    await expect(page.get_by_text("2 seats blocked.")).to_be_visible()
    await expect(figure(page, "Blocked")).to_have_text("2")
    kept = await owner.fetch(
        "SELECT ordinal, status FROM event_seats WHERE event_id = $1 AND ordinal < 5 ORDER BY ordinal", sale.event_id
    )
    assert [row["status"] for row in kept] == ["sold", "sold", "blocked", "blocked", "available"]
    assert "The camera stands there." in str(data(await staff.get("/api/audit")))

    await page.get_by_role("button", name="Select area", exact=True).click()
    await draw_around(page, await counter.seats_on(page), "A", 1, 10)  # the page was scrolled meanwhile
    await page.get_by_role("button", name="Unblock 2").click()
    await answer(page, "Unblock seats", "It moved.")
    await expect(figure(page, "Blocked")).to_have_text("0")
    await expect(figure(page, "Available")).to_have_text("38")


# --- layouts


def as_file(content: bytes) -> FilePayload:
    return {"name": "plan.json", "mimeType": "application/json", "buffer": content}


@pytest.mark.req("SEAT-1")
async def test_a_plan_is_mended_and_imported(visit: Visit, staff: Client, tenant: Tenant) -> None:
    stored = f"/api/venues/{(await make_venue(staff))['id']}/layouts"
    one = await signed_in(visit, tenant.tokens["owner"], "/console/layouts/new?way=import")
    page = one.page
    await settled(page)
    plan = json.loads(encode(hall(3, 8)))
    row = plan["zones"][0]["sections"][0]["rows"][1]
    row["seats"][2]["key"] = row["seats"][3]["key"]
    one.expects("422 (Unprocessable", "400 (Bad Request)")
    await page.locator("input[type=file]").set_input_files(as_file(json.dumps(plan).encode()))
    await expect(page.get_by_text("plan.json")).to_be_visible()
    await page.get_by_role("button", name="Check and create draft").click()
    wrong = page.get_by_role("alert", name="Errors in the layout file")
    await expect(wrong).to_contain_text("row B, seat")
    await expect(wrong).to_contain_text("Nothing was saved")
    await clean(one, "a mistake")
    assert data(await staff.get(stored)) == []

    await page.locator("input[type=file]").set_input_files(as_file(encode(hall(3, 8))))
    await page.get_by_role("button", name="Check and create draft").click()
    await expect(page.get_by_role("heading", name="Hall", level=1)).to_be_visible()
    await expect(figure(page, "Seats")).to_have_text("24")
    await expect(page.get_by_role("application")).to_be_visible()
    (layout,) = data(await staff.get(stored))
    assert (layout["status"], layout["seat_count"]) == ("draft", 24)


@pytest.mark.req("SEAT-1")
async def test_a_plan_of_another_house_comes_with_remarks(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await make_venue(staff)
    one = await signed_in(visit, tenant.tokens["owner"], "/console/layouts/new?way=import")
    page = one.page
    await settled(page)
    await page.get_by_label("File contents").fill(json.dumps(PRETIX))  # pasted, and in a format that nobody named
    await page.get_by_role("button", name="Check and create draft").click()
    await expect(page.get_by_role("heading", name="Draft created, with warnings")).to_be_visible()
    await expect(page.get_by_role("status").get_by_text("The field mood is not known")).to_be_visible()
    await clean(one, "remarks")
    await page.get_by_role("link", name="View", exact=True).click()
    await expect(page.get_by_role("heading", name="Kleine Bühne", level=1)).to_be_visible()
    await expect(figure(page, "Seats")).to_have_text("3")


@pytest.mark.req("SEAT-1")
async def test_a_layout_is_drawn_while_its_numbers_are_typed(visit: Visit, staff: Client, tenant: Tenant) -> None:
    await make_venue(staff)
    one = await signed_in(visit, tenant.tokens["owner"], "/console/layouts/new")
    page = one.page
    await settled(page)
    preview = page.get_by_role("region", name="Preview")
    picture = preview.get_by_role("img")
    await expect(picture).to_be_visible()
    theatre = await picture.get_attribute("src")
    await page.get_by_label("Type", exact=True).select_option("straight")
    await expect(picture).not_to_have_attribute("src", str(theatre))
    await page.get_by_label("Rows", exact=True).fill("3")
    await page.get_by_label("Seats per row").fill("7")
    await expect(picture).to_have_attribute("src", re.compile(re.escape(quote("Standard (21)", safe="()"))))
    assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
    await clean(one, "a preview")

    one.expects("422 (Unprocessable", "400 (Bad Request)")
    await page.get_by_label("Seats per row").fill("0")
    await expect(preview.get_by_role("status")).to_have_text("Can’t be drawn. Check the highlighted fields.")
    await expect(page.get_by_label("Seats per row")).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_role("button", name="Create draft")).to_be_disabled()
    await clean(one, "a number that cannot be")
    await page.get_by_label("Seats per row").fill("7")
    await page.get_by_label("Name", exact=True).fill("Little hall")
    await expect(page.get_by_role("button", name="Create draft")).to_be_enabled()
    await page.get_by_role("button", name="Create draft").click()
    await expect(page.get_by_role("heading", name="Little hall", level=1)).to_be_visible()
    await expect(figure(page, "Seats")).to_have_text("21")


# --- rules


@pytest.mark.req("POL-1")
async def test_a_show_sets_a_rule_of_its_own(
    visit: Visit, client: Client, staff: Client, tenant: Tenant, services: Services
) -> None:
    sale = await counter.small_house(staff)
    await allow(services, tenant, "max_holds_per_ip", max_holds_per_ip=50)
    one = await signed_in(visit, tenant.tokens["owner"], f"/console/events/{sale.event_id}/rules")
    page = one.page
    await settled(page)
    save = page.get_by_role("button", name="Save rules")
    await expect(save).to_be_disabled()
    fixed = page.get_by_role("listitem").filter(has_text="Holds per IP address")
    await expect(fixed).to_contain_text("Mandatory")
    await expect(fixed).to_contain_text("50")
    await expect(fixed.get_by_role("button")).to_have_count(0)

    rule = page.get_by_role("listitem").filter(has_text="Tickets per order")
    await rule.get_by_role("button", name=re.compile("set for this event")).click()
    await rule.get_by_role("textbox").fill("0")
    await expect(rule).to_contain_text("Enter a number from 1 to")
    await expect(save).to_be_disabled()
    await clean(one, "a mistake")
    await rule.get_by_role("textbox").fill("3")
    await save.click()
    await expect(page.get_by_text("Rules saved.")).to_be_visible()
    await expect(rule).to_contain_text("This event")
    await page.reload()
    await expect(rule.get_by_role("textbox")).to_have_value("3")
    await clean(one, "saved")

    items = [{"seat_id": sale.show.seat(n)} for n in range(4)]
    refused = await (await guest(client, tenant)).post(sale.path("holds"), json={"items": items})
    assert refused.status_code >= 400, "it counts from now on"
    await rule.get_by_role("button", name=re.compile("^Use the default")).click()
    await save.click()
    await expect(rule).to_contain_text("Default")
    data(await (await guest(client, tenant)).post(sale.path("holds"), json={"items": items}), 201)
