"""What people do at a gate, in their words: a show's evening, a device that is paired, and scans by hand."""

from typing import Any, NamedTuple

from playwright.async_api import Locator, Page, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visitor
from tests.checkout.helpers import begun, buy
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest

PHONE = {"width": 390, "height": 780}


class Evening(NamedTuple):
    """A show with a gate and people who have tickets: what is in their QR codes. And a device, by its code."""

    event_id: str
    device_id: str
    code: str
    tickets: list[dict[str, Any]]

    @property
    def qrs(self) -> list[str]:
        return [ticket["qr"] for ticket in self.tickets]

    async def another(self, staff: Client) -> "Evening":
        """The same evening, for a second device at the same gate."""
        (first,) = data(await staff.get(f"/api/scan/devices?event_id={self.event_id}"))
        wish = {name: first[name] for name in ("event_id", "gate_ids", "rights")} | {"name": "Second phone"}
        pairing = data(await staff.post("/api/scan/devices", json=wish), 201)
        return self._replace(device_id=pairing["id"], code=pairing["code"])


async def an_evening(client: Client, staff: Client, tenant: Tenant, *rights: str, live: bool = True) -> Evening:
    sale = await counter.small_house(staff)
    event = data(await staff.get(f"/api/events/{sale.event_id}"))
    gate = data(
        await staff.post(f"/api/venues/{event['venue_id']}/gates", json={"gate_code": "G1", "name": "North"}), 201
    )
    buyer = await guest(client, tenant)
    data(await buy(buyer, await begun(buyer, sale, 0, 1, 2)), 201)
    tickets = data(await buyer.get("/api/me/tickets"))
    if live:
        await open_doors(staff, str(sale.event_id))
    wish = {"event_id": str(sale.event_id), "name": "Phone", "gate_ids": [gate["id"]], "rights": ["scan", *rights]}
    pairing = data(await staff.post("/api/scan/devices", json=wish), 201)
    return Evening(str(sale.event_id), pairing["id"], pairing["code"], tickets)


async def open_doors(staff: Client, event_id: str) -> None:
    data(await staff.post(f"/api/events/{event_id}/start"))


SAID = {"en": ("Pair", "Online", "Scan result"), "af": ("Koppel", "Aanlyn", "Uitslag")}


async def pair(device: Visitor, tenant: Tenant, evening: Evening, language: str = "en") -> None:
    """By the link that the console shows: what it carries is filled in."""
    deed, online, _ = SAID[language]
    await device.go(f"/scan/#{tenant.organization.slug}/{evening.code}")
    await device.page.get_by_role("button", name=deed).press("Enter")
    await expect(device.page.get_by_role("heading", name="North")).to_be_visible()
    await expect(device.page.get_by_text(online, exact=True)).to_be_visible()


def verdict(page: Page, language: str = "en") -> Locator:
    return page.get_by_role("region", name=SAID[language][2])


async def next_one(page: Page, language: str = "en") -> None:
    """A welcome goes by itself; whoever is faster presses, again where a closing dialog took the key."""
    for _ in range(50):
        if not await verdict(page, language).count():
            break
        await page.keyboard.press("Escape")
        await page.wait_for_timeout(100)
    await expect(verdict(page, language)).to_have_count(0)


async def by_hand(page: Page, code: str) -> None:
    """A hand-held scanner types very fast."""
    await page.evaluate(
        """code => { for (const key of [...code, 'Enter'])
             document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })) }""",
        code,
    )
    await page.wait_for_timeout(150)  # an Enter that comes sooner is taken for the scanner's own, sent twice (wedge.ts)


async def reach(page: Page, wanted: Locator) -> None:
    """By the tabulator alone, as somebody without a pointer does."""
    for _ in range(40):
        if await wanted.evaluate("(element) => element === document.activeElement"):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"the tabulator does not reach {wanted}")
