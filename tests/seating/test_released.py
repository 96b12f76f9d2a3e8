"""Stranded seats, set free by the platform's hand: whatever holds them, and nothing that is sold."""

from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse.kit.ids import new_id
from tests.accounts.helpers import PASSWORD, audited, data, make_platform_user, refused
from tests.events.helpers import announced, move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest
from tests.seating.helpers import hold, pools_of, seat_of, seated_show, sell, states_of

pytestmark = pytest.mark.req("SEAT-7")
FREE = dict.fromkeys(["A-1", "A-2", "A-3", "A-4", "A-5"], "available")


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
async def root(client: Client, owner: Any) -> Client:
    return await _platform(client, owner, "super_admin")


async def _platform(client: Client, owner: Any, role: str) -> Client:
    wish = {"email": await make_platform_user(owner, role), "password": PASSWORD}
    return client.as_(data(await client.post("/api/platform/login", json=wish), 201)["token"])


def release_path(event: Any) -> str:
    return f"/api/events/{event['id']}/seats/release"


async def wish(owner: Any, event: Any, *keys: str) -> dict[str, Any]:
    return {"seat_ids": [str(await seat_of(owner, event, key)) for key in keys], "reason": "stuck since noon"}


@pytest.mark.req("AUD-1")
async def test_a_held_seat_is_free_for_the_next_one(
    client: Client, admin: Client, root: Client, owner: Any, tenant: Tenant
) -> None:
    event, _ = await seated_show(admin, capacity=40)
    first, second = await guest(client, tenant), await guest(client, tenant)
    seat = await seat_of(owner, event, "A-3")
    reserve = f"/api/events/{event['id']}/seats/{seat}/reserve"
    hold_id = data(await first.post(reserve), 201)["hold_id"]
    for reason in ({}, {"reason": ""}, {"reason": " "}):
        assert (await root.post(release_path(event), json={"seat_ids": [str(seat)], **reason})).status_code == 422
    asked = await wish(owner, event, "A-3", "A-4")
    assert data(await root.post(release_path(event), json=asked)) == {"released": 1}
    assert await states_of(owner, event) == FREE
    assert (await pools_of(owner, event))["event", "event"] == (40, 0, 0)
    ended = await owner.fetchrow("SELECT status FROM seat_holds WHERE id = $1", UUID(hold_id))
    assert ended["status"] == "cancelled"
    (row,) = await audited(owner, tenant, "seats.released")
    said = msgspec.json.decode(row["after"])["seat_ids"]
    assert (row["actor_type"], row["reason"], said) == ("platform", "stuck since noon", [str(seat)])
    assert (await announced(owner, event))[-1]["name"] == "seats.released"
    assert data(await root.post(release_path(event), json=asked)) == {"released": 0}
    assert len(await audited(owner, tenant, "seats.released")) == 1  # nothing happened, nothing is said
    data(await second.post(reserve), 201)


async def test_a_suspended_hold_ends_too(
    client: Client, admin: Client, root: Client, owner: Any, tenant: Tenant
) -> None:
    event, _ = await seated_show(admin)
    seat = await seat_of(owner, event, "A-3")
    data(await (await guest(client, tenant)).post(f"/api/events/{event['id']}/seats/{seat}/reserve"), 201)
    data(await move(admin, event, "postpone"))
    assert data(await root.post(release_path(event), json=await wish(owner, event, "A-3"))) == {"released": 1}
    assert await states_of(owner, event) == FREE


async def test_a_seat_that_no_hold_answers_for(admin: Client, root: Client, owner: Any) -> None:
    """What SEAT-7 is there for: the row says held, and nobody is left who could give it back."""
    event, _ = await seated_show(admin)
    await hold(owner, event, "A-4")
    await owner.execute(
        "UPDATE event_seats SET reserved_for = $2, reserved_until = 'infinity' WHERE seat_id = $1",
        await seat_of(owner, event, "A-2"),
        new_id(),
    )
    assert data(await root.post(release_path(event), json=await wish(owner, event, "A-2", "A-4"))) == {"released": 2}
    assert await states_of(owner, event) == FREE
    kept = "SELECT count(*) FROM event_seats WHERE event_id::text = $1 AND (reserved_for, hold_id) IS NOT NULL"
    assert await owner.fetchval(kept, event["id"]) == 0


async def test_a_companion_seat_stays_with_its_place(
    client: Client, admin: Client, root: Client, owner: Any, tenant: Tenant
) -> None:
    event, _ = await seated_show(admin)
    buyer = await guest(client, tenant)
    items = [{"seat_id": str(await seat_of(owner, event, key))} for key in ("A-1", "A-2")]
    data(await buyer.post(f"/api/events/{event['id']}/holds", json={"items": items}), 201)
    data(await root.post(release_path(event), json=await wish(owner, event, "A-2")))
    row = await owner.fetchrow("SELECT * FROM event_seats WHERE seat_id = $1", await seat_of(owner, event, "A-2"))
    assert (row["status"], row["reserved_for"] is not None) == ("available", True)
    data(await root.post(release_path(event), json=await wish(owner, event, "A-1")))
    row = await owner.fetchrow("SELECT * FROM event_seats WHERE seat_id = $1", await seat_of(owner, event, "A-2"))
    assert (row["status"], row["reserved_for"]) == ("available", None)


async def test_what_is_sold_stays_sold_and_what_is_blocked_blocked(admin: Client, root: Client, owner: Any) -> None:
    event, _ = await seated_show(admin)
    await sell(owner, event, "A-4")
    await hold(owner, event, "A-3")
    blocked = await wish(owner, event, "A-5")
    data(await admin.post(f"/api/events/{event['id']}/seats/block", json=blocked))
    before = await states_of(owner, event)
    answer = await root.post(release_path(event), json=await wish(owner, event, "A-3", "A-4"))
    assert refused(answer) == (409, "seat_sold")
    assert data(await root.post(release_path(event), json=blocked)) == {"released": 0}
    assert await states_of(owner, event) == before
    strange = {"seat_ids": [str(new_id())], "reason": "x"}
    assert refused(await root.post(release_path(event), json=strange)) == (404, "seat_not_found")
    assert refused(await root.post(release_path({"id": new_id()}), json=strange)) == (404, "not_found")


@pytest.mark.req("RBAC-1", "AUD-1")
async def test_only_a_super_admin_does_that(client: Client, admin: Client, owner: Any, tenant: Tenant) -> None:
    event, _ = await seated_show(admin)
    await hold(owner, event, "A-3")
    asked = await wish(owner, event, "A-3")
    manager = await _platform(client, owner, "tenant_manager")
    for caller in (manager, client.as_(tenant.tokens["owner"])):
        assert refused(await caller.post(release_path(event), json=asked)) == (403, "forbidden")
    assert (await states_of(owner, event))["A-3"] == "held"
    denied = await audited(owner, tenant, "access.denied")
    assert [row["actor_type"] for row in denied] == ["platform", "user"]
