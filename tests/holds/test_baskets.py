"""Several things at once: all of them or none, by the organiser's rules, and explained."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx
import msgspec
import pytest

from fullhouse.holds import actions
from fullhouse.holds.model import BestAvailable, HoldItems
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating import overlay_actions
from fullhouse.seating.halls import AVAILABLE, Halls
from fullhouse.seating.plan import Group, Plan
from tests.accounts.helpers import audited, data, refused
from tests.fixtures import Client, Tenant
from tests.holds.helpers import (
    OnSale,
    guest,
    hall,
    held_in,
    hold,
    on_sale,
    places,
    row_counts,
    seat_row,
    seats,
    stage,
)
from tests.seating.helpers import rows_of

LANES = pytest.mark.parametrize("suffix", ["", "/"], ids=["fast", "twin"])
Move = Callable[[timedelta], Any]


@pytest.fixture
def staff(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.fixture
def buyer(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["customer"])


def items(sale: OnSale, *ordinals: int, **zones: int) -> list[dict[str, Any]]:
    chosen: list[dict[str, Any]] = [{"seat_id": sale.seat(n)} for n in ordinals]
    return chosen + [{"zone_id": sale.zones[key], "quantity": count} for key, count in zones.items()]


async def order(who: Client, sale: OnSale, *ordinals: int, **zones: int) -> httpx.Response:
    return await who.post(sale.path("holds"), json={"items": items(sale, *ordinals, **zones)})


async def best(who: Client, sale: OnSale, quantity: int, **more: Any) -> httpx.Response:
    return await who.post(sale.path("holds"), json={"best_available": {"quantity": quantity, **more}})


def taken(basket: Any, sale: OnSale) -> list[int]:
    by_id = {sale.seat(n): n for n in range(200)}
    return [by_id[line["seat_id"]] for line in basket["items"] if line["seat_id"]]


# --- all or nothing


@LANES
@pytest.mark.req("HOLD-6")
async def test_seats_and_places_in_one_basket(
    suffix: str, staff: Client, buyer: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall(pit=20))
    answer = await buyer.post(sale.path(f"holds{suffix}"), json={"items": items(sale, 0, 1, pit=3)})
    basket = data(answer, 201)
    assert [(line["row"], line["seat_number"], line["block_name"], line["quantity"]) for line in basket["items"]] == [
        ("A", "1", "Hall", 1), ("A", "2", "Hall", 1), (None, None, "Pit", 3),
    ]  # fmt: skip
    assert basket["items"][2]["zone_id"] == sale.zones["pit"]
    assert basket["expires_in_seconds"] == 300
    assert basket["held_until"].endswith("Z")
    rows = await owner.fetch(
        "SELECT basket_id, quantity, held_until FROM seat_holds WHERE event_id = $1", sale.event_id
    )
    assert {str(row["basket_id"]) for row in rows} == {basket["basket_id"]}
    assert len({row["held_until"] for row in rows}) == 1
    assert await held_in(owner, sale) == {"hall": 0, "pit": 3}
    assert len(await audited(owner, tenant, "seat_reserved")) == 3
    assert (
        len(await owner.fetch("SELECT FROM outbox WHERE organization_id = $1 AND name = 'hold.placed'", tenant.id)) == 3
    )


STOPPED: dict[str, tuple[dict[str, Any], tuple[int, ...], dict[str, int], int, str]] = {
    "a taken seat": ({}, (0, 1, 20), {"pit": 2}, 409, "seat_held_by_another_user"),
    "a full zone": ({}, (0, 1), {"pit": 6}, 409, "block_at_capacity"),
    "a limit of one person": ({"max_holds_per_user": 2}, (0, 1), {"pit": 1}, 409, "max_holds_per_user"),
    "a limit of one network": ({"max_holds_per_ip": 3}, (0, 1), {"pit": 1}, 409, "max_holds_per_ip"),
    "a limit of five minutes": ({"holds_per_window": 2}, (0, 1), {"pit": 1}, 429, "too_many_holds"),
    "a limit of a booking": ({"max_seats_per_booking": 4}, (0, 1), {"pit": 3}, 409, "max_seats_per_booking"),
}


@pytest.mark.parametrize("why", STOPPED)
@pytest.mark.req("HOLD-6", "HOLD-8", "POL-1")
async def test_one_thing_that_cannot_be_stops_all_of_them(
    why: str, staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    """And each limit is the policy's: without it the same basket would be theirs."""
    policy, ordinals, zones, status, code = STOPPED[why]
    sale = await on_sale(staff, hall(pit=8), policy=policy)
    stranger = await guest(client, tenant)
    data(await order(stranger, sale, 20, pit=3), 201)
    before = await row_counts(owner, sale)
    assert refused(await order(buyer, sale, *ordinals, **zones)) == (status, code)
    assert await row_counts(owner, sale) == before
    assert len(await audited(owner, tenant, "seat_reserved")) == 2


@pytest.mark.req("HOLD-8", "POL-1")
async def test_without_the_limits_the_same_baskets_are_held(
    staff: Client, buyer: Client, client: Client, tenant: Tenant
) -> None:
    sale = await on_sale(staff, hall(pit=8))
    data(await order(await guest(client, tenant), sale, 20, pit=3), 201)
    data(await order(buyer, sale, 0, 1, pit=3), 201)


@pytest.mark.req("HOLD-6")
async def test_a_refusal_names_the_line_that_is_to_blame(
    staff: Client, buyer: Client, client: Client, tenant: Tenant
) -> None:
    sale = await on_sale(staff, hall(pit=8))
    data(await order(await guest(client, tenant), sale, 20, pit=3), 201)
    problem = (await order(buyer, sale, 0, 1, 20)).json()
    assert (problem["item"], problem["seat_id"]) == (2, sale.seat(20))
    problem = (await order(buyer, sale, 0, 1, pit=6)).json()
    assert (problem["item"], problem["zone_id"]) == (2, sale.zones["pit"])
    missing = await buyer.post(sale.path("holds"), json={"items": [{"zone_id": str(new_id()), "quantity": 1}]})
    assert refused(missing) == (404, "zone_not_found")


@pytest.mark.req("HOLD-6")
async def test_the_shows_own_limit_counts_seats_and_places(
    staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall(pit=20), event={"capacity": 5})
    data(await order(buyer, sale, 0, 1, pit=2), 201)
    stranger = await guest(client, tenant)
    assert refused(await order(stranger, sale, 4, 5)) == (409, "block_at_capacity")
    assert refused(await order(stranger, sale, pit=2)) == (409, "block_at_capacity")
    assert await held_in(owner, sale) == {"hall": 0, "pit": 2, "event": 4}
    data(await order(stranger, sale, pit=1), 201)
    assert await held_in(owner, sale) == {"hall": 0, "pit": 3, "event": 5}


@pytest.mark.req("HOLD-3", "HOLD-6")
async def test_what_is_theirs_already_stays_theirs(staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, hall())
    first = data(await order(buyer, sale, 0, 1), 201)
    more = data(await order(buyer, sale, 0, 1, 2), 201)
    assert [line["hold_id"] for line in more["items"][:2]] == [line["hold_id"] for line in first["items"]]
    assert await row_counts(owner, sale) == (3, 3, 0)


WRONG: list[tuple[str, Callable[[OnSale], Any]]] = [
    ("nothing", lambda sale: {}),
    ("an empty list", lambda sale: {"items": []}),
    ("a seat twice", lambda sale: {"items": items(sale, 0, 0)}),
    ("a zone twice", lambda sale: {"items": items(sale, pit=1) * 2}),
    ("two seats in one", lambda sale: {"items": [{"seat_id": sale.seat(0), "quantity": 2}]}),
    ("a seat and a zone in one", lambda sale: {"items": [{"seat_id": sale.seat(0), "zone_id": sale.zones["pit"]}]}),
    ("neither", lambda sale: {"items": [{"quantity": 2}]}),
    ("both ways", lambda sale: {"items": items(sale, 0), "best_available": {"quantity": 2}}),
]
MALFORMED: list[tuple[str, Callable[[OnSale], Any]]] = [
    ("none of it", lambda sale: {"items": items(sale, pit=0)}),
    ("less than none", lambda sale: {"items": items(sale, pit=-1)}),
    ("too many", lambda sale: {"items": items(sale, pit=2**63)}),
    ("a truth", lambda sale: {"items": items(sale, pit=True)}),
    ("a price", lambda sale: {"items": [{"seat_id": sale.seat(0), "price": 1}]}),
    ("a house", lambda sale: {"items": items(sale, 0), "organization_id": str(new_id())}),
    ("a word for a seat", lambda sale: {"items": [{"seat_id": "A-1"}]}),
    ("a hundred and one", lambda sale: {"items": [{"seat_id": str(new_id())} for _ in range(101)]}),
]


@pytest.mark.parametrize(("what", "body"), WRONG + MALFORMED, ids=[what for what, _ in WRONG + MALFORMED])
@pytest.mark.req("HOLD-6")
async def test_a_basket_that_makes_no_sense(
    what: str, body: Callable[[OnSale], Any], staff: Client, buyer: Client, owner: Any
) -> None:
    sale = await on_sale(staff, hall(pit=5))
    answer = await buyer.post(sale.path("holds"), json=body(sale))
    status, code = refused(answer)
    assert status in (400, 422), answer.text
    assert code in ("invalid_request", "invalid", "unknown_field")
    assert answer.json()["fields"]
    assert await row_counts(owner, sale) == (0, 0, 0)


@pytest.mark.req("HOLD-6")
async def test_a_basket_with_a_key_is_held_once(
    staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall(pit=20))
    body, key = {"items": items(sale, 0, 1, pit=2)}, {"idempotency-key": "order-1"}
    first = data(await buyer.post(sale.path("holds"), json=body, headers=key), 201)
    again = data(await buyer.post(sale.path("holds"), json=body, headers=key), 201)
    assert again["basket_id"] == first["basket_id"]
    assert {line["hold_id"] for line in again["items"]} == {line["hold_id"] for line in first["items"]}
    assert await row_counts(owner, sale) == (3, 2, 2)
    other = await buyer.post(sale.path("holds"), json={"items": items(sale, pit=1)}, headers=key)
    assert refused(other)[0] == 422
    stranger = await guest(client, tenant)
    data(await stranger.post(sale.path("holds"), json={"items": items(sale, pit=1)}, headers=key), 201)
    assert await held_in(owner, sale) == {"hall": 0, "pit": 3}


# --- the organiser's rules


@pytest.mark.req("ALLOC-2", "POL-1")
async def test_orphans_are_refused_with_an_alternative(staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, hall(1, 10))
    answer = await order(buyer, sale, 1, 2)  # the first seat would stay alone
    assert refused(answer) == (409, "orphan_seats")
    problem = answer.json()
    assert problem["orphans"] == [sale.seat(0)]
    assert len(problem["alternative"]) == 2
    assert await row_counts(owner, sale) == (0, 0, 0)
    data(await buyer.post(sale.path("holds"), json={"items": [{"seat_id": s} for s in problem["alternative"]]}), 201)


@pytest.mark.req("ALLOC-2", "POL-1")
async def test_best_effort_allows_orphans(staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, hall(1, 10), policy={"orphan_avoidance_strict": False})
    data(await order(buyer, sale, 1, 2), 201)


@pytest.mark.req("ALLOC-2")
async def test_a_single_seat_is_an_explicit_wish(staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, hall(1, 10))
    data(await buyer.post(sale.path(f"seats/{sale.seat(1)}/reserve"), json={}), 201)


@pytest.mark.req("ALLOC-2")
async def test_what_they_hold_already_is_judged_with_it(staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, hall(1, 10))
    data(await order(buyer, sale, 0), 201)
    data(await order(buyer, sale, 1, 2), 201)


@pytest.mark.req("ALLOC-2")
async def test_a_check_that_breaks_costs_nobody_a_seat(
    staff: Client, buyer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("a bug")

    sale = await on_sale(staff, hall(1, 10))
    monkeypatch.setattr("fullhouse.holds.desk.orphans.judge", broken)
    data(await order(buyer, sale, 1, 2), 201)


def with_a_table() -> Plan:
    plan = rows_of(("A", 4), ("T", 4))
    table = Group(key="t", group_type="vip_table", seats=("T-1", "T-2", "T-3", "T-4"), sold_as="whole")
    return msgspec.structs.replace(plan, groups=(table,))


@pytest.mark.req("SEAT-5")
async def test_what_is_sold_as_a_whole_is_held_as_a_whole(staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, with_a_table())
    answer = await order(buyer, sale, 4, 5)
    assert refused(answer) == (409, "sold_as_a_whole")
    assert answer.json()["seat_ids"] == [sale.seat(n) for n in range(4, 8)]
    assert await row_counts(owner, sale) == (0, 0, 0)
    data(await order(buyer, sale, 4, 5, 6, 7), 201)


@pytest.mark.req("SEAT-5")
async def test_nor_is_a_part_of_it_picked_alone(staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, with_a_table())
    answer = await buyer.post(sale.path(f"seats/{sale.seat(4)}/reserve"), json={})
    assert refused(answer) == (409, "sold_as_a_whole")
    assert await row_counts(owner, sale) == (0, 0, 0)


# --- wheelchairs and who comes along


async def chairs(owner: Any, sale: OnSale) -> list[tuple[int, int]]:
    rows = await owner.fetch(
        "SELECT w.ordinal, c.ordinal AS beside FROM event_seats c JOIN event_seats w ON w.event_id = c.event_id"
        " AND w.seat_id = c.companion_of WHERE c.event_id = $1 ORDER BY 1",
        sale.event_id,
    )
    return [(row["ordinal"], row["beside"]) for row in rows]


@pytest.mark.req("ACC-1")
async def test_a_companion_is_kept_for_whoever_has_the_place(
    staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall(3, 8, wheelchairs=2))
    (chair, beside), _ = await chairs(owner, sale)
    stranger = await guest(client, tenant)
    held = data(await buyer.post(sale.path(f"seats/{sale.seat(chair)}/reserve"), json={}), 201)
    row = await seat_row(owner, sale, beside)
    assert (row["status"], row["reserved_for"]) == ("available", tenant.people["customer"].id)
    shown = data(await client.get(sale.path(f"seats/{sale.seat(beside)}")))
    assert shown["status"] == "blocked"
    for path, body in ((f"seats/{sale.seat(beside)}/reserve", {}), ("holds", {"items": items(sale, beside)})):
        assert refused(await stranger.post(sale.path(path), json=body)) == (409, "seat_not_available")
    mine = data(await buyer.post(sale.path(f"seats/{sale.seat(beside)}/reserve"), json={}), 201)
    assert (await buyer.delete(f"/api/holds/{mine['hold_id']}")).status_code == 204
    assert (await buyer.delete(f"/api/holds/{held['hold_id']}")).status_code == 204
    row = await seat_row(owner, sale, beside)
    assert (row["status"], row["reserved_for"]) == ("available", None)
    data(await stranger.post(sale.path(f"seats/{sale.seat(beside)}/reserve"), json={}), 201)


@pytest.mark.req("ACC-1", "POL-1")
async def test_companions_are_not_kept_where_the_rules_do_not_say_so(
    staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall(3, 8, wheelchairs=1), policy={"enforce_accessibility_rules": False})
    ((chair, beside),) = await chairs(owner, sale)
    data(await buyer.post(sale.path(f"seats/{sale.seat(chair)}/reserve"), json={}), 201)
    data(await (await guest(client, tenant)).post(sale.path(f"seats/{sale.seat(beside)}/reserve"), json={}), 201)


@pytest.mark.req("ACC-1")
async def test_companions_that_were_released_are_seats_like_all_others(
    process: Services, staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall(3, 8, wheelchairs=1), policy={"companion_release_occupancy_threshold": 1})
    ((chair, beside),) = await chairs(owner, sale)
    data(await buyer.post(sale.path(f"seats/{sale.seat(chair)}/reserve"), json={}), 201)
    await owner.execute(
        "UPDATE pools SET sold = 5 WHERE event_id = $1 AND ref_id = $2", sale.event_id, UUID(sale.zones["hall"])
    )
    async with process.database.tenant(tenant.id) as tx:
        assert await overlay_actions.release_companions(tx, sale.event_id, UUID(sale.zones["hall"]))
    stranger = await guest(client, tenant)
    taken_seat = data(await stranger.post(sale.path(f"seats/{sale.seat(beside)}/reserve"), json={}), 201)
    assert (await stranger.delete(f"/api/holds/{taken_seat['hold_id']}")).status_code == 204
    assert (await seat_row(owner, sale, beside))["reserved_for"] is None


@pytest.mark.req("ACC-2", "POL-1")
@pytest.mark.parametrize("way", ["one by one", "in a basket", "the best"])
async def test_so_many_wheelchair_places_and_no_more(
    way: str, staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall(3, 8, wheelchairs=3), policy={"orphan_avoidance_strict": False})
    (one, _), (two, _), _ = await chairs(owner, sale)

    async def both(who: Client, sale: OnSale) -> httpx.Response:
        if way == "the best":
            return await best(who, sale, 2, accessible=2)
        if way == "in a basket":
            return await order(who, sale, one, two)
        data(await who.post(sale.path(f"seats/{sale.seat(one)}/reserve"), json={}), 201)
        return await who.post(sale.path(f"seats/{sale.seat(two)}/reserve"), json={})

    assert refused(await both(buyer, sale)) == (409, "max_wheelchair_seats_per_booking")
    more = {"orphan_avoidance_strict": False, "max_wheelchair_seats_per_booking": 2}
    generous = await on_sale(staff, hall(3, 8, wheelchairs=3), policy=more, event={"name": "Another night"})
    data(await both(await guest(client, tenant), generous), 201)


# --- zones that are not for everybody


MODES: dict[str, dict[str, Any]] = {
    "membership_tier": {"membership_tier": "friends"},
    "role_based": {"allowed_roles": ("scanner",)},
    "whitelist": {},
}


def closed(**access: Any) -> Plan:
    plan = rows_of(("A", 6))
    zone = msgspec.structs.replace(plan.zones[0], **access)
    return msgspec.structs.replace(plan, zones=(zone,))


@pytest.mark.req("ZONE-2", "AUD-1")
@pytest.mark.parametrize("way", ["one", "a basket", "the best"])
@pytest.mark.parametrize("mode", MODES)
async def test_a_zone_is_for_whom_it_says(
    mode: str, way: str, staff: Client, buyer: Client, tenant: Tenant, owner: Any, client: Client
) -> None:
    sale = await on_sale(staff, closed(access_mode=mode, **MODES[mode]))
    zone = sale.zones["stalls"]

    async def ask(who: Client) -> httpx.Response:
        if way == "one":
            return await who.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={})
        return await (order(who, sale, 0, 1) if way == "a basket" else best(who, sale, 2, zone_ids=[zone]))

    answer = await ask(buyer)
    assert refused(answer) == (403, "zone_access_denied")
    assert "Stalls" in answer.json()["detail"]
    assert await row_counts(owner, sale) == (0, 0, 0)
    (row,) = await audited(owner, tenant, "zone.access_denied")
    assert (row["actor_id"], msgspec.json.decode(row["after"])["zone_id"]) == (tenant.people["customer"].id, zone)
    let_in = buyer
    if mode == "membership_tier":
        wish = {"email": "customer@example.org", "name": "C", "tier": "friends", "number": "1"}
        data(await staff.post("/api/org/memberships", json=wish), 201)
    elif mode == "whitelist":
        listed = {"guests": [{"email": "Customer@example.org", "name": "C"}]}
        assert (await staff.post(sale.path(f"zones/{zone}/guests"), json=listed)).is_success
    else:
        let_in = client.as_(tenant.tokens["scanner"])
    data(await ask(let_in), 201)


@pytest.mark.req("ZONE-2")
async def test_the_best_seats_of_all_zones_are_those_that_are_open(staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, closed(access_mode="whitelist"))
    assert refused(await best(buyer, sale, 2)) == (409, "group_adjacency_strict")


# --- the best available


@LANES
@pytest.mark.req("HOLD-6", "ALLOC-1")
async def test_the_best_seats_are_held_and_explained(suffix: str, staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, hall())
    answer = await buyer.post(sale.path(f"holds{suffix}"), json={"best_available": {"quantity": 3}})
    basket = data(answer, 201)
    chosen = taken(basket, sale)
    assert chosen == list(range(min(chosen), min(chosen) + 3))
    assert basket["explanation"] == "3 together in row A"
    assert await row_counts(owner, sale) == (3, 3, 0)


@pytest.mark.req("HOLD-6", "ALLOC-1")
async def test_the_best_of_a_zone_of_a_price_and_with_a_wheelchair_place(
    staff: Client, buyer: Client, owner: Any
) -> None:
    plan = rows_of(("A", 6), ("B", 6))
    zone = plan.zones[0]
    (first, second) = zone.sections[0].rows
    section = msgspec.structs.replace(
        zone.sections[0], rows=(first, msgspec.structs.replace(second, price_category="two"))
    )
    priced = msgspec.structs.replace(plan, zones=(msgspec.structs.replace(zone, sections=(section,)),))
    sale = await on_sale(staff, priced)
    basket = data(await best(buyer, sale, 2, price_category="two"), 201)
    assert {line["row"] for line in basket["items"]} == {"B"}
    assert refused(await best(buyer, sale, 2, price_category="none")) == (409, "group_adjacency_strict")
    assert refused(await best(buyer, sale, 2, zone_ids=[str(new_id())])) == (409, "group_adjacency_strict")
    accessible = await on_sale(staff, hall(3, 8, wheelchairs=1), event={"name": "Another night"})
    ((chair, beside),) = await chairs(owner, accessible)
    basket = data(await best(buyer, accessible, 2, accessible=1), 201)
    assert sorted(taken(basket, accessible)) == sorted([chair, beside])


@pytest.mark.req("HOLD-6", "SEAT-3")
async def test_the_best_of_a_price_that_this_show_gave_the_zone(staff: Client, buyer: Client) -> None:
    plain = await on_sale(staff, rows_of(("A", 6)))
    zone = plain.zones["stalls"]
    assert refused(await best(buyer, plain, 2, price_category="two")) == (409, "group_adjacency_strict")
    whole = {"layout_id": str(plain.layout_id), "pricing_zones": {zone: "two"}}
    data(await staff.put(plain.path("layout"), json=whole))
    data(await best(buyer, plain, 2, price_category="two"), 201)


@pytest.mark.req("HOLD-6", "ALLOC-3", "POL-1")
async def test_a_group_that_fits_nowhere(staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, hall(2, 4), policy={"group_adjacency_strict": True})
    answer = await best(buyer, sale, 6)
    assert refused(answer) == (409, "group_adjacency_strict")
    assert (answer.json()["largest"], answer.json()["left"]) == (4, 8)
    split = await on_sale(staff, hall(2, 4), event={"name": "Another night"})
    basket = data(await best(buyer, split, 6), 201)
    assert len(basket["items"]) == 6
    assert await row_counts(owner, sale) == (0, 0, 0)


@pytest.mark.req("HOLD-6")
async def test_a_hall_that_is_late_costs_a_second_try_only(process: Services, tenant: Tenant, owner: Any) -> None:
    """The memory believes that all is free: what the database refuses is left out of the next choice."""
    sale = await stage(process, tenant, hall(2, 10))
    me = tenant.principal("customer")
    map_of = await process.part(Halls).get(tenant.id, sale.event_id)
    assert map_of
    await hold(process, tenant, sale, new_id(), *seats(sale, *range(3, 7)))
    await owner.execute(
        "UPDATE event_seats SET status = 'sold', ticket_id = gen_random_uuid() WHERE event_id = $1 AND ordinal < 2",
        sale.event_id,
    )
    map_of.states[:] = AVAILABLE
    basket = await actions.hold_items(process, me, sale.event_id, HoldItems(best_available=BestAvailable(quantity=4)))
    chosen = {line.seat_id for line in basket.items}
    assert len(chosen) == 4
    assert not chosen & {UUID(sale.seat(n)) for n in (0, 1, 3, 4, 5, 6)}


@pytest.mark.req("HOLD-6", "POL-1", "HOLD-8")
async def test_the_time_of_a_hold_is_the_policys(staff: Client, buyer: Client, owner: Any, clock: Move) -> None:
    sale = await on_sale(staff, hall(pit=5), policy={"default_hold_ttl_minutes": 12})
    basket = data(await order(buyer, sale, 0, 1, pit=1), 201)
    assert basket["expires_in_seconds"] == 720
    one = data(await buyer.post(sale.path(f"seats/{sale.seat(4)}/reserve"), json={}), 201)
    assert (one["expires_in_seconds"], one["message"]) == (720, "Seat reserved for 12 minutes. Proceed to checkout.")
    await clock(timedelta(minutes=11))
    assert len(data(await buyer.get(sale.path("holds")))) == 4
    await clock(timedelta(minutes=12, seconds=1))
    assert data(await buyer.get(sale.path("holds"))) == []


@pytest.mark.req("HOLD-8")
async def test_limits_end_with_the_holds(staff: Client, buyer: Client, clock: Move) -> None:
    sale = await on_sale(staff, hall(), policy={"max_holds_per_user": 2, "max_holds_per_ip": 2})
    held = data(await order(buyer, sale, 0, 1), 201)
    assert refused(await order(buyer, sale, 4, 5)) == (409, "max_holds_per_user")
    for line in held["items"]:
        assert (await buyer.delete(f"/api/holds/{line['hold_id']}")).status_code == 204
    data(await order(buyer, sale, 4, 5), 201)
    await clock(timedelta(seconds=301))
    data(await order(buyer, sale, 0, 1), 201)


async def test_a_place_in_standing_room_alone(process: Services, tenant: Tenant, owner: Any) -> None:
    """A person's second wish for places is a second hold: places have no names."""
    sale, me = await stage(process, tenant, hall(1, 4, pit=9)), new_id()
    for quantity in (2, 3):
        (result,) = await hold(process, tenant, sale, me, places(sale, "pit", quantity))
        assert result.outcome == "held"
    assert await held_in(owner, sale) == {"hall": 0, "pit": 5}
