"""Wheelchair spaces, and the seats of those who come along."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any
from uuid import UUID

import httpx
import msgspec
import pytest

from fullhouse import prove
from fullhouse.events import actions as events
from fullhouse.events.policy import Move as Lifecycle
from fullhouse.holds import actions, jobs
from fullhouse.kit.db.database import AUDITOR, Database, connect
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating import policy, policy_actions
from fullhouse.seating.maps.seat_states import SeatStateCache
from fullhouse.seating.overlay import actions as overlay_actions
from fullhouse.seating.plans.plan import Group, Plan, walk
from tests.accounts.helpers import data, refused
from tests.fixtures import Client, Tenant
from tests.holds.baskets import best, chairs, items, order
from tests.holds.helpers import (
    OnSale,
    convert,
    guest,
    hall,
    hold,
    on_sale,
    seat_row,
    seats,
    stage,
)
from tests.kit.helpers import until
from tests.seating.helpers import rows_of

Move = Callable[[timedelta], Any]
(COMPANIONS,) = [check for check in prove.CHECKS if check.name == "companions"]


def by_groups(plan: Plan) -> Plan:
    """The same, said by `wheelchair_pair` groups and not by the places."""
    pairs = tuple(
        Group(
            key=f"pair-{place.seat.key}", group_type="wheelchair_pair", seats=(place.seat.key, *place.seat.companions)
        )
        for place in walk(plan)
        if place.seat.companions
    )
    zone = plan.zones[0]
    rows = [
        msgspec.structs.replace(row, seats=tuple(msgspec.structs.replace(seat, companions=()) for seat in row.seats))
        for row in zone.sections[0].rows
    ]
    section = msgspec.structs.replace(zone.sections[0], rows=tuple(rows))
    assert pairs
    return msgspec.structs.replace(
        plan, zones=(msgspec.structs.replace(zone, sections=(section,)), *plan.zones[1:]), groups=pairs
    )


@pytest.mark.req("ACC-1", "SEAT-5")
@pytest.mark.parametrize("said", [lambda plan: plan, by_groups], ids=["by the place", "by a group"])
async def test_a_companion_is_kept_for_whoever_has_the_place(
    said: Callable[[Plan], Plan], staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, said(hall(3, 8, wheelchairs=2)))
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


@pytest.mark.req("ACC-1", "SEAT-5")
async def test_a_pair_of_a_group_is_held_and_shown_together(staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, by_groups(hall(3, 8, wheelchairs=1)))
    ((chair, beside),) = await chairs(owner, sale)
    basket = data(await best(buyer, sale, 2, accessible=1), 201)
    assert {line["seat_id"] for line in basket["items"]} == {sale.seat(chair), sale.seat(beside)}
    shown = data(await buyer.get(sale.path(f"seats/{sale.seat(beside)}")))
    assert shown["companion_of"] == sale.seat(chair)


@pytest.mark.req("ACC-1", "SEAT-7")
async def test_a_companion_that_was_blocked_is_kept_again_when_it_is_opened(
    staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall(3, 8, wheelchairs=1))
    ((chair, beside),) = await chairs(owner, sale)
    data(await buyer.post(sale.path(f"seats/{sale.seat(chair)}/reserve"), json={}), 201)
    wish = {"seat_ids": [sale.seat(beside)], "reason": "A loose screw"}
    data(await staff.post(sale.path("seats/block"), json=wish))
    data(await staff.post(sale.path("seats/unblock"), json=wish))
    row = await seat_row(owner, sale, beside)
    assert (row["status"], row["reserved_for"]) == ("available", tenant.people["customer"].id)
    stranger = await guest(client, tenant)
    refusal = await stranger.post(sale.path(f"seats/{sale.seat(beside)}/reserve"), json={})
    assert refused(refusal) == (409, "seat_not_available")
    data(await buyer.post(sale.path(f"seats/{sale.seat(beside)}/reserve"), json={}), 201)


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


def side_by_side() -> Plan:
    """Two wheelchair spaces in a row of ten, each with its companion seat behind it: w c w c, and six others."""
    plan = rows_of(("A", 10))
    (section,) = plan.zones[0].sections
    (row,) = section.rows
    kinds: list[dict[str, Any]] = [
        {"category": "wheelchair", "companions": ("A-2",)}, {"category": "companion"},
        {"category": "wheelchair", "companions": ("A-4",)}, {"category": "companion"},
    ]  # fmt: skip
    seats = tuple(msgspec.structs.replace(seat, **kind) for seat, kind in zip(row.seats, kinds, strict=False))
    row = msgspec.structs.replace(row, seats=(*seats, *row.seats[4:]))
    zone = msgspec.structs.replace(plan.zones[0], sections=(msgspec.structs.replace(section, rows=(row,)),))
    return msgspec.structs.replace(plan, zones=(zone,))


@pytest.mark.req("ACC-1", "ALLOC-2")
@pytest.mark.parametrize("rule", ["kept", "not enforced", "released"])
async def test_two_wheelchair_places_leave_their_companions_to_themselves(
    rule: str, staff: Client, buyer: Client, tenant: Tenant, owner: Any
) -> None:
    """The seats beside them are kept for the same booking: nobody is left alone, while they are kept."""
    policy = {"max_wheelchair_seats_per_booking": 2, "enforce_accessibility_rules": rule != "not enforced"}
    sale = await on_sale(staff, side_by_side(), policy=policy)
    if rule == "released":
        await owner.execute("UPDATE event_zones SET companions_released = true WHERE event_id = $1", sale.event_id)
    answer = await order(buyer, sale, 0, 2)
    if rule != "kept":
        assert refused(answer) == (409, "orphan_seats")
        return
    data(answer, 201)
    for beside in (1, 3):
        assert (await seat_row(owner, sale, beside))["reserved_for"] == tenant.people["customer"].id
    data(await order(buyer, sale, 4, 5), 201)  # a companion seat between what they have and take now is no orphan


# --- where such a seat goes when it is free again


class Scene:
    """A wheelchair space, the seat beside it, and two people: `I` and `they`. A step is a few words."""

    def __init__(self, process: Services, finder: Database, tenant: Tenant, owner: Any, clock: Move) -> None:
        self.process, self.finder, self.tenant, self.owner, self.clock = process, finder, tenant, owner, clock
        self.people = {"I": new_id(), "they": new_id()}
        self.held: dict[str, UUID | None] = {}  # by the seat's name

    async def open(self, **policy: Any) -> None:
        self.sale = await stage(self.process, self.tenant, hall(2, 6, wheelchairs=1), **policy)
        ((chair, beside),) = await chairs(self.owner, self.sale)
        self.ordinals = {"chair": chair, "beside": beside}
        self.keeps = policy.get("enforce_accessibility_rules", True)
        await self.process.part(SeatStateCache).get(
            self.tenant.id, self.sale.event_id
        )  # whoever has it in memory hears of it

    async def do(self, step: str) -> None:
        verb, *names = step.split()
        await getattr(self, verb)(*names)

    async def hold(self, who: str, *names: str) -> list[str]:
        wants = [
            seats(self.sale, self.ordinals[name])[0]._replace(keeps_companions=self.keeps and name == "chair")
            for name in names
        ]
        results = await hold(self.process, self.tenant, self.sale, self.people[who], *wants)
        self.held |= {name: result.hold_id for name, result in zip(names, results, strict=True) if result.is_granted}
        return [result.outcome for result in results]

    async def give_back(self, *names: str) -> None:
        async with self.process.database.tenant(self.tenant.id) as tx:
            assert await actions.end(tx, [i for name in names if (i := self.held[name])], "cancelled") == len(names)

    async def sell(self, name: str) -> None:
        assert await convert(self.process, self.tenant, self.held[name])
        async with self.process.database.tenant(self.tenant.id) as tx:
            overlay_actions.publish_reload(tx, self.sale.event_id)

    async def at(self, second: str) -> None:
        await self.clock(timedelta(seconds=int(second)))

    async def sweep(self) -> None:
        await jobs.sweep_holds(self.finder, self.process.database)

    async def release_zone(self) -> None:
        await self.owner.execute(
            "UPDATE event_zones SET companions_released = true WHERE event_id = $1", self.sale.event_id
        )

    async def postpone(self) -> None:
        async with self.process.database.tenant(self.tenant.id) as tx:
            await events.move_event(tx, self.sale.event_id, Lifecycle.POSTPONE, reason="A storm.")

    async def reschedule(self) -> None:
        async with self.process.database.tenant(self.tenant.id) as tx:
            date = await tx.now() + timedelta(days=60)
            await events.move_event(tx, self.sale.event_id, Lifecycle.RESCHEDULE, new_date=date)

    async def found(self) -> str:
        """How the seat beside is: for whom it is kept and for how long, or its status."""
        row = await self.owner.fetchrow(
            "SELECT status, reserved_for, reserved_until = 'infinity' AS for_good,"
            " status = 'available' AND reserved_until > app.clock() AS kept"
            " FROM event_seats WHERE event_id = $1 AND ordinal = $2",
            self.sale.event_id,
            self.ordinals["beside"],
        )
        if not row["kept"]:
            return str(row["status"])
        keeper = {user_id: name for name, user_id in self.people.items()}[row["reserved_for"]]
        return f"kept for {keeper}{' for good' if row['for_good'] else ''}"


# What happens, and how the companion seat is then.
GOES: list[tuple[str, list[str], str]] = [
    ("given back", ["hold I chair", "hold I beside", "give_back beside"], "kept for I"),
    ("taken together", ["hold I chair beside", "give_back beside"], "kept for I"),
    ("over before the place", ["hold I beside", "at 200", "hold I chair", "at 310", "sweep"], "kept for I"),
    ("somebody had it first", ["hold they beside", "hold I chair", "give_back beside"], "kept for I"),
    ("both at once", ["hold I chair beside", "give_back chair beside"], "available"),
    ("the place is given back", ["hold I chair", "give_back chair"], "available"),
    ("the place first", ["hold I chair beside", "give_back chair"], "held"),
    ("then the seat", ["hold I chair beside", "give_back chair", "give_back beside"], "available"),
    ("the place is over", ["hold I chair", "at 310", "sweep"], "available"),
    ("over, and not swept", ["hold I chair", "at 200", "hold I beside", "at 310", "give_back beside"], "available"),
    ("both over", ["hold I chair beside", "at 310", "sweep"], "available"),
    ("the seat was over, the place is given back", ["hold they beside", "at 310", "hold I chair", "sweep"],
     "kept for I"),
    ("the same, at once", ["hold they beside", "at 310", "hold I chair", "give_back chair beside"], "available"),
    ("the place is sold", ["hold I chair", "sell chair", "at 310"], "kept for I for good"),
    ("sold, then given back", ["hold I chair beside", "sell chair", "give_back beside"], "kept for I for good"),
    ("sold while somebody had it", ["hold they beside", "hold I chair", "sell chair", "give_back beside"],
     "kept for I for good"),
    ("the seat is sold alone", ["hold I chair beside", "sell beside", "give_back chair"], "sold"),
    ("both are sold", ["hold I chair beside", "sell chair", "sell beside"], "sold"),
    ("released for good", ["hold I chair beside", "release_zone", "give_back beside"], "available"),
    ("released, and sold", ["hold I chair beside", "release_zone", "sell chair", "give_back beside"], "available"),
    ("put off", ["hold I chair beside", "postpone", "give_back beside"], "kept for I for good"),
    ("put off to a date", ["hold I chair beside", "postpone", "give_back beside", "reschedule"], "kept for I"),
    ("sold, put off to a date", ["hold I chair", "sell chair", "postpone", "reschedule"], "kept for I for good"),
]  # fmt: skip


@pytest.mark.req("ACC-1")
@pytest.mark.parametrize(("steps", "found"), [case[1:] for case in GOES], ids=[case[0] for case in GOES])
async def test_where_a_companion_seat_goes(
    steps: list[str], found: str, process: Services, finder: Database, tenant: Tenant, owner: Any, clock: Move
) -> None:
    scene = Scene(process, finder, tenant, owner, clock)
    await scene.open()
    for step in steps:
        await scene.do(step)
    assert await scene.found() == found
    halls = process.part(SeatStateCache)
    here, there = (
        await halls.get(tenant.id, scene.sale.event_id),
        await halls.read_fresh(tenant.id, scene.sale.event_id),
    )
    assert here
    assert there
    beside = scene.ordinals["beside"]
    assert here.states[beside] == there.states[beside]
    auditor = await connect(process.url, AUDITOR)
    assert not [s for s in await COMPANIONS.find(auditor) if str(scene.sale.event_id) in s]
    await auditor.close()
    if found.startswith("kept") and "postpone" not in steps[-2:]:
        assert await scene.hold("they", "beside") == ["seat_not_available"]
        assert await scene.hold("I", "beside") == ["held"]


@pytest.mark.req("ACC-1", "POL-1")
@pytest.mark.parametrize("said", list(product([None, True, False], [None, True, False], [True, False])))
async def test_the_database_knows_the_rule_as_the_policy_has_it(
    said: tuple[bool | None, bool | None, bool], process: Services, tenant: Tenant, owner: Any
) -> None:
    """It reads three rows where the policy has three dictionaries: both come to the same."""
    of_show, of_house, mandatory = said
    name = "enforce_accessibility_rules"
    sale = await stage(process, tenant, hall(1, 4), **({} if of_show is None else {name: of_show}))
    house = {} if of_house is None else {name: of_house}
    await owner.execute(
        "INSERT INTO seating_policies (organization_id, values, mandatory) VALUES ($1, $2::text::jsonb, $3)",
        tenant.id,
        msgspec.json.encode(house).decode(),
        [name] if mandatory else [],
    )
    async with process.database.tenant(tenant.id) as tx:
        expected = policy.to_effective_policy(await policy_actions.load_effective_policy(tx, sale.event_id)).is_on(name)
        assert await tx.fetchval("SELECT app.keeps_companions($1, $2)", tenant.id, sale.event_id) == expected


@pytest.mark.req("ACC-1", "POL-1")
async def test_where_the_rules_do_not_say_so_a_companion_seat_is_free_again(
    process: Services, finder: Database, tenant: Tenant, owner: Any, clock: Move
) -> None:
    scene = Scene(process, finder, tenant, owner, clock)
    await scene.open(enforce_accessibility_rules=False)
    for step in ("hold I chair beside", "give_back beside"):
        await scene.do(step)
    assert await scene.found() == "available"


@pytest.mark.req("ACC-1")
async def test_the_place_and_the_seat_given_back_at_the_same_moment(
    process: Services, finder: Database, tenant: Tenant, owner: Any, clock: Move
) -> None:
    """Two transactions: whichever comes first, nothing stays kept for somebody who has no place any more."""
    scene = Scene(process, finder, tenant, owner, clock)
    await scene.open()
    await scene.do("hold I chair beside")
    async with process.database.tenant(tenant.id) as tx:
        await actions.end(tx, [scene.held["chair"]], "cancelled")  # type: ignore[list-item]
        other = asyncio.create_task(scene.give_back("beside"))
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        await until(lambda: owner.fetchval(waiting))
    await other
    assert await scene.found() == "available"


# --- what the holder is told


async def _mine(who: Client, sale: OnSale) -> dict[str, list[str]]:
    """By the seat that is held: the companion seats that are kept."""
    holds = data(await who.get(sale.path("holds")))
    return {one["seat_id"]: [seat["seat_id"] for seat in one["companions"]] for one in holds}


@pytest.mark.req("ACC-1", "HOLD-1")
async def test_the_holder_is_told_which_companion_is_kept(
    staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    """In the answer and when they ask again; nobody else hears of it."""
    sale = await on_sale(staff, hall(3, 8, wheelchairs=2))
    (chair, beside), _ = await chairs(owner, sale)
    held = data(await buyer.post(sale.path(f"seats/{sale.seat(chair)}/reserve"), json={}), 201)
    (kept,) = held["companions"]
    row = await owner.fetchrow("SELECT seat_key, row_label, number FROM seats WHERE id = $1", UUID(sale.seat(beside)))
    assert (kept["seat_id"], kept["companion_of"]) == (sale.seat(beside), sale.seat(chair))
    assert (kept["seat_key"], kept["row"], kept["seat_number"]) == tuple(row)
    said = f"A companion seat (Row {row['row_label']}, Seat {row['number']}) is reserved for you."
    assert said in held["message"]
    assert await _mine(buyer, sale) == {sale.seat(chair): [sale.seat(beside)]}
    stranger = await guest(client, tenant)
    other = data(await stranger.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={}), 201)
    assert other["companions"] == []
    assert await _mine(stranger, sale) == {sale.seat(0): []}


@pytest.mark.req("ACC-1", "HOLD-6")
@pytest.mark.parametrize("way", ["a basket", "the best"])
async def test_a_basket_says_so_beside_its_place(way: str, staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, hall(3, 8, wheelchairs=1), policy={"orphan_avoidance_strict": False})
    ((chair, beside),) = await chairs(owner, sale)
    asked = order(buyer, sale, chair) if way == "a basket" else best(buyer, sale, 1, accessible=1)
    (line,) = data(await asked, 201)["items"]
    assert [seat["seat_id"] for seat in line["companions"]] == [sale.seat(beside)]


@pytest.mark.req("ACC-1")
async def test_what_was_taken_or_released_is_not_offered(staff: Client, buyer: Client, owner: Any) -> None:
    sale = await on_sale(staff, hall(3, 8, wheelchairs=1))
    ((chair, beside),) = await chairs(owner, sale)
    data(await buyer.post(sale.path(f"seats/{sale.seat(chair)}/reserve"), json={}), 201)
    mine = data(await buyer.post(sale.path(f"seats/{sale.seat(beside)}/reserve"), json={}), 201)
    assert await _mine(buyer, sale) == {sale.seat(chair): [], sale.seat(beside): []}
    assert (await buyer.delete(f"/api/holds/{mine['hold_id']}")).status_code == 204
    assert await _mine(buyer, sale) == {sale.seat(chair): [sale.seat(beside)]}
    await owner.execute(
        "UPDATE event_seats SET reserved_for = NULL, reserved_until = NULL WHERE event_id = $1", sale.event_id
    )
    assert await _mine(buyer, sale) == {sale.seat(chair): []}


@pytest.mark.req("ACC-1")
async def test_one_place_brings_one_companion(staff: Client, buyer: Client, owner: Any) -> None:
    """Two are kept; once one is theirs, the other is not offered."""
    sale = await on_sale(staff, hall(3, 8, wheelchairs=1))
    ((chair, beside),) = await chairs(owner, sale)
    await owner.execute(
        "UPDATE event_seats SET companion_of = $2 WHERE event_id = $1 AND ordinal = $3",
        sale.event_id,
        UUID(sale.seat(chair)),
        2 * beside - chair,
    )
    held = data(await buyer.post(sale.path(f"seats/{sale.seat(chair)}/reserve"), json={}), 201)
    assert [seat["seat_id"] for seat in held["companions"]] == [sale.seat(n) for n in (beside, 2 * beside - chair)]
    data(await buyer.post(sale.path(f"seats/{sale.seat(beside)}/reserve"), json={}), 201)
    assert await _mine(buyer, sale) == {sale.seat(chair): [], sale.seat(beside): []}
