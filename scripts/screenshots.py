"""Takes pictures of the demo's pages and writes docs/screenshots/*.png: `make screenshots`.

They show the real product: a server with its demo, used by Chromium. The pictures are reduced to few colours, because
they are committed.
"""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from PIL import Image
from playwright.async_api import Browser, Page, expect

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench._demo import HOUSE, demo_house, page_of, show_of
from tests.browser import counter
from tests.browser import gate as gate_work
from tests.browser.chromium import chromium, visitor

FOLDER = Path(__file__).parents[1] / "docs/screenshots"
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
GATE: dict[str, Any] = PHONE | {"permissions": ["camera"]}
DARK: dict[str, Any] = DESK | {"color_scheme": "dark"}
COLOURS, EXACT = 256, 48


class Demo(NamedTuple):
    origin: str
    passwords: dict[str, str]

    @property
    def sign_in(self) -> dict[str, str]:
        return {"organization": HOUSE, "email": "owner@demo.example", "password": self.passwords["owner"]}


class Shot(NamedTuple):
    name: str
    walk: Callable[[Page, Demo], Awaitable[None]]
    options: dict[str, Any] = DESK


@asynccontextmanager
async def owner(demo: Demo) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the organisation's owner, who prepares what the pictures show, outside of the pictured browser."""
    async with httpx.AsyncClient(base_url=demo.origin) as client:
        token = (await client.post("/api/auth/login", json=demo.sign_in)).raise_for_status().json()["data"]["token"]
    async with httpx.AsyncClient(base_url=demo.origin, headers={"authorization": f"Bearer {token}"}) as signed_in:
        yield signed_in


# --- walks


async def programme(page: Page, demo: Demo) -> None:
    await page.goto(f"{demo.origin}/o/{HOUSE}")
    await page.wait_for_load_state("networkidle")


async def show(page: Page, demo: Demo, title: str = "The Lighthouse Keeper") -> None:
    await page.goto(page_of(demo.origin, title))
    await expect(page.get_by_role("application")).to_be_visible()
    await expect(page.get_by_text("Live availability")).to_be_visible()
    await page.get_by_role("region", name=re.compile("^Tickets for")).scroll_into_view_if_needed()
    await page.wait_for_timeout(400)  # until the map has its seat states


async def chosen(page: Page, demo: Demo) -> None:
    await show(page, demo)
    await page.get_by_label("Seats", exact=True).select_option("3")
    await page.get_by_role("button", name="Best available").click()
    await expect(page.get_by_text("Held for you")).to_be_visible()
    await page.wait_for_timeout(300)


async def checkout(page: Page, demo: Demo) -> None:
    await chosen(page, demo)
    await page.get_by_role("button", name="Continue to checkout").click()
    await expect(page.get_by_role("heading", name="Checkout")).to_be_visible()


async def order(page: Page, demo: Demo) -> None:
    """A buyer's order page: the tickets with their QR codes."""
    await checkout(page, demo)
    await counter.fill_in(page)
    await counter.pay(page)
    await page.get_by_role("link", name="View order").click()
    await expect(page.get_by_role("img", name=re.compile("QR code")).first).to_be_visible()


async def waiting_room(page: Page, demo: Demo) -> None:
    """One slot, which another visitor has. An event of its own: people who hold seats are admitted first."""
    title = "Night Ferry: a Concert in Four Tides"
    show = show_of(demo.origin, title)
    async with owner(demo) as desk:
        (await desk.put(f"/api/events/{show['id']}/queue/settings", json={"mode": "on", "slots": 1})).raise_for_status()
    line = f"{page_of(demo.origin, title)}/queue"
    assert page.context.browser
    somebody = await page.context.browser.new_page()
    await somebody.goto(line)
    await expect(somebody.get_by_role("application")).to_be_visible()
    await page.goto(line)
    await expect(page.get_by_text("Your place in the queue")).to_be_visible()
    await page.wait_for_timeout(400)
    await somebody.close()


async def scanner(page: Page, demo: Demo) -> None:
    """A phone at a gate of the running festival scans a ticket, perhaps one that was scanned before."""
    event = show_of(demo.origin, "Signal Hill Sounds")["id"]
    async with owner(demo) as desk:
        venue = (await desk.get(f"/api/events/{event}")).json()["data"]["venue_id"]
        gate = (await desk.get(f"/api/venues/{venue}/gates")).json()["data"][0]
        wish = {"event_id": event, "name": "Phone 3", "gate_ids": [gate["id"]], "rights": ["scan", "search"]}
        pairing = (await desk.post("/api/scan/devices", json=wish)).raise_for_status().json()["data"]
        found = (await desk.post("/api/orders/search", json={"event_id": event, "status": "paid"})).json()["data"][0]
        ticket = (await desk.get(f"/api/orders/{found['id']}")).json()["data"]["tickets"][0]
    await page.goto(f"{demo.origin}/scan/#{HOUSE}/{pairing['code']}")
    await page.get_by_role("button", name="Pair").click()
    await expect(page.get_by_role("heading", name=gate["name"])).to_be_visible()
    await expect(page.get_by_text("Online", exact=True)).to_be_visible()
    await gate_work.by_hand(page, ticket["code"])
    await expect(gate_work.verdict(page)).to_be_visible()


async def arena(page: Page, demo: Demo) -> None:
    await page.goto(f"{page_of(demo.origin, 'Aurora: the World Tour')}/queue")
    await expect(page.get_by_role("application")).to_be_visible()
    await page.get_by_role("region", name=re.compile("^Tickets for")).scroll_into_view_if_needed()
    await page.wait_for_timeout(600)


async def console(page: Page, demo: Demo, path: str = "") -> None:
    """As the owner, with the session cookie that signing in sets."""
    headers = {"origin": demo.origin}
    answer = await page.request.post(f"{demo.origin}/api/auth/login", data=demo.sign_in, headers=headers)
    assert answer.ok, await answer.text()
    await page.goto(f"{demo.origin}/console{path}")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await page.wait_for_timeout(1200)  # until charts and figures are drawn


async def doors(page: Page, demo: Demo) -> None:
    """The running festival."""
    await console(page, demo, f"/events/{show_of(demo.origin, 'Signal Hill Sounds')['id']}/doors")


SHOTS = (
    Shot("programme", programme),
    Shot("programme-phone", programme, PHONE),
    Shot("seats", chosen),
    Shot("seats-dark", chosen, DARK),
    Shot("seats-phone", show, PHONE),
    Shot("checkout", checkout),
    Shot("arena", arena),
    Shot("console", console),
    Shot("console-dark", console, DARK),
    Shot("doors", doors),
    Shot("order", order),
    Shot("scanner", scanner, GATE),
    Shot("waiting-room", waiting_room),  # last, because from now on people wait
)


# --- pictures


def main() -> int:
    names = sys.argv[1:]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with demo_house() as (origin, passwords):
        asyncio.run(take([s for s in SHOTS if not names or s.name in names], Demo(origin, passwords)))
    return 0


async def take(shots: list[Shot], demo: Demo) -> None:
    async with chromium(whole=True) as browser:
        for shot in shots:
            picture = reduced(await _taken(browser, shot, demo))
            (FOLDER / f"{shot.name}.png").write_bytes(picture)
            print(f"{shot.name}: {len(picture) / 1000:.0f} kB")


async def _taken(browser: Browser, shot: Shot, demo: Demo) -> bytes:
    async with visitor(browser, demo.origin, **shot.options) as one:
        await shot.walk(one.page, demo)
        return await one.page.screenshot()


def reduced(png: bytes) -> bytes:
    """Keeps the most frequent colours (background, text, surfaces) exactly, and reduces the rest. An octree keeps rare
    colours, such as amber on a wide map, but alone it would merge the background with white."""
    picture, out = Image.open(BytesIO(png)).convert("RGB"), BytesIO()
    found: Any = picture.getcolors(picture.width * picture.height)  # pairs of count and colour
    exact = [channel for _, colour in sorted(found, reverse=True)[:EXACT] for channel in colour]
    rest = picture.quantize(COLOURS - EXACT, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).getpalette()
    palette = Image.new("P", (1, 1))
    palette.putpalette(exact + (rest or []))
    few = picture.quantize(palette=palette, dither=Image.Dither.NONE)
    few.save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    sys.exit(main())
