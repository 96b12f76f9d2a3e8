"""Several things at once: all of them or none."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.accounts.helpers import audited, data, refused
from tests.fixtures import Client, Tenant
from tests.holds.baskets import items, order
from tests.holds.helpers import (
    OnSale,
    guest,
    hall,
    held_in,
    hold,
    on_sale,
    places,
    row_counts,
    stage,
)

LANES = pytest.mark.parametrize("suffix", ["", "/"], ids=["fast", "twin"])
Move = Callable[[timedelta], Any]


@LANES
@pytest.mark.req("HOLD-6")
async def test_seats_and_places_in_one_basket(
    suffix: str, staff: Client, buyer: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall(pit=20))
    answer = await buyer.post(sale.path(f"holds{suffix}"), json={"items": items(sale, 0, 1, pit=3)})
    basket = data(answer, 201)
    assert [(line["row"], line["seat_number"], line["block_name"], line["quantity"]) for line in basket["items"]] == [
        ("A", "1", "Hall", 1),
        ("A", "2", "Hall", 1),
        (None, None, "Pit", 3),
    ]
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


@pytest.mark.req("HOLD-6", "BUY-2")
@pytest.mark.parametrize("length", [64, 65, 254])
async def test_keys_that_differ_in_their_last_letter_are_two(
    length: int, staff: Client, buyer: Client, owner: Any
) -> None:
    sale = await on_sale(staff, hall(pit=20))
    for last, place in (("a", 0), ("b", 5)):
        key = {"idempotency-key": "k" * length + last}
        data(await buyer.post(sale.path("holds"), json={"items": items(sale, place)}, headers=key), 201)
    assert (await row_counts(owner, sale))[0] == 2


@pytest.mark.req("HOLD-6", "BUY-2")
async def test_bodies_that_differ_at_their_end_are_two(staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, hall(pit=20))
    key = {"idempotency-key": "order-1"}
    data(await buyer.post(sale.path("holds"), json={"items": items(sale, 0, 1, 2, pit=2)}, headers=key), 201)
    other = await buyer.post(sale.path("holds"), json={"items": items(sale, 0, 1, 2, pit=3)}, headers=key)
    assert refused(other) == (422, "idempotency_key_reused")
    assert await held_in(owner, sale) == {"hall": 0, "pit": 2}


# --- time and limits


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
