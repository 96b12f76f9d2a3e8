"""Look at the demo's pages and write docs/screenshots/*.png: `make screenshots`.

What is shown is the product as it runs: a server with its demo, a Chromium that walks through it. The pictures are
reduced to few colours, because they are kept with the code.
"""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from playwright.async_api import Browser, Page, expect

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench._demo import HOUSE, demo_house, page_of, show_of
from tests.browser.chromium import chromium, visitor

FOLDER = Path(__file__).parents[1] / "docs/screenshots"
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
DARK: dict[str, Any] = DESK | {"color_scheme": "dark"}
COLOURS = 128


class Demo(NamedTuple):
    origin: str
    passwords: dict[str, str]


class Shot(NamedTuple):
    name: str
    walk: Callable[[Page, Demo], Awaitable[None]]
    options: dict[str, Any] = DESK


# --- walks


async def programme(page: Page, demo: Demo) -> None:
    await page.goto(f"{demo.origin}/o/{HOUSE}")
    await page.wait_for_load_state("networkidle")


async def show(page: Page, demo: Demo, title: str = "The Lighthouse Keeper") -> None:
    await page.goto(page_of(demo.origin, title))
    await expect(page.get_by_role("application")).to_be_visible()
    await expect(page.get_by_text("Live availability")).to_be_visible()
    await page.get_by_role("region", name=re.compile("^Tickets for")).scroll_into_view_if_needed()
    await page.wait_for_timeout(400)  # the map has its states


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


async def arena(page: Page, demo: Demo) -> None:
    await page.goto(f"{page_of(demo.origin, 'Aurora: the World Tour')}/queue")
    await expect(page.get_by_role("application")).to_be_visible()
    await page.get_by_role("region", name=re.compile("^Tickets for")).scroll_into_view_if_needed()
    await page.wait_for_timeout(600)


async def console(page: Page, demo: Demo, path: str = "") -> None:
    """As the owner, whose session is in the browser's cookie as after signing in."""
    wish = {"organization": HOUSE, "email": "owner@demo.example", "password": demo.passwords["owner"]}
    answer = await page.request.post(f"{demo.origin}/api/auth/login", data=wish, headers={"origin": demo.origin})
    assert answer.ok, await answer.text()
    await page.goto(f"{demo.origin}/console{path}")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await page.wait_for_timeout(1200)  # charts and figures


async def doors(page: Page, demo: Demo) -> None:
    """The festival that is on."""
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
)


# --- pictures


def main() -> int:
    names = sys.argv[1:]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with demo_house() as (origin, passwords):
        asyncio.run(take([s for s in SHOTS if not names or s.name in names], Demo(origin, passwords)))
    return 0


async def take(shots: list[Shot], demo: Demo) -> None:
    async with chromium() as browser:
        for shot in shots:
            picture = reduced(await _taken(browser, shot, demo))
            (FOLDER / f"{shot.name}.png").write_bytes(picture)
            print(f"{shot.name}: {len(picture) / 1000:.0f} kB")


async def _taken(browser: Browser, shot: Shot, demo: Demo) -> bytes:
    async with visitor(browser, demo.origin, **shot.options) as one:
        await shot.walk(one.page, demo)
        return await one.page.screenshot()


def reduced(png: bytes) -> bytes:
    """Few colours do for a page of paper and ink."""
    out = BytesIO()
    few = Image.open(BytesIO(png)).convert("RGB").quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    sys.exit(main())
