"""No barrier in any dialog: what lies behind one is out of reach, so it is looked at by itself, while it is open."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from fullhouse.seating.plans.plan import encode
from tests.accounts.helpers import data, give_password
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.browser.gate import PHONE, an_evening, by_hand, next_one, pair, verdict
from tests.browser.looks import clean
from tests.browser.office import settled, signed_in
from tests.browser.test_console import Stock
from tests.browser.test_console import stock as stock
from tests.checkout.helpers import begun, bought, buy, selling
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall

Opens = Callable[[Page], Awaitable[None]]


async def looked_at(one: Visitor, name: str | re.Pattern[str]) -> Locator:
    """The dialog that is open now. It has a name, the keyboard is in it, and axe finds nothing."""
    dialog = one.page.get_by_role("dialog", name=name)
    await expect(dialog).to_be_visible()
    assert await dialog.evaluate("(it) => it.contains(document.activeElement)"), f"{name}: the keyboard is elsewhere"
    await clean(one, str(name))
    return dialog


# --- the storefront


async def test_of_the_storefront(visit: Visit, client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff, hall(4, 10, pit=50))
    one = await counter.at_the_map(visit, tenant)
    page = one.page
    await page.get_by_role("button", name="Show as list").click()
    await page.get_by_role("button", name=re.compile("^Pit")).click()
    dialog = await looked_at(one, "Pit")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(dialog).to_be_hidden()

    data(await staff.put(sale.path("queue/settings"), json={"mode": "on", "slots": 1}))
    (await visit(f"{counter.path(tenant)}/queue")).expects("403")
    waiting = await visit(f"{counter.path(tenant)}/queue")
    await waiting.page.get_by_role("button", name="Leave the queue").click()
    dialog = await looked_at(waiting, re.compile("Leave the queue"))
    await dialog.get_by_role("button", name="Stay").click()
    await expect(waiting.page.get_by_text("Your place in the queue")).to_be_visible()


async def test_of_ones_own_tickets(visit: Visit, client: Client, staff: Client, tenant: Tenant, services: Any) -> None:
    await give_password(services, tenant, "customer")
    sale = await counter.small_house(staff)
    buyer = client.as_(tenant.tokens["customer"])
    data(await buy(buyer, await begun(buyer, sale, 0)), 201)
    one = await signed_in(visit, tenant.tokens["customer"], f"/my?at={tenant.organization.slug}")
    await one.page.get_by_role("button", name="Transfer ticket").click()
    dialog = await looked_at(one, re.compile("^Transfer ticket"))
    await dialog.get_by_label("Their name").fill("Bo")
    await dialog.get_by_label("Their email").fill("bo@example.org")
    one.expects("409")
    data(await staff.post(f"/api/tickets/{await _ticket(buyer)}/cancel", json={"reason": "Ill"}))
    await dialog.get_by_role("button", name="Transfer ticket").click()
    await expect(dialog.get_by_role("alert")).not_to_be_empty()
    await looked_at(one, re.compile("^Transfer ticket"))


async def _ticket(buyer: Client) -> str:
    (ticket,) = data(await buyer.get("/api/me/tickets"))
    return str(ticket["id"])


# --- the scanner

LANGUAGES = {
    "en": {
        "more": "More", "find": "Type or search", "recent": "Recent scans", "counts": "Counts by gate",
        "counts today": "Counts today", "incidents": "Incidents", "unpair": "Unpair", "close": "Close",
        "welcome": "Welcome", "undo": "Undo", "undo?": "Undo this scan?", "inside": "Already inside",
        "anyway": "Let in anyway", "anyway?": "Let in anyway?", "let in": "Let in", "check": "Check code",
    },
    "af": {
        "more": "Meer", "find": "Tik of soek", "recent": "Onlangse skanderings", "counts": "Tellings per hek",
        "counts today": "Tellings vandag", "incidents": "Voorvalle", "unpair": "Ontkoppel", "close": "Maak toe",
        "welcome": "Welkom", "undo": "Maak ongedaan", "undo?": "Maak hierdie skandering ongedaan?",
        "inside": "Reeds binne", "anyway": "Laat tog in", "anyway?": "Laat tog in?", "let in": "Laat in",
        "check": "Gaan kode na",
    },
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
async def test_of_the_scanner(language: str, visit: Visit, client: Client, staff: Client, tenant: Tenant) -> None:
    said = LANGUAGES[language]
    evening = await an_evening(client, staff, tenant, "search", "override")
    one = await visit("/scan/", viewport=PHONE, locale=language)
    page = one.page
    await clean(one, "pairing")
    await pair(one, tenant, evening, language)
    assert await page.evaluate("document.documentElement.lang") == language

    async def shut(dialog: Locator) -> None:
        await dialog.get_by_role("button", name=said["close"]).click()
        await expect(dialog).to_have_count(0)

    await page.get_by_role("button", name=said["find"]).click()
    dialog = await looked_at(one, said["find"])
    await dialog.get_by_role("button", name=said["check"]).click()
    await expect(dialog.get_by_role("alert")).not_to_be_empty()
    await shut(await looked_at(one, said["find"]))
    await by_hand(page, evening.qrs[0])
    shown = verdict(page, language)
    await expect(shown).to_contain_text(said["welcome"])
    await shown.get_by_role("button", name=said["undo"]).click()
    await shut(await looked_at(one, said["undo?"]))
    await next_one(page, language)
    await by_hand(page, evening.qrs[0])
    await expect(shown).to_contain_text(said["inside"])
    await shown.get_by_role("button", name=said["anyway"]).click()
    dialog = await looked_at(one, said["anyway?"])
    await dialog.get_by_role("button", name=said["let in"], exact=True).click()
    await expect(dialog.get_by_role("alert")).not_to_be_empty()
    await shut(await looked_at(one, said["anyway?"]))
    await next_one(page, language)
    for way, title in (("recent", "recent"), ("counts", "counts today"), ("incidents", "incidents")):
        await page.get_by_role("button", name=said["more"], exact=True).click()
        await looked_at(one, said["more"])
        await page.get_by_role("button", name=said[way]).click()
        dialog = page.get_by_role("dialog", name=said[title])
        await expect(dialog.get_by_role("status")).to_have_count(0)  # it has been answered
        await shut(await looked_at(one, said[title]))
    await page.get_by_role("button", name=said["more"], exact=True).click()
    await page.get_by_role("dialog").get_by_role("button", name=said["unpair"]).click()
    await expect(page.get_by_role("dialog").get_by_role("alert")).to_be_visible()
    await looked_at(one, said["more"])


# --- the console: on a page of its table, what opens the dialog, and how it is called

OFFICE = (
    ("/venues", "Add venue", "Add venue"),
    ("/venues/:id", "Add gate", "Add gate"),
    ("/venues/:id", "Delete", "Delete this venue?"),
    ("/layouts/:id", "Delete", None),
    ("/keys", "Create API key", "Create API key"),
    ("/webhooks", "Add webhook", "Add webhook"),
    ("/webhooks/:id", "Edit", "Edit webhook"),
    ("/webhooks/:id", "Replace secret", "Replace the secret?"),
    ("/webhooks/:id", "Delete", "Delete this webhook?"),
    ("/members", "Add member", "Add member"),
    ("/team", "Invite team member", "Invite team member"),
    ("/events/:id", "Duplicate", "Duplicate event"),
    ("/events/:id", "Postpone", None),
    ("/events/:id", "Cancel event", None),
    ("/events/:id/tickets", "Add ticket type", None),
    ("/events/:id/tickets", "Add promo code", None),
    ("/events/:id/queue", "Open waiting room", "Open the waiting room now?"),
    ("/orders/:id", "Resend tickets", "Resend the tickets?"),
    ("/orders/:id", "Refund", re.compile("^Refund order")),
    ("/orders/:id", "Cancel", re.compile("^Cancel")),
)


async def test_of_the_console(visit: Visit, stock: Stock, tenant: Tenant) -> None:
    one = await signed_in(visit, tenant.tokens["owner"], "/console")
    for path, opens, name in OFFICE:
        await one.go(stock.address(path))
        await settled(one.page)
        await one.page.get_by_role("button", name=opens, exact=True).first.click()
        await looked_at(one, name or re.compile("."))
        await one.page.keyboard.press("Escape")
        await expect(one.page.get_by_role("dialog")).to_have_count(0)


async def test_of_a_shows_seats(visit: Visit, client: Client, staff: Client, tenant: Tenant) -> None:
    """Of a show that sells nothing yet: a zone, its guests, the layout. Then somebody has bought, and is to move."""
    sale = await selling(staff, hall(4, 10, pit=50))
    layout = {"layout_id": str(sale.show.layout_id)}
    friends = {"zone_overrides": {sale.show.zones["pit"]: {"access_mode": "whitelist"}}}
    data(await staff.put(sale.path("layout"), json=layout | friends))
    one = await signed_in(visit, tenant.tokens["owner"], "/console")
    page, seats = one.page, f"/console/events/{sale.event_id}/seating"
    await one.go(seats)
    for opens, name in (
        ("Edit Pit", "Pit: changes for this event"),
        ("Guest list", "Guest list: Pit"),
        ("Remove layout", "Remove the layout?"),
    ):
        await settled(page)
        await page.get_by_role("button", name=opens, exact=True).click()
        await looked_at(one, name)
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)

    await bought(client, tenant, sale, 0, 1)
    versions = f"/api/layouts/{sale.show.layout_id}/versions"
    wider = await staff.post(
        versions, content=encode(hall(4, 12, pit=50)), headers={"content-type": "application/json"}
    )
    data(await staff.post(f"/api/layouts/{data(wider, 201)['id']}/activate"))
    await one.go(seats)
    await settled(page)
    await page.get_by_role("button", name="Plan move").click()
    dialog = await looked_at(one, "Plan move")
    await dialog.get_by_label("Deadline for ticket holders").fill("2090-05-01T12:00")
    await dialog.get_by_role("button", name="Plan move").click()
    dialog = page.get_by_role("dialog", name="Preview of the move")
    await expect(dialog.get_by_role("button", name="Discard")).to_be_visible()
    await looked_at(one, "Preview of the move")


async def test_of_a_device_that_is_paired(visit: Visit, client: Client, staff: Client, tenant: Tenant) -> None:
    evening = await an_evening(client, staff, tenant)
    address = f"/console/events/{evening.event_id}/devices"
    one = await signed_in(visit, tenant.tokens["owner"], address)
    await settled(one.page)
    await one.page.get_by_role("button", name="Pair device").click()
    dialog = await looked_at(one, "Pair device")
    await dialog.get_by_role("textbox", name="Name").fill("Phone 3")
    await dialog.get_by_role("button", name="Create code").click()
    await looked_at(one, "Pair Phone 3")
