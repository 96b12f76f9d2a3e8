"""Baskets by the organiser's rules: no seats left alone, tables as a whole, zones that are not for everybody."""

from typing import Any

import httpx
import msgspec
import pytest

from fullhouse.seating.plans.plan import Group, Plan
from tests.accounts.helpers import audited, data, refused
from tests.fixtures import Client, Tenant
from tests.holds.baskets import best, order
from tests.holds.helpers import (
    hall,
    on_sale,
    row_counts,
)
from tests.seating.helpers import rows_of

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
async def test_what_they_hold_elsewhere_is_not_judged_again(staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, hall(3, 10))
    data(await buyer.post(sale.path(f"seats/{sale.seat(1)}/reserve"), json={}), 201)  # seat 0 is alone, as wished
    data(await order(buyer, sale, 20, 21), 201)


@pytest.mark.req("ALLOC-2")
async def test_a_check_that_breaks_costs_nobody_a_seat(
    staff: Client, buyer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("a bug")

    sale = await on_sale(staff, hall(1, 10))
    monkeypatch.setattr("fullhouse.holds.sale_context.orphans.evaluate", broken)
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
