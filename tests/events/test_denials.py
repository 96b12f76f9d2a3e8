"""Whoever is told no is in the audit, with what they tried it on: by the guard, inside of an action, in either lane."""

from typing import Any

import pytest

from fullhouse.kit.ids import new_id
from tests.accounts.helpers import PASSWORD, data, make_platform_user, refused
from tests.events.helpers import HALL, make_venue, show_in, trail
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("AUD-1", "RBAC-1")


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
def staff(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["staff"])


async def _denied(owner: Any, tenant: Tenant, thing: Any) -> list[tuple[str, str, str]]:
    rows = [row for row in await trail(owner, tenant, thing) if row["action"] == "access.denied"]
    return [(row["after"]["action"], row["after"]["role"], row["after"]["code"]) for row in rows]


async def test_a_denial_inside_of_an_action_is_written(
    admin: Client, staff: Client, client: Client, owner: Any, tenant: Tenant
) -> None:
    event, there = await show_in(admin, "published"), await make_venue(admin)
    path = f"/api/events/{event['id']}"
    assert refused(await staff.patch(path, json={"start_at": "2090-06-02T20:00:00Z"})) == (403, "times_are_fixed")
    assert refused(await staff.patch(path, json={"venue_id": there["id"]})) == (403, "venue_is_fixed")
    assert refused(await staff.patch(f"/event/v1/events/{event['id']}", json={"title": "x"})) == (403, "forbidden")
    assert refused(await staff.post(f"{path}/cancel", json={})) == (403, "forbidden")  # the guard's
    scanner = client.as_(tenant.tokens["scanner"])
    assert refused(await scanner.patch(path, json={"name": "x"})) == (403, "forbidden")
    assert await _denied(owner, tenant, event) == [
        ("events.update", "staff", "times_are_fixed"),
        ("events.update", "staff", "venue_is_fixed"),
        ("events.update", "staff", "forbidden"),
        ("events.cancel", "staff", "forbidden"),
        ("events.update", "scanner", "forbidden"),
    ]


async def test_what_staff_were_not_granted_is_written_once_with_a_key_too(
    admin: Client, staff: Client, client: Client, owner: Any, tenant: Tenant
) -> None:
    data(await client.as_(tenant.tokens["owner"]).patch("/api/org", json={"staff_may_edit_venues": False}))
    venue = await make_venue(admin)
    assert refused(await staff.patch(f"/api/venues/{venue['id']}", json={"name": "x"})) == (403, "not_granted_to_staff")
    for _ in range(2):
        again = await staff.post("/api/venues", json=HALL, headers={"idempotency-key": "v-1"})
        assert refused(again) == (403, "not_granted_to_staff")
    assert await _denied(owner, tenant, venue) == [("venues.write", "staff", "not_granted_to_staff")]
    rows = await owner.fetch(
        "SELECT entity_type, reason FROM audit_log WHERE organization_id = $1 AND action = 'access.denied'"
        " AND entity_id IS NULL",
        tenant.id,
    )
    assert [(row["entity_type"], bool(row["reason"])) for row in rows] == [("action", True)]


async def test_an_organisation_hears_which_of_the_platforms_people_tried(
    client: Client, admin: Client, owner: Any, tenant: Tenant
) -> None:
    event = await show_in(admin, "published")
    wish = {"email": await make_platform_user(owner, "tenant_manager"), "password": PASSWORD}
    manager = client.as_(data(await client.post("/api/platform/login", json=wish), 201)["token"])
    path = f"/api/platform/organizations/{tenant.id}"
    suspending = {"status": "suspended", "reason": "x"}
    assert refused(await manager.patch(path, json=suspending)) == (403, "forbidden")
    assert refused(await manager.patch(f"/api/platform/organizations/{new_id()}", json=suspending))[0] == 403
    refusing = await manager.patch(f"/api/events/{event['id']}", json={"name": "x"})
    assert refused(refusing) == (403, "forbidden")
    assert await _denied(owner, tenant, {"id": tenant.id}) == [("platform.orgs.update", "tenant_manager", "forbidden")]
    assert await _denied(owner, tenant, event) == [("events.update", "tenant_manager", "forbidden")]
    order = await manager.post(f"/api/platform/events/{event['id']}/cancel", json={"reason": "r"})
    assert refused(order) == (403, "tenant_approval_missing")
    actions = [row["action"] for row in await trail(owner, tenant, event)]
    assert actions[-1] == "event.cancel_refused"  # in words of its own, and not twice
    assert actions.count("access.denied") == 1
