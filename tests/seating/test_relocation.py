"""Another layout under a sold show: who moves where, decided without I/O; then shown, approved, and done at once."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import pytest

from fullhouse.kit.db.database import APP, connect
from fullhouse.kit.ids import new_id
from fullhouse.seating.plans.plan import Plan, Row, Seat, Section, Zone
from tests.accounts.helpers import data, refused
from tests.counts import Counts
from tests.events.helpers import announced, trail
from tests.fixtures import Client, Tenant
from tests.kit.helpers import until
from tests.seating.helpers import (
    attach,
    count_in_pool,
    hold,
    make_layout,
    next_version,
    pools_of,
    post_plan,
    rows_of,
    seat_of,
    seated_show,
    sell,
    states_of,
    without_lounge,
    zone_id,
)

# --- over HTTP


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


async def planned(client: Client, event: Any, layout: Any, status: int = 201, **more: Any) -> Any:
    body = {"to_layout_id": layout["id"], "respond_by": "2090-05-01T12:00:00Z"} | more
    answer = await client.post(f"/api/events/{event['id']}/layout/migrations", json=body)
    return data(answer, 201) if status == 201 else refused(answer)


async def approve(client: Client, migration: Any) -> Any:
    return await client.post(f"/api/layout-migrations/{migration['id']}/approve")


async def tickets_by_key(owner: Any, event: Any) -> dict[str, UUID]:
    rows = await owner.fetch(
        "SELECT s.seat_key, e.ticket_id FROM event_seats e JOIN seats s ON s.id = e.seat_id"
        " WHERE e.event_id::text = $1 AND e.status = 'sold'",
        event["id"],
    )
    return {row["seat_key"]: row["ticket_id"] for row in rows}


async def _in_pit(owner: Any, event: Any, layout: Any, sold: int) -> None:
    await count_in_pool(owner, event, zone_id(layout, "pit"), sold=sold)


def rebuilt(pit: int = 40) -> Plan:
    """The little house without A-4; the pit as large as is said."""
    plan = without_lounge()
    stalls, floor = plan.zones
    row = stalls.sections[0].rows[0]
    seats = tuple(seat for seat in row.seats if seat.key != "A-4")
    extra = Seat(key="A-6", number="6", x=60, y=50)
    rows = (Row(label="A", seats=(*seats, extra)),)
    section = msgspec.structs.replace(stalls.sections[0], rows=rows)
    zones = (msgspec.structs.replace(stalls, sections=(section,)), msgspec.structs.replace(floor, capacity=pit))
    return msgspec.structs.replace(plan, zones=zones)


@pytest.mark.req("SEAT-4", "AUD-1")
async def test_from_planning_to_the_new_seats(admin: Client, tenant: Tenant, owner: Any) -> None:
    event, layout = await seated_show(admin, capacity=30)
    tickets = await sell(owner, event, "A-3", "A-4")
    await _in_pit(owner, event, layout, sold=7)
    await count_in_pool(owner, event, event["id"], sold=9)
    newer = await next_version(admin, layout, rebuilt(pit=10))
    before = await states_of(owner, event), await pools_of(owner, event)
    migration = await planned(admin, event, newer)
    assert (await states_of(owner, event), await pools_of(owner, event)) == before  # nothing moves yet
    assert (migration["status"], migration["same"], migration["moved"], migration["unplaced"]) == ("planned", 1, 1, 0)
    moves = {move["from_seat_key"]: move for move in migration["moves"]}
    assert (moves["A-3"]["kind"], moves["A-3"]["to_seat_key"]) == ("same", "A-3")
    assert (moves["A-4"]["kind"], moves["A-4"]["to_seat_key"]) == ("equal_or_better", "A-6")
    assert moves["A-4"]["ticket_id"] == str(tickets["A-4"])
    assert data(await admin.get(f"/api/layout-migrations/{migration['id']}")) == migration
    applied = data(await approve(admin, migration))
    assert applied["status"] == "applied"
    assert applied["approved_by"] == str(tenant.people["admin"].id)
    assert await tickets_by_key(owner, event) == {"A-3": tickets["A-3"], "A-6": tickets["A-4"]}
    zones = {("zone", "stalls"): (5, 0, 2), ("zone", "pit"): (10, 0, 7)}
    assert await pools_of(owner, event) == zones | {("event", "event"): (30, 0, 9)}
    there = data(await admin.get(f"/api/events/{event['id']}/layout"))
    assert (there["layout_id"], there["layout_version"]) == (newer["id"], 2)
    assert data(await admin.get(f"/api/layouts/{layout['id']}"))["seat_count"] == 5  # both versions stay
    assert [row["id"] for row in data(await admin.get(f"/api/events/{event['id']}/layout/migrations"))] == [
        migration["id"]
    ]
    assert [row["action"] for row in await trail(owner, tenant, event)][-2:] == [
        "layout_migration.planned",
        "layout_migration.applied",
    ]
    fact = (await announced(owner, event))[-1]
    assert (fact["name"], fact["migration_id"]) == ("event.layout_migrated", migration["id"])
    assert (fact["from_layout_id"], fact["to_layout_id"]) == (layout["id"], newer["id"])


@pytest.mark.req("SEAT-4", "SEAT-3", "ZONE-2")
async def test_the_overlay_moves_along(admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin)
    stalls, pit = zone_id(layout, "stalls"), zone_id(layout, "pit")
    blocked = [str(await seat_of(owner, event, key)) for key in ("A-5", "A-4")]
    overlay: dict[str, Any] = {
        "zone_overrides": {pit: {"access_mode": "whitelist", "capacity": 20}},
        "pricing_zones": {stalls: "two"},
        "policy": {"max_seats_per_booking": 3},
        "blocked_seat_ids": blocked,
    }
    data(await attach(admin, event, layout, **overlay))
    guests = {"guests": [{"email": "a@example.org"}]}
    data(await admin.post(f"/api/events/{event['id']}/zones/{pit}/guests", json=guests))
    await sell(owner, event, "A-3")
    newer = await next_version(admin, layout, rebuilt())
    data(await approve(admin, await planned(admin, event, newer)))
    there = data(await admin.get(f"/api/events/{event['id']}/layout"))
    new_stalls, new_pit = zone_id(newer, "stalls"), zone_id(newer, "pit")
    assert there["zone_overrides"] == {new_pit: overlay["zone_overrides"][pit]}
    assert there["pricing_zones"] == {new_stalls: "two"}
    assert there["policy"] == overlay["policy"]
    assert await states_of(owner, event) == {
        "A-1": "available",
        "A-2": "available",
        "A-3": "sold",
        "A-5": "blocked",
        "A-6": "available",
    }
    listed = data(await admin.get(f"/api/events/{event['id']}/zones/{new_pit}/guests"))
    assert [guest["email"] for guest in listed] == ["a@example.org"]


@pytest.mark.req("SEAT-4")
async def test_nobody_moves_to_a_seat_that_the_show_does_not_sell(admin: Client, owner: Any) -> None:
    """The only seat that would do is blocked, or in a zone that is closed."""
    old, new = rows_of(("A", 3)), rows_of(("A", 2))
    extra = Section(key="side", name="Side", rows=(Row(label="S", seats=(Seat(key="S-1", number="1", x=5, y=50),)),))
    side = Zone(key="side", name="Side", price_category="one", sections=(extra,))
    old, new = (msgspec.structs.replace(plan, zones=(*plan.zones, side)) for plan in (old, new))
    event, layout = await seated_show(admin, old)
    closed = [zone_id(layout, "side")]
    blocked = [str(await seat_of(owner, event, "A-2"))]
    data(await attach(admin, event, layout, disabled_zones=closed, blocked_seat_ids=blocked))
    await sell(owner, event, "A-3")
    newer = await next_version(admin, layout, new)
    migration = await planned(admin, event, newer)
    assert [move["to_seat_key"] for move in migration["moves"]] == ["A-1"]
    data(await approve(admin, migration))
    assert await states_of(owner, event) == {"A-1": "sold", "A-2": "blocked"}


@pytest.mark.req("SEAT-4")
async def test_who_cannot_be_placed_is_said(admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin, rows_of(("A", 2), ("B", 2)))
    tickets = await sell(owner, event, "A-1", "A-2", "B-1")
    newer = await next_version(admin, layout, rows_of(("A", 1), ("B", 1)))
    migration = await planned(admin, event, newer)
    assert (migration["same"], migration["moved"], migration["unplaced"]) == (2, 0, 1)
    (left,) = [move for move in migration["moves"] if move["kind"] == "unplaced"]
    assert (left["from_seat_key"], left["to_seat_id"], bool(left["reason"])) == ("A-2", None, True)
    data(await approve(admin, migration))
    assert await tickets_by_key(owner, event) == {"A-1": tickets["A-1"], "B-1": tickets["B-1"]}
    assert (await pools_of(owner, event))["zone", "stalls"] == (2, 0, 2)


@pytest.mark.req("SEAT-4", "ACC-1")
async def test_companions_stay_with_their_wheelchair_places(admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin)
    await sell(owner, event, "A-1")
    holder = new_id()
    await owner.execute(
        "UPDATE event_seats SET reserved_for = $2, reserved_until = 'infinity' WHERE seat_id = $1",
        await seat_of(owner, event, "A-2"),
        holder,
    )
    newer = await next_version(admin, layout, rebuilt())
    data(await approve(admin, await planned(admin, event, newer)))
    kept = await owner.fetchval(
        "SELECT reserved_for FROM event_seats WHERE seat_id = $1", await seat_of(owner, event, "A-2")
    )
    assert kept == holder


@pytest.mark.req("SEAT-4", "ACC-1")
async def test_what_was_released_for_good_stays_released(admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin)
    await sell(owner, event, "A-1")
    await owner.execute("UPDATE event_zones SET companions_released = true WHERE event_id::text = $1", event["id"])
    newer = await next_version(admin, layout, rebuilt())
    data(await approve(admin, await planned(admin, event, newer)))
    there = data(await admin.get(f"/api/events/{event['id']}/layout"))
    assert [zone["companions_released"] for zone in there["zones"]] == [True, True]


@pytest.mark.req("SEAT-4", "ZONE-1")
async def test_places_without_seats_must_have_room(admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin)
    await _in_pit(owner, event, layout, sold=7)
    newer = await next_version(admin, layout, rebuilt(pit=6))
    answer = await admin.post(
        f"/api/events/{event['id']}/layout/migrations",
        json={"to_layout_id": newer["id"], "respond_by": "2090-05-01T12:00:00Z"},
    )
    assert refused(answer) == (422, "overlay_invalid")
    assert answer.json()["fields"] == [{"path": "zones.pit", "message": "7 places are sold; the new version has 6."}]
    without = await next_version(admin, newer, rows_of(("A", 5)))
    assert await planned(admin, event, without, 422) == (422, "overlay_invalid")
    await _in_pit(owner, event, layout, sold=6)
    migration = await planned(admin, event, newer)
    await _in_pit(owner, event, layout, sold=7)  # and once more when it is done
    assert refused(await approve(admin, migration)) == (422, "overlay_invalid")
    assert (await pools_of(owner, event))["zone", "pit"] == (40, 0, 7)


@pytest.mark.req("SEAT-4")
@pytest.mark.parametrize("since", ["sold", "refunded", "held", "ga held", "blocked", "late"])
async def test_a_plan_that_is_out_of_date_changes_nothing(since: str, admin: Client, owner: Any, clock: Any) -> None:
    event, layout = await seated_show(admin, rows_of(("A", 4)) if since == "blocked" else None)
    await sell(owner, event, "A-4")
    newer = await next_version(admin, layout, rows_of(("A", 3)) if since == "blocked" else rebuilt())
    in_an_hour = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    migration = await planned(admin, event, newer, respond_by=in_an_hour)
    expected = (409, "migration_stale")
    if since == "sold":
        await sell(owner, event, "A-3")
    elif since == "refunded":
        await owner.execute(
            "UPDATE event_seats SET status = 'available', ticket_id = NULL WHERE seat_id = $1",
            await seat_of(owner, event, "A-4"),
        )
    elif since == "held":
        await hold(owner, event, "A-3")
        expected = (409, "layout_in_use")
    elif since == "ga held":
        await count_in_pool(owner, event, zone_id(layout, "pit"), held=1)
        expected = (409, "layout_in_use")
    elif since == "blocked":
        wish = {"seat_ids": [str(await seat_of(owner, event, "A-3"))], "reason": "Camera"}
        data(await admin.post(f"/api/events/{event['id']}/seats/block", json=wish))
    else:
        await clock(timedelta(hours=2))
    before = await states_of(owner, event), await pools_of(owner, event)
    async with Counts(owner).unchanged():
        assert refused(await approve(admin, migration)) == expected
    assert (await states_of(owner, event), await pools_of(owner, event)) == before
    there = data(await admin.get(f"/api/events/{event['id']}/layout"))
    assert there["layout_id"] == layout["id"]


@pytest.mark.req("SEAT-4")
async def test_wishes_that_make_no_sense(admin: Client, owner: Any, client: Client, other_tenant: Tenant) -> None:
    event, layout = await seated_show(admin)
    other = await make_layout(admin, rebuilt(), venue_id=layout["venue_id"])
    assert await planned(admin, event, other, 422) == (422, "overlay_invalid")  # no version of the same
    assert await planned(admin, event, layout, 422) == (422, "overlay_invalid")  # it is there already
    newer = await next_version(admin, layout, rebuilt())
    past = {"respond_by": "2020-01-01T00:00:00Z"}
    assert await planned(admin, event, newer, 422, **past) == (422, "overlay_invalid")
    assert await planned(admin, event, {"id": str(new_id())}, 404) == (404, "layout_not_found")
    stranger = client.as_(other_tenant.tokens["owner"])
    assert await planned(stranger, event, newer, 404) == (404, "not_found")
    migration = await planned(admin, event, newer)
    assert refused(await approve(stranger, migration))[0] == 404
    assert refused(await stranger.get(f"/api/layout-migrations/{migration['id']}"))[0] == 404
    assert refused(await stranger.get(f"/api/events/{event['id']}/layout/migrations"))[0] == 404


@pytest.mark.req("SEAT-4")
async def test_a_draft_version_is_no_goal(admin: Client) -> None:
    event, layout = await seated_show(admin)
    newer = data(await post_plan(admin, f"/api/layouts/{layout['id']}/versions", rebuilt()), 201)
    assert await planned(admin, event, newer, 409) == (409, "layout_not_active")


@pytest.mark.req("SEAT-4", "AUD-1")
async def test_a_plan_may_be_discarded(admin: Client, tenant: Tenant, owner: Any) -> None:
    event, layout = await seated_show(admin)
    newer = await next_version(admin, layout, rebuilt())
    first = await planned(admin, event, newer)
    assert await planned(admin, event, newer, 409) == (409, "migration_open")
    dropped = data(await admin.post(f"/api/layout-migrations/{first['id']}/discard"))
    assert (dropped["status"], dropped["applied_at"]) == ("discarded", None)
    assert refused(await approve(admin, first)) == (409, "migration_stale")
    again = await planned(admin, event, newer)
    assert data(await approve(admin, again))["status"] == "applied"
    assert refused(await admin.post(f"/api/layout-migrations/{again['id']}/discard")) == (409, "migration_stale")
    assert "layout_migration.discarded" in [row["action"] for row in await trail(owner, tenant, event)]


@pytest.mark.req("SEAT-4")
async def test_of_two_plans_at_once_there_is_one(admin: Client) -> None:
    event, layout = await seated_show(admin)
    newer = await next_version(admin, layout, rebuilt())
    body = {"to_layout_id": newer["id"], "respond_by": "2090-05-01T12:00:00Z"}
    path = f"/api/events/{event['id']}/layout/migrations"
    answers = await asyncio.gather(*(admin.post(path, json=body) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]


@pytest.mark.req("SEAT-4")
async def test_approved_twice_at_once_it_happens_once(admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin)
    tickets = await sell(owner, event, "A-3", "A-4")
    newer = await next_version(admin, layout, rebuilt())
    migration = await planned(admin, event, newer)
    answers = await asyncio.gather(*(approve(admin, migration) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    assert await tickets_by_key(owner, event) == {"A-3": tickets["A-3"], "A-6": tickets["A-4"]}
    facts = [fact["name"] for fact in await announced(owner, event)]
    assert facts.count("event.layout_migrated") == 1


@pytest.mark.req("SEAT-4", "RBAC-1")
async def test_staff_look_and_do_not_approve(admin: Client, client: Client, tenant: Tenant) -> None:
    event, layout = await seated_show(admin)
    newer = await next_version(admin, layout, rebuilt())
    migration = await planned(admin, event, newer)
    staff = client.as_(tenant.tokens["staff"])
    assert data(await staff.get(f"/api/layout-migrations/{migration['id']}")) == migration
    assert refused(await approve(staff, migration)) == (403, "forbidden")
    assert await planned(staff, event, newer, 403) == (403, "forbidden")


@pytest.mark.req("SEAT-3", "SEAT-4")
async def test_the_database_moves_a_sold_show_by_relocation_only(
    admin: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    event, layout = await seated_show(admin)
    await sell(owner, event, "A-3")
    newer = await next_version(admin, layout, rebuilt())
    app = await connect(server_url, APP)
    try:
        for other in ("", str(new_id())):  # not even while another show is moved
            with pytest.raises(asyncpg.RestrictViolationError, match="tickets are sold"):
                async with app.transaction():
                    await app.execute("SELECT set_config('app.org', $1, true)", str(tenant.id))
                    await app.execute("SELECT set_config('app.relocating', $1, true)", other)
                    await app.execute(
                        "UPDATE event_layouts SET layout_id = $2 WHERE event_id = $1",
                        UUID(event["id"]),
                        UUID(newer["id"]),
                    )
    finally:
        await app.close()


@pytest.mark.req("SEAT-4")
async def test_the_map_shows_the_new_house(admin: Client, client: Client, owner: Any) -> None:
    event, layout = await seated_show(admin)
    await sell(owner, event, "A-4")
    path = f"/api/events/{event['id']}/availability"
    assert (await client.get(path)).headers["x-layout-id"] == layout["id"]
    newer = await next_version(admin, layout, rebuilt())
    data(await approve(admin, await planned(admin, event, newer)))

    async def moved() -> bool:
        return bool((await client.get(path)).headers["x-layout-id"] == newer["id"])

    await until(moved)
