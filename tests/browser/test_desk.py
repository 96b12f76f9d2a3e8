"""What an organiser looks after at the desk: who waits for a show, who pays, its devices, and the house itself."""

from urllib.parse import urlsplit

from playwright.async_api import Page, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.gate import PHONE, an_evening
from tests.browser.looks import clean
from tests.browser.office import at_the_desk, figure, row
from tests.checkout.helpers import begun, bought, hold
from tests.checkout.waiting import join, return_seats, sold_out, waiter
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


async def copied(page: Page) -> str:
    await page.get_by_role("button", name="Copy").click()
    await expect(page.get_by_text("Copied.")).to_be_visible()
    return str(await page.evaluate("navigator.clipboard.readText()"))


async def test_who_waits_is_seen_and_the_list_is_switched(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    house = await sold_out(client, tenant, staff)
    zone = data(await staff.get(house.path("layout")))["zones"][0]
    await waiter(client, tenant, house, 2, email="thandi@example.org")
    await waiter(client, tenant, house, 1, email="bohumila@example.org", zone_id=zone["id"])
    desk = await at_the_desk(visit, tenant, f"/events/{house.sale.event_id}/waitlist")
    page = desk.page
    await expect(figure(page, "Waiting")).to_have_text(["2", "3 people"])
    await expect(row(page, "People on the waitlist", "thandi@example.org")).to_contain_text("anywhere")
    await expect(row(page, "People on the waitlist", "bohumila@example.org")).to_contain_text(zone["name"])
    await clean(desk, "people wait")

    await page.get_by_label("Waitlist is on").uncheck()
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Off", exact=True)).to_be_visible()
    await clean(desk, "off")
    assert (await join(await guest(client, tenant), house)).status_code == 409
    await return_seats(house, 0)
    await page.get_by_label("Waitlist is on").check()
    await page.get_by_label("Hours to accept an offer").fill("0.5")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("On", exact=True)).to_be_visible()
    found = data(await staff.get(house.path("waitlist/settings")))
    assert (found["enabled"], found["window_s"]) == (True, 1800)

    await expect(figure(page, "Offered").first).to_have_text("1")  # one seat, to the one who waits alone
    await expect(row(page, "People on the waitlist", "bohumila@example.org")).to_contain_text("Offered")
    await page.get_by_role("group", name="Filter entries").get_by_role("button", name="Offered").click()
    await expect(row(page, "People on the waitlist", "@example.org")).to_have_count(1)
    await page.get_by_role("group", name="Filter entries").get_by_role("button", name="Bought").click()
    await expect(page.get_by_text("No one here")).to_be_visible()
    await clean(desk, "nobody")


async def test_the_house_is_set_up(visit: Visit, staff: Client, tenant: Tenant) -> None:
    desk = await at_the_desk(visit, tenant, "/organisation")
    page = desk.page
    save = page.get_by_role("button", name="Save")
    await expect(save).to_be_disabled()
    wishes = {
        "Name": "The Quay", "Language": "af-ZA", "Time zone": "Africa/Johannesburg", "Currency": "ZAR",
        "Contact email": "box@quay.example", "Sender name": "Quay Box Office",
        "Maximum event capacity": "500",
    }  # fmt: skip
    for label, value in wishes.items():
        await page.get_by_label(label, exact=True).fill(value)
    await page.get_by_label("Colour").fill("#8c2f6b")
    await page.get_by_label("Staff can add and edit venues").uncheck()
    await save.click()
    await expect(page.get_by_text("Saved.")).to_be_visible()
    await expect(page.locator("aside").get_by_text("The Quay")).to_be_visible()  # all of the console knows
    await expect(save).to_be_disabled()
    await clean(desk, "saved")
    house = data(await staff.get("/api/org"))
    assert (
        house
        | {
            "name": "The Quay",
            "locale": "af-ZA",
            "timezone": "Africa/Johannesburg",
            "currency": "ZAR",
            "contact_email": "box@quay.example",
            "mail_sender_name": "Quay Box Office",
            "mail_reply_to": None,
            "accent_color": "#8c2f6b",
            "staff_may_edit_venues": False,
            "event_capacity_max": 500,
        }
        == house
    )

    desk.expects("422 (Unprocessable", "400 (Bad Request)")
    await page.get_by_label("Sender name").fill("")
    await page.get_by_label("Time zone").fill("Mars/Olympus")
    await save.click()
    await expect(page.get_by_label("Time zone")).to_have_attribute("aria-invalid", "true")
    await clean(desk, "a mistake")
    await page.get_by_role("button", name="Undo changes").click()
    await expect(page.get_by_label("Time zone")).to_have_value("Africa/Johannesburg")
    await page.get_by_label("Sender name").fill("")
    await save.click()
    await expect(save).to_be_disabled()
    assert data(await staff.get("/api/org"))["mail_sender_name"] is None


async def test_a_device_is_paired_by_the_link_that_the_desk_shows(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    evening = await an_evening(client, staff, tenant)
    desk = await at_the_desk(visit, tenant, f"/events/{evening.event_id}/devices", **CLIPBOARD)
    page = desk.page
    await page.get_by_role("button", name="Pair device").click()
    await page.get_by_label("Name", exact=True).fill("Phone 3")
    await page.get_by_role("button", name="Create code").click()
    dialog = page.get_by_role("dialog", name="Pair Phone 3")
    picture = dialog.get_by_role("img", name="QR code of the link below")
    assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
    await clean(desk, "a code")
    link = urlsplit(await copied(page))  # at the house's public address
    assert (link.path, link.fragment.split("/")[0]) == ("/scan/", tenant.organization.slug)

    device = await visit(f"{link.path}#{link.fragment}", viewport=PHONE)
    await device.page.get_by_role("button", name="Pair").click()
    await expect(device.page.get_by_role("heading", name="North")).to_be_visible()
    await expect(dialog).to_be_hidden()  # the desk has seen it
    await expect(row(page, "Devices", "Phone 3")).to_contain_text("paired")


async def test_open_checkouts_are_counted(visit: Visit, client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    await bought(client, tenant, sale, 0)
    await begun(await guest(client, tenant), sale, 1, 2)
    await hold(await guest(client, tenant), sale, 3)
    desk = await at_the_desk(visit, tenant, f"/events/{sale.event_id}/queue")
    await expect(figure(desk.page, "In progress")).to_have_text(["1", "2 started in total"])
    await expect(figure(desk.page, "Tickets held").first).to_have_text("3")
    await expect(figure(desk.page, "Paid").first).to_have_text("1")
    await clean(desk, "a checkout")


async def test_a_shows_line_for_other_sites_is_copied(visit: Visit, staff: Client, tenant: Tenant) -> None:
    sale = await counter.small_house(staff)
    desk = await at_the_desk(visit, tenant, f"/events/{sale.event_id}", **CLIPBOARD)
    line = await copied(desk.page)
    house = tenant.organization.slug
    assert line == f'<script src="{desk.origin}/widget.js" data-org="{house}" data-show="{counter.SHOW}"></script>'
    await clean(desk, "a published show")
