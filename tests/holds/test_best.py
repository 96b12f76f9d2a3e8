"""The best available, held in one call and explained."""

from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse.holds import actions
from fullhouse.holds.model import BestAvailable, HoldItems
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating.maps.seat_states import SeatStateCache
from fullhouse.seating.model import AVAILABLE
from fullhouse.seating.plans.plan import Section
from tests.accounts.helpers import data, refused
from tests.fixtures import Client, Tenant
from tests.holds.baskets import best, chairs, taken
from tests.holds.helpers import (
    hall,
    hold,
    on_sale,
    row_counts,
    seats,
    stage,
)
from tests.seating.helpers import rows_of

LANES = pytest.mark.parametrize("suffix", ["", "/"], ids=["fast", "twin"])


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


async def test_the_reason_is_in_the_readers_language(staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, hall())
    assert data(await best(buyer, sale, 3, language="af"), 201)["explanation"] == "3 langs mekaar in ry A"
    assert refused(await best(buyer, sale, 3, language="xx")) == (422, "invalid")


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


@pytest.mark.req("HOLD-6", "ALLOC-1", "POL-1")
@pytest.mark.parametrize(("rows_apart", "chosen", "said"), [
    (2, {0, 1, 4, 5}, "2 together in row A, 2 together in row C, two rows behind"),
    (1, {0, 1, 6, 7}, "2 together in row A, 2 together in row Z of another section"),
])  # fmt: skip
async def test_how_far_apart_the_parts_of_a_group_may_sit(
    rows_apart: int, chosen: set[int], said: str, staff: Client, buyer: Client, owner: Any
) -> None:
    """Behind row A is one that is taken and then another; beside it there is a box."""
    plan = rows_of(("A", 2), ("B", 2), ("C", 2), ("Z", 2))
    *rows, box = plan.zones[0].sections[0].rows
    beside = tuple(msgspec.structs.replace(seat, x=seat.x + 30, y=50) for seat in box.seats)
    sections = (
        Section(key="hall", name="Hall", rows=tuple(rows)),
        Section(key="box", name="Box", rows=(msgspec.structs.replace(box, seats=beside),)),
    )
    zone = msgspec.structs.replace(plan.zones[0], sections=sections)
    plan = msgspec.structs.replace(plan, zones=(zone,))
    sale = await on_sale(staff, plan, policy={"max_group_split": rows_apart})
    blocked = {"seat_ids": [sale.seat(2), sale.seat(3)], "reason": "Camera"}
    data(await staff.post(sale.path("seats/block"), json=blocked))
    if rows_apart < 2:
        answer = await best(buyer, sale, 4)
        assert refused(answer) == (409, "max_group_split")
        assert (answer.json()["largest"], answer.json()["left"]) == (2, 6)
        assert (await row_counts(owner, sale))[0] == 0, "nothing is held that nobody agreed to"
    basket = data(await best(buyer, sale, 4, **({"allow_split": True} if rows_apart < 2 else {})), 201)
    assert (set(taken(basket, sale)), basket["explanation"]) == (chosen, said)


@pytest.mark.req("HOLD-6")
async def test_a_hall_that_is_late_costs_a_second_try_only(process: Services, tenant: Tenant, owner: Any) -> None:
    """The memory believes that all is free: what the database refuses is left out of the next choice."""
    sale = await stage(process, tenant, hall(2, 10))
    me = tenant.principal("customer")
    map_of = await process.part(SeatStateCache).get(tenant.id, sale.event_id)
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


@pytest.mark.req("HOLD-6")
async def test_a_memory_that_is_far_behind_is_read_again(process: Services, tenant: Tenant, owner: Any) -> None:
    """Nothing was heard for long (Redis is away, say): the last two seats are found all the same."""
    sale, me = await stage(process, tenant, hall(2, 100)), tenant.principal("customer")
    map_of = await process.part(SeatStateCache).get(tenant.id, sale.event_id)
    assert map_of
    await owner.execute(
        "UPDATE event_seats SET status = 'sold', ticket_id = gen_random_uuid() WHERE event_id = $1 AND ordinal < 198",
        sale.event_id,
    )
    basket = await actions.hold_items(process, me, sale.event_id, HoldItems(best_available=BestAvailable(quantity=2)))
    assert {line.seat_id for line in basket.items} == {UUID(sale.seat(n)) for n in (198, 199)}
