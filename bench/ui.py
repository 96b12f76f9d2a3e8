"""The pages in a real Chromium, against the goals for them: a map of 80,000 seats, a gate's snapshot of 100,000
tickets, a show's page, the scripts' sizes.

    python bench/ui.py          (or: make bench-ui)

Needs Chromium, Node and `frontend/node_modules`. Map and snapshot are the pages' own code, built with a stopwatch
around it (frontend/bench). "4×" is Chromium's own slowing of the processor: about a phone of the middle class. Where
there is a headless shell it is used: the whole browser draws pages of its own beside ours, on the cores that are left.
"""

import asyncio
import base64
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from playwright.async_api import Browser, Page, Route

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench._demo import demo_house, page_of
from tests.browser.chromium import chromium, program
from tests.scanning import sample
from tests.services.servers import Missing
from tests.test_bundle import MOST_KB, SPOKEN, entry, kilobytes, manifest

from fullhouse.scanning.snapshots import codec
from fullhouse.seating.maps.geometry import encode_geometry, pack_states
from fullhouse.seating.plans import chart
from fullhouse.seating.plans.generators import Arena, generate
from fullhouse.seating.plans.plan import Plan

ROOT = Path(__file__).parents[1]
SEATS, TICKETS = 80_000, 100_000
ZOOMS = {"the whole house": 1.0, "seats": 4.0, "a few rows": 14.0}
TRIES = 5
VISITS = 9  # of a page: they differ more


class Goal(NamedTuple):
    what: str
    figure: float
    unit: str
    most: float
    least: bool = False  # the goal is a lower bound

    @property
    def ok(self) -> bool:
        return self.figure >= self.most if self.least else self.figure <= self.most

    def __str__(self) -> str:
        sign = "≥" if self.least else "≤"
        mark = "ok" if self.ok else "NOT"
        return f"{self.what:<44} {self.figure:>9.1f} {self.unit:<4} {sign} {self.most:<6g} {mark}"


def main() -> int:
    try:
        program()
    except Missing as missing:
        print(f"not measured: {missing}")
        return 0
    if not shutil.which("npx") or not (ROOT / "frontend/node_modules").exists():
        print("not measured: Node or frontend/node_modules is not there (make web)")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        _build(Path(folder))
        files = {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}
    with demo_house() as (origin, _):
        goals = [*sizes(), *asyncio.run(measured(files, page_of(origin, "The Lighthouse Keeper")))]
    missed = 0
    for goal in goals:
        print(goal)
        missed += not goal.ok
    print("all goals are met" if not missed else f"{missed} goals are missed")
    return 1 if missed else 0


# --- what a page loads


def sizes() -> list[Goal]:
    """What somebody loads: a language, a program, and the largest of its pages. What all pages have is said too."""
    built = manifest()
    goals = []
    for name, most in MOST_KB.items():
        program = entry(name)
        pages = built[program].get("dynamicImports", ())
        largest = max(
            kilobytes(built, *map(entry, words), program, page)
            for words in SPOKEN[name].values()
            for page in (program, *pages)
        )
        goals.append(Goal(f"{name}: scripts of a page, gzip", largest, "kB", most))
        if pages:
            print(
                f"{name}: {kilobytes(built, program, *pages):.1f} kB are all of its pages, loaded when they are opened"
            )
    return goals


# --- the map


async def measured(files: dict[str, bytes], address: str) -> list[Goal]:
    async with chromium() as browser:
        return [
            *await the_map(browser, files, 1), *await the_map(browser, files, 4),
            *await the_snapshot(browser, files["sheet.js"]), await the_page(browser, address),
        ]  # fmt: skip


def _build(folder: Path) -> None:
    command = ["npx", "vite", "build", "--config", "bench/vite.config.ts", "--outDir", str(folder), "--emptyOutDir"]
    subprocess.run([*command, "--logLevel", "error"], cwd=ROOT / "frontend", check=True)


def _plan() -> Plan:
    return next(
        plan
        for rows in range(20, 40)
        if (plan := generate(Arena(name="Stadium", tiers=5, rows_per_tier=rows, first_tier_sections=16)))
        and (plan.total_capacity or 0) >= SEATS
    )


async def the_map(browser: Browser, built: dict[str, bytes], slower: int) -> list[Goal]:
    plan = _plan()
    drawn = chart.build_chart(plan)
    states = np.random.default_rng(7).choice(3, len(drawn.x), p=(0.5, 0.1, 0.4)).astype(np.uint8)
    files = {
        "/": (b'<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/map.css">', "text/html"),
        "/map.js": (built["map.js"], "text/javascript"),
        "/map.css": (built["map.css"], "text/css"),
        "/geometry": (encode_geometry(plan, drawn), "application/octet-stream"),
        "/states": (pack_states(states), "application/octet-stream"),
    }
    first = []
    for _ in range(TRIES):  # each on a page of its own: whoever opens a map has not drawn one before
        page, inspector = await _opened(browser, files, slower)
        first.append(float(await page.evaluate("bench.firstPaint()")))
        if len(first) < TRIES:
            await page.close()
    count = await page.evaluate("bench.count()")
    name = f"{count:,} seats" + (f", {slower}×" if slower > 1 else "")
    goals = [Goal(f"{name}: first paint", statistics.median(first), "ms", 150 if slower == 1 else 400)]
    for looked_at, zoom in ZOOMS.items():
        goals.append(_frames(f"{name}: dragging, {looked_at}", await page.evaluate("z => bench.pan(z)", zoom), slower))
    if slower == 1:
        goals.append(Goal(f"{name}: 1,000 deltas", await _median(page, "bench.deltas(1000)"), "ms", 5))
        goals.append(Goal(f"{name}: all states anew", await _median(page, "bench.resync()"), "ms", 20))
        goals.append(Goal(f"{name}: memory of the page", await _memory(inspector), "MB", 80))
    await page.close()
    return goals


async def _opened(browser: Browser, files: dict[str, tuple[bytes, str]], slower: int) -> tuple[Page, Any]:
    page = await _page(browser, files, "/map.js")
    await page.evaluate("bench.load()")
    inspector = await page.context.new_cdp_session(page)
    await inspector.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    return page, inspector


async def _page(browser: Browser, files: dict[str, tuple[bytes, str]], script: str) -> Page:
    """Secure, as a scanner's page must be: only such a one is lent keys."""
    page = await browser.new_page(viewport={"width": 1280, "height": 900})

    async def answer(route: Route) -> None:
        body, kind = files.get(urlsplit(route.request.url).path, (b"", "text/plain"))
        await route.fulfill(body=body, content_type=kind)

    await page.route("**/*", answer)
    await page.goto("https://bench.invalid/")
    await page.add_script_tag(url=script, type="module")
    return page


def _frames(what: str, frames: list[float], slower: int) -> Goal:
    if slower == 1:
        return Goal(f"{what}, frame p95", float(np.percentile(frames, 95)), "ms", 20)
    return Goal(what, 1000 / statistics.mean(frames), "fps", 30, least=True)


async def _median(page: Page, what: str) -> float:
    return statistics.median([float(await page.evaluate(what)) for _ in range(TRIES)])


async def _memory(inspector: Any) -> float:
    """The script's heap and its arrays; pixels are the browser's."""
    await inspector.send("HeapProfiler.collectGarbage")
    heap = await inspector.send("Runtime.getHeapUsage")
    return (float(heap["usedSize"]) + float(heap.get("backingStorageSize", 0))) / 1e6


# --- a gate's snapshot


async def the_snapshot(browser: Browser, script: bytes) -> list[Goal]:
    chance = random.Random(1)
    rows = [
        sample.row(
            n,
            codec.code_of(chance.randrange(31**8)),
            nonce=chance.randbytes(8),
            seat=n % 40,
            row=n // 40 % 60,
            at=chance.randrange(9000) if n % 2 else 0,
            inside=n % 2,
        )
        for n in range(TICKETS)
    ]
    rows.sort(key=lambda row: row.code)
    former = {codec.code_of(chance.randrange(31**8)): row.code for row in rows[::20]}  # one in twenty was passed on
    packed = codec.pack(sample.header(former=former), rows)
    sealed = codec.seal(packed, sample.KEY, Ed25519PrivateKey.from_private_bytes(sample.HOUSE), sample.DEVICE)
    files = {
        "/": (b"<!doctype html><title>Gate</title>", "text/html"),
        "/sheet.js": (script, "text/javascript"),
        "/snapshot": (sealed, "application/octet-stream"),
    }
    page = await _page(browser, files, "/sheet.js")
    keys = [base64.b64encode(key).decode() for key in (sample.KEY, sample.public(sample.HOUSE))]
    await page.evaluate("keys => bench.load(...keys)", [str(sample.DEVICE), *keys])
    inspector = await page.context.new_cdp_session(page)
    name, goals = f"{TICKETS:,} tickets", [Goal(f"{TICKETS:,} tickets: the snapshot", len(sealed) / 1e6, "MB", 3)]
    for slower in (1, 4):
        await inspector.send("Emulation.setCPUThrottlingRate", {"rate": slower})
        took = await _median(page, f"bench.opened('{rows[0].code}')")
        goals.append(Goal(f"{name}: loaded" + (f", {slower}×" if slower > 1 else ""), took, "ms", 1000))
    await page.close()
    return goals


# --- a show's page, from a server that runs


# Usable: the map is drawn with the seats' states, what it costs is known, and the line for changes is open.
_USABLE = """
    document.querySelector('.stage[aria-busy=false] canvas') && document.querySelector('.legend .live.open')
        && document.querySelector('.chips button')
        ? new Promise(drawn => requestAnimationFrame(() => drawn(performance.now()))) : 0
"""
_LOOK_S = 0.02


async def the_page(browser: Browser, address: str) -> Goal:
    """From the click to a map that can be used, with an empty cache and a slow processor. Beside other work that takes
    longer; what does not is the processor time of the page's own thread, without slowing, which is printed."""
    took: list[float] = []
    worked: list[float] = []
    for _ in range(VISITS):
        for slower, noted in ((1, worked), (4, took)):
            context = await browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
            page = await context.new_page()
            inspector = await context.new_cdp_session(page)
            await inspector.send("Emulation.setCPUThrottlingRate", {"rate": slower})
            await inspector.send("Performance.enable", {"timeDomain": "threadTicks"})
            await page.goto(address, wait_until="commit")
            usable = await _usable(inspector)
            measured = (await inspector.send("Performance.getMetrics"))["metrics"]
            (work,) = [one["value"] * 1000 for one in measured if one["name"] == "TaskDuration"]
            noted.append(work if slower == 1 else usable)
            await context.close()
    print(f"a show's page takes {statistics.median(worked):.0f} ms of processor time until it is usable")
    return Goal("a show's page is usable, 4×", statistics.median(took), "ms", 1000)


async def _usable(inspector: Any) -> float:
    """Asked again and again, of the inspector itself: a helper's script in the page would take time of its own."""
    while True:
        await asyncio.sleep(_LOOK_S)
        found = await inspector.send("Runtime.evaluate", {"expression": _USABLE, "awaitPromise": True})
        if at := found["result"].get("value"):
            return float(at)


if __name__ == "__main__":
    sys.exit(main())
