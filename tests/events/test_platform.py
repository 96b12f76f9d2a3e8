"""The platform stops a show: a super_admin with a reason, a tenant_manager with the tenant's consent as well."""

from typing import Any

import pytest

from fullhouse.kit.ids import new_id
from tests.accounts.helpers import PASSWORD, data, make_platform_user, refused
from tests.events.helpers import draft, read, show_in, trail
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("RBAC-2")
DONE = {"cancel": "cancelled", "postpone": "postponed"}
CONSENT = "mail of 3 May, ref. 4711"


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


async def sign_in(client: Client, owner: Any, role: str) -> Client:
    email = await make_platform_user(owner, role)
    wish = {"email": email, "password": PASSWORD}
    return client.as_(data(await client.post("/api/platform/login", json=wish), 201)["token"])


def stop(event: Any, name: str) -> str:
    return f"/api/platform/events/{event['id']}/{name}"


@pytest.mark.req("AUD-1")
@pytest.mark.parametrize("name", DONE)
async def test_a_super_admin_stops_any_show_and_says_why(
    name: str, client: Client, admin: Client, owner: Any, tenant: Tenant
) -> None:
    root = await sign_in(client, owner, "super_admin")
    event = await show_in(admin, "published")
    for wrong in ({}, {"reason": ""}, {"reason": " "}, {"reason": None}):
        assert refused(await root.post(stop(event, name), json=wrong)) == (422, "invalid")
    assert (await read(admin, event))["status"] == "published"
    stopped = data(await root.post(stop(event, name), json={"reason": "fire safety"}))
    assert stopped["status"] == (await read(admin, event))["status"] == DONE[name]
    row = (await trail(owner, tenant, event))[-1]
    assert (row["action"], row["actor_type"], row["reason"], row["approval_reference"]) == (
        f"event.{name}",
        "platform",
        "fire safety",
        None,
    )
    assert row["actor_id"] is not None
    assert (row["before"]["status"], row["after"]["status"]) == ("published", DONE[name])


@pytest.mark.req("AUD-1")
@pytest.mark.parametrize("name", DONE)
async def test_a_tenant_manager_stops_a_show_with_the_tenants_consent(
    name: str, client: Client, admin: Client, owner: Any, tenant: Tenant
) -> None:
    manager = await sign_in(client, owner, "tenant_manager")
    event = await show_in(admin, "published")
    order = {"reason": "asked by phone"}
    assert refused(await manager.post(stop(event, name), json=order)) == (403, "tenant_approval_missing")
    blank = await manager.post(stop(event, name), json=order | {"tenant_approval_reference": " "})
    assert refused(blank) == (422, "invalid")
    assert (await read(admin, event))["version"] == event["version"]
    stopped = data(await manager.post(stop(event, name), json=order | {"tenant_approval_reference": CONSENT}))
    assert stopped["status"] == DONE[name]
    tried, done = (await trail(owner, tenant, event))[-2:]
    assert (tried["action"], tried["actor_type"], tried["reason"]) == (
        f"event.{name}_refused",
        "platform",
        "asked by phone",
    )
    assert (done["action"], done["reason"], done["approval_reference"]) == (f"event.{name}", "asked by phone", CONSENT)
    assert tried["actor_id"] == done["actor_id"] is not None


@pytest.mark.req("AUD-1")
async def test_the_tenant_reads_in_its_own_audit_what_the_platform_did(
    client: Client, admin: Client, owner: Any
) -> None:
    manager = await sign_in(client, owner, "tenant_manager")
    event = await show_in(admin, "published")
    await manager.post(stop(event, "cancel"), json={"reason": "r"})
    data(await manager.post(stop(event, "cancel"), json={"reason": "r", "tenant_approval_reference": CONSENT}))
    rows = [row for row in data(await admin.get("/api/audit")) if row["entity_id"] == event["id"]]
    actions = {row["action"]: row for row in rows if row["actor_type"] == "platform"}
    assert actions.keys() == {"event.cancel", "event.cancel_refused"}
    assert actions["event.cancel"]["approval_reference"] == CONSENT


async def test_the_platform_obeys_the_life_of_a_show(client: Client, admin: Client, owner: Any) -> None:
    root = await sign_in(client, owner, "super_admin")
    event = await draft(admin)
    answer = await root.post(stop(event, "postpone"), json={"reason": "r"})
    assert refused(answer) == (409, "transition_not_allowed")
    assert (answer.json()["from"], answer.json()["to"]) == ("draft", "postponed")
    data(await root.post(stop(event, "cancel"), json={"reason": "r"}))
    assert refused(await root.post(stop(event, "cancel"), json={"reason": "r"})) == (409, "transition_not_allowed")


@pytest.mark.parametrize("role", ["super_admin", "tenant_manager"])
async def test_a_show_that_is_not_there(role: str, client: Client, owner: Any) -> None:
    caller = await sign_in(client, owner, role)
    for name in DONE:
        gone = await caller.post(stop({"id": new_id()}, name), json={"reason": "r"})
        assert refused(gone) == (404, "not_found")


async def test_tenants_do_not_reach_these_routes_nor_the_platform_theirs(
    client: Client, admin: Client, owner: Any, tenant: Tenant
) -> None:
    event = await show_in(admin, "published")
    for name in DONE:
        for token in tenant.tokens.values():
            answer = await client.as_(token).post(stop(event, name), json={"reason": "r"})
            assert refused(answer) == (403, "forbidden")
    root = await sign_in(client, owner, "super_admin")
    for name in DONE:
        assert refused(await root.post(f"/api/events/{event['id']}/{name}", json={})) == (403, "forbidden")
    assert (await read(admin, event))["version"] == event["version"]


async def test_the_platform_sees_what_it_might_have_to_stop(
    client: Client, admin: Client, owner: Any, tenant: Tenant, other_tenant: Tenant
) -> None:
    manager = await sign_in(client, owner, "tenant_manager")
    event = await show_in(admin, "published")
    path = "/api/platform/organizations/{}/events"
    begun = await show_in(admin, "live", name="Begun")
    for over in ("cancelled", "ended"):
        await show_in(admin, over, name=over)
    found = data(await manager.get(path.format(tenant.id)))
    assert {(row["id"], "cancel" in row["moves"]) for row in found} == {(event["id"], True), (begun["id"], True)}
    assert [row["start_at"] for row in found] == sorted(row["start_at"] for row in found)
    assert data(await manager.get(path.format(other_tenant.id))) == []
    assert refused(await manager.get(path.format(new_id())))[0] == 404
