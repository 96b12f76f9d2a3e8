"""How long a token is good, and what ends it at once. For people and for keys."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from fullhouse.accounts.policy import SESSION_TTL
from fullhouse.accounts.sign_in.actions import create_session
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.services import Services
from tests.accounts.helpers import PASSWORD, audited, data, give_password, make_key, refused, sign_in
from tests.fixtures import Client, Tenant
from tests.kit.helpers import until

Clock = Callable[[timedelta], Any]
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)


async def _is_in(client: Client, token: str) -> bool:
    answer = await client.as_(token).get("/api/me")
    if answer.status_code == 200:
        return True
    assert refused(answer) == (401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"
    return False


# --- people


@pytest.mark.parametrize(("method", "days"), [("password", 14), ("guest", 30), ("magic_link", 30), ("invitation", 14)])
async def test_a_session_ends_by_the_databases_clock(
    method: str, days: int, client: Client, lane: LaneRouter, services: Services, tenant: Tenant, clock: Clock
) -> None:
    await give_password(services, tenant, "staff")
    if method == "guest":
        answer = await client.post("/api/auth/guest", json={"organization": tenant.organization.slug})
        token = data(answer, 201)["token"]
    elif method == "password":
        token = data(await sign_in(client, tenant, "staff"), 201)["token"]
    else:  # as who follows a link of a mail has it
        async with services.database.tenant(tenant.id) as tx:
            token = (await create_session(tx, tenant.organization, tenant.people["staff"], method)).token
    await clock(days * DAY - 60 * SECOND)
    assert await _is_in(client, token)
    await clock(days * DAY + SECOND)
    await lane.wide.state.services.clock.measure()
    assert not await _is_in(client, token)
    assert set(SESSION_TTL) == {"password", "guest", "magic_link", "invitation"}


async def test_signing_out_ends_this_session_only(
    client: Client, services: Services, tenant: Tenant, owner: Any
) -> None:
    await give_password(services, tenant, "staff")
    here, there = [data(await sign_in(client, tenant, "staff"), 201)["token"] for _ in range(2)]
    assert (await client.as_(here).post("/api/auth/logout")).status_code == 204
    assert not await _is_in(client, here)
    assert await _is_in(client, there)
    assert refused(await client.as_(here).post("/api/auth/logout")) == (401, "unauthenticated")
    assert len(await audited(owner, tenant, "session.closed")) == 1


async def test_a_new_password_ends_the_other_sessions(client: Client, services: Services, tenant: Tenant) -> None:
    await give_password(services, tenant, "staff")
    here, there = [data(await sign_in(client, tenant, "staff"), 201)["token"] for _ in range(2)]
    wish = {"current_password": PASSWORD, "new_password": "a better password"}
    assert (await client.as_(here).put("/api/me/password", json=wish)).status_code == 204
    assert await _is_in(client, here)
    assert not await _is_in(client, there)
    assert await _is_in(client, tenant.tokens["owner"])
    assert refused(await sign_in(client, tenant, "staff")) == (401, "invalid_credentials")
    assert (await sign_in(client, tenant, "staff", "a better password")).status_code == 201


async def test_the_current_password_must_be_known(client: Client, services: Services, tenant: Tenant) -> None:
    await give_password(services, tenant, "staff")
    other = data(await sign_in(client, tenant, "staff"), 201)["token"]
    attempts: list[dict[str, str | None]] = [{}, {"current_password": None}, {"current_password": "a wrong password"}]
    for current in attempts:
        wish = current | {"new_password": "a better password"}
        answer = await client.as_(tenant.tokens["staff"]).put("/api/me/password", json=wish)
        assert refused(answer) == (422, "invalid")
        assert answer.json()["fields"][0]["path"] == "current_password"
    assert await _is_in(client, other)
    assert (await sign_in(client, tenant, "staff")).status_code == 201


async def test_whoever_never_had_a_password_just_sets_one(client: Client, tenant: Tenant) -> None:
    customer = client.as_(tenant.tokens["customer"])
    assert (await customer.put("/api/me/password", json={"new_password": PASSWORD})).status_code == 204
    assert (await sign_in(client, tenant, "customer")).status_code == 201


async def test_a_disabled_persons_sessions_die_at_once_and_for_good(client: Client, tenant: Tenant) -> None:
    owners, path = client.as_(tenant.tokens["owner"]), f"/api/org/members/{tenant.people['staff'].id}"
    assert await _is_in(client, tenant.tokens["staff"])
    data(await owners.patch(path, json={"status": "disabled"}))
    assert not await _is_in(client, tenant.tokens["staff"])
    data(await owners.patch(path, json={"status": "active"}))
    assert not await _is_in(client, tenant.tokens["staff"])


@pytest.mark.req("RBAC-1")
async def test_a_new_role_counts_at_once(client: Client, tenant: Tenant) -> None:
    staff = client.as_(tenant.tokens["staff"])
    data(await staff.get("/api/org/members"))
    path = f"/api/org/members/{tenant.people['staff'].id}"
    data(await client.as_(tenant.tokens["owner"]).patch(path, json={"role": "scanner"}))
    assert refused(await staff.get("/api/org/members")) == (403, "forbidden")


async def test_a_suspended_organisation_answers_to_none_of_its_tokens(
    client: Client, services: Services, tenant: Tenant, other_tenant: Tenant, owner: Any
) -> None:
    key = await make_key(services, tenant, "org:read")
    await owner.execute("UPDATE organizations SET status = 'suspended' WHERE id = $1", tenant.id)
    for token in (*tenant.tokens.values(), key.token):
        assert not await _is_in(client, token)
    assert await _is_in(client, other_tenant.tokens["owner"])
    await owner.execute("UPDATE organizations SET status = 'active' WHERE id = $1", tenant.id)
    for token in (*tenant.tokens.values(), key.token):
        assert await _is_in(client, token)


# --- keys


@pytest.mark.req("RBAC-1")
async def test_a_key_opens_its_scopes_and_no_more(client: Client, services: Services, tenant: Tenant) -> None:
    key = await make_key(services, tenant, "org:read", "memberships:read")
    machine = client.as_(key.token)
    me = data(await machine.get("/api/me"))
    assert (me["type"], me["role"], me["email"], me["name"]) == ("api_key", "api_key", None, "Box office")
    assert me["actions"] == ["me.read", "memberships.read", "org.read"]
    data(await machine.get("/api/org"))
    data(await machine.get("/api/org/memberships"))
    assert refused(await machine.patch("/api/org", json={"name": "Taken over"})) == (403, "forbidden")
    assert refused(await machine.get("/api/org/api-keys")) == (403, "forbidden")


@pytest.mark.req("AUD-1")
async def test_what_a_key_does_is_told_of_the_key(
    client: Client, services: Services, tenant: Tenant, owner: Any
) -> None:
    key = await make_key(services, tenant, "org:write")
    data(await client.as_(key.token).patch("/api/org", json={"name": "New Name"}))
    (row,) = await audited(owner, tenant, "organization.updated")
    assert (row["actor_type"], row["actor_id"]) == ("api_key", key.id)


async def test_a_key_ends_by_the_databases_clock(client: Client, tenant: Tenant, clock: Clock) -> None:
    owners = client.as_(tenant.tokens["owner"])
    today = data(await owners.get("/api/org"))["created_at"]
    expires_at = today.replace(today[:4], str(int(today[:4]) + 1), 1)
    wish = {"name": "For a year", "scopes": ["org:read"], "expires_at": expires_at}
    token = data(await owners.post("/api/org/api-keys", json=wish), 201)["token"]
    await clock(364 * DAY)
    assert await _is_in(client, token)
    await clock(367 * DAY)
    assert not await _is_in(client, token)


async def test_a_revoked_key_ends_at_once(client: Client, services: Services, tenant: Tenant) -> None:
    key = await make_key(services, tenant, "org:read")
    assert await _is_in(client, key.token)
    owners = client.as_(tenant.tokens["owner"])
    assert (await owners.delete(f"/api/org/api-keys/{key.id}")).status_code == 204
    assert not await _is_in(client, key.token)
    assert refused(await owners.delete(f"/api/org/api-keys/{key.id}")) == (404, "not_found")


async def test_a_key_shows_when_it_was_last_used(client: Client, services: Services, tenant: Tenant) -> None:
    used, _ = [await make_key(services, tenant, "org:read") for _ in range(2)]
    owners = client.as_(tenant.tokens["owner"])

    async def used_keys() -> list[str]:
        return [key["id"] for key in data(await owners.get("/api/org/api-keys")) if key["last_used_at"]]

    assert not await used_keys()
    assert await _is_in(client, used.token)
    noted: list[str] = await until(used_keys)
    assert noted == [str(used.id)]
