"""Orphans at checkout: seats that were picked one by one are judged as a whole, with the fix in the answer."""

from typing import Any

import pytest
from msgspec.structs import replace

from fullhouse.seating.plans.plan import Plan
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, add_type, begun, bought, code, hold, selling, start
from tests.fixtures import Client, Tenant
from tests.holds.baskets import chairs
from tests.holds.helpers import guest, hall, on_sale
from tests.seating.helpers import rows_of

Items = list[dict[str, Any]]


async def pick(buyer: Client, sale: Sale, *seats: int) -> Items:
    """One by one, as on the map."""
    held = [data(await buyer.post(sale.path(f"seats/{sale.show.seat(n)}/reserve"), json={}), 201) for n in seats]
    return [{"hold_id": one["hold_id"], "ticket_type_id": sale.types["seat"]} for one in held]


async def with_policy(staff: Client, seats: int, **policy: Any) -> Sale:
    show = await on_sale(staff, hall(1, seats), policy=policy)
    types = {"seat": await add_type(staff, show.event_id, name="seat", price=2500, kind="seated")}
    return Sale(show=show, types=types, staff=staff)


def ordinals(sale: Sale, seat_ids: list[str]) -> list[int]:
    return [n for n in range(40) if sale.show.seat(n) in seat_ids]


@pytest.mark.req("ALLOC-2", "HOLD-1", "ALLOC-4")
async def test_a_first_pick_is_held_and_judged_at_checkout(client: Client, staff: Client, tenant: Tenant) -> None:
    """Seat 2 of an empty row: nobody is refused a click; seat 1 is spoken of when they leave."""
    sale = await selling(staff, hall(2, 10))
    buyer = await guest(client, tenant)
    items = await pick(buyer, sale, 1)
    answer = await start(buyer, sale, items)
    assert code(answer) == (409, "orphan_seats")
    problem = answer.json()
    assert ordinals(sale, problem["orphans"]) == [0]
    assert ordinals(sale, problem["alternative"]) == [0]
    first = sale.show.seat(0)
    assert problem["fixes"] == [
        {"kind": "move", "take": [first], "leave": [items[0]["hold_id"]]},
        {"kind": "add", "take": [first], "leave": []},
    ]
    assert code(await buyer.get(sale.path("checkout"))) == (404, "checkout_not_found")  # no slot is spent on it


@pytest.mark.req("ALLOC-2", "ALLOC-4")
@pytest.mark.parametrize("kind", ["move", "add"])
async def test_a_fix_leads_to_the_checkout(kind: str, client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff, hall(1, 10))
    buyer = await guest(client, tenant)
    items = await pick(buyer, sale, 1, 2)
    (fix,) = [one for one in (await start(buyer, sale, items)).json()["fixes"] if one["kind"] == kind]
    items += await pick(buyer, sale, *ordinals(sale, fix["take"]))
    for hold_id in fix["leave"]:
        assert (await buyer.delete(f"/api/holds/{hold_id}")).status_code == 204
    left = [item for item in items if item["hold_id"] not in fix["leave"]]
    session = data(await start(buyer, sale, left), 201)
    assert len(session["items"]) == {"move": 2, "add": 3}[kind]


@pytest.mark.req("ALLOC-2", "ALLOC-4")
async def test_the_choice_is_judged_when_it_is_complete(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff, hall(1, 10))
    buyer = await guest(client, tenant)
    data(await start(buyer, sale, await pick(buyer, sale, 2, 1, 0)), 201)


@pytest.mark.req("ALLOC-2", "ALLOC-4")
@pytest.mark.parametrize("way", ["held", "sold"])
async def test_what_others_take_later_is_not_the_buyers_fault(
    way: str, client: Client, staff: Client, tenant: Tenant
) -> None:
    """Seats 3 and 4 of six were a good choice; then somebody took the sixth."""
    sale = await selling(staff, hall(1, 6))
    buyer, other = await guest(client, tenant), await guest(client, tenant)
    items = await pick(buyer, sale, 2, 3)
    await (pick(other, sale, 5) if way == "held" else bought(client, tenant, sale, 5))
    data(await start(buyer, sale, items), 201)


@pytest.mark.req("ALLOC-2", "ALLOC-4")
@pytest.mark.parametrize("way", ["held", "sold"])
async def test_what_others_had_before_is(way: str, client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff, hall(1, 6))
    if way == "held":
        await pick(await guest(client, tenant), sale, 5)
    else:
        buyer = await guest(client, tenant)
        await bought(client, tenant, sale, 4, 5)
    buyer = await guest(client, tenant)
    items = await pick(buyer, sale, *((2, 3) if way == "held" else (1, 2)))
    answer = await start(buyer, sale, items)
    assert code(answer) == (409, "orphan_seats")
    assert ordinals(sale, answer.json()["orphans"]) == ([4] if way == "held" else [0, 3])


@pytest.mark.req("ALLOC-2", "ALLOC-4")
async def test_whoever_closes_a_gap_answers_for_it(client: Client, staff: Client, tenant: Tenant) -> None:
    """Both picked with one seat between them: the second one left it alone."""
    sale = await selling(staff, hall(1, 10))
    one, two = await guest(client, tenant), await guest(client, tenant)
    first = await pick(one, sale, 0, 1)
    second = await pick(two, sale, 3, 4)
    data(await start(one, sale, first), 201)
    answer = await start(two, sale, second)
    assert code(answer) == (409, "orphan_seats")
    assert ordinals(sale, answer.json()["orphans"]) == [2]


@pytest.mark.req("ALLOC-2", "POL-1", "ALLOC-4")
async def test_a_basket_was_judged_when_it_was_held(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff, hall(1, 6))
    buyer, other = await guest(client, tenant), await guest(client, tenant)
    items = await hold(buyer, sale, 2, 3)
    await pick(other, sale, 5)
    data(await start(buyer, sale, items), 201)


@pytest.mark.req("ALLOC-2", "ALLOC-4")
async def test_a_basket_that_lost_a_seat_is_judged_again(client: Client, staff: Client, tenant: Tenant) -> None:
    """Three were clean; without the first one they are not."""
    sale = await selling(staff, hall(1, 10))
    buyer = await guest(client, tenant)
    first, *rest = await hold(buyer, sale, 0, 1, 2)
    assert (await buyer.delete(f"/api/holds/{first['hold_id']}")).status_code == 204
    assert code(await start(buyer, sale, rest)) == (409, "orphan_seats")


@pytest.mark.req("ALLOC-2", "ALLOC-4")
async def test_a_checkout_that_was_begun_is_not_judged_again(client: Client, staff: Client, tenant: Tenant) -> None:
    """It could not be avoided then. Now it could, and they are about to pay."""
    sale = await selling(staff, hall(1, 4))
    buyer, other = await guest(client, tenant), await guest(client, tenant)
    (last,) = await pick(other, sale, 3)
    items = await pick(buyer, sale, 1, 2)  # `..x`: one stays alone whatever they do
    data(await start(buyer, sale, items), 201)
    assert (await other.delete(f"/api/holds/{last['hold_id']}")).status_code == 204
    data(await start(buyer, sale, items), 201)


@pytest.mark.req("ALLOC-2", "POL-1", "ALLOC-4")
async def test_best_effort_allows_it(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await with_policy(staff, 10, orphan_avoidance_strict=False)
    buyer = await guest(client, tenant)
    data(await start(buyer, sale, await pick(buyer, sale, 1, 2)), 201)


@pytest.mark.req("ALLOC-2", "ALLOC-4")
async def test_the_team_chooses_as_it_likes(staff: Client) -> None:
    sale = await selling(staff, hall(1, 10))
    data(await start(staff, sale, await pick(staff, sale, 1, 2)), 201)


@pytest.mark.req("ALLOC-2", "ALLOC-4")
@pytest.mark.parametrize(("seats", "taken", "picked"), [(3, [], [1]), (12, [*range(10)], [10])])
async def test_the_exceptions_stand(
    seats: int, taken: list[int], picked: list[int], client: Client, staff: Client, tenant: Tenant
) -> None:
    """Seat 2 of three is avoidable; but what cannot be avoided, or is in a row that is nearly sold, is sold."""
    sale = await selling(staff, hall(1, seats))
    if taken:
        await bought(client, tenant, sale, *taken)
    buyer = await guest(client, tenant)
    answer = await start(buyer, sale, await pick(buyer, sale, *picked))
    assert code(answer)[0] == (201 if taken else 409)


@pytest.mark.req("ALLOC-2", "HOLD-8", "ALLOC-4")
@pytest.mark.parametrize(
    ("policy", "kinds"),
    [({"max_seats_per_booking": 3}, ["move", "add"]), ({"max_seats_per_booking": 2}, None),
     ({"holds_per_window": 2}, None), ({"max_holds_per_user": 2}, None)],
)  # fmt: skip
async def test_nobody_is_refused_for_what_they_cannot_mend(
    policy: dict[str, Any], kinds: list[str] | None, client: Client, staff: Client, tenant: Tenant
) -> None:
    """A fix takes before it gives back. Where a limit leaves no seat for that, the choice stands."""
    sale = await with_policy(staff, 10, **policy)
    buyer = await guest(client, tenant)
    answer = await start(buyer, sale, await pick(buyer, sale, 1, 2))
    if kinds is None:
        data(answer, 201)
    else:
        assert [fix["kind"] for fix in answer.json()["fixes"]] == kinds


@pytest.mark.req("ALLOC-2", "ALLOC-4")
async def test_no_more_is_offered_than_one_purchase_may_have(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await with_policy(staff, 14, max_seats_per_booking=20, holds_per_window=100)
    buyer = await guest(client, tenant)
    answer = await start(buyer, sale, await pick(buyer, sale, *range(1, 11)))
    assert [fix["kind"] for fix in answer.json()["fixes"]] == ["move"]


@pytest.mark.req("ALLOC-2", "ACC-1", "ALLOC-4")
async def test_a_companion_seat_is_no_orphan(client: Client, staff: Client, tenant: Tenant, owner: Any) -> None:
    sale = await selling(staff, hall(2, 8, wheelchairs=1))
    ((chair, _),) = await chairs(owner, sale.show)
    buyer = await guest(client, tenant)
    data(await start(buyer, sale, await pick(buyer, sale, chair)), 201)


@pytest.mark.req("ALLOC-2", "ACC-1", "ALLOC-4")
async def test_nor_is_one_that_is_kept_for_somebody_else(
    client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await selling(staff, hall(1, 12, wheelchairs=1))
    ((chair, beside),) = await chairs(owner, sale.show)
    await pick(await guest(client, tenant), sale, chair)
    buyer = await guest(client, tenant)
    data(await start(buyer, sale, await pick(buyer, sale, 2 * beside - chair)), 201)


@pytest.mark.req("ALLOC-2", "ACC-1", "ALLOC-4")
async def test_nobody_is_moved_onto_a_wheelchair_place(client: Client, staff: Client, tenant: Tenant) -> None:
    """It would be left alone, and is as near as any: they move the other way."""
    sale = await selling(staff, _beginning_with("wheelchair"))
    buyer = await guest(client, tenant)
    answer = await start(buyer, sale, await pick(buyer, sale, 1))
    assert code(answer) == (409, "orphan_seats")
    assert ordinals(sale, answer.json()["orphans"]) == [0]
    (fix,) = answer.json()["fixes"]
    assert (fix["kind"], ordinals(sale, fix["take"])) == ("move", [2])


def _beginning_with(category: Any) -> Plan:
    plan = rows_of(("A", 8))
    (zone,) = plan.zones
    (section,) = zone.sections
    (row,) = section.rows
    first = replace(row.seats[0], category=category)
    rows = (replace(row, seats=(first, *row.seats[1:])),)
    return replace(plan, zones=(replace(zone, sections=(replace(section, rows=rows),)),))


@pytest.mark.req("ALLOC-2", "ALLOC-4")
async def test_a_check_that_breaks_costs_nobody_the_sale(
    client: Client, staff: Client, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("a bug")

    sale = await selling(staff, hall(1, 10))
    buyer = await guest(client, tenant)
    monkeypatch.setattr("fullhouse.holds.orphan_actions.find_fixable_orphans", broken)
    data(await start(buyer, sale, await pick(buyer, sale, 1, 2)), 201)


@pytest.mark.req("ALLOC-2", "ALLOC-4")
async def test_places_without_seats_are_not_judged(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    await begun(buyer, sale, 0, 1, pit=2)
