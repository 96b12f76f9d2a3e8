"""No barrier: a state of a page is looked at by day and at night, on a desk and on a phone, without leaving it.

A walk for each look would come to the same states four times. On the way there one look is enough: that of a phone
where a page may be another on one from the beginning.
"""

from typing import Any, Literal, NamedTuple

from playwright.async_api import Page

from tests.browser.chromium import Visitor


class Look(NamedTuple):
    """`asked` are rules of axe; without any, all of them. At night colours are another matter, and nothing else is."""

    scheme: Literal["light", "dark"]
    width: int
    height: int
    asked: tuple[str, ...] = ()


COLOURS = ("color-contrast", "link-in-text-block")
LOOKS = {
    "day": Look("light", 1280, 900),
    "night": Look("dark", 1280, 900, COLOURS),
    "phone at night": Look("dark", 360, 740, COLOURS),  # menus and bars that a desk does not have
    "phone": Look("light", 360, 740),
}
# What a visitor's browser is, where a whole walk is one of a phone.
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


async def clean(one: Visitor, state: str, *looks: str) -> None:
    """axe finds nothing, and nothing is wider than the screen: in all looks, or in these."""
    wrong = await seen(one, *looks)
    assert wrong == [], state


async def seen(one: Visitor, *looks: str) -> list[str]:
    """What is wrong with the page as it is now. It is left as it was."""
    page = one.page
    at = page.viewport_size
    before: Look | None = None
    if at:
        dark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        before = Look("dark" if dark else "light", at["width"], at["height"])
    wrong, now = [], before
    for name in looks or LOOKS:
        now = await _turn(page, now, LOOKS[name])
        found = [*await one.violations(*now.asked), *await _too_wide(page)]
        wrong += [f"{name}: {each}" for each in found]
    if before:
        await _turn(page, now, before)
    return wrong


async def _turn(page: Page, now: Look | None, wanted: Look) -> Look:
    """Only what differs: the page is laid out and drawn anew for each change."""
    if not now or now.scheme != wanted.scheme:
        await page.emulate_media(color_scheme=wanted.scheme)
    if not now or (now.width, now.height) != (wanted.width, wanted.height):
        await page.set_viewport_size({"width": wanted.width, "height": wanted.height})
    return wanted


async def _too_wide(page: Page) -> list[str]:
    over = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{over} pixels wider than the screen"] if over > 0 else []
