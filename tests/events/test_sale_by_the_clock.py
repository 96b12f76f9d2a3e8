"""What an event's sale is changes by the hour alone. Every answer that says it agrees, whatever is cached of it."""

import re
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fullhouse.events.model import Status
from fullhouse.events.public import actions
from fullhouse.events.public.model import SalePeriod
from fullhouse.events.sale.policy import Stock, next_opening, next_sale_change, refresh_sale_status, sale_status
from fullhouse.kit.http.lanes import LaneRouter
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, add_type, begun, buy, code, selling, selling_types
from tests.events.helpers import make_venue, show
from tests.events.kept_reads import redis
from tests.events.listed import listed
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall, processes
from tests.services.servers import Server

__all__ = ["redis"]  # fixtures

pytestmark = pytest.mark.req("EV-5", "FEED-3", "FEED-4", "CACHE-1", "EV-17")
HOUR, STEP = timedelta(hours=1), timedelta(microseconds=1)
NOON = datetime(2030, 6, 1, 12, tzinfo=UTC)
WORDS = ("upcoming", "on_sale", "sold_out", "closed")
AVAILABILITY = {"PreOrder": "upcoming", "InStock": "on_sale", "SoldOut": "sold_out"}


# --- the table: the sale lasts from 1 to 9 o'clock

Hours = list[tuple[int, int]]
GAP, LATE, EARLY = [(1, 3), (6, 9)], [(4, 9)], [(1, 4)]
NONE: Hours = []
TABLE: list[tuple[Hours | None, str]] = [
    # Periods with something to buy; then the word before 1, at 1, 3, after 3, at 5, 6, 9, after 9.
    (None, "upcoming on_sale on_sale on_sale on_sale on_sale on_sale closed"),
    (GAP, "upcoming on_sale on_sale upcoming upcoming on_sale on_sale closed"),
    (LATE, "upcoming upcoming upcoming upcoming on_sale on_sale on_sale closed"),
    (EARLY, "upcoming on_sale on_sale on_sale sold_out sold_out sold_out closed"),
    (NONE, "upcoming sold_out sold_out sold_out sold_out sold_out sold_out closed"),
]
MOMENTS = [
    NOON + HOUR - STEP, NOON + HOUR, NOON + 3 * HOUR, NOON + 3 * HOUR + STEP, NOON + 5 * HOUR, NOON + 6 * HOUR,
    NOON + 9 * HOUR, NOON + 9 * HOUR + STEP,
]  # fmt: skip


def _periods(hours: Hours | None) -> list[SalePeriod] | None:
    return [SalePeriod(NOON + a * HOUR, NOON + b * HOUR) for a, b in hours] if hours else None


@pytest.mark.parametrize(("hours", "words"), TABLE)
def test_the_word_follows_from_when_there_is_something_to_buy(hours: Any, words: str) -> None:
    stock = Stock(NOON + HOUR, NOON + 9 * HOUR, True, hours == [], _periods(hours))
    event = show(status=Status.PUBLISHED)
    assert [sale_status(event, now, stock) for now in MOMENTS] == words.split()
    shown = listed(
        sale_start_at=stock.opens_at, sale_end_at=stock.closes_at, sold_out=stock.sold_out, sale_periods=stock.periods
    )
    assert [refresh_sale_status(shown, now).sale_status for now in MOMENTS] == words.split()
    assert [refresh_sale_status(refresh_sale_status(shown, late), NOON + HOUR).sale_status for late in MOMENTS] == [
        words.split()[1]
    ] * 8
    for now in MOMENTS:
        assert refresh_sale_status(shown, now).sold_out == (
            hours == [] or refresh_sale_status(shown, now).sale_status == "sold_out"
        )
        change = next_sale_change(shown, now)
        assert change is None or refresh_sale_status(
            shown, change - STEP if change > now else now
        ) == refresh_sale_status(shown, now)


def test_what_is_to_come_is_named() -> None:
    shown = listed(sale_start_at=NOON + HOUR, sale_end_at=NOON + 9 * HOUR, sale_periods=_periods(GAP))
    openings = [next_opening(shown, now) for now in (NOON, NOON + HOUR, NOON + 5 * HOUR, NOON + 7 * HOUR)]
    assert openings == [NOON + HOUR, NOON + 6 * HOUR, NOON + 6 * HOUR, NOON + HOUR]
    changes = [next_sale_change(shown, now) for now in (NOON, NOON + 2 * HOUR, NOON + 4 * HOUR, NOON + 10 * HOUR)]
    assert changes == [NOON + HOUR, NOON + 3 * HOUR, NOON + 6 * HOUR, None]


# --- every answer, in two processes, before and after each edge


class Walk(NamedTuple):
    lanes: list[LaneRouter]
    clock: Callable[[timedelta], Any]
    tenant: Tenant
    began: datetime

    def client(self, lane: LaneRouter, role: str | None = None) -> Client:
        return Client(lane, self.tenant.tokens[role] if role else None)

    @property
    def staff(self) -> Client:
        return self.client(self.lanes[0], "owner")

    def at(self, minutes: float) -> str:
        return (self.began + timedelta(minutes=minutes)).isoformat()

    async def go(self, minutes: float) -> None:
        """To so many minutes after the walk began, in every process."""
        await self.clock(self.began + timedelta(minutes=minutes) - datetime.now(UTC))
        for lane in self.lanes:
            await lane.wide.state.services.clock.measure()

    async def words(self, sale: Sale, word: str) -> list[dict[str, Any]]:
        """What each answer says, in each process."""
        event = data(await self.staff.get(sale.path("")[:-1]))
        return [await self._words(self.client(lane), sale, event, word) for lane in self.lanes]

    async def _words(self, client: Client, sale: Sale, event: Any, word: str) -> dict[str, Any]:
        one = data(await client.get(f"/event/v1/events/{sale.event_id}"))
        again = data(await client.get(f"/event/v1/events/{sale.event_id}"))  # as it is kept, ready to be sent
        mine = data(await client.as_(self.tenant.tokens["owner"]).get(sale.path("")[:-1]))
        found = {"event": one["sale_status"], "kept": again["sale_status"], "team": mine["sale_status"]}
        found["flag"] = "sold_out" if one["sold_out"] else found["event"]
        lists: dict[str, tuple[str, dict[str, str]]] = {
            "feed": ("/event/v1/events", {"city": word}),
            "trending": ("/event/v1/events", {"city": word, "sort": "trending"}),
            "search": ("/api/search", {"q": word}),
        }
        for name, (path, params) in lists.items():
            (hit,) = data(await client.get(path, params=params))
            found[name] = hit["sale_status"]
            filtered = [w for w in WORDS if data(await client.get(path, params=params | {"sale_status": w}))]
            found[f"{name}, filtered"] = filtered[0] if len(filtered) == 1 else filtered
        offers = {offer["status"] for offer in data(await client.get(sale.path("offers")))}
        order = ("on_sale", "upcoming", "sold_out", "closed")
        found["offers"] = next(w for w in order if w in offers)
        page = (await client.get(f"/o/{self.tenant.organization.slug}/{event['slug']}")).text
        said = re.search(r'"availability":"https://schema.org/(\w+)"', page)
        found["page"] = AVAILABILITY[said[1]] if said else "closed"
        return found


@pytest.fixture(params=[False, True], ids=["memory", "redis"])
async def walk(
    request: Any, redis: Server, server_url: str, owner_url: str, tmp_path: Path, clock: Any, tenant: Tenant
) -> AsyncIterator[Walk]:
    async with processes(2, server_url, owner_url, tmp_path, redis.url if request.param else None) as lanes:
        yield Walk(lanes, clock, tenant, datetime.now(UTC))


def _in_all(walk: Walk, found: list[dict[str, Any]], word: str) -> bool:
    assert found == [dict.fromkeys(found[0], word)] * len(walk.lanes), word
    return True


async def _follow(walk: Walk, sale: Sale, word: str, edges: dict[float, tuple[str, str]]) -> None:
    """Both sides of each edge; what is read on the one is cached when the other is reached."""
    for edge, (before, after) in edges.items():
        await walk.go(edge - 8)
        assert _in_all(walk, await walk.words(sale, word), before)
        await walk.go(edge + 2)
        assert _in_all(walk, await walk.words(sale, word), after)


async def test_between_two_ticket_types_more_is_to_come(walk: Walk) -> None:
    word = f"gap{walk.tenant.id.hex[-10:]}"
    venue = await make_venue(walk.staff, city=word)
    event = {"category": word, "name": word, "venue_id": venue["id"]}
    sale = await selling_types(
        walk.staff, 5, event=event | {"sale_start_at": walk.at(0)}, sale_start_at=walk.at(20), sale_end_at=walk.at(40)
    )
    await add_type(
        walk.staff,
        sale.event_id,
        name="general",
        price=900,
        kind="ga",
        quantity=5,
        sale_start_at=walk.at(60),
        sale_end_at=walk.at(80),
    )
    await walk.go(50)
    buyer = await guest(walk.client(walk.lanes[0]), walk.tenant)
    early = {"items": [{"ticket_type_id": sale.types["entry"], "quantity": 1}]}
    assert code(await buyer.post(sale.path("holds"), json=early)) == (409, "ticket_type_not_on_sale")
    edges = {
        20.0: ("upcoming", "on_sale"), 40.0: ("on_sale", "upcoming"), 60.0: ("upcoming", "on_sale"),
        80.0: ("on_sale", "closed"),
    }  # fmt: skip
    await _follow(walk, sale, word, edges)


async def test_when_the_last_tickets_are_no_longer_sold_the_rest_is_sold_out(walk: Walk) -> None:
    """Of seats: the type for the pit ends with places left, and all seats are sold for as long as seats are sold."""
    word = f"rest{walk.tenant.id.hex[-10:]}"
    sale = await selling(walk.staff, hall(1, 1, pit=5), venue={"city": word}, name=word, category=word)
    for name, end in (("pit", 40), ("seat", 80)):
        path = sale.path(f"ticket-types/{sale.types[name]}")
        data(await walk.staff.patch(path, json={"sale_end_at": walk.at(end)}))
    buyer = await guest(walk.client(walk.lanes[0]), walk.tenant)
    data(await buy(buyer, await begun(buyer, sale, 0)), 201)
    async with walk.lanes[0].wide.state.services.database.tenant(walk.tenant.id) as tx:
        await actions.update_stock(tx, sale.event_id)  # as a worker does, after the sale
    await _follow(walk, sale, word, {40.0: ("on_sale", "sold_out"), 80.0: ("sold_out", "closed")})
