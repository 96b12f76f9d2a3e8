"""The waiting list: who may join it, where people stand, and what its organiser sets and sees."""

from datetime import datetime
from itertools import product
from typing import Any

import asyncpg
import pytest

from fullhouse.kit.ids import new_id
from tests.accounts.helpers import data
from tests.checkout.helpers import code, hold, rows, selling
from tests.checkout.waiting import SoldOut, join, reserve, return_seats, sold_out, standing, states, waiter
from tests.events.helpers import draft
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall

pytestmark = pytest.mark.req("BUY-6")


async def test_people_join_see_where_they_stand_and_leave(client: Client, staff: Client, tenant: Tenant) -> None:
    house = await sold_out(client, tenant, staff)
    people = [await waiter(client, tenant, house, party) for party in (1, 2, 3)]
    assert [(await standing(who, house))["position"] for who in people] == [1, 2, 3]
    for _ in range(2):
        assert (await people[0].delete(house.path("waitlist"))).status_code == 204
    assert [(await standing(who, house))["position"] for who in people] == [None, 1, 2]
    assert (await standing(people[0], house))["status"] == "left"
    again = data(await join(people[0], house), 201)
    assert (again["position"], again["offer"], again["answer_by"]) == (3, [], None)
    mine = await staff.get(house.path("waitlist"))
    assert code(mine) == (404, "not_on_waitlist")
    assert code(await staff.get(f"/api/events/{new_id()}/waitlist"))[0] == 404


async def test_one_live_entry_of_a_person(client: Client, staff: Client, tenant: Tenant) -> None:
    house = await sold_out(client, tenant, staff)
    who = await waiter(client, tenant, house, email="Ada@example.org")
    assert code(await join(who, house, 2)) == (409, "already_waiting")
    assert code(await join(await guest(client, tenant), house, email="ada@EXAMPLE.org")) == (409, "already_waiting")
    customer = client.as_(tenant.tokens["customer"])
    entry = data(await customer.post(house.path("waitlist"), json={}), 201)
    assert (entry["email"], entry["party"]) == ("customer@example.org", 1)


BAD: dict[str, tuple[dict[str, Any], int, str]] = {
    "nobody": ({"party": 0}, 422, "invalid"),
    "a coach party": ({"party": 11}, 422, "invalid"),
    "half a person": ({"party": 1.5}, 422, "invalid"),
    "words": ({"party": "two"}, 422, "invalid"),
    "no address": ({"email": None}, 422, "invalid"),
    "half an address": ({"email": "ada@"}, 422, "invalid"),
    "a field of another house": ({"organization_id": str(new_id())}, 422, "unknown_field"),
    "a place in front": ({"seq": 1}, 422, "unknown_field"),
    "no such zone": ({"zone_id": str(new_id())}, 404, "zone_not_found"),
    "a type, where there are zones": ({"ticket_type_id": str(new_id())}, 422, "invalid"),
}


@pytest.mark.parametrize("name", BAD)
async def test_bad_wishes_are_refused(name: str, client: Client, staff: Client, tenant: Tenant, owner: Any) -> None:
    wish, status, word = BAD[name]
    house = await sold_out(client, tenant, staff)
    answer = await join(await guest(client, tenant), house, **wish)
    assert code(answer) == (status, word), answer.text
    assert await rows(owner, "waitlist_entries", tenant) == []


async def test_whoever_could_buy_does_not_wait(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff, hall(1, 6, pit=2))
    house = SoldOut(sale, None)
    assert code(await join(await guest(client, tenant), house, 6)) == (409, "places_left")
    for ordinal in (0, 2, 4):
        assert (await reserve(await guest(client, tenant), house, ordinal)).status_code == 201
    await hold(await guest(client, tenant), sale, pit=2)
    assert code(await join(await guest(client, tenant), house, 1)) == (409, "places_left")
    await waiter(client, tenant, house, 2)  # there are only single seats
    pit = sale.show.zones["pit"]
    await waiter(client, tenant, house, 1, zone_id=pit)
    made = await draft(staff, name="Another night")
    wish = {"email": "ada@example.org"}
    answer = await (await guest(client, tenant)).post(f"/api/events/{made['id']}/waitlist", json=wish)
    assert code(answer) == (400, "event_not_available")


STATES = ("waiting", "offered", "taken", "lapsed", "left")
MOVES = {
    ("waiting", "offered"), ("waiting", "left"), ("offered", "taken"), ("offered", "lapsed"), ("offered", "left"),
    ("offered", "waiting"),
}  # fmt: skip


async def test_the_table_of_states(client: Client, staff: Client, tenant: Tenant, owner: Any) -> None:
    house = await sold_out(client, tenant, staff)
    await waiter(client, tenant, house)
    (entry,) = await rows(owner, "waitlist_entries", tenant)
    ways: dict[str, tuple[str, ...]] = {
        "waiting": (), "offered": ("offered",), "taken": ("offered", "taken"), "lapsed": ("offered", "lapsed"),
        "left": ("left",),
    }  # fmt: skip

    async def become(status: str) -> None:
        offer = new_id() if status not in ("waiting", "left") else None
        await owner.execute(
            "UPDATE waitlist_entries SET status = $2, basket_id = $3, answer_by = $4 WHERE id = $1",
            entry["id"],
            status,
            offer,
            datetime.now().astimezone() if offer else None,
        )

    for before, after in product(STATES, STATES):
        round_trip = owner.transaction()
        await round_trip.start()
        for status in ways[before]:
            await become(status)
        try:
            async with owner.transaction():
                await become(after)
            moved = True
        except asyncpg.RestrictViolationError:
            moved = False
        await round_trip.rollback()
        assert moved == ((before, after) in MOVES), (before, after)


async def test_the_organiser_switches_it_and_sees_who_waits(
    client: Client, staff: Client, tenant: Tenant, serve: Any, owner: Any
) -> None:
    house = await sold_out(client, tenant, staff)
    people = [await waiter(client, tenant, house, party) for party in (1, 2, 3)]
    await people[2].delete(house.path("waitlist"))
    found = data(await staff.get(house.path("waitlist/settings")))
    assert (found["enabled"], found["window_s"]) == (True, 86_400)
    assert found["now"] == {
        "waiting": 2,
        "people_waiting": 3,
        "offered": 0,
        "taken": 0,
        "lapsed": 0,
        "left": 1,
    }
    page = (await staff.get(house.path("waitlist/entries?limit=2"))).json()
    rest = (await staff.get(house.path(f"waitlist/entries?limit=2&cursor={page['next_cursor']}"))).json()
    assert [row["party"] for row in page["data"] + rest["data"]] == [1, 2, 3]
    assert [row["party"] for row in data(await staff.get(house.path("waitlist/entries?status=left")))] == [3]
    data(await staff.put(house.path("waitlist/settings"), json={"enabled": False}))
    assert code(await join(await guest(client, tenant), house)) == (409, "waitlist_off")
    await return_seats(house, 0, 1)
    assert await serve() == 0
    assert (await reserve(await guest(client, tenant), house, 0)).status_code == 201
    data(await staff.put(house.path("waitlist/settings"), json={"enabled": True, "window_s": 900}))
    assert await states(*people[:2], house=house) == ["offered", "waiting"]
    for bad in ({"window_s": 899}, {"window_s": 604_801}, {"enabled": "yes"}):
        assert code(await staff.put(house.path("waitlist/settings"), json=bad)) == (422, "invalid")
    changes = [row for row in await rows(owner, "audit_log", tenant) if row["action"] == "waitlist.settings_changed"]
    assert len(changes) == 2
