"""A show on sale for tests, and people who want to go."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from fullhouse import wiring
from fullhouse.events import actions as events
from fullhouse.events.policy import Move
from fullhouse.holds.engine import Engine, HoldRequest, RequestItem, Result
from fullhouse.holds.policy import Limits
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.media.files import Disk
from fullhouse.kit.messages import outbox
from fullhouse.kit.services import Services, open_parts, open_services
from fullhouse.seating import actions as layouts
from fullhouse.seating.model import AttachLayout
from fullhouse.seating.overlay import actions as overlays
from fullhouse.seating.plans.chart import seat_id
from fullhouse.seating.plans.generators import Straight, generate
from fullhouse.seating.plans.plan import Plan, Point, Zone, encode
from tests.accounts.helpers import data
from tests.events.helpers import draft, make_show, make_venue, move
from tests.fixtures import PUBLIC_URL, SECRET_KEY, Client, Tenant, run_application, settings


class OnSale(msgspec.Struct, frozen=True):
    event_id: UUID
    layout_id: UUID
    zones: dict[str, str]  # key to id

    def seat(self, ordinal: int) -> str:
        return str(seat_id(self.layout_id, ordinal))

    def path(self, rest: str) -> str:
        return f"/api/events/{self.event_id}/{rest}"


def hall(rows: int = 4, seats: int = 10, *, wheelchairs: int = 0, pit: int = 0) -> Plan:
    """Straight rows, and standing room in front of them."""
    plan = generate(Straight(name="Hall", rows=rows, seats_per_row=seats, wheelchair_places=wheelchairs))
    if not pit:
        return plan
    area = (Point(1, 1), Point(9, 1), Point(9, 9), Point(1, 9))
    standing = Zone(key="pit", name="Pit", zone_type="ga_standing", capacity=pit, area=area)
    return msgspec.structs.replace(plan, zones=(*plan.zones, standing), total_capacity=None)


async def on_sale(owner: Client, plan: Plan, *, event: dict[str, Any] | None = None, **overlay: Any) -> OnSale:
    """A published show with this plan, at a venue that `event` may describe."""
    said = dict(event or {})
    venue = await make_venue(owner, **said.pop("venue", {}))
    layout = data(
        await owner.post(
            f"/api/venues/{venue['id']}/layouts", content=encode(plan), headers={"content-type": "application/json"}
        ),
        201,
    )
    data(await owner.post(f"/api/layouts/{layout['id']}/activate"))
    made = await draft(owner, venue_id=venue["id"], **said)
    view = data(await owner.put(f"/api/events/{made['id']}/layout", json={"layout_id": layout["id"]} | overlay))
    data(await move(owner, made, "publish"))
    return OnSale(UUID(made["id"]), UUID(layout["id"]), {zone["key"]: zone["id"] for zone in view["zones"]})


async def guest(client: Client, tenant: Tenant) -> Client:
    """Another buyer."""
    answer = await client.post("/api/auth/guest", json={"organization": tenant.organization.slug})
    return client.as_(data(answer, 201)["token"])


# --- straight from the rooms


@asynccontextmanager
async def a_process(url: str, home: Path, given: Mapping[type[Any], Any] | None = None) -> AsyncIterator[Services]:
    """What an API process has, without HTTP: halls, an engine, connections of its own."""
    outbox.wire(wiring.SYNC)
    async with (
        open_services(
            url=url,
            read_url=None,
            redis_url=None,
            secret_key=SECRET_KEY,
            files=Disk(home / "images"),
            public_url=PUBLIC_URL,
            pool_size=4,
        ) as services,
        open_parts(services, wiring.PARTS, given),
    ):
        yield services


@asynccontextmanager
async def processes(count: int, url: str, owner_url: str, home: Path, redis: str | None = None) -> AsyncIterator[Any]:
    """Several servers of one house, as applications."""
    more = {"REDIS_URL": redis} if redis else {}
    async with AsyncExitStack() as stack:
        lanes = []
        for _ in range(count):
            process = run_application(settings(url, owner_url, home=str(home), **more))
            lanes.append(await stack.enter_async_context(process))
        yield lanes


@asynccontextmanager
async def a_finder(url: str) -> AsyncIterator[Database]:
    """The sweep's way of finding work across organisations."""
    database = await Database.open(url, WORKER, size=2)
    try:
        yield database
    finally:
        await database.close()


async def stage(services: Services, tenant: Tenant, plan: Plan, *, capacity: int = 0, **policy: Any) -> OnSale:
    """A published show with this plan, made without HTTP."""
    show = await make_show(services, tenant, **({"capacity": capacity} if capacity else {}))
    who = tenant.principal("owner")
    assert show.venue_id
    async with services.database.tenant(tenant.id, who.actor) as tx:
        layout = await layouts.create_layout(tx, who, show.venue_id, lambda: plan)
        await layouts.activate(tx, layout.id)
        overlay = await overlays.attach(tx, show.id, AttachLayout(layout_id=layout.id, policy=policy), None)
        zones = (await overlays.to_view(tx, overlay)).zones
        await events.move_event(tx, show.id, Move.PUBLISH)
    return OnSale(show.id, layout.id, {zone.key: str(zone.id) for zone in zones})


def seats(sale: OnSale, *ordinals: int) -> tuple[RequestItem, ...]:
    return tuple(RequestItem(new_id(), UUID(sale.seat(n))) for n in ordinals)


def places(sale: OnSale, zone: str, quantity: int) -> RequestItem:
    return RequestItem(new_id(), kind="zone", ref_id=UUID(sale.zones[zone]), quantity=quantity)


def wish(sale: OnSale, user_id: UUID, *wants: RequestItem, **more: Any) -> HoldRequest:
    limits = Limits(ttl_s=300, per_window=1000, most_mine=None, most_near=None)
    limits = limits._replace(**{name: more.pop(name) for name in Limits._fields if name in more})
    usual = HoldRequest(
        event_id=sale.event_id,
        user_id=user_id,
        basket_id=new_id(),
        items=wants,
        source="web",
        network="192.0.2.1",
        limits=limits,
        key_range=None,
        ip="192.0.2.1",
        user_agent="test",
        request_id=None,
    )
    return usual._replace(**more)


async def hold(services: Services, tenant: Tenant, sale: OnSale, user_id: UUID, *wants: RequestItem) -> list[Result]:
    return list(await services.part(Engine).hold(tenant.id, wish(sale, user_id, *wants)))


# --- how things are


async def seat_row(owner: Any, sale: OnSale, ordinal: int) -> Any:
    return await owner.fetchrow(
        "SELECT * FROM event_seats WHERE event_id = $1 AND ordinal = $2", sale.event_id, ordinal
    )


async def held_in(owner: Any, sale: OnSale) -> dict[str, int]:
    """What is counted as held: by zone key, and the show's own under `event`."""
    rows = await owner.fetch(
        "SELECT coalesce(z.zone_key, p.kind) AS key, p.held FROM pools p LEFT JOIN event_zones z"
        " ON z.event_id = p.event_id AND z.zone_id = p.ref_id WHERE p.event_id = $1",
        sale.event_id,
    )
    return {row["key"]: row["held"] for row in rows}


async def statuses(owner: Any, sale: OnSale) -> list[str]:
    """Of all holds of the show, the oldest first."""
    rows = await owner.fetch("SELECT status FROM seat_holds WHERE event_id = $1 ORDER BY created_at, id", sale.event_id)
    return [row["status"] for row in rows]


async def row_counts(owner: Any, sale: OnSale) -> tuple[int, ...]:
    """Live holds, held seats and everything that is counted: what a refusal must not move."""
    row = await owner.fetchrow(
        "SELECT (SELECT count(*) FROM seat_holds WHERE event_id = $1),"
        " (SELECT count(*) FROM event_seats WHERE event_id = $1"
        "  AND (status <> 'available' OR reserved_for IS NOT NULL)),"
        " (SELECT coalesce(sum(held), 0) FROM pools WHERE event_id = $1)",
        sale.event_id,
    )
    return tuple(row)


# What checkout will do. Locks in the order of the house; the hold's row decides who wins; then the seat is sold, or the
# place counted as such.
_LOCKS = """
SELECT count(*) FROM (
    SELECT p.held FROM pools p JOIN seat_holds h ON h.organization_id = p.organization_id AND h.event_id = p.event_id
    WHERE h.organization_id = $1 AND h.id = $2 AND (p.kind = 'event' OR h.seat_id IS NULL AND p.ref_id = h.zone_id)
    ORDER BY p.kind, p.ref_id FOR UPDATE OF p) AS locked;
"""
_SEAT_LOCK = """
SELECT s.version FROM event_seats s JOIN seat_holds h USING (organization_id, event_id, seat_id)
WHERE h.organization_id = $1 AND h.id = $2 FOR UPDATE OF s
"""
_CONVERT = """
WITH won AS (
    UPDATE seat_holds SET status = 'converted', updated_at = app.clock()
    WHERE organization_id = $1 AND id = $2 AND status = 'active' AND (held_until > app.clock() OR $3)
    RETURNING id, event_id, seat_id, zone_id, quantity
), seated AS (
    UPDATE event_seats s SET status = 'sold', ticket_id = gen_random_uuid(), hold_id = NULL, held_until = NULL,
                             version = s.version + 1
    FROM won w WHERE s.organization_id = $1 AND s.event_id = w.event_id AND s.seat_id = w.seat_id AND s.hold_id = w.id
), counted AS (
    UPDATE pools p SET held = p.held - w.quantity, sold = p.sold + w.quantity FROM won w
    WHERE p.organization_id = $1 AND p.event_id = w.event_id
      AND (p.kind = 'event' OR p.kind = 'zone' AND w.seat_id IS NULL AND p.ref_id = w.zone_id)
), audited AS (
    INSERT INTO audit_log (id, organization_id, created_at, actor_type, action, entity_type, entity_id)
    SELECT gen_random_uuid(), $1, app.clock(), 'system', 'hold.converted', 'seat_hold', id FROM won
)
SELECT count(*) > 0 FROM won
"""
_KEEP_COMPANIONS = """
SELECT app.keep_companions($1, event_id, ARRAY[seat_id]) FROM seat_holds
WHERE organization_id = $1 AND id = $2 AND seat_id IS NOT NULL
"""


async def convert(services: Services, tenant: Tenant, hold_id: UUID | None, *, late: bool = False) -> bool:
    """Sells what is held. `late` honours a payment that comes after the hold's time."""
    async with services.database.tenant(tenant.id) as tx:
        await tx.fetch(_LOCKS, tenant.id, hold_id)
        await tx.fetch(_SEAT_LOCK, tenant.id, hold_id)
        sold = bool(await tx.fetchval(_CONVERT, tenant.id, hold_id, late))
        if sold:
            await tx.fetch(_KEEP_COMPANIONS, tenant.id, hold_id)
        return sold
