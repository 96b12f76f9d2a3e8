"""Zones that are not open to all, judged again where tickets are bought and passed on (ZONE-2): a right may have ended
in between. A zone does not change its access while anything of the event is held or sold.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import httpx
import msgspec
import pytest

from fullhouse.checkout import store
from fullhouse.seating.plans.plan import Point, Zone
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, buy, code, hold, rows, selling, start, wrong
from tests.checkout.test_members import FRIEND, closed, grant, named
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("ZONE-2", "MEM-1", "BUY-1", "AUD-1")
PROVIDERS = {0: "free", 2500: "test"}
MINUTE = timedelta(minutes=1)
FAY = FRIEND["email"]
TEAM = {"access_mode": "role_based", "allowed_roles": ["staff"]}


class Story(NamedTuple):
    """A zone, who may enter it, and how the right of the second ticket ends and begins again."""

    access: dict[str, Any]
    prepare: Callable[["World"], Awaitable[Any]]
    end: Callable[["World"], Awaitable[Any]]
    restore: Callable[["World"], Awaitable[Any]]


class World:
    def __init__(self, staff: Client, client: Client, tenant: Tenant, owner: Any) -> None:
        self.staff, self.client, self.tenant, self.owner = staff, client, tenant, owner
        self.buyer = client.as_(tenant.tokens["customer"])
        self.kept: dict[str, Any] = {}
        self.sale: Sale

    @property
    def zone(self) -> str:
        (zone,) = self.sale.show.zones.values()
        return zone

    async def sell(self, price: int, **access: Any) -> "World":
        self.sale = await selling(self.staff, closed(**access), price=price)
        return self

    async def join(self, **more: Any) -> None:
        """Both are members."""
        await grant(self.staff, "customer@example.org", "1")
        self.kept["fay"] = await grant(self.staff, FAY, "2", **more)

    async def rejoin(self) -> None:
        self.kept["fay"] = await grant(self.staff, FAY, "3")

    async def invite(self) -> None:
        guests = [{"email": "customer@example.org", "name": "C"}, {"email": FAY, "name": "F"}]
        assert (await self.staff.post(self.sale.path(f"zones/{self.zone}/guests"), json={"guests": guests})).is_success

    async def change(self, **membership: Any) -> None:
        data(await self.staff.patch(f"/api/org/memberships/{self.kept['fay']}", json=membership))

    async def uninvite(self) -> None:
        answer = await self.staff.delete(self.sale.path(f"zones/{self.zone}/guests/{FAY}"))
        assert answer.status_code == 204, answer.text

    async def close(self) -> httpx.Response:
        """Opens the zone to others than those it was open to."""
        wish = {"layout_id": str(self.sale.show.layout_id), "zone_overrides": {self.zone: {"name": "Club"} | TEAM}}
        return await self.staff.put(self.sale.path("layout"), json=wish)

    async def two(self) -> Any:
        """A checkout of two tickets: the buyer's and Fay's."""
        items = await hold(self.buyer, self.sale, 0, 1)
        return data(await start(self.buyer, self.sale, named(items, None, FRIEND)), 201)

    async def denials(self) -> list[dict[str, Any]]:
        found = await self.owner.fetch(
            "SELECT action, entity_type, entity_id::text, after::text, reason FROM audit_log"
            " WHERE organization_id = $1 AND action IN ('access.denied', 'zone.access_denied') ORDER BY created_at",
            self.tenant.id,
        )
        return [dict(row) | {"after": msgspec.json.decode(row["after"])} for row in found]


@pytest.fixture
def world(staff: Client, client: Client, tenant: Tenant, owner: Any) -> World:
    return World(staff, client, tenant, owner)


MEMBERS = {"access_mode": "membership_tier", "membership_tier": "friends"}
GUESTS = {"access_mode": "whitelist"}
STORIES = {
    "suspended": Story(
        MEMBERS, World.join, lambda w: w.change(status="suspended"), lambda w: w.change(status="active")
    ),
    "another tier": Story(MEMBERS, World.join, lambda w: w.change(tier="patrons"), World.rejoin),
    "off the list": Story(GUESTS, World.invite, World.uninvite, World.invite),
}


@pytest.mark.parametrize("price", PROVIDERS)
@pytest.mark.parametrize("name", STORIES)
async def test_a_right_that_ends_before_the_purchase_buys_nothing(
    name: str, price: int, world: World, server_url: str
) -> None:
    story = STORIES[name]
    await world.sell(price, **story.access)
    await story.prepare(world)
    session = await world.two()
    await story.end(world)
    answer = await buy(world.buyer, session, "again", provider=PROVIDERS[price])
    assert code(answer) == (403, "zone_access_denied")
    for table in ("orders", "order_lines", "tickets", "payment_attempts"):
        assert await rows(world.owner, table, world.tenant) == [], table
    (row,) = await world.denials()
    assert (row["action"], row["entity_id"], row["after"]["code"]) == (
        "access.denied",
        session["id"],
        "zone_access_denied",
    )
    assert row["reason"] == answer.json()["detail"]
    # What was held is held as before, and nobody closes a zone meanwhile.
    assert {item["live"] for item in data(await world.buyer.get(f"/api/checkout/{session['id']}"))["items"]} == {True}
    overlay = {
        "layout_id": str(world.sale.show.layout_id),
        "zone_overrides": {world.zone: {"access_mode": "whitelist"}},
    }
    assert code(await world.staff.put(world.sale.path("layout"), json=overlay)) == (409, "layout_in_use")
    await story.restore(world)
    assert len(data(await buy(world.buyer, session, "again", provider=PROVIDERS[price]), 201)["tickets"]) == 2
    assert await wrong(server_url) == {}


@pytest.mark.parametrize("price", PROVIDERS)
@pytest.mark.parametrize("name", STORIES)
async def test_who_is_entitled_again_buys_by_the_right_that_counts_now(
    name: str, price: int, world: World, server_url: str
) -> None:
    story = STORIES[name]
    await world.sell(price, **story.access)
    await story.prepare(world)
    session = await world.two()
    await story.end(world)
    await story.restore(world)
    assert len(data(await buy(world.buyer, session, provider=PROVIDERS[price]), 201)["tickets"]) == 2
    assert await world.denials() == []
    issued = {row["holder_email"]: row["membership_id"] for row in await rows(world.owner, "tickets", world.tenant)}
    # At the gate this one is asked about.
    assert issued[FAY] == (UUID(world.kept["fay"]) if story.access is MEMBERS else None)
    assert await wrong(server_url) == {}


async def test_a_membership_buys_until_its_last_moment(world: World, clock: Any) -> None:
    end = datetime.now(UTC) + 5 * MINUTE
    await world.sell(2500, **MEMBERS)
    await world.join(valid_until=end.isoformat())
    session = await world.two()
    await clock(end + timedelta(seconds=1) - datetime.now(UTC))
    assert code(await buy(world.buyer, session)) == (403, "zone_access_denied")
    await clock(end - MINUTE - datetime.now(UTC))
    assert len(data(await buy(world.buyer, session), 201)["tickets"]) == 2


async def test_of_purchases_that_arrive_together_only_the_entitled_one_goes_through(
    world: World, client: Client, tenant: Tenant
) -> None:
    await world.sell(2500, access_mode="whitelist")
    await world.invite()
    mine = await world.two()
    other = client.as_(tenant.tokens["staff"])
    guests = {"guests": [{"email": "staff@example.org", "name": "S"}]}
    path = world.sale.path(f"zones/{world.zone}/guests")
    assert (await world.staff.post(path, json=guests)).is_success
    items = await hold(other, world.sale, 4)
    theirs = data(await start(other, world.sale, items), 201)
    await world.uninvite()
    answers = await asyncio.gather(buy(world.buyer, mine), buy(other, theirs))
    assert [answer.status_code for answer in answers] == [403, 201]
    assert len(await rows(world.owner, "tickets", tenant)) == 1


@pytest.mark.parametrize(("access", "asked"), [({}, 0), (GUESTS, 1)], ids=["open to all", "on the list"])
async def test_rights_are_asked_for_where_a_zone_is_not_open_to_all(
    access: dict[str, Any], asked: int, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A purchase without such a zone has one statement fewer. One such zone among others is enough."""
    plan = closed(**access)
    area = (Point(1, 1), Point(9, 1), Point(9, 9), Point(1, 9))
    standing = Zone(key="pit", name="Pit", zone_type="ga_standing", capacity=9, area=area)
    plan = msgspec.structs.replace(plan, zones=(standing, *plan.zones), total_capacity=None)
    world.sale = await selling(world.staff, plan)
    if access:
        seats = world.sale.show.zones.keys() - {"pit"}
        guests = {"guests": [{"email": "customer@example.org", "name": "C"}]}
        path = world.sale.path(f"zones/{world.sale.show.zones[seats.pop()]}/guests")
        assert (await world.staff.post(path, json=guests)).is_success
    orders, ask = list[UUID](), store.rights_of_order

    async def seen(tx: Any, **asked: Any) -> list[store.ItemRight]:
        orders.append(asked["order_id"])
        return await ask(tx, **asked)

    monkeypatch.setattr(store, "rights_of_order", seen)
    items = await hold(world.buyer, world.sale, 0, pit=2)
    order = data(await buy(world.buyer, data(await start(world.buyer, world.sale, items), 201)), 201)
    assert (len(order["tickets"]), [str(i) for i in orders]) == (3, [order["id"]] * asked)


# --- passing on


@pytest.mark.parametrize("by", ["its holder", "the team", "the order's link"])
@pytest.mark.parametrize("price", PROVIDERS)
@pytest.mark.parametrize("access", [MEMBERS, GUESTS], ids=["members", "guests"])
async def test_a_ticket_is_passed_on_to_whom_its_zone_is_open(
    access: dict[str, Any], price: int, by: str, world: World
) -> None:
    await world.sell(price, **access)
    await world.join()
    await world.invite()
    session = data(await start(world.buyer, world.sale, await hold(world.buyer, world.sale, 0)), 201)
    order = data(await buy(world.buyer, session, provider=PROVIDERS[price]), 201)
    await (world.change(status="suspended") if access is MEMBERS else world.uninvite())
    await world.uninvite()
    assert code(await world.close()) == (409, "layout_in_use")
    ticket = order["tickets"][0]["id"]
    secret = {"authorization": f"Bearer {order['secret']}"}
    ways: dict[str, Callable[[], Awaitable[Any]]] = {
        "its holder": lambda: world.buyer.post(f"/api/tickets/{ticket}/transfer", json=FRIEND),
        "the team": lambda: world.staff.post(f"/api/tickets/{ticket}/transfer", json=FRIEND),
        "the order's link": lambda: world.client.post(
            f"/api/order/tickets/{ticket}/transfer", json=FRIEND, headers=secret
        ),
    }
    answer = await ways[by]()
    assert code(answer) == (403, "zone_access_denied")
    (row,) = await world.denials()
    assert (row["entity_type"], row["entity_id"], row["after"]["code"]) == ("ticket", ticket, "zone_access_denied")
    assert row["reason"] == answer.json()["detail"]
    await (world.change(status="active") if access is MEMBERS else world.invite())
    data(await ways[by]())
    assert [row["holder_email"] for row in await rows(world.owner, "tickets", world.tenant)] == [FAY]
    assert len(await world.denials()) == 1
