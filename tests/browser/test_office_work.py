"""The console at work: numbers that move while somebody looks, and deeds whose effect somebody else sees."""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Collection, Mapping

import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit
from tests.browser.gate import an_evening
from tests.browser.looks import clean
from tests.browser.office import answer, at_the_desk, become, figure, linked, row, settled
from tests.browser.test_widget import shop
from tests.checkout.helpers import Sale, bought
from tests.fixtures import Client, Tenant


@pytest.fixture
async def sale(staff: Client) -> Sale:
    return await counter.small_house(staff)


# --- numbers that move


async def test_a_sale_shows_on_the_overview_while_somebody_looks(
    visit: Visit, client: Client, tenant: Tenant, sale: Sale
) -> None:
    page = (await at_the_desk(visit, tenant, "")).page
    sold = figure(page, "Tickets sold (upcoming)").first
    await expect(sold).to_have_text("0")
    await expect(page.get_by_text("Live", exact=True)).to_be_visible()
    await bought(client, tenant, sale, 0, 1)
    await expect(sold).to_have_text("2")
    await expect(row(page, "Upcoming events", "The Tempest")).to_contain_text("€50.00")


@pytest.mark.req("SCAN-2")
async def test_whoever_comes_in_is_counted_while_somebody_looks(
    visit: Visit, client: Client, staff: Client, tenant: Tenant
) -> None:
    evening = await an_evening(client, staff, tenant)
    page = (await at_the_desk(visit, tenant, f"/events/{evening.event_id}/doors")).page
    inside = figure(page, "Inside now").first
    await expect(inside).to_have_text("0")
    wish = {"organization": tenant.organization.slug, "code": evening.code, "app_version": "1"}
    phone = client.as_(data(await client.post("/api/scan/pair", json=wish), 201)["token"])
    assert data(await phone.post("/api/scan", json={"qr": evening.qrs[0]}))["admit"]
    await expect(inside).to_have_text("1")
    await expect(figure(page, "Entries").first).to_have_text("1")


# --- the waiting room


@pytest.mark.req("QUEUE-1", "QUEUE-2")
async def test_a_queue_is_paused_resumed_and_widened_and_whoever_waits_sees_it(
    visit: Visit, staff: Client, tenant: Tenant, sale: Sale
) -> None:
    data(await staff.put(sale.path("queue/settings"), json={"mode": "on", "slots": 1}))
    path = f"{counter.path(tenant)}/queue"
    inside = await visit(path)
    await expect(inside.page).to_have_url(re.compile(f"{counter.path(tenant)}#tickets$"))
    waiting = await visit(path)
    line = waiting.page
    await expect(line.get_by_text("Your place in the queue")).to_be_visible()
    desk = await at_the_desk(visit, tenant, f"/events/{sale.event_id}/queue")
    page = desk.page
    await expect(figure(page, "Waiting").first).to_have_text("1")
    await page.get_by_role("button", name="Pause").click()
    await expect(await answer(page, "Pause")).to_be_hidden()
    await expect(line.get_by_text("Paused for a moment")).to_be_visible()
    await clean(waiting, "paused")
    await page.get_by_role("button", name="Resume").click()
    await expect(await answer(page, "Resume")).to_be_hidden()
    await page.get_by_label("Slots").fill("2")
    await page.get_by_role("button", name="Save").click()
    await expect(line).to_have_url(re.compile(f"{counter.path(tenant)}#tickets$"))  # their turn
    await waiting.go(path)
    await expect(line.get_by_text("It is your turn")).to_be_visible()
    await clean(waiting, "admitted")
    await line.route("**/api/events/*/queue", _half_an_hour_later)
    await waiting.go(path)
    await expect(line.get_by_text("Your place has expired")).to_be_visible()
    await clean(waiting, "expired")


async def _half_an_hour_later(route: Route) -> None:
    """As the house would say it then. Its clock is everybody's here, and stays where it is."""
    answer = await route.fetch()
    told = await answer.json()
    await route.fulfill(response=answer, json={"data": told["data"] | {"status": "expired", "position": None}})


# --- the audit


async def test_the_audit_is_filtered_and_exported(visit: Visit, tenant: Tenant, sale: Sale) -> None:
    desk = await at_the_desk(visit, tenant, "/audit")
    page = desk.page
    entries = page.get_by_role("region", name="Entries").locator("summary b")
    await expect(entries.filter(has_text="Ticket type created")).not_to_have_count(0)
    await page.get_by_label("Action").select_option("All: Events")
    await expect(entries.filter(has_text="Ticket type created")).to_have_count(0)
    await expect(entries.filter(has_text="Event published")).not_to_have_count(0)
    async with page.expect_download() as saving:
        await page.get_by_role("button", name="Export as CSV").click()
    saved = list(csv.DictReader(io.StringIO((await (await saving.value).path()).read_text())))
    assert [line["action"] for line in saved] == [await one.get_attribute("title") for one in await entries.all()]
    await entries.first.click()
    await clean(desk, "an entry")


# --- what is made here


async def test_a_promo_code_of_the_console_takes_something_off_at_the_checkout(
    visit: Visit, tenant: Tenant, sale: Sale
) -> None:
    desk = await at_the_desk(visit, tenant, f"/events/{sale.event_id}/tickets")
    page = desk.page
    await page.get_by_role("button", name="Add ticket type").click()
    await clean(desk, "a ticket type")
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Add promo code").click()
    dialog = page.get_by_role("dialog", name="Add promo code")
    await dialog.get_by_role("textbox", name="Code").fill("SPRING")
    await dialog.get_by_label("Discount in percent").fill("20")
    await clean(desk, "a promo code")
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_be_hidden()
    await expect(row(page, "Promo codes", "SPRING")).to_contain_text("20% off")

    buyer = (await counter.at_the_map(visit, tenant)).page
    await counter.best(buyer, 2)
    await buyer.get_by_text("Have a promo code?").click()
    await buyer.get_by_role("textbox", name="Promo code").fill("spring")
    await buyer.get_by_role("button", name="Apply").click()
    await expect(counter.basket(buyer)).to_contain_text("Code SPRING applied.")
    await counter.to_checkout(buyer)
    await expect(buyer.get_by_role("button", name=re.compile("^Pay .*40.00"))).to_be_visible()
    await counter.fill_in(buyer)
    await counter.pay(buyer)
    await page.reload()
    await expect(row(page, "Promo codes", "SPRING")).to_contain_text("10.00")


async def test_somebody_is_invited_reads_the_letter_and_joins(visit: Visit, staff: Client, tenant: Tenant) -> None:
    desk = await at_the_desk(visit, tenant, "/team")
    page = desk.page
    await page.get_by_role("button", name="Invite team member").click()
    dialog = page.get_by_role("dialog", name="Invite team member")
    await dialog.get_by_label("Email address").fill(counter.EMAIL)
    await dialog.get_by_label("Role").select_option("scanner")
    await clean(desk, "inviting")
    await dialog.get_by_role("button", name="Send invitation").click()
    await expect(row(page, "Pending invitations", counter.EMAIL)).to_contain_text("scanner")

    link = await linked(staff, "/join")
    await desk.go("/console/mailbox")
    letter = page.get_by_role("region", name="Emails").get_by_role("button").filter(has_text=counter.EMAIL)
    await letter.click()
    opened = page.get_by_role("region", name="Selected email")
    await expect(opened.get_by_text(counter.EMAIL)).to_be_visible()
    await clean(desk, "a letter")
    friend = await visit(link)
    await expect(friend.page.get_by_label("Your name")).to_be_visible()
    await clean(friend, "joining")
    await friend.page.get_by_label("Your name").fill(counter.NAME)
    await friend.page.get_by_label(re.compile("password", re.IGNORECASE)).fill("a long enough password")
    await friend.page.get_by_role("button").last.click()
    await expect(friend.page).to_have_url(re.compile("/console"))
    await desk.go("/console/team")
    await expect(row(page, "Team members", counter.EMAIL)).to_contain_text(counter.NAME)


# A letter that has come, in a frame that ends where it ends: nothing scrolls within the page, nothing is blank below.
ENDS_WITH_ITS_FRAME = """() => {
    const sheet = document.documentElement;
    return sheet.offsetHeight > 500 && sheet.scrollHeight <= innerHeight && innerHeight - sheet.offsetHeight < 8;
}"""
PHONE = {"width": 360, "height": 740}


async def test_a_letter_has_a_phones_whole_page(visit: Visit, tenant: Tenant) -> None:
    desk = await at_the_desk(visit, tenant, "/letters", viewport=PHONE)
    page = desk.page
    shelf, letter = page.get_by_role("navigation", name="Emails"), page.get_by_role("region", name="Example")
    await expect(shelf).to_be_visible()
    await expect(letter).to_be_hidden()
    await expect(page.locator("iframe")).to_have_count(0)  # what nobody sees is not fetched
    await shelf.get_by_role("button", name="Order refunded").click()
    await expect(shelf).to_be_hidden()
    frame = letter.locator("iframe")
    await expect(frame).to_be_visible()
    inside = await (await frame.element_handle()).content_frame()
    assert inside
    await inside.wait_for_function(ENDS_WITH_ITS_FRAME)
    await clean(desk, "a letter on a phone")
    await letter.get_by_role("button", name="All emails").click()
    await expect(shelf).to_be_visible()


async def test_back_leads_from_a_letter_to_the_list_on_a_phone(visit: Visit, tenant: Tenant) -> None:
    desk = await at_the_desk(visit, tenant, "/keys", viewport=PHONE)
    page = desk.page
    await desk.go("/console/letters")
    shelf, letter = page.get_by_role("navigation", name="Emails"), page.get_by_role("region", name="Example")
    one = shelf.get_by_role("button", name="Order refunded")
    await _goes_along(page, one, letter, "/console/letters")
    await page.go_back()  # each letter that was closed has taken its step back
    await expect(page).to_have_url(re.compile("/console/keys$"))


async def test_back_leads_from_a_mail_to_the_mailbox_on_a_phone(visit: Visit, staff: Client, tenant: Tenant) -> None:
    wish = {"email": counter.EMAIL, "role": "staff"}
    data(await staff.post("/api/org/invitations", json=wish), 201)
    desk = await at_the_desk(visit, tenant, "/mailbox", viewport=PHONE)
    page = desk.page
    shelf, mail = page.get_by_role("region", name="Emails"), page.get_by_role("region", name="Selected email")
    await _goes_along(page, shelf.get_by_role("listitem").get_by_role("button").first, mail, "/console/mailbox")


async def _goes_along(page: Page, row: Locator, letter: Locator, path: str) -> None:
    """Opened and closed by the keyboard, by the browser's Back and by the page's own: the focus is where one looks."""
    for back in (page.go_back, letter.get_by_role("button", name="All emails").click):
        await row.focus()
        await page.keyboard.press("Enter")
        await expect(letter.get_by_role("heading", level=2)).to_be_focused()
        await expect(row).to_be_hidden()
        await back()
        await expect(letter).to_be_hidden()
        await expect(row).to_be_focused()
        await expect(page).to_have_url(re.compile(f"{path}$"))


async def test_a_sheet_that_is_opened_by_itself_stays_empty(visit: Visit, tenant: Tenant) -> None:
    """It is its own parent then, and hears the length that it tells."""
    desk = await at_the_desk(visit, tenant, "/keys")
    await desk.go("/console/letter")
    heard = "new Promise((tell) => { onmessage = () => tell(document.body.innerText); postMessage(17, '*'); })"
    assert await desk.page.evaluate(heard) == ""


async def test_an_api_key_opens_until_it_is_revoked(visit: Visit, client: Client, tenant: Tenant) -> None:
    desk = await at_the_desk(visit, tenant, "/keys")
    page = desk.page
    await page.get_by_role("button", name="Create API key").click()
    dialog = page.get_by_role("dialog", name="Create API key")
    await dialog.get_by_label("Name").fill("The till")
    await dialog.get_by_role("checkbox", name="events:read").check()
    await clean(desk, "a new key")
    await dialog.get_by_role("button", name="Create").click()
    told = page.get_by_role("dialog", name="Your API key")
    program = client.as_(await told.locator("code").inner_text())
    await clean(desk, "a secret")
    await told.get_by_role("button", name="I’ve saved it").click()
    assert (await program.get("/api/events")).status_code == 200
    await page.get_by_role("button", name="Revoke The till").click()
    await expect(await answer(page, "Revoke")).to_be_hidden()
    await expect(page.get_by_text("No API keys yet")).to_be_visible()
    assert (await program.get("/api/events")).status_code == 401


@pytest.mark.req("MSG-5")
async def test_a_webhook_is_made_and_its_test_stands_in_the_log(visit: Visit, tenant: Tenant) -> None:
    desk = await at_the_desk(visit, tenant, "/webhooks")
    page = desk.page
    async with shop("thanks") as address:
        await page.get_by_role("button", name="Add webhook").click()
        dialog = page.get_by_role("dialog", name="Add webhook")
        await dialog.get_by_label("URL").fill(address)
        await dialog.get_by_label("Description").fill("The newsletter")
        await clean(desk, "a new webhook")
        await dialog.get_by_role("button", name="Add").click()
        await page.get_by_role("button", name="I’ve saved it").click()
        await page.get_by_role("link", name=address).click()
        await expect(page.get_by_text("No deliveries yet")).to_be_visible()
        await page.get_by_role("button", name="Send test").click()
        delivery = page.get_by_role("listitem").filter(has_text="delivered")
        await expect(delivery).to_contain_text("Response 200")
        await delivery.locator("summary").click()
        await expect(delivery).to_contain_text("thanks")
        await clean(desk, "a delivery")


# --- who is looked for


async def test_a_buyer_is_found_and_the_address_does_not_say_who(
    visit: Visit, client: Client, tenant: Tenant, sale: Sale
) -> None:
    await bought(client, tenant, sale, 0)
    desk = await at_the_desk(visit, tenant, "/orders")
    page = desk.page
    orders = page.get_by_role("table", name="Orders").get_by_role("row")
    for words in ("Ada Buyer", "ada@example.org"):  # the visitor's own check reads every address
        await page.get_by_label("Search").fill(words)
        await expect(orders).to_have_count(2)
        await expect(orders.last).to_contain_text("Ada Buyer")
    await page.get_by_label("Search").fill("nobody at all")
    await expect(page.get_by_text("No matching orders")).to_be_visible()
    await page.get_by_label("Search").fill("ada@example.org")
    await expect(orders).to_have_count(2)
    await orders.last.get_by_role("link").first.click()
    await expect(page).to_have_url(re.compile("/orders/"))
    await page.go_back()
    await expect(page.get_by_label("Search")).to_have_value("ada@example.org")
    await page.reload()
    await expect(page.get_by_label("Search")).to_have_value("ada@example.org")
    await expect(orders).to_have_count(2)


# --- who may not


# What is not there, by role and page. An owner finds each of it.
ABSENT: dict[str, dict[str, tuple[str, ...]]] = {
    "admin": {"": ("Mailbox",)},
    "staff": {
        "": ("Mailbox", "Audit log", "API keys", "Webhooks", "Ledger"),
        "/team": ("Invite team member",),
        "/events/{event}": ("Cancel event", "Postpone", "Open doors"),
        "/events/{event}/tickets": ("Add ticket type", "Add promo code"),
        "/orders/{order}": ("Refund",),
    },
    "scanner": {
        "": ("Mailbox", "Audit log", "API keys", "Webhooks", "Ledger", "Orders", "Team", "Layouts", "Create event"),
        "/events/{event}": (
            "Cancel event",
            "Postpone",
            "Open doors",
            "Duplicate",
            "Details",
            "Tickets and prices",
        ),
        "/events/{event}/seating": ("Select area", "Change layout"),
        "/events/{event}/queue": ("Open waiting room", "Save"),
    },
}


# As a link of the console's own goes: nothing is loaded anew.
STEP = "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')) }"


def _offered(page: Page, name: str) -> Locator:
    exact = re.compile(rf"^{name}")
    return page.get_by_role("link", name=exact).or_(page.get_by_role("button", name=exact))


@pytest.mark.req("RBAC-1")
async def test_nobody_is_offered_what_is_not_theirs(visit: Visit, client: Client, tenant: Tenant, sale: Sale) -> None:
    order = await bought(client, tenant, sale, 0)
    known = {"event": sale.event_id, "order": order["id"]}
    all_of_it: dict[str, set[str]] = defaultdict(set)
    for absent in ABSENT.values():
        for path, hidden in absent.items():
            all_of_it[path] |= set(hidden)
    one = await visit("/health/live")
    walks: dict[str, Mapping[str, Collection[str]]] = {"owner": all_of_it, **ABSENT}
    for role, pages in walks.items():
        await become(one, tenant.tokens[role])
        await one.go("/console")
        for path, names in pages.items():
            await one.page.evaluate(STEP, "/console" + path.format(**known))
            await settled(one.page)
            seen = {name for name in names if await _offered(one.page, name).count()}
            assert seen == (set(names) if role == "owner" else set()), (role, path)
