"""A line that is sold out goes on for its buyers: who holds places, or has a promo code for a hidden type."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.waiting_room.rooms import WaitingRooms
from tests.accounts.helpers import data, refused
from tests.checkout.helpers import Sale, add_promo, add_type, bought, hold, selling_types, start
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest
from tests.queue.helpers import Shift, Waiting, come, keep, soon

pytestmark = pytest.mark.req("QUEUE-1", "QUEUE-2", "BUY-6")
ACCESS: dict[str, Any] = {"code": "FRIENDS", "kind": "access", "amount": None, "max_uses": None}
CODE = {"promo_code": " friends "}


@pytest.fixture
async def sale(staff: Client) -> Sale:
    """One ticket for everybody, and four of a hidden type."""
    sale = await selling_types(staff, 1)
    hidden = await add_type(staff, sale.event_id, name="friends", price=100, quantity=4, kind="ga", hidden=True)
    await add_promo(staff, sale, **ACCESS, ticket_type_ids=[hidden])
    return msgspec.structs.replace(sale, types=sale.types | {"friends": hidden})


@pytest.fixture
async def buyer(client: Client, tenant: Tenant) -> Client:
    return await guest(client, tenant)


async def open_room(staff: Client, sale: Sale, slots: int) -> None:
    wish = {"mode": "on", "slots": slots, "admit_window_s": 1800}
    assert (await staff.put(sale.path("queue/settings"), json=wish)).status_code == 200


async def hold_hidden(buyer: Client, sale: Sale) -> list[dict[str, Any]]:
    wish = {"items": [{"ticket_type_id": sale.types["friends"], "quantity": 1}]} | CODE
    held = data(await buyer.post(sale.path("holds"), json=wish), 201)
    return [{"hold_id": held["items"][0]["hold_id"], "ticket_type_id": sale.types["friends"]}]


async def becomes(waiting: Waiting, status: str) -> None:
    async def told() -> bool:
        return bool((await waiting.now())["status"] == status)

    await soon(told)


async def come_with(client: Client, sale: Sale, **body: str) -> Waiting:
    path = sale.path("queue")
    return Waiting(client, data(await client.post(path, json=body)), path)


async def test_who_holds_places_checks_out_though_all_else_is_sold(
    client: Client, tenant: Tenant, buyer: Client, sale: Sale
) -> None:
    items = await hold_hidden(buyer, sale)
    await bought(client, tenant, sale, entry=1)
    other = await guest(client, tenant)
    assert refused(await other.post(sale.path("queue"))) == (409, "sold_out")
    assert data(await buyer.post(sale.path("queue")))["status"] == "admitted"
    assert (await buyer.delete(sale.path("queue"))).status_code == 204
    data(await start(buyer, sale, items, promo_code="FRIENDS"), 201)


async def test_who_has_a_code_joins_is_let_in_and_buys(
    client: Client, tenant: Tenant, staff: Client, buyer: Client, sale: Sale
) -> None:
    await open_room(staff, sale, slots=1)
    inside = await come(await guest(client, tenant), sale.show)
    behind = await come(await guest(client, tenant), sale.show)
    order = await hold(inside.client, sale, entry=1)
    ticket = data(await start(inside.client, sale, order), 201)
    with_code, next_ = await come_with(buyer, sale, **CODE), await come_with(await guest(client, tenant), sale, **CODE)
    await sell_the_last(inside.client, ticket)
    await becomes(behind, "sold_out")
    await becomes(with_code, "admitted")  # past somebody who stood before them, and for whom there is nothing
    found = await next_.now()
    assert (found["status"], found["position"], found["total"]) == ("waiting", 1, 1)
    for answer in (
        await (await guest(client, tenant)).post(sale.path("queue")),
        await (await guest(client, tenant)).post(sale.path("queue"), json={"promo_code": "OTHERS"}),
    ):
        assert refused(answer) == (409, "sold_out")
    data(await start(buyer, sale, await hold_hidden(buyer, sale), promo_code="FRIENDS"), 201)


async def sell_the_last(buyer: Client, session: Any) -> None:
    body = {"provider": "test", "buyer": {"name": "Ada Buyer", "email": "ada@example.org"}}
    answer = await buyer.post(f"/api/checkout/{session['id']}/purchase", json=body, headers={"idempotency-key": "last"})
    data(answer, 201)


async def test_new_ones_join_a_line_that_is_sold_out_with_a_code_or_a_hold(
    client: Client, tenant: Tenant, staff: Client, buyer: Client, sale: Sale, process: Services, finder: Database
) -> None:
    """Behind somebody inside; and every process tells them that they wait, the next to start too."""
    items = await hold_hidden(buyer, sale)
    await bought(client, tenant, sale, entry=1)
    inside = await come_with(await guest(client, tenant), sale, **CODE)
    await open_room(staff, sale, slots=1)
    await keep(process, finder)  # sees that it is sold out
    with_code = await come_with(await guest(client, tenant), sale, **CODE)
    begun = await start(buyer, sale, items, promo_code="FRIENDS")
    assert begun.status_code == 202, begun.text
    place = data(begun, 202)  # who held places when the room opened is first
    assert (place["status"], place["position"], place["total"]) == ("waiting", 1, 2)
    assert (await with_code.now())["position"] == 2
    standing = await process.part(WaitingRooms).load(tenant.id, sale.event_id)
    assert standing.room.sold_out
    assert standing.queue.buyers == {place["seq"], with_code.place["seq"]}
    assert (await inside.client.delete(inside.path)).status_code == 204

    async def let_in() -> bool:
        return (await start(buyer, sale, items, promo_code="FRIENDS")).status_code == 201

    await soon(let_in)
    assert (await with_code.now())["position"] == 1
    assert (await buyer.delete(sale.path("queue"))).status_code == 409  # a checkout has the slot
    mine = data(await buyer.get(sale.path("checkout")))
    assert (await buyer.delete(f"/api/checkout/{mine['id']}")).status_code == 204
    await becomes(with_code, "admitted")


async def test_who_waits_already_comes_again_with_a_code(
    client: Client, tenant: Tenant, staff: Client, buyer: Client, sale: Sale
) -> None:
    await open_room(staff, sale, slots=1)
    inside = await come(await guest(client, tenant), sale.show)
    waiting = await come(buyer, sale.show)
    ticket = data(await start(inside.client, sale, await hold(inside.client, sale, entry=1)), 201)
    await sell_the_last(inside.client, ticket)
    await becomes(waiting, "sold_out")
    again = await come_with(buyer, sale, **CODE)
    assert again.place["seq"] == waiting.place["seq"]
    await becomes(waiting, "admitted")


async def test_who_held_places_when_the_room_opened_is_let_in_though_all_else_is_sold(
    client: Client, tenant: Tenant, staff: Client, buyer: Client, sale: Sale, process: Services, finder: Database
) -> None:
    """And who lets go of them waits for nothing, like all others."""
    first = await guest(client, tenant)
    await hold_hidden(first, sale)
    (item,) = await hold_hidden(buyer, sale)
    last = await guest(client, tenant)
    await hold_hidden(last, sale)
    ticket = data(await start(first, sale, await hold(first, sale, entry=1)), 201)
    await open_room(staff, sale, slots=1)
    places = [await come(each, sale.show) for each in (first, buyer, last)]
    assert [each.place["status"] for each in places] == ["admitted", "waiting", "waiting"]
    assert (await buyer.delete(f"/api/holds/{item['hold_id']}")).status_code == 204
    await sell_the_last(first, ticket)
    await keep(process, finder)
    await becomes(places[1], "sold_out")
    await becomes(places[2], "admitted")


NOW = datetime.now(UTC)
LATER, SOON, BEFORE = NOW + timedelta(hours=1), NOW + timedelta(seconds=1), NOW - timedelta(hours=1)
# What is said of the code, of its type, and of that type's pool; and whether somebody with it has something to buy.
CODES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], bool]] = {
    "good": ({}, {}, {}, True),
    "for another type": ({"ticket_type_ids": []}, {}, {}, False),
    "switched off": ({"active": False}, {}, {}, False),
    "for later": ({"valid_from": LATER}, {}, {}, False),
    "begun": ({"valid_from": BEFORE}, {}, {}, True),
    "over": ({"valid_until": SOON}, {}, {}, False),
    "not over": ({"valid_until": LATER}, {}, {}, True),
    "used up": ({"uses": 3, "max_uses": 3}, {}, {}, False),
    "with a use left": ({"uses": 2, "max_uses": 3}, {}, {}, True),
    "without budget": ({"budget": 3, "spent": 3}, {}, {}, False),
    "with a budget left": ({"budget": 3, "spent": 2}, {}, {}, True),
    "of a type for later": ({}, {"sale_start_at": LATER}, {}, False),
    "of a type that is over": ({}, {"sale_end_at": SOON}, {}, False),
    "of a type that is sold now": ({}, {"sale_start_at": BEFORE, "sale_end_at": LATER}, {}, True),
    "of a type that is sold": ({}, {}, {"sold": 4}, False),
    "of a type that has one left": ({}, {}, {"sold": 3}, True),
}


@pytest.mark.parametrize(("code", "of", "pool", "sells"), list(CODES.values()), ids=list(CODES))
async def test_a_code_lets_in_while_it_can_be_bought_with(
    client: Client,
    tenant: Tenant,
    buyer: Client,
    sale: Sale,
    owner: Any,
    clock: Shift,
    code: dict[str, Any],
    of: dict[str, Any],
    pool: dict[str, Any],
    sells: bool,
) -> None:
    await bought(client, tenant, sale, entry=1)
    friends = sale.types["friends"]
    for table, key, columns in (
        ("promo_codes", sale.event_id, code),
        ("ticket_types", friends, of),
        ("pools", friends, pool),
    ):
        for name, value in columns.items():
            of_it = {"promo_codes": "event_id", "ticket_types": "id", "pools": "ref_id"}[table]
            await owner.execute(f"UPDATE {table} SET {name} = $2 WHERE {of_it} = $1", key, value)
    await clock(timedelta(seconds=2))
    answer = await buyer.post(sale.path("queue"), json=CODE)
    assert answer.json().get("code", "") == ("" if sells else "sold_out"), answer.text


async def test_a_code_does_not_make_a_full_event_wider(
    client: Client, tenant: Tenant, buyer: Client, sale: Sale, owner: Any
) -> None:
    await bought(client, tenant, sale, entry=1)
    assert (await buyer.post(sale.path("queue"), json=CODE)).status_code == 200
    await owner.execute("UPDATE events SET capacity = 1 WHERE id = $1", sale.event_id)
    await owner.execute("SELECT app.fit_event_pools($1, ARRAY[$2::uuid])", tenant.id, sale.event_id)
    other = await guest(client, tenant)
    assert refused(await other.post(sale.path("queue"), json=CODE)) == (409, "sold_out")


async def test_the_body_of_a_join_is_checked(buyer: Client, sale: Sale) -> None:
    assert refused(await buyer.post(sale.path("queue"), json={"promo_code": ""})) == (422, "invalid")
    assert refused(await buyer.post(sale.path("queue"), json={"user_id": "x"})) == (422, "unknown_field")
    assert (await buyer.post(sale.path("queue"), json={})).status_code == 200
