"""The waiting room: it outlasts a house that is full, says how long a place lasts, and is quiet otherwise."""

import asyncio
import re
from typing import Any

import pytest
from playwright.async_api import Route, expect

from tests.accounts.helpers import data
from tests.browser import counter
from tests.browser.chromium import Visit, Visitor
from tests.browser.looks import PHONE, clean
from tests.fixtures import Client, Tenant


async def _in_line(visit: Visit, staff: Client, tenant: Tenant) -> Visitor:
    sale = await counter.small_house(staff)
    data(await staff.put(sale.path("queue/settings"), json={"mode": "on", "slots": 1}))
    first = await visit(f"{counter.path(tenant)}/queue")
    await expect(first.page.get_by_role("application")).to_be_visible()
    waits: Visitor = await visit(f"{counter.path(tenant)}/queue")
    await expect(waits.page.locator("#number")).to_have_text("1")
    return waits


@pytest.mark.req("QUEUE-2", "OBS-2")
@pytest.mark.parametrize(
    ("status", "code"), [(503, "unavailable"), (429, "rate_limited"), (502, None)], ids=["full", "too often", "proxy"]
)
async def test_a_line_outlasts_a_house_that_is_full_for_a_moment(
    visit: Visit, staff: Client, tenant: Tenant, status: int, code: str | None
) -> None:
    """Nobody presses a button: who waits has gone for a coffee."""
    waits = await _in_line(visit, staff, tenant)
    waits.expects(str(status))
    page, refused = waits.page, 0

    async def refuse(route: Route) -> None:
        nonlocal refused
        refused += 1
        body = f'{{"status": {status}, "code": "{code}", "detail": "Full for a moment."}}' if code else "<h1>Oh no</h1>"
        await route.fulfill(status=status, body=body, headers={"retry-after": "1"})

    await page.route("**/queue", refuse)
    async with asyncio.timeout(30):
        while refused < 2:  # it was told no, and asks again by itself
            await asyncio.sleep(0.2)
    await expect(page.locator("#hint")).to_have_text(
        "We’re very busy right now. Retrying automatically… Your place is kept."
    )
    await expect(page.locator("#number")).to_have_text("1")  # it is kept, so it is said
    await page.unroute("**/queue", refuse)
    await expect(page.locator("#hint")).to_have_text("")
    await expect(page.locator("#updated")).to_have_text(re.compile("^[0-3] s ago"))


@pytest.mark.req("QUEUE-2")
async def test_a_line_is_quiet_while_nothing_changes_and_counts_down_beside_it(
    visit: Visit, staff: Client, tenant: Tenant
) -> None:
    page = (await _in_line(visit, staff, tenant)).page
    left = page.get_by_role("timer")
    await expect(left).to_have_text(re.compile(r"^Your place is kept for (2\d|30):\d\d\.$"))
    said, shown = await left.evaluate(
        """(timer) => new Promise((resolve) => {
            let said = 0;
            const shown = new Set([timer.textContent]);  // a poll in between begins the time anew
            const all = { childList: true, characterData: true, subtree: true };
            const watch = new MutationObserver((changes) => (said += changes.length));
            for (const one of document.querySelectorAll("[aria-live], [role=status]")) watch.observe(one, all);
            new MutationObserver(() => shown.add(timer.textContent)).observe(timer, all);
            setTimeout(() => resolve([said, shown.size]), 4500);
        })"""
    )
    assert said == 0
    assert shown > 1


@pytest.mark.req("QUEUE-2")
@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en", r"It opens on Tuesday,? 3 January 2090 at 10:00 \(Europe/Brussels\)\. You are in\. Everyone .*"),
        ("af", r"Dit open op Dinsdag,? 3 Januarie 2090 om 10:00 \(Europe/Brussels\)\. Jy is in\. Almal .*"),
    ],
    ids=["en", "af"],
)
async def test_a_line_opens_by_the_clock_of_the_place(
    visit: Visit, staff: Client, tenant: Tenant, language: str, says: str
) -> None:
    """Days ahead, and from the other side of the world."""
    opens_at = "2090-01-03T09:00:00Z"
    sale = await counter.small_house(staff, sale_start_at=opens_at)
    wish = {"mode": "on", "slots": 1, "opens_at": opens_at}
    data(await staff.put(sale.path("queue/settings"), json=wish))
    waits = await visit(f"{counter.path(tenant)}/queue", locale=language, timezone_id="Pacific/Auckland")
    await expect(waits.page.locator("#hint")).to_have_text(re.compile(f"^{says}$"))
    await clean(waits, "early")


@pytest.mark.req("QUEUE-2")
@pytest.mark.parametrize(
    ("ahead_s", "says"), [(2400, r"Opens in (40:00|39:\d\d)\."), (95, r"Opens in 1:\d\d\."), (90_000, "")]
)
async def test_before_it_opens_a_place_does_not_end(
    visit: Visit, staff: Client, tenant: Tenant, ahead_s: int, says: str
) -> None:
    """It counts down to the opening, once that is near; and nobody is told to come back every half an hour."""
    await counter.small_house(staff)
    told = PLACE | {"room": "pre", "opens_at": "2090-01-03T09:00:00Z", "opens_at_unix_ms": ahead_s * 1000}
    waits = await visit("/")
    page = waits.page
    await page.route("**/api/events/*/queue", lambda route: route.fulfill(json={"data": told}))
    await waits.go(f"{counter.path(tenant)}/queue")
    await expect(page.locator("#word")).to_have_text("The queue has not opened yet")
    await expect(page.get_by_role("timer")).to_have_text(re.compile(f"^{says}$"))
    await expect(page.get_by_text("you stay in the draw")).to_be_visible()
    await expect(page.locator("#fine")).to_be_hidden()


@pytest.mark.req("QUEUE-2")
async def test_whoever_leaves_sees_when_they_may_join_again(visit: Visit, staff: Client, tenant: Tenant) -> None:
    waits = await _in_line(visit, staff, tenant)
    waits.expects("429")
    page = waits.page
    await page.get_by_role("button", name="Leave the queue").click()
    await page.get_by_role("dialog").get_by_role("button", name="Leave", exact=True).click()
    await expect(page.locator("#word")).to_have_text("You have left the queue")
    rejoin = page.get_by_role("button", name=re.compile("^Join again in"))
    await expect(rejoin).to_have_text(re.compile(r"^Join again in (5\d|60):\d\d$"))
    await expect(rejoin).to_be_disabled()
    before = await rejoin.inner_text()
    await expect(rejoin).not_to_have_text(before)  # it counts down
    await clean(waits, "left")
    await page.reload()
    await expect(rejoin).to_be_disabled()


PLACE = {"status": "waiting", "position": None, "eta_low_s": None, "next_poll_s": 60, "server_time_unix_ms": 0}
# What the house may answer, and what the page makes of it: its word, and the deeds that it offers.
ANSWERS: dict[str, tuple[int, dict[str, Any], str, list[str]]] = {
    "opens soon": (200, {"room": "pre"}, "The queue has not opened yet", ["Leave the queue"]),
    "paused": (200, {"room": "paused", "position": 3, "ahead": 2}, "Paused for a moment", ["Leave the queue"]),
    "sold out": (200, {"status": "sold_out"}, "Sold out", ["Back to the event"]),
    "closed": (200, {"status": "closed", "room": "closed"}, "The queue is closed", ["Back to the event"]),
    "expired": (200, {"status": "expired"}, "Your place has expired", ["Join the queue"]),
    "left": (200, {"status": "left"}, "You have left the queue", ["Join the queue"]),
    "bought": (200, {"status": "done"}, "All done", ["Back to the event"]),
    "nothing left": (409, {"code": "sold_out"}, "Sold out", ["Back to the event"]),
    "no line": (409, {"code": "queue_closed"}, "The queue is closed", ["Back to the event", "Join the queue"]),
    "in a checkout": (409, {"code": "in_checkout"}, "Not available right now", ["Back to the event", "Join the queue"]),
    "no longer sold": (
        422, {"code": "event_sales_closed"}, "Not available right now", ["Back to the event", "Join the queue"],
    ),
    "away": (503, {"code": "unavailable"}, "Joining the queue…", []),
}  # fmt: skip


@pytest.mark.req("QUEUE-2")
@pytest.mark.parametrize("state", ANSWERS)
async def test_no_barrier_in_any_state_of_a_line(visit: Visit, staff: Client, tenant: Tenant, state: str) -> None:
    await counter.small_house(staff)
    status, told, word, deeds = ANSWERS[state]

    async def answer(route: Route) -> None:
        await route.fulfill(status=status, json={"data": PLACE | told} if status == 200 else told)

    waits = await visit("/", **PHONE)
    waits.expects(str(status))
    await waits.page.route("**/api/events/*/queue", answer)
    await waits.go(f"{counter.path(tenant)}/queue")
    await expect(waits.page.locator("#word")).to_have_text(word)
    shown = waits.page.locator(".deeds").locator("a, button").filter(visible=True)
    await expect(shown).to_have_text(deeds)
    await clean(waits, state)


@pytest.mark.req("QUEUE-1")
@pytest.mark.parametrize(("room", "is_drawn"), [("pre", False), ("open", True)])
async def test_how_the_order_was_drawn_is_to_be_read_once_it_was(
    visit: Visit, staff: Client, tenant: Tenant, room: str, is_drawn: bool
) -> None:
    """Its hash is known from the beginning; before the draw there is nothing else to read."""
    await counter.small_house(staff)
    told = PLACE | {"room": room, "seed_hash": "ab" * 32} | ({"position": 2, "ahead": 1} if is_drawn else {})
    waits = await visit("/")
    page = waits.page
    await page.route("**/api/events/*/queue", lambda route: route.fulfill(json={"data": told}))
    await waits.go(f"{counter.path(tenant)}/queue")
    await expect(page.locator("#leave")).to_be_visible()  # the answer is there
    await expect(page.get_by_role("link", name="How the order was drawn")).to_have_count(int(is_drawn))
