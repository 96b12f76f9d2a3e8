"""The console as each role finds it: every page of its table, without an error and without a barrier; and a refund."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.async_api import expect

from fullhouse.seating.plans.plan import encode
from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.browser.looks import PHONE, clean, seen
from tests.browser.office import settled, signed_in
from tests.checkout.helpers import Sale, bought
from tests.events.helpers import show_in
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall

TABLE = Path(__file__).parents[2] / "frontend/src/console/pages.ts"
# What differs by role shows on the pages with the most on them.
MOST = {"/", "/events", "/events/:id", "/events/:id/seating", "/events/:id/tickets", "/orders/:id", "/layouts/:id"}
PARTS = 4


class Row(NamedTuple):
    path: str
    right: str | None
    section: str


def rows() -> list[Row]:
    """As the table in the sources has them: a page that is added there is walked here."""
    found = re.findall(r"path: '([^']+)'.*?right: (?:'([^']+)'|null).*?section: (?:'([^']+)'|null)", TABLE.read_text())
    assert found, "the table of pages is not where it was"
    return [Row(path, right or None, section) for path, right, section in found]


class Stock(NamedTuple):
    """What the addresses of the console name, by what stands before it."""

    sale: Sale
    order: Any
    names: dict[str, str]

    def address(self, path: str) -> str:
        def named(found: re.Match[str]) -> str:
            before = path[: found.start()].strip("/").rsplit("/", 1)[-1]
            assert before in self.names, f"nobody told this test what {path} is about"
            return self.names[before]

        return "/console" + re.sub(r":\w+", named, path).rstrip("/")


@pytest.fixture
async def stock(client: Client, staff: Client, tenant: Tenant) -> Stock:
    sale = await counter.small_house(staff)
    order = await bought(client, tenant, sale, 0, 1)
    event = data(await staff.get(f"/api/events/{sale.event_id}"))
    layout = f"/api/layouts/{sale.show.layout_id}/versions"
    json = {"content-type": "application/json"}
    wider = data(await staff.post(layout, content=encode(hall(4, 12)), headers=json), 201)
    wish = {"url": "https://192.0.32.8/hook", "events": ["event.postponed"]}  # of which there is none here
    names = {
        "events": str(sale.event_id),
        "orders": order["id"],
        "venues": event["venue_id"],
        "layouts": wider["id"],
        "compare": str(sale.show.layout_id),
        "webhooks": data(await staff.post("/api/org/webhooks", json=wish), 201)["id"],
    }
    return Stock(sale, order, names)


async def _walked(one: Visitor, addresses: list[str], *looks: str) -> dict[str, list[str]]:
    """What is wrong on these pages, by their address."""
    assert addresses
    found = {}
    for address in addresses:
        await one.go(address)
        await settled(one.page)
        found[address] = await seen(one, *looks)
    return {address: wrong for address, wrong in found.items() if wrong}


@pytest.mark.parametrize("part", range(PARTS))
async def test_no_barrier_on_any_page_by_day_by_night_and_on_a_phone(
    part: int, visit: Visit, stock: Stock, tenant: Tenant
) -> None:
    pages = [row.path for row in rows() if not row.path.startswith("/platform")]  # whose staff has tests of its own
    one = await signed_in(visit, tenant.tokens["owner"], "/console")
    assert await _walked(one, [stock.address(path) for path in pages[part::PARTS]]) == {}


@pytest.mark.parametrize("role", ["admin", "staff", "scanner"])
@pytest.mark.req("RBAC-1")
async def test_every_page_that_a_role_may_open(
    role: str, visit: Visit, stock: Stock, client: Client, tenant: Tenant
) -> None:
    may = set(data(await client.as_(tenant.tokens[role]).get("/api/me"))["actions"])
    walk = [row.path for row in rows() if row.path in MOST and (row.right is None or row.right in may)]
    one = await signed_in(visit, tenant.tokens[role], "/console", **PHONE)
    assert await _walked(one, [stock.address(path) for path in walk], "phone") == {}


@pytest.mark.req("RBAC-1")
async def test_nobody_sees_a_page_that_is_not_theirs(
    visit: Visit, stock: Stock, client: Client, tenant: Tenant
) -> None:
    may = set(data(await client.as_(tenant.tokens["scanner"]).get("/api/me"))["actions"])
    closed = [
        row for row in rows() if row.right and row.right not in may and row.section == "Sales" and ":" not in row.path
    ]
    assert closed
    one = await signed_in(visit, tenant.tokens["scanner"], "/console")
    for row in closed:
        await expect(one.page.locator(f"nav a[href$='{row.path}']")).to_have_count(0)


async def test_no_barrier_at_the_door(visit: Visit, tenant: Tenant, other_tenant: Tenant) -> None:
    one = await visit("/health/live")
    one.expects("401 (Unauthorized)")
    await one.go("/console")
    for way in ("Email link", "Platform staff", "Password"):
        await one.page.get_by_role("button", name=way, exact=True).click()
        await one.page.get_by_label("Email").focus()
        await clean(one, way)
    await one.page.get_by_role("button", name="Sign in").click()  # with nothing filled in
    await clean(one, "nothing filled in", "day")
    both = await signed_in(visit, f"{tenant.tokens['owner']}.{other_tenant.tokens['staff']}", "/console")
    await expect(both.page.get_by_role("heading", name="Choose an organisation")).to_be_visible()
    await clean(both, "which house")
    await both.page.get_by_role("button", name="staff@example.org").click()
    await expect(both.page.get_by_role("heading", name="Overview")).to_be_visible()


@pytest.mark.parametrize("state", ["draft", "live", "postponed"])
async def test_no_barrier_at_a_show_in_this_state(state: str, visit: Visit, staff: Client, tenant: Tenant) -> None:
    event = await show_in(staff, state)
    one = await signed_in(visit, tenant.tokens["owner"], "/console")
    assert await _walked(one, [f"/console/events/{event['id']}"]) == {}
    await expect(one.page.get_by_text(state.capitalize(), exact=True).first).to_be_attached()


@pytest.mark.req("BUY-4")
async def test_an_order_is_refunded(visit: Visit, stock: Stock, staff: Client, tenant: Tenant) -> None:
    one = await signed_in(visit, tenant.tokens["owner"], f"/console/orders/{stock.order['id']}")
    page = one.page
    await settled(page)
    await page.get_by_role("button", name=re.compile("refund", re.IGNORECASE)).first.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label(re.compile("reason", re.IGNORECASE)).fill("The buyer is ill.")
    await dialog.get_by_role("button", name=re.compile("refund|give back", re.IGNORECASE)).last.click()
    await expect(dialog).to_be_hidden()
    order = data(await staff.get(f"/api/orders/{stock.order['id']}"))
    assert order["status"] == "refunded"
    assert order["refunds"][0]["reason"] == "The buyer is ill."


@pytest.mark.req("BUY-4")
async def test_a_refund_that_was_refused_is_paid_outside(
    visit: Visit, stock: Stock, staff: Client, tenant: Tenant, owner: Any
) -> None:
    path = f"/api/orders/{stock.order['id']}/refunds"
    wish = {"amount": 100, "reason": "Late.", "fees": "keep"}
    refund = data(await staff.post(path, json=wish, headers={"Idempotency-Key": "a-part"}), 201)
    await owner.execute("UPDATE refunds SET status = 'failed', failure = 'Card closed' WHERE id = $1", refund["id"])
    one = await signed_in(visit, tenant.tokens["owner"], f"/console/orders/{stock.order['id']}")
    page = one.page
    await settled(page)
    await expect(page.get_by_text("Refused by the payment provider")).to_be_visible()
    await expect(page.get_by_role("button", name="Try again")).to_be_visible()
    await page.get_by_role("button", name="Refunded another way…").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Reason").fill("In cash, at the desk.")
    assert await one.violations() == []
    await dialog.get_by_role("button", name="Mark as refunded").click()
    await expect(dialog).to_be_hidden()
    await expect(page.get_by_text("In cash, at the desk.")).to_be_visible()
    (shown,) = data(await staff.get(path))
    assert (shown["status"], shown["paid_outside"]) == ("done", "In cash, at the desk.")
