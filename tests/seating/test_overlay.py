"""What a show makes of a layout: its zones, pools and seats, made in one statement; blocked seats; guests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse.holds import actions as holds
from fullhouse.kit.db.database import APP, connect
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.counts import Counts
from tests.events.helpers import announced, draft, make_venue, move, trail
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest
from tests.seating.helpers import (
    allow,
    attach,
    count_in_pool,
    hold,
    make_layout,
    pools_of,
    rows_of,
    seat_of,
    seated_show,
    sell,
    states_of,
    without_lounge,
    zone_id,
)

SEATS = ["A-1", "A-2", "A-3", "A-4", "A-5"]


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
async def vip(services: Services, tenant: Tenant) -> None:
    await allow(services, tenant, allow_vip_zones=True)


# --- attaching


@pytest.mark.req("SEAT-3", "ZONE-1", "AUD-1")
async def test_attaching_makes_seats_and_pools(vip: None, admin: Client, tenant: Tenant, owner: Any) -> None:
    layout = await make_layout(admin)
    event = await draft(admin, venue_id=layout["venue_id"])
    answer = await attach(admin, event, layout)
    made = data(answer)
    assert answer.headers["etag"] == '"1"'
    assert (made["layout_id"], made["layout_version"], made["blocked_seat_ids"]) == (layout["id"], 1, [])
    assert [(z["key"], z["capacity"], z["held"], z["sold"]) for z in made["zones"]] == [
        ("stalls", 5, 0, 0),
        ("pit", 40, 0, 0),
        ("lounge", 2, 0, 0),
    ]
    assert await states_of(owner, event) == dict.fromkeys([*SEATS, "V-1", "V-2"], "available")
    assert await pools_of(owner, event) == {
        ("zone", "stalls"): (5, 0, 0),
        ("zone", "pit"): (40, 0, 0),
        ("zone", "lounge"): (2, 0, 0),
    }
    companion = await owner.fetchval(
        "SELECT companion_of FROM event_seats WHERE seat_id = $1", await seat_of(owner, event, "A-2")
    )
    assert companion == await seat_of(owner, event, "A-1")
    read = await admin.get(f"/api/events/{event['id']}/layout")
    assert (data(read), read.headers["etag"]) == (made, '"1"')
    assert (await trail(owner, tenant, event))[-1]["action"] == "event.layout_set"
    assert (await announced(owner, event))[-1]["name"] == "event.layout_changed"


@pytest.mark.req("SEAT-3", "ZONE-1")
async def test_an_overlay_says_what_differs(vip: None, admin: Client, owner: Any) -> None:
    layout = await make_layout(admin)
    event = await draft(admin, venue_id=layout["venue_id"])
    stalls, pit, lounge = (zone_id(layout, key) for key in ("stalls", "pit", "lounge"))
    first = data(await attach(admin, event, layout))
    blocked = str(await seat_of(owner, event, "V-2"))
    overlay = {
        "disabled_zones": [pit],
        "zone_overrides": {
            stalls: {"zone_type": "ga_standing", "capacity": 60, "name": "Dance floor"},
            lounge: {"access_mode": "whitelist"},
        },
        "pricing_zones": {lounge: "two"},
        "blocked_seat_ids": [blocked],
        "policy": {"max_seats_per_booking": 4},
    }
    made = data(await attach(admin, event, layout, **overlay))
    assert made["version"] == first["version"] + 1
    floor, room = made["zones"]
    assert (floor["key"], floor["name"], floor["zone_type"], floor["capacity"]) == (
        "stalls",
        "Dance floor",
        "ga_standing",
        60,
    )
    assert (room["access_mode"], room["membership_tier"], room["price_category"]) == ("whitelist", None, "two")
    assert made["blocked_seat_ids"] == [blocked]
    assert {name: made[name] for name in overlay} == overlay  # deltas, as they were said
    # The dance floor has a pool and no seats; the disabled zone has neither.
    assert await states_of(owner, event) == {"V-1": "available", "V-2": "blocked"}
    assert await pools_of(owner, event) == {("zone", "stalls"): (60, 0, 0), ("zone", "lounge"): (2, 0, 0)}
    plain = data(await attach(admin, event, layout))
    assert [zone["key"] for zone in plain["zones"]] == [
        "stalls",
        "pit",
        "lounge",
    ]  # the whole overlay is said each time
    assert len(await states_of(owner, event)) == 7


@pytest.mark.req("SEAT-3", "ZONE-1", "ZONE-2")
async def test_every_mistake_of_an_overlay_at_once(vip: None, admin: Client, owner: Any) -> None:
    venue = await make_venue(admin, max_capacity=100)
    layout = await make_layout(admin, venue_id=venue["id"])
    event = await draft(admin, venue_id=venue["id"])
    stalls, pit, lounge = (zone_id(layout, key) for key in ("stalls", "pit", "lounge"))
    nowhere = str(new_id())
    async with Counts(owner).unchanged():
        answer = await attach(
            admin,
            event,
            layout,
            disabled_zones=[nowhere],
            pricing_zones={nowhere: "x", pit: "gala", stalls: "two"},
            zone_overrides={
                nowhere: {"name": "X"},
                stalls: {"capacity": 9, "membership_tier": "friends"},
                pit: {"zone_type": "reserved_seating", "access_mode": "role_based", "allowed_roles": ["king"]},
                lounge: {"access_mode": "public", "zone_type": "vip_standing", "capacity": 900},
            },
            blocked_seat_ids=[nowhere, stalls],
        )
    assert refused(answer) == (422, "overlay_invalid")
    assert {field["path"] for field in answer.json()["fields"]} == {
        f"disabled_zones.{nowhere}",
        f"pricing_zones.{nowhere}",
        f"pricing_zones.{pit}",
        f"zone_overrides.{nowhere}",
        f"zone_overrides.{stalls}.capacity",
        f"zone_overrides.{stalls}.membership_tier",
        f"zone_overrides.{pit}.zone_type",
        f"zone_overrides.{pit}.allowed_roles",
        f"zone_overrides.{lounge}.access_mode",
        "zone_overrides",
        "blocked_seat_ids[0]",
        "blocked_seat_ids[1]",
    }
    every = [zone["id"] for zone in layout["zones"]]
    answer = await attach(admin, event, layout, disabled_zones=every)
    assert [field["message"] for field in answer.json()["fields"]] == ["At least one zone must stay enabled."]


@pytest.mark.req("ZONE-2")
async def test_an_access_mode_needs_what_belongs_to_it(admin: Client) -> None:
    layout = await make_layout(admin, without_lounge())
    event = await draft(admin, venue_id=layout["venue_id"])
    pit = zone_id(layout, "pit")
    modes = [
        ({"access_mode": "membership_tier"}, f"zone_overrides.{pit}.membership_tier"),
        ({"access_mode": "role_based"}, f"zone_overrides.{pit}.allowed_roles"),
        ({"access_mode": "whitelist", "allowed_roles": ["staff"]}, f"zone_overrides.{pit}.allowed_roles"),
    ]
    for override, path in modes:
        answer = await attach(admin, event, layout, zone_overrides={pit: override})
        assert [field["path"] for field in answer.json()["fields"]] == [path]
    good = {"access_mode": "role_based", "allowed_roles": ["staff", "owner"]}
    zone = data(await attach(admin, event, layout, zone_overrides={pit: good}))["zones"][1]
    assert (zone["access_mode"], zone["allowed_roles"]) == ("role_based", ["staff", "owner"])


@pytest.mark.req("SEAT-3")
async def test_only_an_active_layout_of_the_same_venue(admin: Client, client: Client, other_tenant: Tenant) -> None:
    layout = await make_layout(admin, without_lounge(), active=False)
    event = await draft(admin, venue_id=layout["venue_id"])
    assert refused(await attach(admin, event, layout)) == (409, "layout_not_active")
    data(await admin.post(f"/api/layouts/{layout['id']}/archive"))
    assert refused(await attach(admin, event, layout)) == (409, "layout_not_active")
    elsewhere = await make_layout(admin, without_lounge())
    assert refused(await attach(admin, event, elsewhere)) == (422, "layout_of_another_venue")
    theirs = await make_layout(client.as_(other_tenant.tokens["owner"]), without_lounge())
    assert refused(await attach(admin, event, theirs)) == (404, "layout_not_found")
    assert refused(await attach(admin, {"id": str(new_id())}, elsewhere)) == (404, "not_found")
    assert refused(await admin.get(f"/api/events/{event['id']}/layout")) == (404, "event_has_no_layout")
    assert refused(await admin.get(f"/api/events/{new_id()}/layout")) == (404, "not_found")


async def test_an_overlay_that_was_changed_meanwhile(admin: Client) -> None:
    event, layout = await seated_show(admin)
    stale = await attach(admin, event, layout, headers={"if-match": '"7"'})
    assert refused(stale) == (412, "stale_version")
    assert data(await attach(admin, event, layout, headers={"if-match": '"1"'}))["version"] == 2
    bare = await draft(admin, venue_id=layout["venue_id"], name="Another")
    assert refused(await attach(admin, bare, layout, headers={"if-match": '"1"'})) == (412, "stale_version")


@pytest.mark.req("SEAT-3")
@pytest.mark.parametrize("taken", ["held", "sold", "ga held", "ga sold"])
async def test_what_is_held_or_sold_keeps_its_layout(taken: str, admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin)
    pit = zone_id(layout, "pit")
    if taken == "held":
        await hold(owner, event, "A-3", seconds=60)
    elif taken == "sold":
        await sell(owner, event, "A-3")
    else:
        await count_in_pool(owner, event, pit, **{taken.removeprefix("ga "): 2})
    before = await states_of(owner, event), await pools_of(owner, event)
    assert refused(await attach(admin, event, layout)) == (409, "layout_in_use")
    assert refused(await admin.delete(f"/api/events/{event['id']}/layout")) == (409, "layout_in_use")
    assert (await states_of(owner, event), await pools_of(owner, event)) == before


@pytest.mark.req("SEAT-3", "HOLD-4")
async def test_an_overdue_hold_ends_before_the_layout_is_judged(
    admin: Client, client: Client, owner: Any, clock: Any, services: Services, tenant: Tenant
) -> None:
    """Taken off a limit that did not exist when it began, it would break the sweep for good."""
    layout = await make_layout(admin, without_lounge())
    event = await draft(admin, venue_id=layout["venue_id"], capacity=44)
    data(await attach(admin, event, layout, disabled_zones=[zone_id(layout, "pit")]))
    data(await move(admin, event, "publish"))
    seat = await seat_of(owner, event, "A-3")
    buyer = await guest(client, tenant)
    hold_id = data(await buyer.post(f"/api/events/{event['id']}/seats/{seat}/reserve"), 201)["hold_id"]
    await clock(timedelta(seconds=290))
    answer = await attach(admin, event, layout)
    assert (refused(answer), answer.json()["held"], answer.json()["sold"]) == ((409, "layout_in_use"), 1, 0)
    await clock(timedelta(seconds=301))
    data(await attach(admin, event, layout))
    assert (await pools_of(owner, event))["event", "event"] == (44, 0, 0)
    async with services.database.tenant(tenant.id) as tx:
        assert await holds.end(tx, [UUID(hold_id)], "expired", overdue_only=True) == 0


@pytest.mark.req("SEAT-3")
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE event_layouts SET layout_id = $2 WHERE event_id = $1",
        "DELETE FROM event_layouts WHERE event_id = $1 AND $2::uuid IS NOT NULL",
        "DELETE FROM event_seats WHERE event_id = $1 AND $2::uuid IS NOT NULL",
    ],
)
async def test_the_database_itself_keeps_a_sold_layout(
    change: str, admin: Client, owner: Any, tenant: Tenant, server_url: str
) -> None:
    event, _ = await seated_show(admin)
    newer = await make_layout(admin, rows_of(("A", 5)))
    app = await connect(server_url, APP)
    try:
        async with _rolled_back(app, tenant):
            await app.execute(change, UUID(event["id"]), UUID(newer["id"]))  # unsold, it may
        await sell(owner, event, "A-3")
        with pytest.raises(asyncpg.RestrictViolationError, match=r"tickets are sold|a sold seat stays"):
            async with _rolled_back(app, tenant):
                await app.execute(change, UUID(event["id"]), UUID(newer["id"]))
    finally:
        await app.close()


@asynccontextmanager
async def _rolled_back(app: Any, tenant: Tenant) -> AsyncIterator[None]:
    transaction = app.transaction()
    await transaction.start()
    try:
        await app.execute("SELECT set_config('app.org', $1, true)", str(tenant.id))
        yield
    finally:
        await transaction.rollback()


@pytest.mark.req("SEAT-3")
async def test_a_show_may_go_without_seats_again(admin: Client, owner: Any, tenant: Tenant) -> None:
    event, _ = await seated_show(admin, capacity=10)
    path = f"/api/events/{event['id']}/layout"
    assert (await admin.delete(path)).status_code == 204
    assert refused(await admin.get(path)) == refused(await admin.delete(path)) == (404, "event_has_no_layout")
    assert await states_of(owner, event) == {}
    assert await pools_of(owner, event) == {("event", "event"): (10, 0, 0)}  # it is the event's, not the plan's
    assert (await trail(owner, tenant, event))[-1]["action"] == "event.layout_removed"


@pytest.mark.req("ZONE-1")
@pytest.mark.parametrize(("capacity", "pool"), [(0, None), (44, (44, 0, 0)), (45, (45, 0, 0)), (60, (60, 0, 0))])
async def test_an_event_has_a_pool_wherever_its_capacity_is_set(
    capacity: int, pool: tuple[int, int, int] | None, admin: Client, owner: Any
) -> None:
    event, _ = await seated_show(admin, capacity=capacity)
    assert (await pools_of(owner, event)).get(("event", "event")) == pool


@pytest.mark.req("ZONE-1")
async def test_another_capacity_of_the_show_is_another_limit(admin: Client, owner: Any) -> None:
    event, _ = await seated_show(admin, capacity=20)
    await count_in_pool(owner, event, event["id"], held=3, sold=6)
    path, limit = f"/api/events/{event['id']}", ("event", "event")
    data(await admin.patch(path, json={"capacity": 9}))
    assert (await pools_of(owner, event))[limit] == (9, 3, 6)
    assert refused(await admin.patch(path, json={"capacity": 8})) == (409, "capacity_in_use")
    assert (await pools_of(owner, event))[limit] == (9, 3, 6)
    data(await admin.patch(path, json={"capacity": 60}))
    assert (await pools_of(owner, event))[limit] == (60, 3, 6)
    data(await admin.patch(path, json={"capacity": 0}))
    assert limit not in await pools_of(owner, event)


@pytest.mark.req("SEAT-3", "EV-9")
async def test_a_show_that_moves_leaves_an_unsold_layout_behind(admin: Client, owner: Any) -> None:
    there = await make_venue(admin, name="Open Air")
    moving = {"venue_id": there["id"], "reason": "storm"}
    event, _ = await seated_show(admin)
    data(await admin.patch(f"/api/events/{event['id']}", json=moving | {"name": "Hamlet", "drop_layout": True}))
    assert refused(await admin.get(f"/api/events/{event['id']}/layout")) == (404, "event_has_no_layout")
    sold, layout = await seated_show(admin)
    await sell(owner, sold, "A-3")
    data(await admin.patch(f"/api/events/{sold['id']}", json=moving | {"consent_note": "all were asked"}))
    assert data(await admin.get(f"/api/events/{sold['id']}/layout"))["layout_id"] == layout["id"]
