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
    size = page.viewport_size
    was_dark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    wrong = []
    for name in looks or LOOKS:
        look = LOOKS[name]
        await page.emulate_media(color_scheme=look.scheme)
        await page.set_viewport_size({"width": look.width, "height": look.height})
        wrong += [f"{name}: {each}" for each in [*await one.violations(*look.asked), *await _too_wide(page)]]
    await page.emulate_media(color_scheme="dark" if was_dark else "light")
    if size:
        await page.set_viewport_size(size)
    return wrong


async def _too_wide(page: Page) -> list[str]:
    over = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{over} pixels wider than the screen"] if over > 0 else []
