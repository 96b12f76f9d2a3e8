"""Every answer that is cached, after every write that could make it wrong: it is what nobody's memory says.

Three processes of one house. One writes, and must say the truth at once; another hears of it over the bus, and must say
it soon; the third forgets everything before each answer, and so knows the truth.
"""

import ast
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest

import fullhouse
from fullhouse import wiring
from fullhouse.holds.jobs import sweep_holds
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.messages.outbox import Message
from fullhouse.kit.services import Services
from fullhouse.seating.reads import SeatingConfigCache
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, add_type, begun, buy, selling
from tests.events.helpers import make_venue, move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import a_finder, guest, hall, processes
from tests.kit.helpers import until

pytestmark = pytest.mark.req("CACHE-1", "FEED-4", "EV-5", "EV-17")
SOON_S = 10
DAY = timedelta(days=1)


class World:
    """A show with two seats and one place to stand, in a city and a category of its own."""

    def __init__(self, lanes: list[LaneRouter], tenant: Tenant, owner: Any, number: int) -> None:
        self.writer, self.reader, self.honest = lanes
        self.tenant, self.owner = tenant, owner
        self.word = f"walk{number}x{tenant.id.hex[-8:]}"
        self.buyer: Client
        self.kept: dict[str, Any] = {}

    def client(self, lane: LaneRouter, role: str | None = "owner") -> Client:
        return Client(lane, self.tenant.tokens[role] if role else None)

    @property
    def staff(self) -> Client:
        return self.client(self.writer)

    async def make(self) -> "World":
        self.buyer = await guest(self.client(self.writer, None), self.tenant)
        venue = {"city": self.word, "name": f"Hall {self.word}"}
        self.sale: Sale = await selling(self.staff, hall(1, 2, pit=1), venue=venue, category=self.word, name=self.word)
        self.event = data(await self.staff.get(self.sale.path("")[:-1]))
        return self

    async def follow(self) -> None:
        """What a worker does after the commit, with all that was announced."""
        services: Services = self.writer.wide.state.services
        for row in await self.owner.fetch(
            "SELECT id, organization_id, name, subject_id, payload::text, created_at FROM outbox"
            " WHERE organization_id = $1 ORDER BY seq",
            self.tenant.id,
        ):
            if row["id"] in self.kept.setdefault("followed", set()):
                continue
            self.kept["followed"].add(row["id"])
            message = Message(**{**row, "payload": msgspec.json.decode(row["payload"]), "version": 1})
            for fact, handlers in wiring.ASYNC.items():
                for handler in handlers if fact.name == message.name else ():
                    async with services.database.tenant(self.tenant.id) as tx:
                        await handler.run(tx, message)

    # --- what is done

    async def patch(self, **wish: Any) -> None:
        data(await self.staff.patch(self.sale.path("")[:-1], json=wish))

    async def patch_venue(self, **wish: Any) -> None:
        data(await self.staff.patch(f"/api/venues/{self.event['venue_id']}", json=wish))

    async def move(self, name: str, **body: Any) -> None:
        data(await move(self.staff, self.event, name, **body))

    async def patch_type(self, name: str, **wish: Any) -> None:
        data(await self.staff.patch(self.sale.path(f"ticket-types/{self.sale.types[name]}"), json=wish))

    async def hold(self) -> None:
        items = [{"seat_id": self.sale.show.seat(n)} for n in range(2)]
        items.append({"zone_id": self.sale.show.zones["pit"], "quantity": 1})  # type: ignore[dict-item]
        self.kept["basket"] = data(await self.buyer.post(self.sale.path("holds"), json={"items": items}), 201)

    async def release(self) -> None:
        for line in self.kept["basket"]["items"]:
            assert (await self.buyer.delete(f"/api/holds/{line['hold_id']}")).status_code == 204

    async def buy(self, *seats: int, pit: int = 0) -> None:
        session = await begun(self.buyer, self.sale, *seats, pit=pit)
        self.kept["order"] = data(await buy(self.buyer, session), 201)

    async def sell_out(self) -> None:
        await self.buy(0, 1, pit=1)

    async def refund(self) -> None:
        headers = {"idempotency-key": self.word}
        path = f"/api/orders/{self.kept['order']['id']}/refunds"
        data(await self.staff.post(path, json={"reason": "A wish."}, headers=headers), 201)

    async def block(self, verb: str) -> None:
        seats = {"seat_ids": [self.sale.show.seat(0), self.sale.show.seat(1)], "reason": "A camera."}
        data(await self.staff.post(self.sale.path(f"seats/{verb}"), json=seats))

    async def overlay(self) -> None:
        wish = {"layout_id": str(self.sale.show.layout_id), "disabled_zones": [self.sale.show.zones["pit"]]}
        data(await self.staff.put(self.sale.path("layout"), json=wish))

    async def detach(self) -> None:
        assert (await self.staff.delete(self.sale.path("layout"))).status_code == 204

    async def move_house(self) -> None:
        venue = await make_venue(self.staff, name=f"Elsewhere {self.word}", city=f"{self.word} Zuid")
        await self.patch(venue_id=venue["id"], reason="The roof.")

    async def add_type(self) -> None:
        await add_type(self.staff, self.sale.event_id, name="Late", price=300, kind="ga", quantity=1)

    async def delete_type(self, name: str) -> None:
        path = self.sale.path(f"ticket-types/{self.sale.types[name]}")
        assert (await self.staff.delete(path)).status_code == 204

    async def delete_types(self) -> None:
        for name in self.sale.types:
            await self.delete_type(name)

    async def change_house(self, **wish: Any) -> None:
        data(await self.staff.patch("/api/org", json=wish))

    async def policy(self) -> None:
        data(await self.staff.put(self.sale.path("seating-policy"), json={"policy": {"max_seats_per_booking": 3}}))


async def _expire(world: World) -> None:
    """The buyer's time is over, and the sweep has come by."""
    await world.owner.execute(
        "UPDATE seat_holds SET held_until = now() - interval '1 second' WHERE event_id = $1", world.sale.event_id
    )
    await world.owner.execute(
        "UPDATE event_seats SET held_until = now() - interval '1 second' WHERE event_id = $1 AND status = 'held'",
        world.sale.event_id,
    )
    services: Services = world.writer.wide.state.services
    async with a_finder(services.url) as finder:
        assert await sweep_holds(finder, services.database)


async def _nothing(_world: World) -> None: ...


Step = Callable[[World], Awaitable[Any]]
LATER = (datetime.now(UTC) + 30 * DAY).isoformat()
WRITES: dict[str, tuple[Step, Step]] = {
    "hold the last": (_nothing, World.hold),
    "release": (World.hold, World.release),
    "expire": (World.hold, _expire),
    "buy the last": (lambda w: w.buy(0), lambda w: w.buy(1, pit=1)),
    "buy the last of a price": (lambda w: w.patch_type("pit", price=900), lambda w: w.buy(pit=1)),
    "refund": (World.sell_out, World.refund),
    "cancel": (_nothing, lambda w: w.move("cancel", reason="A storm.")),
    "postpone": (_nothing, lambda w: w.move("postpone", reason="A storm.")),
    "reschedule": (lambda w: w.move("postpone", reason="A storm."), lambda w: w.move("reschedule")),
    "unpublish": (_nothing, lambda w: w.move("unpublish")),
    "publish": (lambda w: w.move("unpublish"), lambda w: w.move("publish")),
    "start": (_nothing, lambda w: w.move("start")),
    "rename": (_nothing, lambda w: w.patch(name=f"{w.word} Lear")),
    "another category": (_nothing, lambda w: w.patch(category=f"{w.word}_too")),
    "another sale window": (_nothing, lambda w: w.patch(sale_start_at=LATER)),
    "another price": (_nothing, lambda w: w.patch_type("seat", price=100)),
    "another window of a type": (
        lambda w: w.patch_type("seat", sale_start_at=LATER),
        lambda w: w.patch_type("pit", sale_start_at=LATER),
    ),
    "hide a type": (_nothing, lambda w: w.patch_type("pit", hidden=True)),
    "a new type": (lambda w: w.delete_types(), World.add_type),
    "delete a type": (_nothing, lambda w: w.delete_type("pit")),
    "delete all types": (_nothing, World.delete_types),
    "less capacity": (lambda w: w.buy(0), lambda w: w.patch(capacity=1)),
    "more capacity": (lambda w: _then(w.buy(0), w.patch(capacity=1)), lambda w: w.patch(capacity=3)),
    "less room in the venue": (lambda w: w.buy(0), lambda w: w.patch_venue(max_capacity=1)),
    "more room in the venue": (
        lambda w: _then(w.buy(0), w.patch_venue(max_capacity=1)),
        lambda w: w.patch_venue(max_capacity=3),
    ),
    "block": (lambda w: w.buy(pit=1), lambda w: w.block("block")),
    "unblock": (lambda w: _then(w.buy(pit=1), w.block("block")), lambda w: w.block("unblock")),
    "overlay": (_nothing, World.overlay),
    "without a layout": (_nothing, World.detach),
    "its own policy": (_nothing, World.policy),
    "another venue": (World.detach, World.move_house),
    "the organisation's name": (_nothing, lambda w: w.change_house(name=f"House {w.word}")),
    "the organisation's language": (_nothing, lambda w: w.change_house(locale="af")),
    "who frames it": (_nothing, lambda w: w.change_house(embed_origins=["https://example.org"])),
}


async def _then(*steps: Awaitable[Any]) -> None:
    for step in steps:
        await step


class Read(NamedTuple):
    """An answer, and the places in the code that cache something of it."""

    path: str
    cached_by: frozenset[str] = frozenset()
    role: str | None = None


def _read(path: str, *cached_by: str, role: str | None = None) -> Read:
    return Read(path, frozenset(cached_by), role)


_SHOWN = ("events.public.reads._load_listed_event", "events.public.reads._load_organization")
READS: dict[str, Read] = {
    "event": _read("/api/events/{event}", role="owner"),
    "event service": _read("/event/v1/events/{event}", *_SHOWN),
    "feed": _read("/event/v1/events?city={word}", "events.public.reads.feed"),
    "feed, on sale": _read("/event/v1/events?city={word}&sale_status=on_sale", "events.public.reads.feed"),
    "feed, trending": _read("/event/v1/events?city={word}&sort=trending", "events.public.reads.feed"),
    "cities": _read("/event/v1/meta/cities?q={word}", "events.public.reads.load_city_index"),
    "search": _read("/api/search?q={word}"),
    "upcoming": _read("/api/events/upcoming", "events.public.reads.list_upcoming", role="owner"),
    "summary": _read("/api/events/{event}/summary", "events.public.reads.require_summary", role="owner"),
    "offers": _read("/api/events/{event}/offers", *_SHOWN),
    "availability": _read("/api/events/{event}/seats"),
    "occupancy": _read("/api/events/{event}/occupancy"),
    "layout": _read("/api/events/{event}/layout", role="owner"),
    "page": _read("/o/{house}/{slug}", "tickets.types.actions.lowest_prices", "web.words.__init__.choose_language"),
    "house": _read("/o/{house}", "tickets.types.actions.lowest_prices", "web.words.__init__.choose_language"),
    "all": _read("/", "web.pages.events._list_categories", "tickets.types.actions.lowest_prices"),
    "embedded": _read("/embed/{house}/{slug}", "web.pages.embeds._load_sites", "web.words.__init__.choose_language"),
    "sitemap": _read("/sitemaps/1.xml", "web.sitemaps._load_boundaries"),
    "what holds are judged by": _read("", "seating.reads._load"),
}


async def _answer(world: World, lane: LaneRouter, read: Read) -> Any:
    if not read.path:
        terms = await lane.wide.state.services.part(SeatingConfigCache).get_rules(world.tenant.id, world.sale.event_id)
        # How full its zones are, halls know: nobody reads it here.
        zones = [msgspec.structs.replace(zone, held=0, sold=0) for zone in terms.seating.zones.values()]
        return terms.seating.layout_id, zones, terms.seating.prices, repr(terms.policy)
    path = read.path.format(
        event=world.sale.event_id, word=world.word, house=world.tenant.organization.slug, slug=world.event["slug"]
    )
    answer = await world.client(lane, read.role).get(path)
    return answer.status_code, answer.headers.get("content-security-policy"), _said(answer)


def _said(answer: httpx.Response) -> Any:
    if not answer.headers["content-type"].startswith("application/"):
        return answer.text
    body = answer.json() if answer.content.startswith((b"{", b"[")) else answer.text
    return _without(body)


def _without(body: Any) -> Any:
    if isinstance(body, dict):
        return {name: _without(value) for name, value in body.items() if not _is_own(name, value)}
    return [_without(value) for value in body] if isinstance(body, list) else body


def _is_own(name: str, value: Any) -> bool:
    """The moment, and how far a process's stream has come."""
    return name == "server_time_unix_ms" or (name == "version" and isinstance(value, str))


async def _truth(world: World) -> dict[str, Any]:
    """Of somebody who has forgotten everything."""
    world.honest.wide.state.services.bus.deliver([(RESYNC, None)])
    return {name: await _answer(world, world.honest, read) for name, read in READS.items()}


@pytest.fixture
async def lanes(server_url: str, owner_url: str, tmp_path: Path) -> AsyncIterator[list[LaneRouter]]:
    async with processes(3, server_url, owner_url, tmp_path) as found:
        yield found


async def test_after_every_write_every_cached_answer_is_true(
    lanes: list[LaneRouter], tenant: Tenant, owner: Any
) -> None:
    wrong, seen = [], set()
    for number, (write, (prepare, do)) in enumerate(WRITES.items()):
        world = await World(lanes, tenant, owner, number).make()
        await prepare(world)
        await world.follow()
        before = await _truth(world)
        for lane in (world.writer, world.reader):
            for read in READS.values():
                await _answer(world, lane, read)
        await do(world)
        await world.follow()
        truths = await _truth(world)
        for name, read in READS.items():
            truth = truths[name]
            if truth != before[name]:
                seen.add(name)
            if await _answer(world, world.writer, read) != truth:
                wrong.append((write, name, "in the process that wrote"))
            try:
                await until(lambda: _is(world, world.reader, read, truth), SOON_S if not wrong else 0.1)  # noqa: B023
            except TimeoutError:
                wrong.append((write, name, "in another process"))
    assert wrong == []
    assert seen == READS.keys(), "a read that no write of the table changes proves nothing"


async def _is(world: World, lane: LaneRouter, read: Read, expected: Any) -> bool:
    return bool(await _answer(world, lane, read) == expected)


def test_every_place_that_caches_has_its_row() -> None:
    """Found in the code: a new one without a read above fails here."""
    root, found = Path(fullhouse.__file__).parent, set()
    for file in root.rglob("*.py"):
        module = file.relative_to(root).with_suffix("").as_posix().replace("/", ".")
        for outer in ast.parse(file.read_text()).body:
            for function in ast.walk(outer):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    found |= {f"{module}.{function.name}" for call in ast.walk(function) if _caches(call)}
    assert found - {"kit.cache.get"} == {site for read in READS.values() for site in read.cached_by}


def _caches(call: ast.AST) -> bool:
    """`….cache.get(…)`"""
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "get"
        and isinstance(call.func.value, ast.Attribute | ast.Name)
        and getattr(call.func.value, "attr", getattr(call.func.value, "id", None)) == "cache"
    )
