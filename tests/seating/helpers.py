"""A small house for tests: five seats with a wheelchair space and its companion, standing room, a members' lounge.

Layouts and seated shows come over HTTP; what other rooms will do to seats (hold, sell) is written by the owner.
"""

from typing import Any
from uuid import UUID

import httpx
import msgspec

from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating import policy_actions
from fullhouse.seating.model import SetPolicy
from fullhouse.seating.plans.plan import Plan, Point, PriceCategory, Row, Seat, Section, Zone, encode
from tests.accounts.helpers import data
from tests.events.helpers import make_venue, show_in
from tests.fixtures import Client, Tenant


def house() -> Plan:
    stalls = (
        Seat(key="A-1", number="1", x=10, y=50, category="wheelchair", companions=("A-2",)),
        Seat(key="A-2", number="2", x=20, y=50, category="companion"),
        Seat(key="A-3", number="3", x=30, y=50, gap_before=True),
        Seat(key="A-4", number="4", x=40, y=50),
        Seat(key="A-5", number="5", x=50, y=50, price_category="two", category="restricted_view"),
    )
    lounge = (Seat(key="V-1", number="1", x=10, y=90), Seat(key="V-2", number="2", x=20, y=90))
    return Plan(
        name="Little house",
        width=200,
        height=100,
        focal_point=Point(100, 0),
        price_categories=(PriceCategory(key="one", name="One"), PriceCategory(key="two", name="Two", color="#123456")),
        zones=(
            Zone(
                key="stalls",
                name="Stalls",
                price_category="one",
                sections=(Section(key="main", name="Main", rows=(Row(label="A", seats=stalls),)),),
            ),
            Zone(
                key="pit",
                name="Pit",
                zone_type="ga_standing",
                capacity=40,
                area=(Point(100, 20), Point(180, 20), Point(180, 80), Point(100, 80)),
            ),
            Zone(
                key="lounge",
                name="Lounge",
                zone_type="vip_reserved",
                access_mode="membership_tier",
                membership_tier="friends",
                sections=(Section(key="lounge", name="Lounge", rows=(Row(label="A", seats=lounge),)),),
            ),
        ),
    )


def without_lounge() -> Plan:
    """What the default policy allows as it is."""
    plan = house()
    return msgspec.structs.replace(plan, zones=plan.zones[:2])


def rows_of(*rows: tuple[str, int], **more: Any) -> Plan:
    """One zone of plain rows: `("A", 10)` has the seats A-1 to A-10, the first row nearest to the stage."""
    section = Section(
        key="main", name="Main", rows=tuple(_row(label, count, y) for y, (label, count) in enumerate(rows))
    )
    zone = Zone(key="stalls", name="Stalls", price_category="one", sections=(section,))
    usual: dict[str, Any] = {
        "name": "Rows",
        "width": 2000,
        "height": 2000,
        "focal_point": Point(0, 0),
        "price_categories": (PriceCategory(key="one", name="One"), PriceCategory(key="two", name="Two")),
        "zones": (zone,),
    }
    return Plan(**usual | more)


def _row(label: str, count: int, y: int) -> Row:
    seats = [Seat(key=f"{label}-{n}", number=str(n), x=n * 10, y=50 + 20 * y) for n in range(1, count + 1)]
    return Row(label=label, seats=tuple(seats))


# --- over HTTP


async def post_plan(client: Client, path: str, plan: Plan | bytes, **headers: str) -> httpx.Response:
    content = plan if isinstance(plan, bytes) else encode(plan)
    return await client.post(path, content=content, headers={"content-type": "application/json"} | headers)


async def make_layout(
    client: Client, plan: Plan | None = None, *, venue_id: str | None = None, active: bool = True
) -> Any:
    venue_id = venue_id or (await make_venue(client))["id"]
    made = data(await post_plan(client, f"/api/venues/{venue_id}/layouts", plan or house()), 201)
    return data(await client.post(f"/api/layouts/{made['id']}/activate")) if active else made


async def next_version(client: Client, layout: Any, plan: Plan) -> Any:
    made = data(await post_plan(client, f"/api/layouts/{layout['id']}/versions", plan), 201)
    return data(await client.post(f"/api/layouts/{made['id']}/activate"))


async def attach(client: Client, event: Any, layout: Any, **more: Any) -> httpx.Response:
    headers = more.pop("headers", None)
    return await client.put(
        f"/api/events/{event['id']}/layout", json={"layout_id": layout["id"], **more}, headers=headers
    )


async def seated_show(
    client: Client, plan: Plan | None = None, status: str = "published", **more: Any
) -> tuple[Any, Any]:
    """A show and the layout that it has. `more` is the overlay, or `capacity` of the show."""
    layout = await make_layout(client, plan or without_lounge())
    said = {"capacity": more.pop("capacity")} if "capacity" in more else {}
    event = await show_in(client, status, venue_id=layout["venue_id"], **said)
    data(await attach(client, event, layout, **more))
    return event, layout


async def allow(services: Services, tenant: Tenant, *mandatory: str, **values: Any) -> None:
    """The platform's word for the organisation."""
    async with services.database.tenant(tenant.id) as tx:
        await policy_actions.set_policy(tx, SetPolicy(values=values, mandatory=list(mandatory)))


def zone_id(layout: Any, key: str) -> str:
    found: str = next(zone["id"] for zone in layout["zones"] if zone["key"] == key)
    return found


# --- what other rooms do to seats


async def seat_of(owner: Any, event: Any, key: str) -> UUID:
    found: UUID = await owner.fetchval(
        "SELECT e.seat_id FROM event_seats e JOIN seats s ON s.id = e.seat_id WHERE e.event_id::text = $1"
        " AND s.seat_key = $2",
        str(event["id"]),
        key,
    )
    return found


async def sell(owner: Any, event: Any, *keys: str) -> dict[str, UUID]:
    """The tickets by their seats' keys."""
    tickets = {key: new_id() for key in keys}
    for key, ticket in tickets.items():
        await owner.execute(
            "UPDATE event_seats SET status = 'sold', ticket_id = $2, hold_id = NULL, held_until = NULL"
            " WHERE seat_id = $1 AND event_id::text = $3",
            await seat_of(owner, event, key),
            ticket,
            str(event["id"]),
        )
    return tickets


async def hold(owner: Any, event: Any, key: str, seconds: int = 300) -> UUID:
    hold_id = new_id()
    await owner.execute(
        "UPDATE event_seats SET status = 'held', hold_id = $2, held_until = app.clock() + make_interval(secs => $3)"
        " WHERE seat_id = $1 AND event_id::text = $4",
        await seat_of(owner, event, key),
        hold_id,
        seconds,
        str(event["id"]),
    )
    return hold_id


async def count_in_pool(owner: Any, event: Any, zone: str, *, held: int = 0, sold: int = 0) -> None:
    await owner.execute(
        "UPDATE pools SET held = $3, sold = $4 WHERE event_id::text = $1 AND ref_id::text = $2",
        str(event["id"]),
        zone,
        held,
        sold,
    )


async def states_of(owner: Any, event: Any) -> dict[str, str]:
    """Status by seat key, as the rows have it."""
    rows = await owner.fetch(
        "SELECT s.seat_key, e.status FROM event_seats e JOIN seats s ON s.id = e.seat_id WHERE e.event_id::text = $1"
        " ORDER BY s.ordinal",
        str(event["id"]),
    )
    return {row["seat_key"]: row["status"] for row in rows}


async def pools_of(owner: Any, event: Any) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Capacity, held and sold by kind and zone key (the show's own is under "event")."""
    rows = await owner.fetch(
        "SELECT p.kind, coalesce(z.zone_key, 'event') AS key, p.capacity, p.held, p.sold"
        " FROM pools p LEFT JOIN event_zones z ON z.event_id = p.event_id AND z.zone_id = p.ref_id"
        " WHERE p.event_id::text = $1",
        str(event["id"]),
    )
    return {(row["kind"], row["key"]): (row["capacity"], row["held"], row["sold"]) for row in rows}
