"""The team's side over HTTP: what each endpoint changes, refuses, and leaves in the audit."""

import asyncio
import json
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from fullhouse.accounts import actions, policy
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.accounts.helpers import audited, data, link_in_mail, make_key, refused
from tests.fixtures import Client, Tenant
from tests.kit.helpers import until


@pytest.fixture
def owners(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.fixture
def admins(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


def _changes(row: dict[str, Any]) -> tuple[Any, Any]:
    return json.loads(row["before"]), json.loads(row["after"])


# --- me and my organisation


async def test_me(client: Client, tenant: Tenant) -> None:
    me = data(await client.as_(tenant.tokens["scanner"]).get("/api/me"))
    assert me["organization"]["slug"] == tenant.organization.slug
    assert (me["type"], me["email"], me["role"]) == ("user", "scanner@example.org", "scanner")


@pytest.mark.req("AUD-1")
async def test_my_name(client: Client, tenant: Tenant, owner: Any) -> None:
    customer = client.as_(tenant.tokens["customer"])
    assert data(await customer.patch("/api/me", json={"name": "Ada Lovelace"}))["name"] == "Ada Lovelace"
    assert data(await customer.get("/api/me"))["name"] == "Ada Lovelace"
    (row,) = await audited(owner, tenant, "user.updated")
    assert _changes(row) == ({"name": "Customer"}, {"name": "Ada Lovelace"})


@pytest.mark.req("AUD-1")
async def test_a_change_of_the_organisation_is_told_with_what_differs_only(
    client: Client, tenant: Tenant, owner: Any
) -> None:
    wish = {"name": "New House", "currency": "ZAR", "locale": "en", "timezone": "Africa/Johannesburg"}
    caller = client.as_(tenant.tokens["admin"])
    answer = await caller.patch("/api/org", json=wish, headers={"user-agent": "pytest", "x-request-id": "request-1"})
    assert data(answer).items() >= wish.items()
    assert data(await caller.get("/api/org")) == data(answer)
    (row,) = await audited(owner, tenant, "organization.updated")
    assert _changes(row) == (
        {"name": "Test House", "currency": "EUR", "timezone": "UTC"},
        {"name": "New House", "currency": "ZAR", "timezone": "Africa/Johannesburg"},
    )
    assert (row["actor_type"], row["actor_id"]) == ("user", tenant.people["admin"].id)
    assert (row["ip"], row["user_agent"], row["request_id"]) == ("198.51.100.7", "pytest", "request-1")


@pytest.mark.req("AUD-1")
async def test_no_change_is_not_told(owners: Client, tenant: Tenant, owner: Any) -> None:
    for wish in ({}, {"name": "Test House"}, {"contact_email": None}):
        data(await owners.patch("/api/org", json=wish))
    assert await audited(owner, tenant, "organization.updated") == []


async def test_a_contact_can_be_set_and_taken_away(owners: Client) -> None:
    contact = {"contact_email": "box@example.org"}
    assert data(await owners.patch("/api/org", json=contact))["contact_email"] == "box@example.org"
    assert data(await owners.patch("/api/org", json={"contact_email": None}))["contact_email"] is None


async def test_two_people_change_different_things_at_once_and_both_stay(
    owners: Client, tenant: Tenant, owner: Any
) -> None:
    """Both have begun before either may finish: whoever writes last must not write back what it read first."""

    async def both_wait() -> Any:
        await owner.execute("SELECT pg_stat_clear_snapshot()")
        waiting = "datname = current_database() AND wait_event_type = 'Lock'"
        return await owner.fetchval(f"SELECT count(*) = 2 FROM pg_stat_activity WHERE {waiting}")

    async with owner.transaction():
        await owner.execute("SELECT FROM organization_settings WHERE organization_id = $1 FOR UPDATE", tenant.id)
        wishes: list[dict[str, str]] = [{"name": "New"}, {"currency": "ZAR"}]
        changes = [asyncio.create_task(owners.patch("/api/org", json=wish)) for wish in wishes]
        await until(both_wait)
    for change in changes:
        data(await change)
    profile = data(await owners.get("/api/org"))
    assert (profile["name"], profile["currency"]) == ("New", "ZAR")


# --- members


@pytest.mark.req("AUD-1")
async def test_a_members_role_and_status(owners: Client, tenant: Tenant, owner: Any) -> None:
    staff = tenant.people["staff"]
    path = f"/api/org/members/{staff.id}"
    assert data(await owners.patch(path, json={"role": "admin"}))["role"] == "admin"
    assert data(await owners.patch(path, json={"status": "disabled"}))["status"] == "disabled"
    promoted, disabled = await audited(owner, tenant, "member.updated")
    assert _changes(promoted) == ({"role": "staff"}, {"role": "admin"})
    assert _changes(disabled) == ({"status": "active"}, {"status": "disabled"})
    facts = await owner.fetch(
        "SELECT payload::text FROM outbox WHERE subject_id = $1 AND name = 'member.changed' ORDER BY seq", staff.id
    )
    told = [json.loads(fact["payload"]) for fact in facts]
    assert [(fact["role"], fact["status"]) for fact in told] == [
        ("staff", "active"),
        ("admin", "active"),
        ("admin", "disabled"),
    ]


@pytest.mark.parametrize(
    ("whom", "wish"),
    [
        ("owner", {"role": "staff"}),
        ("owner", {"status": "disabled"}),
        ("staff", {"role": "owner"}),
        ("admin", {"role": "owner"}),
    ],
)
@pytest.mark.req("RBAC-1")
async def test_nobody_manages_above_themselves(whom: str, wish: dict[str, str], admins: Client, tenant: Tenant) -> None:
    answer = await admins.patch(f"/api/org/members/{tenant.people[whom].id}", json=wish)
    assert refused(answer) == (403, "role_above_yours")


@pytest.mark.parametrize("wish", [{"role": "admin"}, {"status": "disabled"}], ids=str)
async def test_the_last_owner_stays(wish: dict[str, str], owners: Client, services: Services, tenant: Tenant) -> None:
    path = f"/api/org/members/{tenant.people['owner'].id}"
    assert refused(await owners.patch(path, json=wish)) == (409, "last_owner")
    async with services.database.tenant(tenant.id) as tx:
        await actions.create_user(tx, email="second@example.org", name="Second", role="owner")
    assert data(await owners.patch(path, json=wish)).items() >= wish.items()


async def test_customers_are_no_members(owners: Client, tenant: Tenant) -> None:
    assert "customer" not in {member["role"] for member in data(await owners.get("/api/org/members"))}
    answer = await owners.patch(f"/api/org/members/{tenant.people['customer'].id}", json={"role": "staff"})
    assert refused(answer) == (404, "not_found")


# --- invitations


@pytest.mark.req("AUD-1")
async def test_an_invitation(owners: Client, tenant: Tenant, owner: Any) -> None:
    wish = {"email": "new@example.org", "role": "scanner"}
    answer = await owners.post("/api/org/invitations", json=wish)
    invitation = data(answer, 201)
    assert invitation.items() >= wish.items()
    assert answer.headers["location"] == f"/api/org/invitations/{invitation['id']}"
    assert data(await owners.get("/api/org/invitations")) == [invitation]
    token = await link_in_mail(owners, "join")
    assert token not in answer.text
    assert (await owners.delete(answer.headers["location"])).status_code == 204
    assert data(await owners.get("/api/org/invitations")) == []
    assert refused(await owners.delete(answer.headers["location"])) == (404, "not_found")
    assert len(await audited(owner, tenant, "member.invited")) == len(
        await audited(owner, tenant, "invitation.revoked")
    )


@pytest.mark.req("RBAC-1")
async def test_whom_one_cannot_invite(owners: Client, admins: Client) -> None:
    above = await admins.post("/api/org/invitations", json={"email": "new@example.org", "role": "owner"})
    assert refused(above) == (403, "role_above_yours")
    known = await owners.post("/api/org/invitations", json={"email": "STAFF@example.org", "role": "admin"})
    assert refused(known) == (409, "already_exists")
    customer = await owners.post("/api/org/invitations", json={"email": "new@example.org", "role": "customer"})
    assert refused(customer) == (422, "invalid")
    assert data(await owners.get("/api/org/invitations")) == data(await owners.get("/api/org/mailbox")) == []


# --- API keys


@pytest.mark.req("AUD-1")
async def test_a_keys_secret_is_shown_once(owners: Client, tenant: Tenant, owner: Any) -> None:
    wish = {"name": "Box office", "scopes": ["org:read", "audit:read", "org:read"]}
    answer = await owners.post("/api/org/api-keys", json=wish)
    key = data(answer, 201)
    token = key.pop("token")
    assert (key["scopes"], key["hint"]) == (["audit:read", "org:read"], token[-4:])
    assert answer.headers["location"] == f"/api/org/api-keys/{key['id']}"
    listing = await owners.get("/api/org/api-keys")
    assert data(listing) == [key]
    assert token not in listing.text
    stored = await owner.fetchval(
        "SELECT string_agg(k::text, '') FROM api_keys k WHERE organization_id = $1", tenant.id
    )
    assert token not in stored
    (row,) = await audited(owner, tenant, "api_key.created")
    assert json.loads(row["after"]) == {"name": "Box office", "scopes": ["audit:read", "org:read"]}


@pytest.mark.req("RBAC-1")
async def test_scopes_that_do_not_exist_are_named(owners: Client) -> None:
    wish = {"name": "Greedy", "scopes": ["org:read", "everything", "keys.create"]}
    answer = await owners.post("/api/org/api-keys", json=wish)
    assert refused(answer) == (422, "invalid_scope")
    assert [field["path"] for field in answer.json()["fields"]] == ["scopes[1]", "scopes[2]"]
    assert data(await owners.get("/api/org/api-keys")) == []


async def test_a_key_cannot_be_born_dead(owners: Client) -> None:
    wish = {"name": "Late", "scopes": ["org:read"], "expires_at": "2020-01-01T00:00:00Z"}
    answer = await owners.post("/api/org/api-keys", json=wish)
    assert refused(answer) == (422, "invalid")
    assert answer.json()["fields"][0]["path"] == "expires_at"


# --- memberships

WISH = {"email": "Mia@example.org", "name": "Mia", "tier": "friends", "number": "A-1"}


@pytest.mark.req("MEM-1", "AUD-1")
async def test_a_membership(client: Client, tenant: Tenant, owner: Any) -> None:
    staff = client.as_(tenant.tokens["staff"])
    answer = await staff.post("/api/org/memberships", json=WISH)
    membership = data(answer, 201)
    path = answer.headers["location"]
    assert path == f"/api/org/memberships/{membership['id']}"
    assert membership.items() >= (WISH | {"status": "active", "valid_until": None}).items()
    assert data(await staff.get(path)) == membership
    assert data(await staff.patch(path, json={})) == membership
    ended = data(await staff.patch(path, json={"status": "suspended", "valid_until": "2999-01-01T00:00:00Z"}))
    assert ended == membership | {"status": "suspended", "valid_until": "2999-01-01T00:00:00Z"}
    assert data(await staff.get(path)) == ended
    (row,) = await audited(owner, tenant, "membership.updated")
    assert _changes(row)[0] == {"status": "active", "valid_until": None}
    facts = await owner.fetch(
        "SELECT payload->>'status' FROM outbox WHERE subject_id = $1 ORDER BY seq", row["entity_id"]
    )
    assert [fact[0] for fact in facts] == ["active", "suspended"]


@pytest.mark.req("MEM-1")
async def test_a_known_person_gets_the_membership(owners: Client, tenant: Tenant) -> None:
    wish = WISH | {"email": "CUSTOMER@example.org", "name": "Somebody Else"}
    membership = data(await owners.post("/api/org/memberships", json=wish), 201)
    assert (membership["user_id"], membership["name"]) == (str(tenant.people["customer"].id), "Customer")


@pytest.mark.req("MEM-1")
async def test_numbers_and_tiers_are_given_once(owners: Client) -> None:
    data(await owners.post("/api/org/memberships", json=WISH), 201)
    same_number = WISH | {"email": "other@example.org"}
    same_tier = WISH | {"number": "A-2"}
    for wish in (same_number, same_tier):
        assert refused(await owners.post("/api/org/memberships", json=wish)) == (409, "already_exists")
    second = data(await owners.post("/api/org/memberships", json=WISH | {"number": "A-2", "tier": "patrons"}), 201)
    answer = await owners.patch(f"/api/org/memberships/{second['id']}", json={"tier": "friends"})
    assert refused(answer) == (409, "already_exists")
    assert len(data(await owners.get("/api/org/memberships"))) == 2


@pytest.mark.req("MEM-1")
async def test_a_membership_ends_after_it_begins(owners: Client) -> None:
    begins, ends = "2030-01-01T00:00:00Z", "2029-12-31T23:00:00-01:00"  # the same moment
    answer = await owners.post("/api/org/memberships", json=WISH | {"valid_from": begins, "valid_until": ends})
    assert refused(answer) == (422, "invalid")
    assert answer.json()["fields"][0]["path"] == "valid_until"
    path = (await owners.post("/api/org/memberships", json=WISH | {"valid_from": begins})).headers["location"]
    assert refused(await owners.patch(path, json={"valid_until": begins})) == (422, "invalid")


async def test_reading_a_membership_waits_for_nobody(owners: Client, tenant: Tenant, owner: Any) -> None:
    path = (await owners.post("/api/org/memberships", json=WISH)).headers["location"]
    async with owner.transaction(), asyncio.timeout(3):
        await owner.execute("SELECT FROM memberships WHERE organization_id = $1 FOR UPDATE", tenant.id)
        data(await owners.get(path))


# --- times


@pytest.fixture
def far_away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine's own clock stands in Kiribati."""
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("far_away")
async def test_a_time_without_a_zone_is_utc_wherever_the_server_stands(owners: Client) -> None:
    sent, meant = "2999-06-01T12:00:00", "2999-06-01T12:00:00Z"
    key = data(
        await owners.post("/api/org/api-keys", json={"name": "k", "scopes": ["org:read"], "expires_at": sent}), 201
    )
    assert key["expires_at"] == meant
    membership = data(await owners.post("/api/org/memberships", json=WISH | {"valid_until": sent}), 201)
    assert membership["valid_until"] == meant
    later = {"valid_from": sent, "valid_until": "2999-06-02T12:00:00"}
    changed = data(await owners.patch(f"/api/org/memberships/{membership['id']}", json=later))
    assert (changed["valid_from"], changed["valid_until"]) == (meant, "2999-06-02T12:00:00Z")


async def test_every_time_is_utc_and_says_so(owners: Client, services: Services, tenant: Tenant) -> None:
    await make_key(services, tenant, "org:read")
    data(await owners.post("/api/org/invitations", json={"email": "new@example.org", "role": "staff"}), 201)
    data(await owners.post("/api/org/memberships", json=WISH), 201)
    seen = 0
    for path in (
        "me",
        "org",
        "org/members",
        "org/invitations",
        "org/api-keys",
        "org/memberships",
        "audit",
        "org/mailbox",
    ):
        for moment in _moments((await owners.get(f"/api/{path}")).json()):
            assert moment.endswith("Z")
            seen += 1
    assert seen > 20


def _moments(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _moments(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, str) and name.endswith(("_at", "valid_from", "valid_until")):
                yield item
            else:
                yield from _moments(item)


# --- audit


@pytest.mark.req("AUD-1")
async def test_the_audit_can_be_narrowed(owners: Client, admins: Client, tenant: Tenant, clock: Any) -> None:
    data(await owners.patch("/api/org", json={"name": "First"}))
    await clock(timedelta(hours=1))
    data(await admins.patch("/api/org", json={"name": "Second"}))
    data(await admins.patch("/api/me", json={"name": "Adam"}))

    async def found(**filters: str) -> list[Any]:
        entries = data(await owners.get("/api/audit", params=filters))
        return [
            (entry["action"], entry["after"].get("name")) for entry in entries if entry["action"].endswith("updated")
        ]

    first, second, renamed = (
        ("organization.updated", "First"),
        ("organization.updated", "Second"),
        ("user.updated", "Adam"),
    )
    assert await found() == [renamed, second, first]  # newest first
    assert await found(action="organization.updated") == [second, first]
    assert await found(actor_id=str(tenant.people["admin"].id)) == [renamed, second]
    assert await found(entity_id=str(tenant.people["admin"].id)) == [renamed]
    between = data(await owners.get("/api/audit", params={"action": "organization.updated"}))[0]["created_at"]
    assert await found(since=between) == [renamed, second]
    assert await found(until=between) == [first]
    assert await found(since=between, until=between) == []
    assert await found(action="organization.updated", actor_id=str(tenant.people["owner"].id)) == [first]
    assert await found(action="no.such.action") == await found(entity_id=str(new_id())) == []


@pytest.mark.req("RBAC-1")
async def test_scopes_that_i_may_give(client: Client, tenant: Tenant) -> None:
    found = data(await client.as_(tenant.tokens["admin"]).get("/api/org/api-keys/scopes"))
    assert {row["name"] for row in found} == policy.available_scopes("admin")
    assert {"name": "audit:read", "actions": ["audit.read"]} in found
