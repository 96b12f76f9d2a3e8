"""What one booking may have is judged over all that the person holds in the event, when it is held and at checkout."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fullhouse.kit.ids import new_id
from tests.accounts.helpers import audited, data, refused
from tests.checkout.helpers import add_type, begun, selling, selling_types, start
from tests.fixtures import Client, Tenant
from tests.holds.baskets import best, chairs, order
from tests.holds.helpers import (
    OnSale,
    guest,
    hall,
    on_sale,
    places,
    row_counts,
    seats,
    stage,
    wish,
)
from tests.races.arena import PEOPLE_LOCK, Arena, arena

FOUR = {"max_seats_per_booking": 4, "orphan_avoidance_strict": False}


async def pick(who: Client, sale: OnSale, ordinal: int) -> Any:
    return await who.post(sale.path(f"seats/{sale.seat(ordinal)}/reserve"), json={})


@pytest.mark.req("HOLD-8", "POL-1", "HOLD-12")
async def test_single_seats_add_up_to_a_booking(staff: Client, buyer: Client, tenant: Tenant, owner: Any) -> None:
    sale = await on_sale(staff, hall(2, 10), policy=FOUR)
    for ordinal in range(4):
        data(await pick(buyer, sale, ordinal), 201)
    before = await row_counts(owner, sale)
    answer = await pick(buyer, sale, 4)
    assert refused(answer) == (409, "max_seats_per_booking")
    assert answer.json()["most"] == 4
    assert await row_counts(owner, sale) == before
    data(await pick(buyer, sale, 3))  # what is theirs already is no fifth
    assert len(await audited(owner, tenant, "seat_reserve_failed")) == 1


@pytest.mark.req("HOLD-8", "POL-1", "HOLD-12")
@pytest.mark.parametrize("way", ["a basket", "places", "the best"])
async def test_so_do_baskets_and_places(way: str, staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, hall(2, 10, pit=20), policy=FOUR)
    data(await order(buyer, sale, 0, 1), 201)
    data(await order(buyer, sale, pit=1), 201)
    ask = {"a basket": order(buyer, sale, 2, 3), "places": order(buyer, sale, pit=2), "the best": best(buyer, sale, 2)}
    before = await row_counts(owner, sale)
    asked = ask.pop(way)
    for other in ask.values():
        other.close()
    assert refused(await asked) == (409, "max_seats_per_booking")
    assert await row_counts(owner, sale) == before
    data(await order(buyer, sale, pit=1), 201)  # the fourth


@pytest.mark.req("HOLD-8", "HOLD-12")
async def test_what_was_given_back_or_is_another_events_does_not_count(staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, hall(2, 10), policy=FOUR)
    other = await on_sale(staff, hall(2, 10), policy=FOUR, event={"name": "Another night"})
    data(await order(buyer, other, 0, 1, 2, 3), 201)
    held = data(await order(buyer, sale, 0, 1, 2, 3), 201)
    assert (await buyer.delete(f"/api/holds/{held['items'][0]['hold_id']}")).status_code == 204
    data(await pick(buyer, sale, 9), 201)


@pytest.mark.req("HOLD-8", "HOLD-12")
async def test_staff_sell_one_booking_after_another(staff: Client) -> None:
    """Each request of theirs is somebody's booking."""
    sale = await on_sale(staff, hall(2, 10), policy=FOUR)
    data(await order(staff, sale, 0, 1, 2, 3), 201)
    data(await order(staff, sale, 4, 5, 6), 201)
    assert refused(await order(staff, sale, 10, 11, 12, 13, 14)) == (409, "max_seats_per_booking")


@pytest.mark.req("ACC-2", "HOLD-8", "HOLD-12")
async def test_wheelchair_places_add_up_too(staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, hall(3, 8, wheelchairs=3), policy={"max_wheelchair_seats_per_booking": 2})
    (one, _), (two, _), (three, _) = await chairs(owner, sale)
    data(await pick(buyer, sale, one), 201)
    data(await pick(buyer, sale, two), 201)
    answer = await pick(buyer, sale, three)
    assert refused(answer) == (409, "max_wheelchair_seats_per_booking")
    assert answer.json()["most"] == 2
    data(await pick(buyer, sale, 20), 201)  # a seat like others is no wheelchair space


@pytest.mark.req("HOLD-8", "TT-1", "HOLD-12")
@pytest.mark.parametrize("has_plan", [True, False])
async def test_a_types_own_limit_counts_what_is_held_of_it(staff: Client, buyer: Client, has_plan: bool) -> None:
    sale = await (selling(staff, hall(2, 4, pit=20)) if has_plan else selling_types(staff, 50))
    few = await add_type(staff, sale.event_id, name="few", price=100, quantity=10, kind="ga", max_per_order=3)

    async def take(count: int, **headers: str) -> Any:
        zone = {"zone_id": sale.show.zones["pit"]} if has_plan else {}
        wish = {"items": [{"ticket_type_id": few, "quantity": count} | zone]}
        return await buyer.post(sale.path("holds"), json=wish, headers=headers)

    data(await take(2), 201)
    for key in ({}, {"idempotency-key": "again"}):  # with a key, or without a plan, it is not asked for in a batch
        answer = await take(2, **key)
        assert refused(answer) == (409, "max_per_order")
        said = answer.json()
        assert (said["name"], said["most"], said["ticket_type_id"], said["item"]) == ("few", 3, few, 0)
        assert said["detail"] == "At most 3 of “few” in one order."
    data(await take(1), 201)
    assert refused(await take(1)) == (409, "max_per_order")


@pytest.mark.req("HOLD-12")
async def test_a_types_own_limit_counts_all_items_of_a_request(staff: Client, buyer: Client) -> None:
    plan = hall(2, 4, pit=20)
    lawn = msgspec.structs.replace(plan.zones[-1], key="lawn", name="Lawn")
    sale = await selling(staff, msgspec.structs.replace(plan, zones=(*plan.zones, lawn)))
    few = await add_type(staff, sale.event_id, name="few", price=100, quantity=10, kind="ga", max_per_order=3)

    async def take(*counts: int) -> Any:
        zones = [sale.show.zones["pit"], sale.show.zones["lawn"]]
        items = [{"zone_id": zone, "ticket_type_id": few, "quantity": n} for zone, n in zip(zones, counts, strict=True)]
        return await buyer.post(sale.path("holds"), json={"items": items})

    assert refused(await take(2, 2)) == (409, "max_per_order")
    data(await take(2, 1), 201)


# --- at checkout


@pytest.mark.req("CHK-2", "POL-1", "HOLD-12")
async def test_a_limit_that_was_lowered_since_binds_at_checkout(staff: Client, client: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    items = []
    for ordinal in range(6):
        held = data(await pick(buyer, sale.show, ordinal), 201)
        items.append({"hold_id": held["hold_id"], "ticket_type_id": sale.types["seat"]})
    data(await staff.put(sale.path("seating-policy"), json={"policy": FOUR}))
    answer = await start(buyer, sale, items)
    assert refused(answer) == (409, "max_seats_per_booking")
    assert answer.json()["most"] == 4
    data(await start(buyer, sale, items[:4]), 201)


@pytest.mark.req("CHK-2", "HOLD-12")
async def test_staff_may_put_several_requests_into_one_order(staff: Client) -> None:
    sale = await selling(staff)
    data(await staff.put(sale.path("seating-policy"), json={"policy": FOUR}))
    session = await begun(staff, sale, 0, 1, 2, 3)
    more = data(await order(staff, sale.show, 4, 5), 201)
    items = [{"hold_id": item["hold_id"], "ticket_type_id": sale.types["seat"]} for item in session["items"]]
    items += [{"hold_id": line["hold_id"], "ticket_type_id": sale.types["seat"]} for line in more["items"]]
    data(await start(staff, sale, items), 201)


# --- at once


async def crowd_of_windows(at: Arena) -> int:
    """One person in many windows of several processes: what they have in the end."""
    sale = await stage(at.processes[0], at.tenant, hall(4, 10, pit=50))
    person = new_id()
    asks = [wish(sale, person, *seats(sale, n), most_places=4) for n in range(12)]
    asks += [wish(sale, person, places(sale, "pit", 3), most_places=4) for _ in range(6)]
    results = await asyncio.gather(*(at.hold(ask, n % len(at.processes)) for n, ask in enumerate(asks)))
    assert {line.outcome for lines in results for line in lines} <= {"held", "again", "max_seats_per_booking"}
    return int(await at.owner.fetchval("SELECT sum(quantity) FROM seat_holds WHERE user_id = $1", person))


@pytest.mark.soak
@pytest.mark.req("HOLD-8", "HOLD-11", "HOLD-12")
async def test_one_person_in_many_windows_stays_within_the_limit(tmp_path: Path) -> None:
    async with arena(tmp_path, 3) as at:
        assert await crowd_of_windows(at) <= 4
        assert await at.wrong() == {}


async def windows_at_the_same_moment(at: Arena) -> int:
    """Three seats in each of three processes; four are allowed. All have held something before: nothing is loaded."""
    sale = await stage(at.processes[0], at.tenant, hall(2, 10))
    for process in range(3):
        await at.hold(wish(sale, new_id(), *seats(sale, 10 + process)), process)
    person = new_id()
    rows = [wish(sale, person, *seats(sale, n, n + 1, n + 2), most_places=4) for n in (0, 3, 6)]
    await at.together([at.hold(row, process) for process, row in enumerate(rows)])
    return int(await at.owner.fetchval("SELECT sum(quantity) FROM seat_holds WHERE user_id = $1", person))


@pytest.mark.req("HOLD-8", "HOLD-12")
async def test_of_windows_at_the_same_moment_one_counts(tmp_path: Path) -> None:
    async with arena(tmp_path, 3) as at:
        assert await windows_at_the_same_moment(at) == 3


@pytest.mark.req("HOLD-12")
async def test_without_the_lock_all_do(tmp_path: Path) -> None:
    """The mutant of the test before."""
    async with arena(tmp_path, 3) as at:
        await at.remove(PEOPLE_LOCK)
        assert await windows_at_the_same_moment(at) > 4
