"""The platform's own people: they see organisations from outside, act inside one by name, and are nobody elsewhere."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.accounts.helpers import PASSWORD, audited, data, give_password, make_platform_user, refused, sign_in
from tests.fixtures import Client, Tenant

ORGANIZATIONS = "/api/platform/organizations"


async def _log_in(client: Client, email: str, password: str = PASSWORD) -> Any:
    return await client.post("/api/platform/login", json={"email": email, "password": password})


async def _staff(client: Client, owner: Any, role: str) -> tuple[Client, str]:
    session = data(await _log_in(client, await make_platform_user(owner, role)), 201)
    assert session["user"]["role"] == role
    return client.as_(session["token"]), session["user"]["id"]


@pytest.fixture
async def super_admin(client: Client, owner: Any) -> tuple[Client, str]:
    return await _staff(client, owner, "super_admin")


@pytest.fixture
async def tenant_manager(client: Client, owner: Any) -> tuple[Client, str]:
    return await _staff(client, owner, "tenant_manager")


def _wish() -> dict[str, str]:
    return {"slug": f"h-{new_id().hex}", "name": "New House", "owner_email": "first@example.org"}


# --- signing in


async def test_refusals_are_alike(client: Client, owner: Any, services: Services, tenant: Tenant) -> None:
    await give_password(services, tenant, "owner")
    disabled = await make_platform_user(owner, "super_admin")
    await owner.execute("UPDATE platform_users SET status = 'disabled' WHERE email = $1", disabled)
    answers = [
        await _log_in(client, "nobody@example.org"),
        await _log_in(client, await make_platform_user(owner, "super_admin"), "a wrong password"),
        await _log_in(client, disabled),
        await _log_in(client, "owner@example.org"),  # good at its organisation
    ]
    assert {refused(answer) for answer in answers} == {(401, "invalid_credentials")}
    assert len({answer.content for answer in answers}) == 1


@pytest.mark.req("RBAC-1")
async def test_the_platforms_people_learn_what_they_may_do(
    super_admin: tuple[Client, str], tenant_manager: tuple[Client, str]
) -> None:
    for (caller, user_id), role in ((super_admin, "super_admin"), (tenant_manager, "tenant_manager")):
        me = data(await caller.get("/api/platform/me"))
        assert (me["id"], me["role"]) == (user_id, role)
        assert "platform.events.stop" in me["actions"]
        assert ("platform.orgs.create" in me["actions"]) == (role == "super_admin")


async def test_there_is_no_cookie(client: Client, owner: Any) -> None:
    answer = await _log_in(client, await make_platform_user(owner, "super_admin"))
    assert "set-cookie" not in answer.headers


async def test_signing_out(super_admin: tuple[Client, str]) -> None:
    caller, _ = super_admin
    assert (await caller.post("/api/platform/logout")).status_code == 204
    assert refused(await caller.get(ORGANIZATIONS)) == (401, "unauthenticated")


async def test_a_session_lasts_half_a_day(super_admin: tuple[Client, str], clock: Callable[[timedelta], Any]) -> None:
    caller, _ = super_admin
    await clock(timedelta(hours=11, minutes=59))
    assert (await caller.get(ORGANIZATIONS)).status_code == 200
    await clock(timedelta(hours=12, seconds=1))
    assert refused(await caller.get(ORGANIZATIONS)) == (401, "unauthenticated")


async def test_a_disabled_persons_session_dies_at_once(super_admin: tuple[Client, str], owner: Any) -> None:
    caller, who = super_admin
    await owner.execute("UPDATE platform_users SET status = 'disabled' WHERE id = $1::text::uuid", who)
    assert refused(await caller.get(ORGANIZATIONS)) == (401, "unauthenticated")


# --- organisations


@pytest.mark.req("AUD-1")
async def test_opening_an_organisation(client: Client, super_admin: tuple[Client, str], owner: Any) -> None:
    caller, who = super_admin
    answer = await caller.post(ORGANIZATIONS, json=_wish())
    organization = data(answer, 201)
    assert answer.headers["location"] == f"{ORGANIZATIONS}/{organization['id']}"
    assert data(await caller.get(answer.headers["location"])) == organization
    actors = await owner.fetch(
        "SELECT action, actor_type, actor_id::text FROM audit_log WHERE organization_id = $1 ORDER BY id",
        organization["id"],
    )
    assert [tuple(row) for row in actors] == [
        ("organization.created", "platform", who),
        ("member.invited", "platform", who),
    ]
    mail = await owner.fetchrow("SELECT recipient, body FROM mails WHERE organization_id = $1", organization["id"])
    assert mail["recipient"] == "first@example.org"
    wish = {"token": mail["body"].partition("#")[2].split()[0], "name": "First", "password": PASSWORD}
    session = data(await client.post("/api/auth/invitation/accept", json=wish), 201)
    assert (session["user"]["role"], session["organization"]["id"]) == ("owner", organization["id"])


async def test_a_slug_is_given_once_and_a_refusal_leaves_nothing(super_admin: tuple[Client, str], owner: Any) -> None:
    caller, _ = super_admin
    wish = _wish()
    data(await caller.post(ORGANIZATIONS, json=wish), 201)
    assert refused(await caller.post(ORGANIZATIONS, json=wish)) == (409, "already_exists")
    sent = "SELECT count(*) FROM mails m JOIN organizations o ON o.id = m.organization_id WHERE o.slug = $1"
    assert await owner.fetchval(sent, wish["slug"]) == 1


async def test_all_organisations_page_by_page(
    super_admin: tuple[Client, str], tenant: Tenant, other_tenant: Tenant
) -> None:
    caller, _ = super_admin
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while cursor is not None:
        page = (await caller.get(ORGANIZATIONS, params={"limit": "200"} | cursor)).json()
        seen += [organization["id"] for organization in page["data"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert len(seen) == len(set(seen))
    assert seen.index(str(tenant.id)) < seen.index(str(other_tenant.id))  # oldest first
    first = (await caller.get(ORGANIZATIONS, params={"limit": "1"})).json()
    assert [organization["id"] for organization in first["data"]] == seen[:1]
    altered = first["next_cursor"][:-6] + "AAAAAA"
    assert refused(await caller.get(ORGANIZATIONS, params={"cursor": altered})) == (422, "invalid_cursor")


@pytest.mark.req("AUD-1")
async def test_suspending_and_restoring_with_a_reason(
    client: Client, super_admin: tuple[Client, str], services: Services, tenant: Tenant, owner: Any
) -> None:
    caller, who = super_admin
    path = f"{ORGANIZATIONS}/{tenant.id}"
    await give_password(services, tenant, "owner")
    for _ in range(2):  # the second changes nothing
        suspended = await caller.patch(path, json={"status": "suspended", "reason": "Unpaid since spring"})
        assert data(suspended)["status"] == "suspended"
    assert refused(await sign_in(client, tenant, "owner")) == (403, "organization_suspended")
    assert data(await caller.get(path))["status"] == "suspended"
    assert data(await caller.patch(path, json={"status": "active", "reason": "Paid"}))["status"] == "active"
    assert (await sign_in(client, tenant, "owner")).status_code == 201
    (away,), (back,) = [await audited(owner, tenant, f"organization.{status}") for status in ("suspended", "active")]
    assert (away["actor_type"], str(away["actor_id"]), away["reason"]) == ("platform", who, "Unpaid since spring")
    assert (json.loads(away["before"]), json.loads(away["after"])) == ({"status": "active"}, {"status": "suspended"})
    assert (json.loads(back["before"]), json.loads(back["after"])) == ({"status": "suspended"}, {"status": "active"})
    facts = await owner.fetch(
        "SELECT payload->>'status' FROM outbox WHERE organization_id = $1 AND name = 'organization.status_changed'"
        " ORDER BY seq",
        tenant.id,
    )
    assert [fact[0] for fact in facts] == ["suspended", "active"]


async def test_an_organisation_that_never_was(super_admin: tuple[Client, str]) -> None:
    caller, _ = super_admin
    path = f"{ORGANIZATIONS}/{new_id()}"
    assert refused(await caller.get(path)) == (404, "not_found")
    assert refused(await caller.patch(path, json={"status": "suspended", "reason": "x"})) == (404, "not_found")


@pytest.mark.parametrize(
    "change",
    [{"status": "suspended"}, {"status": "suspended", "reason": " "}, {"status": "gone", "reason": "x"}],
    ids=str,
)
async def test_a_status_needs_a_reason(change: dict[str, str], super_admin: tuple[Client, str], tenant: Tenant) -> None:
    caller, _ = super_admin
    assert refused(await caller.patch(f"{ORGANIZATIONS}/{tenant.id}", json=change)) == (422, "invalid")


# --- who may not


@pytest.mark.req("RBAC-1")
async def test_a_tenant_manager_only_reads(tenant_manager: tuple[Client, str], tenant: Tenant, owner: Any) -> None:
    caller, _ = tenant_manager
    wish = _wish()
    data(await caller.get(ORGANIZATIONS))
    data(await caller.get(f"{ORGANIZATIONS}/{tenant.id}"))
    assert refused(await caller.post(ORGANIZATIONS, json=wish)) == (403, "forbidden")
    suspension = {"status": "suspended", "reason": "Because"}
    assert refused(await caller.patch(f"{ORGANIZATIONS}/{tenant.id}", json=suspension)) == (403, "forbidden")
    assert await owner.fetchval("SELECT count(*) FROM organizations WHERE slug = $1", wish["slug"]) == 0
    assert await owner.fetchval("SELECT status FROM organizations WHERE id = $1", tenant.id) == "active"


TENANT_ROUTES = (
    ("GET", "/api/me"),
    ("PATCH", "/api/me"),
    ("PUT", "/api/me/password"),
    ("POST", "/api/auth/logout"),
    ("GET", "/api/org"),
    ("PATCH", "/api/org"),
    ("GET", "/api/org/members"),
    ("POST", "/api/org/invitations"),
    ("POST", "/api/org/api-keys"),
    ("POST", "/api/org/memberships"),
    ("GET", "/api/audit"),
    ("GET", "/api/org/mailbox"),
)


@pytest.mark.req("RBAC-1", "TEN-2")
async def test_the_platform_is_nobody_inside_an_organisation(super_admin: tuple[Client, str], tenant: Tenant) -> None:
    caller, _ = super_admin
    for method, path in TENANT_ROUTES:
        for headers in ({}, {"x-organization": str(tenant.id)}):
            assert refused(await caller.request(method, path, json={}, headers=headers)) == (403, "forbidden"), path


@pytest.mark.req("RBAC-1")
async def test_an_owner_is_nobody_on_the_platform(client: Client, tenant: Tenant, owner: Any) -> None:
    caller = client.as_(tenant.tokens["owner"])
    routes = (("GET", ""), ("POST", ""), ("GET", f"/{tenant.id}"), ("PATCH", f"/{tenant.id}"))
    for method, path in routes:
        assert refused(await caller.request(method, ORGANIZATIONS + path, json={})) == (403, "forbidden")
    assert refused(await caller.post("/api/platform/logout")) == (403, "forbidden")
    assert len(await audited(owner, tenant, "access.denied")) == 5


@pytest.mark.req("RBAC-1")
async def test_a_token_cannot_be_dressed_up(client: Client, super_admin: tuple[Client, str], tenant: Tenant) -> None:
    platform = super_admin[0].headers["authorization"].removeprefix("Bearer ")
    owners = tenant.tokens["owner"]
    for token in (owners.replace("fhs_", "fhp_"), owners.replace("fhs_", "fhk_"), platform.replace("fhp_", "fhs_")):
        for path in ("/api/me", ORGANIZATIONS):
            assert refused(await client.as_(token).get(path)) == (401, "unauthenticated")
