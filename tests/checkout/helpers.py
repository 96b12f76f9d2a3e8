"""Shows with prices, and people who buy."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import msgspec

from fullhouse import prove
from fullhouse.kit.ids import new_id
from fullhouse.seating.plans.plan import Plan, encode
from tests.accounts.helpers import PASSWORD, data, make_platform_user
from tests.events.helpers import draft, move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, guest, hall, on_sale

JSON = {"content-type": "application/json"}
BUYER = {"name": "Ada Buyer", "email": "ada@example.org"}


class Sale(msgspec.Struct, frozen=True, kw_only=True):
    """A show on sale with its ticket types, by name."""

    show: OnSale
    types: dict[str, str]
    staff: Client

    @property
    def event_id(self) -> UUID:
        return self.show.event_id

    def path(self, rest: str) -> str:
        return self.show.path(rest)


async def selling(
    staff: Client, plan: Plan | None = None, *, price: int = 2500, quantity: int | None = None, **event: Any
) -> Sale:
    """A hall with seats and a pit, one type for each."""
    show = await on_sale(staff, plan or hall(4, 10, pit=50), event=event)
    kinds = {"seat": {"kind": "seated"}, "pit": {"kind": "ga"}}
    types = {
        name: await add_type(staff, show.event_id, name=name, price=price, quantity=quantity, **kind)
        for name, kind in kinds.items()
    }
    return Sale(show=show, types=types, staff=staff)


async def selling_types(
    staff: Client, quantity: int, *, price: int = 2500, event: dict[str, Any] | None = None, **kind: Any
) -> Sale:
    """A show without a layout: places are held of a type outright."""
    made = await draft(staff, **(event or {}))
    more = {"price": price, "quantity": quantity, "kind": "ga"} | kind
    types = {"entry": await add_type(staff, made["id"], name="entry", **more)}
    data(await move(staff, made, "publish"))
    return Sale(show=OnSale(UUID(made["id"]), new_id(), {}), types=types, staff=staff)


async def add_type(staff: Client, event_id: Any, **more: Any) -> str:
    wish = {"currency": "EUR"} | {name: value for name, value in more.items() if value is not None}
    found: str = data(await staff.post(f"/api/events/{event_id}/ticket-types", json=wish), 201)["id"]
    return found


async def hold(buyer: Client, sale: Sale, *seats: int, pit: int = 0, entry: int = 0) -> list[dict[str, Any]]:
    """Items for a checkout: what was held, each with its type."""
    items: list[dict[str, Any]] = [{"seat_id": sale.show.seat(n)} for n in seats]
    if pit:
        items.append({"zone_id": sale.show.zones["pit"], "quantity": pit})
    if entry:
        items.append({"ticket_type_id": sale.types["entry"], "quantity": entry})
    basket = data(await buyer.post(sale.path("holds"), json={"items": items}), 201)
    names = ["seat"] * len(seats) + ["pit"] * bool(pit) + ["entry"] * bool(entry)
    return [
        {"hold_id": line["hold_id"], "ticket_type_id": sale.types[name]}
        for line, name in zip(basket["items"], names, strict=True)
    ]


async def start(buyer: Client, sale: Sale, items: list[dict[str, Any]], **more: Any) -> httpx.Response:
    return await buyer.post(sale.path("checkout"), json={"items": items} | more)


async def begun(buyer: Client, sale: Sale, *seats: int, pit: int = 0, entry: int = 0, **more: Any) -> Any:
    """A checkout of these places."""
    items = await hold(buyer, sale, *seats, pit=pit, entry=entry)
    return data(await start(buyer, sale, items, **more), 201)


async def buy(
    buyer: Client, session: Any, key: str | None = None, *, provider: str = "test", method: str | None = None
) -> httpx.Response:
    body = {"provider": provider, "buyer": BUYER} | ({"method": method} if method else {})
    headers = {"idempotency-key": key or new_id().hex}
    return await buyer.post(f"/api/checkout/{session['id']}/purchase", json=body, headers=headers)


async def bought(client: Client, tenant: Tenant, sale: Sale, *seats: int, **more: Any) -> Any:
    """An order that is paid, of somebody new."""
    buyer = await guest(client, tenant)
    return data(await buy(buyer, await begun(buyer, sale, *seats, **more)), 201)


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code")


async def twin(staff: Client, sale: Sale, name: str = "Twin") -> UUID:
    """Another event on the same plan: its zones and seats have the same ids."""
    shown = data(await staff.get(f"/api/events/{sale.event_id}"))
    start, end = shown["start_at"], shown["end_at"]
    event = await draft(staff, name=name, venue_id=shown["venue_id"], start_at=start, end_at=end)
    wish = {"layout_id": str(sale.show.layout_id)}
    data(await staff.put(f"/api/events/{event['id']}/layout", json=wish))
    return UUID(event["id"])


async def migrate(house: Client, sale: Sale, plan: Plan) -> Any:
    """The show on another version of its layout."""
    made = await house.post(f"/api/layouts/{sale.show.layout_id}/versions", content=encode(plan), headers=JSON)
    layout = data(made, 201)
    data(await house.post(f"/api/layouts/{layout['id']}/activate"))
    wish = {"to_layout_id": layout["id"], "respond_by": (datetime.now(UTC) + timedelta(days=7)).isoformat()}
    planned = data(await house.post(sale.path("layout/migrations"), json=wish), 201)
    return data(await house.post(f"/api/layout-migrations/{planned['id']}/approve"))


async def wrong(url: str) -> dict[str, list[str]]:
    """What `fullhouse prove` finds, by the name of the check. What is late is another matter: nobody sweeps here. And
    other tests of this database have posted and deleted what nobody ordered: tests/prove asks for parents.
    """
    found = await prove.run(url)
    return {check.name: said for check, said in found.items() if said and check.name not in ("on time", "parents")}


async def add_promo(staff: Client, sale: Sale, **more: Any) -> Any:
    wish = {"code": "ONCE", "kind": "fixed", "amount": 100, "max_uses": 1} | more
    return data(await staff.post(sale.path("promo-codes"), json=wish), 201)


async def asked(owner: Any, table: str, tenant: Tenant) -> list[int]:
    """How often a sweep has asked about each of the test's own: what it counts itself is everybody's."""
    return [row["asked"] for row in await rows(owner, table, tenant, "asked, created_at, id")]


async def rows(owner: Any, table: str, tenant: Tenant, columns: str = "*") -> list[dict[str, Any]]:
    return [
        dict(row) for row in await owner.fetch(f"SELECT {columns} FROM {table} WHERE organization_id = $1", tenant.id)
    ]


async def super_admin(client: Client, owner: Any) -> Client:
    """Somebody of the platform."""
    wish = {"email": await make_platform_user(owner, "super_admin"), "password": PASSWORD}
    return client.as_(data(await client.post("/api/platform/login", json=wish), 201)["token"])
