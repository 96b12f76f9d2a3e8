"""The console as each role finds it: every page of its table, without an error and without a barrier; and a refund."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.async_api import Page, expect

from fullhouse.seating.plan import encode
from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.checkout.helpers import Sale, bought
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall

TABLE = Path(__file__).parents[2] / "frontend/src/console/pages.ts"
LOOKS: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
}
# The owner sees every page by day. What differs by role and by screen shows on those with the most on them.
MOST = {"/", "/events", "/events/:id", "/events/:id/seating", "/events/:id/tickets", "/orders/:id", "/layouts/:id"}
WALKS = [("owner", "light"), ("staff", "dark"), ("owner", "phone")]


class Row(NamedTuple):
    path: str
    right: str | None
    section: str


def rows() -> list[Row]:
    """As the table in the sources has them: a page that is added there is walked here."""
    found = re.findall(r"path: '([^']+)'.*?right: (?:'([^']+)'|null).*?section: (?:'([^']+)'|null)", TABLE.read_text())
    assert found, "the table of pages is not where it was"
    return [Row(path, right or None, section) for path, right, section in found]


async def _signed_in(visit: Visit, token: str, path: str, **options: Any) -> Visitor:
    """As somebody whose browser has their session."""
    one: Visitor = await visit("/health/live", **options)
    await one.context.add_cookies(
        [{"name": "fullhouse", "value": token, "url": one.origin, "httpOnly": True, "sameSite": "Lax"}]
    )
    await one.go(path)
    return one


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


async def _settled(page: Page) -> None:
    """The page has come, with what it shows. Live lines stay open, so that the network is never idle."""
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await expect(page.locator("[aria-busy=true], .loading")).to_have_count(0)
    await page.wait_for_timeout(150)


@pytest.mark.parametrize(("role", "look"), WALKS)
@pytest.mark.req("RBAC-1")
async def test_every_page_that_a_role_may_open(
    role: str, look: str, visit: Visit, stock: Stock, client: Client, tenant: Tenant
) -> None:
    may = set(data(await client.as_(tenant.tokens[role]).get("/api/me"))["actions"])
    open_to = [row for row in rows() if row.section != "Platform" and (row.right is None or row.right in may)]
    walk = [row.path for row in open_to if (role, look) == WALKS[0] or row.path in MOST]
    assert walk
    one = await _signed_in(visit, tenant.tokens[role], "/console", **LOOKS[look])
    found = {}
    for path in walk:
        await one.go(stock.address(path))
        await _settled(one.page)
        found[path] = [*await one.violations(), *await _too_wide(one.page)]
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


async def _too_wide(page: Page) -> list[str]:
    over = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{over} pixels wider than the screen"] if over > 0 else []


@pytest.mark.req("RBAC-1")
async def test_nobody_sees_a_page_that_is_not_theirs(
    visit: Visit, stock: Stock, client: Client, tenant: Tenant
) -> None:
    may = set(data(await client.as_(tenant.tokens["scanner"]).get("/api/me"))["actions"])
    closed = [
        row for row in rows() if row.right and row.right not in may and row.section == "Sales" and ":" not in row.path
    ]
    assert closed
    one = await _signed_in(visit, tenant.tokens["scanner"], "/console")
    for row in closed:
        await expect(one.page.locator(f"nav a[href$='{row.path}']")).to_have_count(0)


@pytest.mark.req("BUY-4")
async def test_an_order_is_refunded(visit: Visit, stock: Stock, staff: Client, tenant: Tenant) -> None:
    one = await _signed_in(visit, tenant.tokens["owner"], f"/console/orders/{stock.order['id']}")
    page = one.page
    await _settled(page)
    await page.get_by_role("button", name=re.compile("refund", re.IGNORECASE)).first.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label(re.compile("reason", re.IGNORECASE)).fill("The buyer is ill.")
    await dialog.get_by_role("button", name=re.compile("refund|give back", re.IGNORECASE)).last.click()
    await expect(dialog).to_be_hidden()
    order = data(await staff.get(f"/api/orders/{stock.order['id']}"))
    assert order["status"] == "refunded"
    assert order["refunds"][0]["reason"] == "The buyer is ill."
