"""A Chromium of the system's, and pages that hold whoever uses them to the house's promises.

A page of ours loads nothing from elsewhere, logs no error, and says nobody's name in an address. A visitor's page notes
whatever breaks one of these; `check` says so at the end of the test.
"""

import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import resources
from typing import Any
from urllib.parse import unquote_plus, urlsplit

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, async_playwright

from tests.services.servers import missing

# A server without a screen, a sandbox or a way out needs none of what these switch off.
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",  # nothing leaves this machine
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
)
# Questions whose answer is often no, which Chromium logs by itself: whether somebody is known here already, whether
# they have a checkout open or wait for one. To ask first would cost everybody a request.
QUIET = (
    ("401 (Unauthorized)", "/queue"),
    ("404 (Not Found)", "/checkout"),
    ("404 (Not Found)", "/waitlist"),
)
# Whom the tests know, and nobody else should learn of by an address.
PEOPLE = ("@example.", "thandi", "radebe", "ada buyer", "bohumila")
AXE = resources.files("axe_playwright_python") / "axe.min.js"
# What axe is asked for: WCAG 2.2 AA, and its advice for good practice.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# A frame has no axe of its own to answer: to ask it is to wait for nothing.
LOOK = """async (only) =>
  (await axe.run(document, { runOnly: only, resultTypes: ['violations'], iframes: false })).violations"""


def program(*, whole: bool = False) -> str:
    """The shell draws pages as the whole browser does, without the browser around them: a third less work."""
    names = (os.environ.get("CHROMIUM"), None if whole else "chromium-headless-shell", "chromium", "chromium-browser")
    for name in names:
        if name and (found := shutil.which(name)):
            return found
    raise missing("Chromium is not installed (scripts/browser)")


@asynccontextmanager
async def chromium(*switches: str, whole: bool = False) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program(whole=whole), args=[*SWITCHES, *switches])
        try:
            yield browser
        finally:
            await browser.close()


class Visitor:
    """Somebody with a browser of their own. `page` is what they look at."""

    def __init__(self, context: BrowserContext, page: Page, origin: str) -> None:
        self.context, self.page, self.origin = context, page, origin
        self.wrong: list[str] = []
        self.addresses: list[str] = []
        self._expected: list[str] = []
        self._elsewhere: list[str] = []
        # Not by a route: one for every address would switch off the browser's cache, and ask us about each request.
        context.on("request", lambda request: self._stay_here(request.url))
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.wrong.append(f"uncaught: {error}"))
        page.on("request", lambda request: self._note(request.url))
        page.on("framenavigated", lambda frame: self._note(frame.url))  # scripts change it, too

    def expects(self, *words: str) -> None:
        """A refusal that the test brings about: the browser itself logs it."""
        self._expected += words

    def may_reach(self, *addresses: str) -> None:
        """What a test puts in another site's place, by the beginning of its address."""
        self._elsewhere += addresses

    async def go(self, path: str) -> None:
        await self.page.goto(self.origin + path, wait_until="load")

    def check(self) -> None:
        assert not self.wrong, self.wrong
        named = [address for address in self.addresses if any(word in address.lower() for word in PEOPLE)]
        assert not named, f"a person in an address: {named}"

    def _hear(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "")
        asked = any(status in message.text and where.endswith(path) for status, path in QUIET)
        expected = any(word in f"{message.text} {where}" for word in self._expected)
        if message.type in ("error", "warning") and not asked and not expected:
            self.wrong.append(f"{message.type}: {message.text} ({where})")

    def _note(self, address: str) -> None:
        self.addresses.append(unquote_plus(address))

    def _stay_here(self, address: str) -> None:
        target = urlsplit(address)
        here = f"{target.scheme}://{target.netloc}" == self.origin or target.scheme in ("data", "blob")
        if not here and not address.startswith(tuple(self._elsewhere)):
            self.wrong.append(f"a request to {address}")

    async def violations(self, *rules: str) -> list[str]:
        """What axe finds wrong on the page as it is now; by these rules alone, where some are named."""
        if not await self.page.evaluate("'axe' in window"):
            await self.page.evaluate(AXE.read_text())
        found: Any = await self.page.evaluate(
            LOOK,
            {"type": "rule", "values": rules} if rules else RULES,
        )
        return [
            f"{one['id']}: {one['help']}: {node['target']}: {node['html'][:160]}"
            for one in found
            for node in one["nodes"]
        ]


Visit = Callable[..., Any]


@asynccontextmanager
async def visitor(browser: Browser, origin: str, **options: Any) -> AsyncIterator[Visitor]:
    """Options are those of a browser context: `viewport`, `color_scheme`, `java_script_enabled` …"""
    usual: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", "locale": "en-GB"}
    context = await browser.new_context(**usual | options)
    context.set_default_timeout(15_000)
    try:
        page = await context.new_page()
        yield Visitor(context, page, origin)
    finally:
        await context.close()
