"""What a show makes of a layout: its zones, pools and seats, made in one statement; blocked seats; guests."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.model import ChangeMembership, GrantMembership
from fullhouse.kit import outbox
from fullhouse.kit.db import APP, Tx, connect
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating import facts, overlay_actions, store
from fullhouse.seating.model import AttachLayout, ZoneAccessDenied
from tests.accounts.helpers import audited, data, refused
from tests.counts import Counts
from tests.events.helpers import announced, draft, make_venue, trail
from tests.fixtures import Client, Tenant
from tests.seating.helpers import (
    allow,
    attach,
    count_in_pool,
    hold,
    house,
    make_layout,
    next_version,
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
        ("stalls", 5, 0, 0), ("pit", 40, 0, 0), ("lounge", 2, 0, 0),
    ]  # fmt: skip
    assert await states_of(owner, event) == dict.fromkeys([*SEATS, "V-1", "V-2"], "available")
    assert await pools_of(owner, event) == {
        ("zone", "stalls"): (5, 0, 0), ("zone", "pit"): (40, 0, 0), ("zone", "lounge"): (2, 0, 0),
    }  # fmt: skip
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
        "stalls", "Dance floor", "ga_standing", 60,
    )  # fmt: skip
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
            admin, event, layout, disabled_zones=[nowhere], pricing_zones={nowhere: "x"},
            zone_overrides={
                nowhere: {"name": "X"},
                stalls: {"capacity": 9, "membership_tier": "friends"},
                pit: {"zone_type": "reserved_seating", "access_mode": "role_based", "allowed_roles": ["king"]},
                lounge: {"access_mode": "public", "zone_type": "vip_standing", "capacity": 900},
            },
            blocked_seat_ids=[nowhere, stalls],
        )  # fmt: skip
    assert refused(answer) == (422, "overlay_invalid")
    assert {field["path"] for field in answer.json()["fields"]} == {
        f"disabled_zones.{nowhere}", f"pricing_zones.{nowhere}", f"zone_overrides.{nowhere}",
        f"zone_overrides.{stalls}.capacity", f"zone_overrides.{stalls}.membership_tier",
        f"zone_overrides.{pit}.zone_type", f"zone_overrides.{pit}.allowed_roles",
        f"zone_overrides.{lounge}.access_mode", "zone_overrides", "blocked_seat_ids[0]", "blocked_seat_ids[1]",
    }  # fmt: skip
    every = [zone["id"] for zone in layout["zones"]]
    answer = await attach(admin, event, layout, disabled_zones=every)
    assert [field["message"] for field in answer.json()["fields"]] == ["At least one zone stays."]


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
async def test_what_is_held_or_sold_keeps_its_layout(taken: str, admin: Client, owner: Any, clock: Any) -> None:
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
    if taken == "held":  # until it expires, swept or not
        await clock(timedelta(seconds=61))
        data(await attach(admin, event, layout))


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
    assert await pools_of(owner, event) == {}
    assert (await trail(owner, tenant, event))[-1]["action"] == "event.layout_removed"


@pytest.mark.req("ZONE-1")
@pytest.mark.parametrize(("capacity", "pool"), [(0, None), (44, (44, 0, 0)), (45, None), (60, None)])
async def test_the_shows_own_limit_exists_where_it_binds(
    capacity: int, pool: tuple[int, int, int] | None, admin: Client, owner: Any
) -> None:
    event, _ = await seated_show(admin, capacity=capacity)
    assert (await pools_of(owner, event)).get(("event", "event")) == pool


@pytest.mark.req("ZONE-1")
async def test_another_capacity_of_the_show_is_another_limit(admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin)
    await sell(owner, event, "A-3", "A-4")
    await count_in_pool(owner, event, zone_id(layout, "pit"), held=3, sold=4)
    path, limit = f"/api/events/{event['id']}", ("event", "event")
    data(await admin.patch(path, json={"capacity": 20}))
    assert (await pools_of(owner, event))[limit] == (20, 3, 6)  # a limit that begins to bind knows what is gone
    data(await admin.patch(path, json={"capacity": 9}))
    assert (await pools_of(owner, event))[limit] == (9, 3, 6)
    assert refused(await admin.patch(path, json={"capacity": 8})) == (409, "capacity_in_use")
    assert (await pools_of(owner, event))[limit] == (9, 3, 6)
    data(await admin.patch(path, json={"capacity": 45}))
    assert limit not in await pools_of(owner, event)


@pytest.mark.req("SEAT-3", "EV-9")
async def test_a_show_that_moves_leaves_an_unsold_layout_behind(admin: Client, owner: Any) -> None:
    there = await make_venue(admin, name="Open Air")
    moving = {"venue_id": there["id"], "reason": "storm"}
    event, _ = await seated_show(admin)
    data(await admin.patch(f"/api/events/{event['id']}", json=moving | {"name": "Hamlet"}))
    assert refused(await admin.get(f"/api/events/{event['id']}/layout")) == (404, "event_has_no_layout")
    sold, layout = await seated_show(admin)
    await sell(owner, sold, "A-3")
    data(await admin.patch(f"/api/events/{sold['id']}", json=moving | {"consent_note": "all were asked"}))
    assert data(await admin.get(f"/api/events/{sold['id']}/layout"))["layout_id"] == layout["id"]


# --- the policy and the overlay


@pytest.mark.req("POL-1")
@pytest.mark.parametrize(
    ("values", "disabled", "sentence"),
    [
        ({"allow_vip_zones": False}, [], "VIP zones are not allowed here."),
        ({"allow_vip_zones": True, "allow_reserved_seating": False}, ["pit"], "Zones with seats are not allowed here."),
        ({"allow_vip_zones": True, "allow_ga_seating": False}, [], "Zones without seats are not allowed here."),
        ({"allow_vip_zones": True, "allow_hybrid_ga_reserved": False}, [], "Seats or places: not both in one show."),
    ],
)
async def test_zones_that_the_policy_does_not_allow(
    values: dict[str, Any], disabled: list[str], sentence: str, admin: Client, services: Services, tenant: Tenant
) -> None:
    layout = await make_layout(admin)
    event = await draft(admin, venue_id=layout["venue_id"])
    closed = [zone_id(layout, key) for key in disabled]
    await allow(services, tenant, **values)
    answer = await attach(admin, event, layout, disabled_zones=closed)
    assert refused(answer) == (422, "overlay_invalid")
    assert [(f["path"], f["message"]) for f in answer.json()["fields"]] == [("zones", sentence)]
    await allow(services, tenant, allow_vip_zones=True)
    data(await attach(admin, event, layout, disabled_zones=closed))


@pytest.mark.req("POL-1", "SEAT-3")
async def test_a_show_overrides_what_is_not_mandatory(admin: Client, services: Services, tenant: Tenant) -> None:
    await allow(services, tenant, "max_seats_per_booking", max_seats_per_booking=6)
    event, layout = await seated_show(admin)
    wrong = {"max_seats_per_booking": 8, "default_hold_ttl_minutes": 31, "colour": 1, "orphan_avoidance_strict": 1}
    answer = await attach(admin, event, layout, policy=wrong)
    assert refused(answer) == (422, "seating_policy_invalid")
    assert {field["path"]: field["message"] for field in answer.json()["fields"]} == {
        "policy.max_seats_per_booking": "The platform has made this mandatory.",
        "policy.default_hold_ttl_minutes": "A number from 1 to 30.",
        "policy.colour": "There is no such field.",
        "policy.orphan_avoidance_strict": "True or false.",
    }
    data(await attach(admin, event, layout, policy={"default_hold_ttl_minutes": 8, "allow_vip_zones": True}))
    said = {row["name"]: row for row in data(await admin.get(f"/api/events/{event['id']}/seating-policy"))}
    for name, value, source in (
        ("default_hold_ttl_minutes", 8, "event"), ("max_seats_per_booking", 6, "organization"),
        ("max_group_split", 2, "platform"),
    ):  # fmt: skip
        assert (said[name]["value"], said[name]["source"]) == (value, source)


async def test_a_mandatory_mark_that_comes_later_counts_too(admin: Client, services: Services, tenant: Tenant) -> None:
    event, layout = await seated_show(admin)
    data(await attach(admin, event, layout, policy={"max_seats_per_booking": 8}))
    await allow(services, tenant, "max_seats_per_booking")
    said = {row["name"]: row for row in data(await admin.get(f"/api/events/{event['id']}/seating-policy"))}
    field = said["max_seats_per_booking"]
    assert (field["value"], field["source"], field["mandatory"]) == (10, "platform", True)


# --- blocking


class Recorder:
    """Stands in for the holds: writes down the fact, and what the seats look like from inside the transaction."""

    def __init__(self) -> None:
        self.seen: list[tuple[facts.SeatsBlocked, dict[str, str]]] = []

    async def __call__(self, tx: Tx, fact: facts.SeatsBlocked) -> None:
        rows = await tx.fetch("SELECT seat_id, status FROM event_seats WHERE seat_id = ANY ($1)", fact.seat_ids)
        self.seen.append((fact, {str(row["seat_id"]): row["status"] for row in rows}))


@pytest.fixture
def recorder(admin: Client, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.setattr(outbox, "_consequences", outbox._consequences)
    listening = Recorder()
    outbox.wire({facts.SeatsBlocked: [listening]})
    return listening


@pytest.mark.req("SEAT-7", "AUD-1")
async def test_staff_block_seats_and_open_them_again(
    admin: Client, client: Client, tenant: Tenant, owner: Any, recorder: Recorder
) -> None:
    event, _ = await seated_show(admin)
    staff = client.as_(tenant.tokens["staff"])
    hold_id = await hold(owner, event, "A-4")
    ids = [str(await seat_of(owner, event, key)) for key in ("A-3", "A-4")]
    path = f"/api/events/{event['id']}/seats"
    for reason in ({}, {"reason": ""}, {"reason": " "}):
        assert (await staff.post(f"{path}/block", json={"seat_ids": ids, **reason})).status_code == 422
    wish = {"seat_ids": [*ids, ids[0]], "reason": "Camera"}
    assert data(await staff.post(f"{path}/block", json=wish)) == {"blocked": 2}
    assert await states_of(owner, event) == dict.fromkeys(SEATS, "available") | {"A-3": "blocked", "A-4": "blocked"}
    ((fact, then),) = recorder.seen
    assert (fact.blocked, fact.reason) == (True, "Camera")
    assert then == {ids[0]: "available", ids[1]: "held"}  # whoever holds it can still give it back
    row = await owner.fetchrow("SELECT hold_id, held_until FROM event_seats WHERE seat_id::text = $1", ids[1])
    assert (row["hold_id"], row["held_until"]) == (None, None)
    assert hold_id
    assert data(await staff.post(f"{path}/block", json=wish)) == {"blocked": 0}
    assert len(recorder.seen) == 1  # nothing happened, nothing is said
    assert data(await staff.post(f"{path}/unblock", json=wish | {"reason": "Camera gone"})) == {"unblocked": 2}
    assert set((await states_of(owner, event)).values()) == {"available"}
    (blocked,), (opened,) = (
        await audited(owner, tenant, "seats.blocked"),
        await audited(owner, tenant, "seats.unblocked"),
    )
    assert (blocked["reason"], opened["reason"]) == ("Camera", "Camera gone")
    assert blocked["actor_id"] == tenant.people["staff"].id


@pytest.mark.req("SEAT-7")
async def test_a_sold_seat_stays_sold(admin: Client, owner: Any, recorder: Recorder) -> None:
    event, _ = await seated_show(admin)
    await sell(owner, event, "A-4")
    ids = [str(await seat_of(owner, event, key)) for key in ("A-3", "A-4")]
    for verb in ("block", "unblock"):
        path = f"/api/events/{event['id']}/seats/{verb}"
        answer = await admin.post(path, json={"seat_ids": ids, "reason": "x"})
        assert refused(answer) == (409, "seat_sold")
        assert answer.json()["seat_ids"] == [ids[1]]
        strange = {"seat_ids": [str(new_id())], "reason": "x"}
        assert refused(await admin.post(path, json=strange)) == (404, "seat_not_found")
        assert refused(await admin.post(path.replace(event["id"], str(new_id())), json=strange)) == (404, "not_found")
    assert (await states_of(owner, event))["A-3"] == "available"
    assert recorder.seen == []


async def test_many_seats_fit_into_one_request(admin: Client) -> None:
    event, layout = await seated_show(admin, rows_of(*((f"R{n}", 100) for n in range(30))))
    first = UUID(layout["id"]).int >> 32 << 32
    ids = [str(UUID(int=first | n)) for n in range(3000)]
    wish = {"seat_ids": ids, "reason": "Balcony closed"}
    assert data(await admin.post(f"/api/events/{event['id']}/seats/block", json=wish)) == {"blocked": 3000}


# --- companions


async def _keep_companion(owner: Any, event: Any) -> None:
    await owner.execute(
        "UPDATE event_seats SET reserved_for = $2, reserved_until = 'infinity' WHERE seat_id = $1",
        await seat_of(owner, event, "A-2"), new_id(),
    )  # fmt: skip


@pytest.mark.req("ACC-1", "AUD-1")
async def test_companions_are_released_once_and_for_good(
    admin: Client, owner: Any, services: Services, tenant: Tenant
) -> None:
    event, layout = await seated_show(admin)
    stalls, event_id = zone_id(layout, "stalls"), UUID(event["id"])
    await sell(owner, event, "A-1", "A-3", "A-4")
    await _keep_companion(owner, event)

    async def release() -> bool:
        async with services.database.tenant(tenant.id) as tx:
            return await overlay_actions.release_companions(tx, event_id, UUID(stalls))

    await count_in_pool(owner, event, stalls, held=1, sold=4)  # 80 %: holds do not count
    assert not await release()
    await count_in_pool(owner, event, stalls, sold=5)
    assert await release()
    assert not await release()
    row = await owner.fetchrow("SELECT * FROM event_seats WHERE seat_id = $1", await seat_of(owner, event, "A-2"))
    assert (row["status"], row["reserved_for"], row["reserved_until"]) == ("available", None, None)
    zone = data(await admin.get(f"/api/events/{event['id']}/layout"))["zones"][0]
    assert zone["companions_released"] is True
    await count_in_pool(owner, event, stalls, sold=1)  # refunds do not bring it back
    assert data(await admin.get(f"/api/events/{event['id']}/layout"))["zones"][0]["companions_released"] is True
    assert len(await audited(owner, tenant, "companions.released")) == 1
    assert [fact["zone_id"] for fact in await announced(owner, event) if fact["name"] == "companions.released"] == [
        stalls
    ]


@pytest.mark.req("ACC-1")
async def test_the_statement_opens_the_kept_seats_of_its_zone(tx: Tx, admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin)
    await _keep_companion(owner, event)
    args = tx, tx.organization_id, UUID(event["id"])
    assert await store.release_companions(*args, UUID(zone_id(layout, "pit"))) == []
    assert await store.release_companions(*args, UUID(zone_id(layout, "stalls"))) == [1]
    assert await store.release_companions(*args, UUID(zone_id(layout, "stalls"))) == []


# --- guests and who may enter


@pytest.mark.req("ZONE-2", "AUD-1")
async def test_a_zones_guests(admin: Client, tenant: Tenant, owner: Any) -> None:
    event, layout = await seated_show(admin)
    path = f"/api/events/{event['id']}/zones/{zone_id(layout, 'pit')}/guests"
    several = [{"email": "Ben@Example.org", "name": "Ben"}, {"email": "ada@example.org"}, {"email": "BEN@example.org"}]
    assert data(await admin.post(path, json={"guests": several})) == {"listed": 2}
    data(await admin.post(path, json={"guests": [{"email": "cy@example.org", "name": "Cy"}]}))
    first = (await admin.get(f"{path}?limit=2")).json()
    rest = (await admin.get(f"{path}?limit=2&cursor={first['next_cursor']}")).json()
    assert [guest["email"] for guest in first["data"] + rest["data"]] == [
        "ada@example.org", "ben@example.org", "cy@example.org",
    ]  # fmt: skip
    assert rest["next_cursor"] is None
    renamed = data(await admin.post(path, json={"guests": [{"email": "ADA@example.org", "name": "Ada"}]}))
    assert renamed == {"listed": 1}
    assert data(await admin.get(path))[0]["name"] == "Ada"
    assert (await admin.delete(f"{path}/BEN@example.org")).status_code == 204
    assert (await admin.delete(f"{path}/nobody@example.org")).status_code == 204
    assert [guest["email"] for guest in data(await admin.get(path))] == ["ada@example.org", "cy@example.org"]
    for wrong in ("ada", "a b@example.org", "ada@example.org\n", "a@b@c"):
        assert (await admin.post(path, json={"guests": [{"email": wrong}]})).status_code == 422, wrong
    assert len(await audited(owner, tenant, "zone.guests_added")) == 3
    assert len(await audited(owner, tenant, "zone.guest_removed")) == 1
    many = [{"email": f"{'x' * 200}{n}@example.org", "name": "y" * 120} for n in range(1000)]
    assert data(await admin.post(path, json={"guests": many})) == {"listed": 1000}


@pytest.mark.req("TEN-2")
async def test_another_organisations_guests_and_zones(client: Client, admin: Client, other_tenant: Tenant) -> None:
    event, layout = await seated_show(admin)
    path = f"/api/events/{event['id']}/zones/{zone_id(layout, 'pit')}/guests"
    data(await admin.post(path, json={"guests": [{"email": "ada@example.org"}]}))
    stranger = client.as_(other_tenant.tokens["owner"])
    answers = [
        await stranger.get(path), await stranger.post(path, json={"guests": [{"email": "eve@example.org"}]}),
        await stranger.delete(f"{path}/ada@example.org"),
    ]  # fmt: skip
    assert {refused(answer) for answer in answers} == {(404, "not_found")}
    nowhere = path.replace(zone_id(layout, "pit"), str(new_id()))
    assert refused(await admin.get(nowhere)) == (404, "zone_not_found")
    assert len(data(await admin.get(path))) == 1


async def test_guests_stay_with_their_zone_in_another_version(admin: Client) -> None:
    event, layout = await seated_show(admin)
    before = f"/api/events/{event['id']}/zones/{zone_id(layout, 'pit')}/guests"
    data(await admin.post(before, json={"guests": [{"email": "ada@example.org"}]}))
    newer = await next_version(admin, layout, without_lounge())
    data(await attach(admin, event, newer))
    after = f"/api/events/{event['id']}/zones/{zone_id(newer, 'pit')}/guests"
    assert [guest["email"] for guest in data(await admin.get(after))] == ["ada@example.org"]


@pytest.mark.req("ZONE-2", "MEM-1")
async def test_who_stands_how_at_the_doors(
    vip: None, admin: Client, services: Services, tenant: Tenant, clock: Any
) -> None:
    """A member while the membership is valid; a guest by address, however it is written; nobody by nothing."""
    event, layout = await seated_show(admin, house())
    event_id, lounge = UUID(event["id"]), UUID(zone_id(layout, "lounge"))
    path = f"/api/events/{event['id']}/zones/{lounge}/guests"
    who = tenant.principal("customer")
    reasons: set[str] = set()

    async def may_enter() -> bool:
        async with services.database.tenant(tenant.id) as tx:
            zone = await overlay_actions.zone_of(tx, event_id, lounge)
            try:
                await overlay_actions.check_access(tx, event_id, [zone], who)
            except ZoneAccessDenied as denied:
                reasons.add(denied.detail)
                return False
            return True

    assert not await may_enter()
    async with services.database.tenant(tenant.id) as tx:
        until = await tx.now() + timedelta(days=1)
        wish = GrantMembership("customer@example.org", "C", "friends", "1", valid_until=until)
        membership = await accounts.grant_membership(tx, wish)
    assert await may_enter()
    for status, open_ in (("suspended", False), ("active", True), ("revoked", False), ("active", True)):
        async with services.database.tenant(tenant.id) as tx:
            await accounts.change_membership(tx, membership.id, ChangeMembership(status=status))  # type: ignore[arg-type]
        assert await may_enter() is open_, status
    await clock(timedelta(days=2))
    assert not await may_enter()
    data(await admin.post(path, json={"guests": [{"email": "CUSTOMER@example.org"}]}))
    assert await may_enter()
    assert (await admin.delete(f"{path}/customer@example.org")).status_code == 204
    assert not await may_enter()
    assert reasons == {"“Lounge” is for members (friends)."}


# --- without timing: what it costs


@pytest.mark.req("SEAT-3")
async def test_attaching_is_one_statement_for_all_seats(
    admin: Client, services: Services, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many statements for a thousand seats as for five."""

    async def statements(rows: int) -> list[str]:
        layout = await make_layout(admin, rows_of(*((f"R{n}", 5) for n in range(rows))))
        event = await draft(admin, venue_id=layout["venue_id"], name=f"Show {rows}")
        ran: list[str] = []
        async with services.database.tenant(tenant.id) as tx:
            for verb in ("fetch", "fetchrow", "fetchval", "execute"):
                _record(tx, verb, ran)
            await overlay_actions.attach(tx, UUID(event["id"]), AttachLayout(layout_id=UUID(layout["id"])), None)
        return ran

    few, many = await statements(1), await statements(90)
    assert few == many
    assert sum("INSERT INTO event_seats" in text for text in many) == 1


def _record(tx: Tx, verb: str, ran: list[str]) -> None:
    run = getattr(tx, verb)

    async def recorded(query: str, *args: Any, **more: Any) -> Any:
        ran.append(query)
        return await run(query, *args, **more)

    setattr(tx, verb, recorded)


LOOK_UPS: dict[str, tuple[str, Callable[..., tuple[Any, ...]]]] = {
    "seat_of_event": ("event_seats_pkey", lambda e, s, _l: (e, s)),
    "list_seats": ("seats_pkey", lambda e, _s, _l: (e, 2000, 3000, 51)),
    "lock_seats": ("event_seats_pkey", lambda e, s, _l: (e, [s])),
    "seat_states": ("event_seats_pkey", lambda e, _s, _l: (e,)),
}


@pytest.mark.parametrize("name", LOOK_UPS)
async def test_seats_are_found_by_their_keys(
    name: str, admin: Client, services: Services, tenant: Tenant, owner: Any
) -> None:
    plan = rows_of(*((f"R{n}", 100) for n in range(40)))
    event, layout = await seated_show(admin, plan)
    for n in range(4):
        other = await draft(admin, venue_id=layout["venue_id"], name=f"Show {n}")
        data(await attach(admin, other, layout))
    await owner.execute("ANALYZE seats, event_seats, event_layouts")
    index, arguments = LOOK_UPS[name]
    text = store.statements.texts[name]
    async with services.database.tenant(tenant.id) as tx:
        values = arguments(UUID(event["id"]), await seat_of(owner, event, "R20-7"), UUID(layout["id"]))
        plan_rows = await tx.fetch(f"EXPLAIN {text}", tenant.id, *values)
    explained = "\n".join(row[0] for row in plan_rows)
    assert index in explained, explained
    assert "Seq Scan on seats" not in explained
    assert "Seq Scan on event_seats" not in explained
