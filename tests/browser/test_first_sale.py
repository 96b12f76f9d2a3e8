"""From an empty house to the first sale, all through the console."""

import re

from playwright.async_api import FilePayload, Page, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.looks import clean
from tests.browser.office import answer, at_the_desk, figure, row, settled
from tests.events.helpers import PICTURE
from tests.fixtures import Client, Tenant

POSTER: FilePayload = {"name": "poster.png", "mimeType": "image/png", "buffer": PICTURE}


async def fill(page: Page, fields: dict[str, str]) -> None:
    for label, value in fields.items():
        await page.get_by_label(label, exact=True).fill(value)


async def test_from_an_empty_house_to_the_first_sale(visit: Visit, staff: Client, tenant: Tenant) -> None:
    desk = await at_the_desk(visit, tenant, "/venues")
    page = desk.page

    # a venue, and a gate
    await page.get_by_role("button", name="Add venue").click()
    await fill(page, {"Name": "Quay Hall", "City": "Cape Town", "Country": "ZA", "Address": "1 Dock Road"})
    await fill(page, {"Time zone": "Africa/Johannesburg"})
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(page.get_by_role("heading", name="Quay Hall", level=1)).to_be_visible()
    await page.get_by_role("button", name="Add gate").click()
    dialog = page.get_by_role("dialog", name="Add gate")
    await dialog.get_by_label("Name").fill("North")
    await dialog.get_by_label("Code").fill("G1")
    await dialog.get_by_role("button", name="Add").click()
    await expect(row(page, "Gates of Quay Hall", "North")).to_be_visible()

    # its seats
    await desk.go("/console/layouts/new")
    await settled(page)
    await page.get_by_label("Type", exact=True).select_option("straight")
    await fill(page, {"Rows": "4", "Seats per row": "10", "Name": "The hall"})
    await page.get_by_role("button", name="Create draft").click()
    await expect(page.get_by_role("heading", name="The hall", level=1)).to_be_visible()
    await page.get_by_role("button", name="Publish layout").click()
    await expect(await answer(page, "Publish")).to_be_hidden()

    # a show there
    await desk.go("/console/events/new")
    await settled(page)
    await fill(page, {"Name": "The Tempest", "Description": "An island, a storm, a duke.", "Category": "theatre"})
    await page.get_by_label("Venue").select_option(label="Quay Hall, Cape Town")
    await fill(page, {"Start": "2090-06-01T19:00", "End": "2090-06-01T21:30"})
    await page.locator("input[type=file]").set_input_files(POSTER)
    await expect(page.get_by_role("img", name="Poster")).to_be_visible()
    await clean(desk, "a show is drafted")
    await page.get_by_role("button", name="Save draft").click()
    await expect(page.get_by_role("heading", name="Before you publish")).to_be_visible()
    show = page.url

    # with these seats, at this price
    await page.get_by_role("link", name="Seating", exact=True).click()
    await page.get_by_role("button", name="Use this layout").click()
    await expect(figure(page, "Available")).to_have_text("40")
    await page.get_by_role("link", name="Tickets and prices").click()
    await page.get_by_role("button", name="Add ticket type").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name", exact=True).fill("Seat")
    await dialog.get_by_label("Price", exact=True).fill("25.00")
    await dialog.get_by_role("button", name="Save").click()
    await expect(row(page, "Ticket types", "Seat")).to_contain_text("25.00")

    # for everybody
    await page.goto(show)
    await settled(page)
    await page.get_by_role("button", name="Publish").click()
    await expect(await answer(page, "Publish")).to_be_hidden()
    await expect(page.get_by_text("On sale", exact=True)).to_be_visible()
    await clean(desk, "published")
    buyer = (await counter.at_the_map(visit, tenant)).page
    await counter.buy(buyer, 1)
    await expect(figure(page, "Sold").first).to_have_text("1")  # while somebody looks
    (order,) = data(await staff.get(f"/api/events/{re.sub('.*/', '', show)}/orders"))
    assert (order["status"], order["total"]["amount"]) == ("paid", 2500)
