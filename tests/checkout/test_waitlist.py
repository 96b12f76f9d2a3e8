"""The waiting list: who is served, with what, and until when."""

from datetime import datetime, timedelta
from itertools import product
from typing import Any

import asyncpg
import pytest

from fullhouse.checkout import waitlist_actions, waitlist_jobs
from fullhouse.holds import jobs as hold_jobs
from fullhouse.kit.db import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.messaging import notice_actions
from fullhouse.seating.generators import Straight, generate
from tests.accounts.helpers import data
from tests.checkout.helpers import buy, code, hold, migrate, rows, selling, start, wrong
from tests.checkout.waiting import (
    SoldOut,
    give_back,
    join,
    letters,
    ordinals,
    react,
    reserve,
    return_seats,
    sold_out,
    sold_out_types,
    standing,
    states,
    waiter,
)
from tests.events.helpers import draft, move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall

pytestmark = pytest.mark.req("BUY-6")
DAY = timedelta(days=1)


@pytest.fixture
async def serve(finder: Database, services: Services, tenant: Tenant, owner: Any) -> Any:
    """A worker's sweep; how many holds it made here."""
    mine = "SELECT count(*) FROM seat_holds WHERE organization_id = $1 AND source = 'waitlist'"

    async def sweep() -> int:
        before = await owner.fetchval(mine, tenant.id)
        await waitlist_jobs.serve_lists(finder, services.database)
        return int(await owner.fetchval(mine, tenant.id) - before)

    return sweep


# --- the list


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
            entry["id"], status, offer, datetime.now().astimezone() if offer else None,
        )  # fmt: skip

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


# --- whom places fit


async def test_a_party_sits_together_and_is_not_offered_one_seat(
    client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str
) -> None:
    house = await sold_out(client, tenant, staff)
    pair, single = await waiter(client, tenant, house, 2), await waiter(client, tenant, house)
    await return_seats(house, 0, 2)
    assert await serve() == 1
    assert await states(pair, single, house=house) == ["waiting", "offered"]
    assert ordinals(house, await standing(single, house)) in ([0], [2])
    other = 2 if ordinals(house, await standing(single, house)) == [0] else 0
    # What fits nobody who waits is everybody's: an empty seat helps nobody.
    assert (await reserve(await guest(client, tenant), house, other)).status_code == 201
    await return_seats(house, 4, 5)
    assert await serve() == 2
    assert ordinals(house, await standing(pair, house)) == [4, 5]
    assert await wrong(server_url) == {}


async def test_an_aisle_parts_a_party(client: Client, staff: Client, tenant: Tenant, serve: Any) -> None:
    plan = generate(Straight(rows=1, seats_per_row=6, aisles_after=(3,)))
    house = await sold_out(client, tenant, staff, plan)
    pair = await waiter(client, tenant, house, 2)
    await return_seats(house, 2, 3)
    assert await serve() == 0
    await return_seats(house, 4)
    assert await serve() == 2
    assert ordinals(house, await standing(pair, house)) == [3, 4]


async def test_the_tightest_block_is_offered(client: Client, staff: Client, tenant: Tenant, serve: Any) -> None:
    house = await sold_out(client, tenant, staff, seats=9)
    pair = await waiter(client, tenant, house, 2)
    await return_seats(house, 0, 1, 2, 4, 5, 7)
    await serve()
    assert ordinals(house, await standing(pair, house)) == [4, 5]


async def test_wheelchair_places_are_for_whoever_waits_for_one(
    client: Client, staff: Client, tenant: Tenant, serve: Any, owner: Any
) -> None:
    plan = hall(1, 6, wheelchairs=1)
    house = await sold_out(client, tenant, staff, plan, seats=len(list(_seats(plan))))
    kinds = await owner.fetch("SELECT ordinal, category FROM seats WHERE organization_id = $1 ORDER BY 1", tenant.id)
    chair = next(row["ordinal"] for row in kinds if row["category"] == "wheelchair")
    beside = next(row["ordinal"] for row in kinds if row["category"] == "companion")
    rolls, walks = await waiter(client, tenant, house, 2, accessible=True), await waiter(client, tenant, house)
    await return_seats(house, chair)
    assert await serve() == 0
    await return_seats(house, beside)
    assert await serve() == 2
    assert set(ordinals(house, await standing(rolls, house))) == {chair, beside}
    assert await states(walks, house=house) == ["waiting"]


def _seats(plan: Any) -> Any:
    return (seat for zone in plan.zones for section in zone.sections for row in section.rows for seat in row.seats)


async def test_places_without_seats(client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str) -> None:
    house = await sold_out(client, tenant, staff, pit=4)
    pit = house.sale.show.zones["pit"]
    three, one, two = [await waiter(client, tenant, house, n, zone_id=pit) for n in (3, 1, 2)]
    tickets = [ticket["id"] for ticket in house.pit["tickets"]]
    await give_back(staff, house.pit, *tickets[:2])
    assert await serve() == 1
    assert await states(three, one, two, house=house) == ["waiting", "offered", "waiting"]
    await give_back(staff, house.pit, tickets[2])
    await serve()
    assert await states(three, one, two, house=house) == ["waiting", "offered", "offered"]
    assert [hold["quantity"] for hold in (await standing(two, house))["offer"]] == [2]
    await give_back(staff, house.pit, tickets[3])
    assert await serve() == 0
    answer = await client.get(house.path("occupancy"))
    (zone,) = [zone for zone in data(answer)["zones"] if zone["zone_id"] == pit]
    assert (zone["held"], zone["available"]) == (3, 1)
    assert await wrong(server_url) == {}


async def test_a_show_without_a_layout(client: Client, staff: Client, tenant: Tenant, serve: Any) -> None:
    house = await sold_out_types(client, tenant, staff, 3)
    entry = house.sale.types["entry"]
    two = await waiter(client, tenant, house, 2, ticket_type_id=entry)
    one = await waiter(client, tenant, house)
    await give_back(staff, house.order, house.order["tickets"][0]["id"])
    assert await serve() == 1
    assert await states(two, one, house=house) == ["waiting", "offered"]
    assert (await standing(one, house))["offer"][0]["ticket_type_id"] == entry


async def test_no_more_is_offered_than_there_are_tickets_for(
    client: Client, staff: Client, tenant: Tenant, serve: Any
) -> None:
    """Ten seats, of which six may be sold: a returned ticket is one place, not five."""
    sale = await selling(staff, hall(1, 10), quantity=6)
    buyer = await guest(client, tenant)
    begun = data(await start(buyer, sale, await hold(buyer, sale, *range(6))), 201)
    house = SoldOut(sale, data(await buy(buyer, begun), 201))
    people = [await waiter(client, tenant, house) for _ in range(3)]
    await return_seats(house, 3)
    assert await serve() == 1
    assert await states(*people, house=house) == ["offered", "waiting", "waiting"]


async def test_added_places_are_offered(client: Client, staff: Client, tenant: Tenant, serve: Any) -> None:
    house = await sold_out_types(client, tenant, staff, 2)
    who = await waiter(client, tenant, house)
    kind = house.path(f"ticket-types/{house.sale.types['entry']}")
    known = await staff.get(kind)
    headers = {"if-match": known.headers["etag"]} if "etag" in known.headers else {}
    data(await staff.patch(kind, json={"quantity": 3}, headers=headers))
    assert await serve() == 1
    assert await states(who, house=house) == ["offered"]


# --- nobody else in between


async def by_refund(house: SoldOut, *_: Any) -> None:
    await return_seats(house, 3)


async def by_cancelling(house: SoldOut, *_: Any) -> None:
    data(await house.sale.staff.post(f"/api/tickets/{house.ticket(3)}/cancel", json={"reason": "Printed twice"}))


async def by_unblocking(house: SoldOut, *_: Any) -> None:
    await return_seats(house, 3)
    seats = {"seat_ids": [house.sale.show.seat(3)], "reason": "The camera stands there."}
    data(await house.sale.staff.post(house.path("seats/block"), json=seats))
    data(await house.sale.staff.post(house.path("seats/unblock"), json=seats))


RETURNS = {"a refund": by_refund, "a cancelled ticket": by_cancelling, "a seat that is open again": by_unblocking}


@pytest.mark.parametrize("way", RETURNS)
async def test_what_comes_back_is_theirs_before_anybody_looks(
    way: str, client: Client, staff: Client, tenant: Tenant, server_url: str
) -> None:
    house = await sold_out(client, tenant, staff)
    who = await waiter(client, tenant, house)
    await RETURNS[way](house)
    # No worker has looked yet: the one who asks first makes the offer, and does not get the seat.
    stranger = await guest(client, tenant)
    assert code(await reserve(stranger, house, 3)) == (409, "seat_held_by_another_user")
    assert ordinals(house, await standing(who, house)) == [3]
    best = await stranger.post(house.path("holds"), json={"best_available": {"quantity": 1}})
    assert best.status_code == 409
    assert data(await client.get(house.path("occupancy")))["available"] == 0
    assert await wrong(server_url) == {}


async def test_so_is_a_hold_whose_time_is_over(
    client: Client, staff: Client, tenant: Tenant, clock: Any, server_url: str
) -> None:
    sale = await selling(staff, hall(1, 2, pit=1))
    house = SoldOut(sale, None)
    await hold(await guest(client, tenant), sale, 0, 1)
    await hold(await guest(client, tenant), sale, pit=1)
    pair = await waiter(client, tenant, house, 2)
    stands = await waiter(client, tenant, house, zone_id=sale.show.zones["pit"])
    await clock(timedelta(minutes=16))
    stranger = await guest(client, tenant)
    assert code(await reserve(stranger, house, 1)) == (409, "seat_held_by_another_user")
    items = [{"zone_id": sale.show.zones["pit"], "quantity": 1}]
    assert code(await stranger.post(sale.path("holds"), json={"items": items})) == (409, "block_at_capacity")
    assert await states(pair, stands, house=house) == ["offered", "offered"]
    assert await wrong(server_url) == {}


async def test_whoever_waits_for_something_else_keeps_nobody_from_buying(
    client: Client, staff: Client, tenant: Tenant
) -> None:
    house = await sold_out(client, tenant, staff, pit=2)
    await waiter(client, tenant, house, zone_id=house.sale.show.zones["pit"])
    await return_seats(house, 3)
    assert (await reserve(await guest(client, tenant), house, 3)).status_code == 201


async def test_whoever_asks_in_another_row_does_not_wait_for_the_list(
    client: Client, staff: Client, tenant: Tenant, serve: Any
) -> None:
    """A place is looked at where it is wanted. What is free elsewhere is offered by a worker, as always."""
    house = await sold_out(client, tenant, staff, hall(2, 5), seats=10)
    pair = await waiter(client, tenant, house, 2)
    await return_seats(house, 0, 1, 7)
    assert (await reserve(await guest(client, tenant), house, 7)).status_code == 201
    assert await states(pair, house=house) == ["waiting"]
    assert code(await reserve(await guest(client, tenant), house, 0)) == (409, "seat_held_by_another_user")
    assert ordinals(house, await standing(pair, house)) == [0, 1]


async def test_many_offers_are_made_in_rounds(
    client: Client, staff: Client, tenant: Tenant, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waitlist_actions, "ROUND", 2)
    house = await sold_out(client, tenant, staff)
    people = [await waiter(client, tenant, house) for _ in range(5)]
    await return_seats(house, *range(6))
    assert await serve() == 5
    assert await states(*people, house=house) == ["offered"] * 5


# --- what becomes of an offer


async def offered(client: Client, tenant: Tenant, staff: Client, serve: Any, party: int = 1) -> tuple[SoldOut, Client]:
    house = await sold_out(client, tenant, staff)
    who = await waiter(client, tenant, house, party)
    await return_seats(house, *range(party))
    await serve()
    return house, who


def to_buy(house: SoldOut, entry: Any) -> list[dict[str, Any]]:
    return [{"hold_id": hold["hold_id"], "ticket_type_id": house.sale.types["seat"]} for hold in entry["offer"]]


async def test_an_offer_is_bought_like_every_hold(
    client: Client, staff: Client, tenant: Tenant, serve: Any, clock: Any, owner: Any, server_url: str
) -> None:
    house, who = await offered(client, tenant, staff, serve, 2)
    await clock(timedelta(hours=23))
    entry = await standing(who, house)
    assert {hold["id"] for hold in data(await who.get(house.path("holds")))} == {
        hold["hold_id"] for hold in entry["offer"]
    }
    stranger = await guest(client, tenant)
    assert code(await start(stranger, house.sale, to_buy(house, entry))) == (409, "hold_expired")
    session = data(await start(who, house.sale, to_buy(house, entry)), 201)
    order = data(await buy(who, session), 201)
    assert len(order["tickets"]) == 2
    after = await standing(who, house)
    assert (after["status"], after["offer"]) == ("taken", [])
    told = {row["name"] for row in await rows(owner, "outbox", tenant) if row["name"].startswith("waitlist.")}
    assert told == {"waitlist.joined", "waitlist.offered", "waitlist.taken"}
    noted = {row["action"] for row in await rows(owner, "audit_log", tenant)}
    assert {"waitlist.joined", "waitlist.offered", "waitlist.taken"} <= noted
    assert await wrong(server_url) == {}


async def test_a_guest_buys_by_the_link_in_the_mail(
    client: Client, staff: Client, tenant: Tenant, serve: Any, services: Services
) -> None:
    house = await sold_out(client, tenant, staff)
    await waiter(client, tenant, house, email="grace@example.org")
    await return_seats(house, 0)
    await serve()
    for name in ("waitlist.joined", "waitlist.offered"):
        await react(services, tenant, name)
    for template in ("waiting_list_joined", "waiting_list_offer"):
        (letter,) = await letters(services, tenant, template)
        assert letter["recipient"] == "grace@example.org"
    assert "row A, seat 1" in " ".join(letter["body"].split())
    secret = letter["body"].partition("/waiting-list#")[2].split()[0]
    bearer = {"authorization": f"Bearer {secret}"}
    entry = data(await client.get("/api/waitlist", headers=bearer))
    assert (entry["status"], entry["secret"]) == ("offered", secret)
    opened = await client.post("/api/waitlist/session", headers=bearer)
    here = client.as_(data(opened, 201)["token"])
    assert "set-cookie" in opened.headers
    order = data(await buy(here, data(await start(here, house.sale, to_buy(house, entry)), 201)), 201)
    assert order["status"] == "paid"
    assert data(await client.get("/api/waitlist", headers=bearer))["status"] == "taken"
    assert (await client.get("/waiting-list")).status_code == 200


@pytest.mark.req("BUY-6", "TEN-2")
async def test_a_secret_opens_one_entry_and_no_account(
    client: Client, staff: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    house = await sold_out(client, tenant, staff)
    customer = client.as_(tenant.tokens["customer"])
    entry = data(await customer.post(house.path("waitlist"), json={}), 201)
    bearer = {"authorization": f"Bearer {entry['secret']}"}
    assert data(await client.get("/api/waitlist", headers=bearer))["id"] == entry["id"]
    assert code(await client.post("/api/waitlist/session", headers=bearer)) == (409, "sign_in_needed")
    elsewhere = entry["secret"][:4] + _under(other_tenant) + entry["secret"][4 + len(_under(other_tenant)) :]
    for secret in ("", "fhw_nonsense", entry["secret"][:-6] + "AAAAAA", elsewhere, tenant.tokens["owner"]):
        for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/session")):
            answer = await client.request(method, f"/api/waitlist{path}", headers={"authorization": f"Bearer {secret}"})
            assert code(answer) == (404, "not_on_waitlist"), (method, secret)
    assert (await client.delete("/api/waitlist", headers=bearer)).status_code == 204
    assert data(await client.get("/api/waitlist", headers=bearer))["status"] == "left"


def _under(tenant: Tenant) -> str:
    """A token's beginning, as this organisation's have it."""
    return tenant.tokens["owner"][4:24]


async def test_an_offer_that_lapses_goes_to_the_next(
    client: Client, staff: Client, tenant: Tenant, serve: Any, clock: Any, finder: Database, services: Services,
    owner: Any, server_url: str,
) -> None:  # fmt: skip
    house = await sold_out(client, tenant, staff)
    data(await staff.put(house.path("waitlist/settings"), json={"window_s": 3600}))
    first, second = [await waiter(client, tenant, house) for _ in range(2)]
    await return_seats(house, 2)
    assert await serve() == 1
    assert await serve() == 0
    entry = await standing(first, house)
    assert entry["answer_by_unix_ms"] - entry["server_time_unix_ms"] <= 3_600_000
    assert entry["timezone"] == "Europe/Brussels"
    await clock(timedelta(minutes=59))
    await hold_jobs.sweep_holds(finder, services.database)
    assert await states(first, second, house=house) == ["offered", "waiting"]
    await clock(timedelta(minutes=61))
    assert code(await start(first, house.sale, to_buy(house, entry))) == (409, "hold_expired")
    await hold_jobs.sweep_holds(finder, services.database)
    assert await states(first, second, house=house) == ["lapsed", "waiting"]
    await react(services, tenant, "waitlist.lapsed")
    assert await states(first, second, house=house) == ["lapsed", "offered"]
    assert ordinals(house, await standing(second, house)) == [2]
    assert len(await letters(services, tenant, "waiting_list_lapsed")) == 1
    data(await join(first, house), 201)  # behind everybody
    assert await wrong(server_url) == {}


async def test_what_is_declined_goes_to_the_next_at_once(
    client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str
) -> None:
    house = await sold_out(client, tenant, staff)
    first, second, third = [await waiter(client, tenant, house) for _ in range(3)]
    await return_seats(house, 2)
    await serve()
    assert (await first.delete(house.path("waitlist"))).status_code == 204
    assert await states(first, second, third, house=house) == ["left", "offered", "waiting"]
    given = (await standing(second, house))["offer"][0]["hold_id"]
    assert (await second.delete(f"/api/holds/{given}")).status_code == 204
    assert code(await reserve(await guest(client, tenant), house, 2)) == (409, "seat_held_by_another_user")
    assert await states(first, second, third, house=house) == ["left", "left", "offered"]
    assert await wrong(server_url) == {}


async def test_what_is_being_paid_for_is_not_left(client: Client, staff: Client, tenant: Tenant, serve: Any) -> None:
    house, who = await offered(client, tenant, staff, serve)
    entry = await standing(who, house)
    session = data(await start(who, house.sale, to_buy(house, entry)), 201)
    assert (await buy(who, session, method="delay")).status_code == 202
    assert code(await who.delete(house.path("waitlist"))) == (409, "payment_running")
    assert await states(who, house=house) == ["offered"]


# --- what the house does


@pytest.mark.parametrize("deed", ["seats/block", "holds/release"])
async def test_a_seat_that_is_taken_away_costs_nobody_their_turn(
    client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str, deed: str
) -> None:
    house, pair = await offered(client, tenant, staff, serve, 2)
    behind = await waiter(client, tenant, house, 2)
    seats = {"seat_ids": [house.sale.show.seat(0)], "reason": "Broken"}
    data(await staff.post(house.path(deed), json=seats))
    entry = await standing(pair, house)
    assert (entry["status"], entry["position"], entry["answer_by"]) == ("waiting", 1, None)
    if deed == "holds/release":  # it is free again, and offered again to the same people
        await serve()
        assert await states(pair, behind, house=house) == ["offered", "waiting"]
        return
    await return_seats(house, 2)
    await serve()
    assert await states(pair, behind, house=house) == ["offered", "waiting"]
    assert ordinals(house, await standing(pair, house)) == [1, 2]
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-6", "SEAT-4")
async def test_another_layout_takes_offers_back_and_makes_them_anew(
    client: Client, staff: Client, tenant: Tenant, serve: Any, services: Services, server_url: str
) -> None:
    """The row where the pair was to sit has an aisle now; they sit elsewhere, and nobody is served before them."""
    house = await sold_out(client, tenant, staff, hall(2, 5), seats=10)
    pair = await waiter(client, tenant, house, 2)
    await return_seats(house, 1, 2, 5, 6)
    await serve()
    assert ordinals(house, await standing(pair, house)) == [1, 2]
    behind = await waiter(client, tenant, house, 3)
    await migrate(staff, house.sale, generate(Straight(rows=2, seats_per_row=5, aisles_after=(2,))))
    entry = await standing(pair, house)
    assert (entry["status"], entry["position"], entry["answer_by"]) == ("waiting", 1, None)
    await react(services, tenant, "waitlist.withdrawn")
    entry = await standing(pair, house)
    assert entry["status"] == "offered"
    assert [hold["seat_id"][-2:] for hold in entry["offer"]] == ["05", "06"]
    assert await states(behind, house=house) == ["waiting"]
    assert await wrong(server_url) == {}


async def test_an_offer_that_is_being_paid_for_keeps_the_layout(
    client: Client, staff: Client, tenant: Tenant, serve: Any
) -> None:
    house, who = await offered(client, tenant, staff, serve)
    session = data(await start(who, house.sale, to_buy(house, await standing(who, house))), 201)
    assert (await buy(who, session, method="delay")).status_code == 202
    with pytest.raises(AssertionError, match="layout_in_use"):
        await migrate(staff, house.sale, hall(1, 8))
    assert await states(who, house=house) == ["offered"]


async def test_a_postponed_show_offers_again_when_it_sells(
    client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str
) -> None:
    house, who = await offered(client, tenant, staff, serve)
    data(await move(staff, {"id": house.sale.event_id}, "postpone"))
    assert await states(who, house=house) == ["waiting"]
    assert await serve() == 0
    data(await move(staff, {"id": house.sale.event_id}, "reschedule", rescheduled_at="2090-09-01T19:00:00Z"))
    assert await serve() == 1
    entry = await standing(who, house)
    assert entry["answer_by_unix_ms"] - entry["server_time_unix_ms"] > 23 * 3_600_000
    assert await wrong(server_url) == {}


async def test_nobody_waits_for_a_cancelled_show(
    client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str
) -> None:
    house, who = await offered(client, tenant, staff, serve)
    behind = await waiter(client, tenant, house)
    data(await move(staff, {"id": house.sale.event_id}, "cancel"))
    assert await states(who, behind, house=house) == ["left", "left"]
    assert await serve() == 0
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-6", "EV-12", "MSG-4")
async def test_whoever_waited_for_a_cancelled_show_is_told_once(
    client: Client, staff: Client, tenant: Tenant, serve: Any, services: Services
) -> None:
    house = await sold_out(client, tenant, staff)  # to ada@example.org
    await waiter(client, tenant, house, email="grace@example.org")
    await return_seats(house, 0)
    await serve()  # Grace has an offer, the others wait
    gone = await waiter(client, tenant, house, email="gone@example.org")
    for email in ("hedy@example.org", "Ada@example.org"):
        await waiter(client, tenant, house, email=email)
    await gone.delete(house.path("waitlist"))
    data(await move(staff, {"id": house.sale.event_id}, "cancel"))
    await react(services, tenant, "event.canceled")
    for notice in data(await staff.get(house.path("notices"))) * 2:  # a job may run again
        page = {"notice_id": notice["id"], "posted": 0}
        await notice_actions.post_page(services.database, tenant.id, page)
    told = await letters(services, tenant, "waiting_list_closed")
    assert sorted(letter["recipient"] for letter in told) == ["grace@example.org", "hedy@example.org"]
    assert "waiting list" in told[0]["body"]
    # Who has a ticket, too, has been told of the money, and is not told twice.
    assert [letter["recipient"] for letter in await letters(services, tenant, "event_cancelled")] == ["ada@example.org"]


async def test_the_organiser_switches_it_and_sees_who_waits(
    client: Client, staff: Client, tenant: Tenant, serve: Any, owner: Any
) -> None:
    house = await sold_out(client, tenant, staff)
    people = [await waiter(client, tenant, house, party) for party in (1, 2, 3)]
    await people[2].delete(house.path("waitlist"))
    found = data(await staff.get(house.path("waitlist/settings")))
    assert (found["enabled"], found["window_s"]) == (True, 86_400)
    assert found["now"] == {
        "waiting": 2, "people_waiting": 3, "offered": 0, "taken": 0, "lapsed": 0, "left": 1,
    }  # fmt: skip
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


async def test_the_deadline_is_never_after_the_sale(
    client: Client, staff: Client, tenant: Tenant, serve: Any, owner: Any
) -> None:
    house = await sold_out(client, tenant, staff)
    who = await waiter(client, tenant, house)
    await owner.execute(
        "UPDATE events SET sale_end_at = app.clock() + interval '2 hours' WHERE id = $1", house.sale.event_id
    )
    await return_seats(house, 0)
    await serve()
    entry = await standing(who, house)
    assert entry["answer_by_unix_ms"] - entry["server_time_unix_ms"] <= 7_200_000


# --- prove


ANOTHER = """
INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, held_until, source)
SELECT gen_random_uuid(), organization_id, event_id, gen_random_uuid(), {}, seat_id, zone_id, held_until, source
FROM seat_holds WHERE basket_id = $1
"""
BROKEN: dict[str, tuple[str, str]] = {
    "an offer without a hold": (
        "UPDATE seat_holds SET source = 'web' WHERE basket_id = $1",
        "is offered 0 places for a party of 1",
    ),
    "a hold without an entry": (
        "UPDATE waitlist_entries SET basket_id = gen_random_uuid() WHERE basket_id = $1",
        "was made for a waiting list, but no entry has it",
    ),
    "two offers": (ANOTHER.format("user_id"), "has 2 live offers"),
    "a place that is offered twice": (ANOTHER.format("gen_random_uuid()"), "is offered 2 times"),
    "bought, they say": (
        "UPDATE waitlist_entries SET status = 'taken' WHERE basket_id = $1",
        "says that it was taken, but nothing was bought",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_prove_sees_what_is_broken(
    name: str, client: Client, staff: Client, tenant: Tenant, serve: Any, owner: Any, server_url: str
) -> None:
    await offered(client, tenant, staff, serve)
    assert await wrong(server_url) == {}
    (entry,) = await rows(owner, "waitlist_entries", tenant)
    sql, said = BROKEN[name]
    try:
        await owner.execute(sql, entry["basket_id"])
        assert any(said in sentence for sentence in (await wrong(server_url))["offered"])
    finally:  # this database is for all tests of the room
        await owner.execute("DELETE FROM waitlist_entries WHERE organization_id = $1", tenant.id)
        await owner.execute("DELETE FROM seat_holds WHERE organization_id = $1", tenant.id)
        await owner.execute(
            "UPDATE event_seats SET status = 'available', held_until = NULL, hold_id = NULL"
            " WHERE organization_id = $1 AND status = 'held'", tenant.id,
        )  # fmt: skip
