"""Places without seats are counted per day where a ticket type is valid on some days: tickets for Friday leave Saturday
as it is, and a pass counts on each of its days (docs/adr/0037).
"""

import asyncio
import json
from collections.abc import Awaitable
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse.kit.ids import new_id
from fullhouse.kit.live.bus import CHANNEL
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, add_promo, add_type, buy, code, migrate, start, twin, wrong
from tests.events.helpers import draft, make_venue, move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, guest, hall, on_sale

pytestmark = pytest.mark.req("SEAT-6", "ZONE-1", "EV-2", "TT-1", "CAP-2")
FRIDAY, SATURDAY, SUNDAY = "2090-07-07", "2090-07-08", "2090-07-09"
FESTIVAL = {"start_at": f"{FRIDAY}T10:00:00Z", "end_at": f"{SUNDAY}T20:00:00Z"}
DAYS = {"friday": [FRIDAY], "saturday": [SATURDAY], "weekend": [SATURDAY, SUNDAY], "pass": []}
PLACES = 4
Answered = tuple[int, str | None]
GOOD: Answered = (201, None)
FULL: Answered = (409, "block_at_capacity")


async def festival(staff: Client, *, capacity: int = 0, **kind: Any) -> Sale:
    """A pit of four; a type for each day, one for two, and a pass for all of them."""
    show = await on_sale(staff, hall(1, 4, pit=PLACES), event=FESTIVAL | {"capacity": capacity})
    more = {"price": 0, "kind": "ga"} | kind
    types = {
        name: await add_type(staff, show.event_id, name=name, valid_days=days, **more) for name, days in DAYS.items()
    }
    return Sale(show=show, types=types, staff=staff)


def places(sale: Sale, name: str | None, quantity: int) -> dict[str, Any]:
    named = {"ticket_type_id": sale.types[name]} if name else {}
    return {"zone_id": sale.show.zones["pit"], "quantity": quantity} | named


async def take(buyer: Client, sale: Sale, name: str | None, quantity: int = 1) -> Any:
    return await buyer.post(sale.path("holds"), json={"items": [places(sale, name, quantity)]})


async def held(client: Client, tenant: Tenant, sale: Sale, name: str | None, quantity: int = 1) -> Answered:
    return code(await take(await guest(client, tenant), sale, name, quantity))


async def paid(buyer: Client, sale: Sale, name: str, quantity: int = 1, *, as_type: bool = True) -> Any:
    basket = data(await take(buyer, sale, name if as_type else None, quantity), 201)
    items = [{"hold_id": line["hold_id"], "ticket_type_id": sale.types[name]} for line in basket["items"]]
    session = data(await start(buyer, sale, items), 201)
    return data(await buy(buyer, session, provider="free"), 201)


async def counted(owner: Any, sale: Sale, kind: str = "zone") -> dict[str, tuple[int, int]]:
    """What is held and sold: for every day, and of each type that has days."""
    ref = sale.show.zones["pit"] if kind == "zone" else sale.event_id
    where = "WHERE event_id = $1 AND kind = $2 AND ref_id = $3"
    pool = await owner.fetchrow(f"SELECT held, sold FROM pools {where}", sale.event_id, kind, UUID(str(ref)))
    rows = await owner.fetch(
        f"SELECT ticket_type_id, held, sold FROM day_places {where}", sale.event_id, kind, UUID(str(ref))
    )
    names = {UUID(type_id): name for name, type_id in sale.types.items()}
    found = {names[row["ticket_type_id"]]: (row["held"], row["sold"]) for row in rows if row["held"] + row["sold"]}
    return {"every": (pool["held"], pool["sold"])} | found


async def test_a_day_that_is_full_leaves_the_others(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await festival(staff)
    assert await held(client, tenant, sale, "friday", PLACES) == GOOD
    assert await held(client, tenant, sale, "friday") == FULL
    assert await held(client, tenant, sale, "pass") == FULL  # it is valid on Friday, too
    assert await held(client, tenant, sale, None) == FULL  # whoever does not say which day has a place on all of them
    assert await held(client, tenant, sale, "saturday", PLACES - 1) == GOOD
    assert await held(client, tenant, sale, "weekend", 2) == FULL
    assert await held(client, tenant, sale, "weekend", 1) == GOOD
    assert await held(client, tenant, sale, "weekend", 1) == FULL  # Sunday has room; Saturday has none
    assert await counted(owner, sale) == {"every": (0, 0), "friday": (4, 0), "saturday": (3, 0), "weekend": (1, 0)}
    assert await wrong(server_url) == {}


async def test_a_pass_counts_on_each_day(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await festival(staff)
    assert await held(client, tenant, sale, "pass", 2) == GOOD
    assert await held(client, tenant, sale, None, 1) == GOOD
    for name in ("friday", "weekend"):
        assert await held(client, tenant, sale, name, 2) == FULL
        assert await held(client, tenant, sale, name, 1) == GOOD
    assert await counted(owner, sale) == {"every": (3, 0), "friday": (1, 0), "weekend": (1, 0)}
    assert await wrong(server_url) == {}


async def test_the_answer_says_as_what_places_are_held(staff: Client, client: Client, tenant: Tenant) -> None:
    """At once, and when the holds are asked for: a page need not know what it has asked for."""
    sale = await festival(staff)
    buyer = await guest(client, tenant)
    for name in ("friday", "pass", None):
        basket = data(await take(buyer, sale, name), 201)
        kept = data(await buyer.get(sale.path("holds")))
        said = {(line["id"], line["ticket_type_id"]) for line in kept}
        assert {(line["hold_id"], line["ticket_type_id"]) for line in basket["items"]} <= said
        assert [line["ticket_type_id"] for line in basket["items"]] == [sale.types[name] if name else None]


async def test_one_basket_of_several_days(staff: Client, client: Client, tenant: Tenant, owner: Any) -> None:
    """All of it or nothing, and the same zone once for each type."""
    sale = await festival(staff)
    buyer = await guest(client, tenant)
    wish = {"items": [places(sale, "friday", 3), places(sale, "saturday", 3), places(sale, "pass", 1)]}
    data(await buyer.post(sale.path("holds"), json=wish), 201)
    assert await counted(owner, sale) == {"every": (1, 0), "friday": (3, 0), "saturday": (3, 0)}
    other = await guest(client, tenant)
    wish = {"items": [places(sale, "friday", 1), places(sale, "weekend", 1)]}
    assert code(await other.post(sale.path("holds"), json=wish)) == FULL
    assert await counted(owner, sale) == {"every": (1, 0), "friday": (3, 0), "saturday": (3, 0)}
    twice = {"items": [places(sale, "weekend", 1), places(sale, "weekend", 1)]}
    assert code(await other.post(sale.path("holds"), json=twice)) == (400, "invalid_request")


@pytest.mark.req("BUY-1")
@pytest.mark.parametrize("as_type", [True, False])
async def test_what_is_sold_counts_on_its_days(
    as_type: bool, staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    """Whether it was held for its day, or for every day until the checkout said which."""
    sale = await festival(staff, capacity=PLACES)
    buyer = await guest(client, tenant)
    order = await paid(buyer, sale, "friday", 3, as_type=as_type)
    for kind in ("zone", "event"):
        assert await counted(owner, sale, kind) == {"every": (0, 0), "friday": (0, 3)}
    assert await held(client, tenant, sale, "friday", 2) == FULL
    assert await held(client, tenant, sale, "weekend", 4) == GOOD
    assert await wrong(server_url) == {}
    data(await staff.post(f"/api/tickets/{order['tickets'][0]['id']}/cancel", json={"reason": "ill"}))
    for kind in ("zone", "event"):
        assert (await counted(owner, sale, kind))["friday"] == (0, 2)
    assert await held(client, tenant, sale, "friday", 2) == GOOD
    assert await wrong(server_url) == {}


async def test_a_hold_gives_its_own_days_back(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await festival(staff, capacity=PLACES)
    buyer = await guest(client, tenant)
    basket = data(await take(buyer, sale, "weekend", 3), 201)
    data(await take(buyer, sale, "pass", 1), 201)
    assert (await buyer.delete(f"/api/holds/{basket['items'][0]['hold_id']}")).status_code == 204
    for kind in ("zone", "event"):
        assert await counted(owner, sale, kind) == {"every": (1, 0)}
    await owner.execute("UPDATE seat_holds SET held_until = '2020-01-01' WHERE event_id = $1", sale.event_id)
    assert await held(client, tenant, sale, "pass", PLACES) == GOOD  # what is overdue is ended first
    assert await wrong(server_url) == {}


async def test_an_event_without_a_plan_admits_so_many_on_each_day(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    place = await make_venue(staff, max_capacity=PLACES)
    event = await draft(staff, venue_id=place["id"], **FESTIVAL)
    sale = Sale(show=OnSale(UUID(event["id"]), new_id(), {}), types={}, staff=staff)
    for name in ("friday", "saturday"):
        more = {"price": 0, "kind": "ga", "quantity": PLACES, "valid_days": DAYS[name]}
        sale.types[name] = await add_type(staff, event["id"], name=name, **more)
    wish = {"name": "pass", "price": 0, "kind": "ga", "quantity": 1, "currency": "EUR"}
    path = f"/api/events/{event['id']}/ticket-types"
    assert code(await staff.post(path, json=wish)) == (422, "quantity_above_capacity")  # on Friday: five
    data(await move(staff, event, "publish"))

    async def entry(name: str, quantity: int) -> Answered:
        items = [{"ticket_type_id": sale.types[name], "quantity": quantity}]
        buyer = await guest(client, tenant)
        return code(await buyer.post(sale.path("holds"), json={"items": items}))

    assert await entry("friday", PLACES) == GOOD
    assert await entry("saturday", PLACES) == GOOD
    assert await entry("saturday", 1) == FULL
    assert await counted(owner, sale, "event") == {"every": (0, 0), "friday": (4, 0), "saturday": (4, 0)}
    refused = await staff.patch(f"/api/venues/{place['id']}", json={"max_capacity": PLACES - 1})
    assert code(refused) == (409, "capacity_in_use")
    assert (refused.json()["held"], refused.json()["sold"]) == (4, 0)  # on one day, not on both
    assert await wrong(server_url) == {}


async def test_a_limit_that_comes_later_knows_the_days(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await festival(staff)
    await paid(await guest(client, tenant), sale, "friday", 3)
    assert await held(client, tenant, sale, "weekend", 4) == GOOD
    edit = f"/api/events/{sale.event_id}"
    assert code(await staff.patch(edit, json={"capacity": 3})) == (409, "capacity_in_use")  # Saturday and Sunday
    data(await staff.patch(edit, json={"capacity": 4}))
    assert await counted(owner, sale, "event") == {"every": (0, 0), "friday": (0, 3), "weekend": (4, 0)}
    assert await held(client, tenant, sale, "pass") == FULL
    assert await held(client, tenant, sale, "friday") == GOOD
    data(await staff.patch(edit, json={"capacity": 0}))
    assert await wrong(server_url) == {}


async def test_buyers_see_what_is_left_on_their_day(staff: Client, client: Client, tenant: Tenant, owner: Any) -> None:
    sale = await festival(staff, capacity=PLACES)
    await paid(await guest(client, tenant), sale, "friday", PLACES)

    async def seen() -> dict[str, str]:
        found = data(await client.get(sale.path("offers")))
        return {offer["name"]: offer["status"] for offer in found}

    assert await seen() == {"friday": "sold_out", "saturday": "on_sale", "weekend": "on_sale", "pass": "sold_out"}
    sold_out = "SELECT sold_out FROM app.stock($1, $2)"
    assert not await owner.fetchval(sold_out, tenant.id, sale.event_id)
    await paid(await guest(client, tenant), sale, "weekend", PLACES)
    assert set((await seen()).values()) == {"sold_out"}
    assert await owner.fetchval(sold_out, tenant.id, sale.event_id)


async def test_nobody_waits_for_a_day_that_is_full_though_a_hidden_type_has_another(
    staff: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    """The event's own limit on the days that everybody may buy; the types have no numbers of their own."""
    show = await on_sale(staff, hall(1, 4, pit=2 * PLACES), event=FESTIVAL | {"capacity": PLACES})
    days = {"friday": {}, "saturday": {"hidden": True}}
    types = {
        name: await add_type(staff, show.event_id, name=name, price=0, kind="ga", valid_days=DAYS[name], **more)
        for name, more in days.items()
    }
    sale = Sale(show=show, types=types, staff=staff)
    await add_promo(staff, sale, ticket_type_ids=[types["saturday"]])

    async def waits(**wish: Any) -> Any:
        answer = await (await guest(client, tenant)).post(sale.path("queue"), json=wish)
        return answer.status_code, answer.json().get("code")

    async def is_over() -> bool:
        return bool(await owner.fetchval("SELECT sold_out FROM app.stock($1, $2)", tenant.id, sale.event_id))

    await paid(await guest(client, tenant), sale, "friday", PLACES - 1)
    assert (await waits(), await is_over()) == ((200, None), False)
    await paid(await guest(client, tenant), sale, "friday", 1)
    assert (await waits(), await is_over()) == ((409, "sold_out"), True)
    assert await waits(promo_code="ONCE") == (200, None)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"valid_days": [SATURDAY]}, (409, "days_in_use")),
        ({"valid_days": []}, (409, "days_in_use")),
        ({"valid_days": [FRIDAY, SATURDAY]}, (409, "day_full")),
        ({"valid_days": [FRIDAY, SUNDAY]}, (200, None)),
        ({"hidden": True}, (200, None)),
    ],
)
async def test_days_that_somebody_has_only_become_more(
    wish: Any, said: Any, staff: Client, client: Client, tenant: Tenant, server_url: str
) -> None:
    sale = await festival(staff)
    await paid(await guest(client, tenant), sale, "friday", 2)
    assert await held(client, tenant, sale, "saturday", 3) == GOOD
    path = f"/api/events/{sale.event_id}/ticket-types/{sale.types['friday']}"
    assert code(await staff.patch(path, json=wish)) == said
    assert await wrong(server_url) == {}


async def test_a_pass_that_is_sold_gets_no_days(staff: Client, client: Client, tenant: Tenant) -> None:
    sale = await festival(staff)
    await paid(await guest(client, tenant), sale, "pass", 1)
    path = f"/api/events/{sale.event_id}/ticket-types/{sale.types['pass']}"
    assert code(await staff.patch(path, json={"valid_days": [FRIDAY]})) == (409, "days_in_use")


async def test_the_days_move_with_the_event_and_none_is_left_out(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await festival(staff)
    await paid(await guest(client, tenant), sale, "friday", 3)
    edit = f"/api/events/{sale.event_id}"
    shorter = await staff.patch(edit, json={"end_at": f"{SATURDAY}T20:00:00Z", "sale_end_at": f"{SATURDAY}T20:00:00Z"})
    assert code(shorter) == (409, "days_left_out")
    assert shorter.json()["days"] == [SUNDAY]
    later = {"start_at": "2090-08-07T10:00:00Z", "end_at": "2090-08-09T20:00:00Z"}
    data(await staff.patch(edit, json=later | {"doors_at": "2090-08-07T09:00:00Z"}))
    assert await held(client, tenant, sale, "friday", 2) == FULL
    assert await held(client, tenant, sale, "friday", 1) == GOOD
    assert await wrong(server_url) == {}


async def test_another_version_of_the_plan_knows_the_days(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await festival(staff)
    await paid(await guest(client, tenant), sale, "friday", 3)
    await paid(await guest(client, tenant), sale, "pass", 1)
    with pytest.raises(AssertionError, match="4 places are sold; the new version has 3"):
        await migrate(staff, sale, hall(1, 4, pit=PLACES - 1))  # on Friday
    await migrate(staff, sale, hall(1, 4, pit=PLACES + 1))
    zones = await owner.fetch("SELECT zone_id FROM event_zones WHERE event_id = $1 AND zone_key = 'pit'", sale.event_id)
    sale.show.zones["pit"] = str(zones[0]["zone_id"])
    assert await counted(owner, sale) == {"every": (0, 1), "friday": (0, 3)}
    assert await held(client, tenant, sale, "friday", 1) == GOOD
    assert await held(client, tenant, sale, "friday", 1) == FULL
    assert await wrong(server_url) == {}


async def test_a_type_is_named_only_for_its_own_zone(staff: Client, client: Client, tenant: Tenant) -> None:
    sale = await festival(staff)
    seated = await add_type(staff, sale.event_id, name="seat", price=0, kind="seated")
    early = await add_type(
        staff,
        sale.event_id,
        name="early",
        price=0,
        kind="ga",
        valid_days=[FRIDAY],
        sale_start_at="2039-12-31T00:00:00Z",
    )
    named = sale.types | {"seat": seated, "early": early, "none": str(new_id())}
    found = {}
    for name in ("seat", "early", "none"):
        item = {"zone_id": sale.show.zones["pit"], "ticket_type_id": named[name]}
        found[name] = code(await (await guest(client, tenant)).post(sale.path("holds"), json={"items": [item]}))
    off_sale = (409, "ticket_type_not_on_sale")
    assert found == {"seat": off_sale, "early": off_sale, "none": (404, "ticket_type_not_found")}
    seat = {"seat_id": sale.show.seat(0), "ticket_type_id": seated}
    refused = await (await guest(client, tenant)).post(sale.path("holds"), json={"items": [seat]})
    assert code(refused) == (400, "invalid_request")


async def test_a_quantity_counts_what_is_held_of_the_type(
    staff: Client, client: Client, tenant: Tenant, server_url: str
) -> None:
    sale = await festival(staff, quantity=2)
    assert await held(client, tenant, sale, "friday", 2) == GOOD
    assert await held(client, tenant, sale, "friday", 1) == FULL
    assert await held(client, tenant, sale, "pass", 2) == GOOD
    assert await wrong(server_url) == {}


async def test_the_database_itself_refuses_one_more_on_a_full_day(
    staff: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await festival(staff)
    assert await held(client, tenant, sale, "friday", PLACES) == GOOD
    more = "UPDATE day_places SET sold = sold + 1 WHERE event_id = $1"
    with pytest.raises(asyncpg.CheckViolationError, match="pools_never_oversold"):
        await owner.execute(more, sale.event_id)


async def test_a_pool_whose_fullest_day_stays_is_not_written(
    staff: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    """Its version is what others compare. Nor is that of another event on the same plan."""
    sale = await festival(staff)
    other = await twin(staff, sale)
    assert await held(client, tenant, sale, "friday", 3) == GOOD
    pools = "SELECT kind, ref_id, day_peak, version FROM pools WHERE event_id = $1 ORDER BY 1, 2"
    before = await owner.fetch(pools, sale.event_id)
    assert await held(client, tenant, sale, "saturday", 2) == GOOD
    assert await owner.fetch(pools, sale.event_id) == before
    assert {row["day_peak"] for row in await owner.fetch(pools, other)} == {0}


async def test_other_processes_hear_what_a_zone_has_on_its_best_day(
    staff: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    """After a hold, its end, a sale and a return: of this zone of this event, though another one has the same plan."""
    sale = await festival(staff)
    await twin(staff, sale)
    buyer, pit = await guest(client, tenant), sale.show.zones["pit"]

    def now(held: int, sold: int) -> set[tuple[str, str, int, int]]:
        return {(f"seats:{sale.event_id}", pit, held, sold)}

    assert await told(owner, take(buyer, sale, "friday", 3)) == now(0, 0)  # Saturday is as it was
    basket, heard = await with_told(owner, take(buyer, sale, "weekend", 2))
    assert heard == now(2, 0)
    first = data(basket, 201)["items"][0]["hold_id"]
    assert await told(owner, buyer.delete(f"/api/holds/{first}")) == now(0, 0)
    order, heard = await with_told(owner, paid(buyer, sale, "pass", 1))
    assert heard == now(1, 0) | now(0, 1)
    cancel = staff.post(f"/api/tickets/{order['tickets'][0]['id']}/cancel", json={"reason": "ill"})
    assert await told(owner, cancel) == now(0, 0)


async def told(owner: Any, act: Awaitable[Any]) -> set[tuple[str, str, int, int]]:
    return (await with_told(owner, act))[1]


async def with_told(owner: Any, act: Awaitable[Any]) -> tuple[Any, set[tuple[str, str, int, int]]]:
    """What is held and sold of zones as other processes are told it while this is done. Notices come in the order of
    their commits, so that a mark of our own ends them.
    """
    mark, ended, heard = '["mark",[]]', asyncio.Event(), set[tuple[str, str, int, int]]()

    def hear(_connection: Any, _pid: int, _channel: str, packed: str) -> None:
        if packed == mark:
            ended.set()
        for topic, news in json.loads(packed)[1]:
            if topic.startswith("seats:"):
                heard.update((topic, zone, held, sold) for zone, held, sold, _ in news[3])

    await owner.add_listener(CHANNEL, hear)
    try:
        answer = await act
        await owner.execute(f"NOTIFY {CHANNEL}, '{mark}'")
        await ended.wait()
    finally:
        await owner.remove_listener(CHANNEL, hear)
    return answer, heard
