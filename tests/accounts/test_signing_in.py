"""Every way in: as a guest, with a password, by a mailed link, by an invitation. And how little a refusal tells."""

from collections.abc import Callable
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from fullhouse.accounts import passwords
from fullhouse.accounts.model import Role
from fullhouse.accounts.policy import ROLE_ACTIONS
from fullhouse.kit import secrets
from fullhouse.kit.cache import limits
from fullhouse.kit.secrets import TokenKind
from fullhouse.kit.services import Services
from tests.accounts.helpers import PASSWORD, audited, data, give_password, link_in_mail, refused, sign_in
from tests.fixtures import Client, Tenant

Clock = Callable[[timedelta], Any]


@pytest.fixture
def owners(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passwords that argon2 was asked about."""
    asked: list[str] = []
    real = passwords._matches

    def matches(password_hash: str, password: str) -> bool:
        asked.append(password)
        return real(password_hash, password)

    monkeypatch.setattr(passwords, "_matches", matches)
    return asked


# --- as a guest


async def test_a_guest_is_a_customer_of_this_organisation(client: Client, tenant: Tenant) -> None:
    wish = {"organization": tenant.organization.slug}
    session = data(await client.post("/api/auth/guest", json=wish), 201)
    assert session["organization"]["id"] == str(tenant.id)
    assert (session["user"]["role"], session["user"]["email"]) == ("customer", None)
    me = data(await client.as_(session["token"]).get("/api/me"))
    assert me["id"] == session["user"]["id"]
    assert me["actions"] == sorted(ROLE_ACTIONS[Role.CUSTOMER])


async def test_two_guests_are_two_people(client: Client, tenant: Tenant) -> None:
    wish = {"organization": tenant.organization.slug, "name": "Gus"}
    first, second = [data(await client.post("/api/auth/guest", json=wish), 201)["user"] for _ in range(2)]
    assert first["id"] != second["id"]
    assert first["name"] == second["name"] == "Gus"


@pytest.mark.parametrize("path", ["guest", "login", "magic-link"])
async def test_an_unknown_organisation(path: str, client: Client) -> None:
    wish = {"organization": "no-such-house"}
    if path != "guest":
        wish["email"] = "a@example.org"
    if path == "login":
        wish["password"] = PASSWORD
    assert refused(await client.post(f"/api/auth/{path}", json=wish)) == (404, "organization_not_found")


# --- with a password


async def test_a_password_signs_in(client: Client, services: Services, tenant: Tenant, owner: Any) -> None:
    await give_password(services, tenant, "staff")
    session = data(await sign_in(client, tenant, "staff"), 201)
    assert session["user"]["id"] == str(tenant.people["staff"].id)
    assert data(await client.as_(session["token"]).get("/api/me"))["role"] == "staff"
    ends = datetime.fromisoformat(session["expires_at"])
    assert session["expires_at_unix_ms"] == int(ends.timestamp() * 1000)
    assert (await audited(owner, tenant, "session.opened"))[-1]["ip"] == "198.51.100.7"


async def test_the_address_is_not_case_sensitive_but_the_password_is(
    client: Client, services: Services, tenant: Tenant
) -> None:
    await give_password(services, tenant, "staff")
    assert (await sign_in(client, tenant, "STAFF")).status_code == 201
    assert refused(await sign_in(client, tenant, "staff", PASSWORD.upper())) == (401, "invalid_credentials")


async def test_refusals_are_alike_and_each_verifies_a_hash(
    client: Client, services: Services, tenant: Tenant, owner: Any, verified: list[str]
) -> None:
    for role in ("staff", "scanner"):
        await give_password(services, tenant, role)
    await owner.execute("UPDATE users SET status = 'disabled' WHERE id = $1", tenant.people["scanner"].id)
    answers = [
        await sign_in(client, tenant, "nobody"),
        await sign_in(client, tenant, "staff", "a wrong password"),
        await sign_in(client, tenant, "scanner"),  # disabled, and the password is right
        await sign_in(client, tenant, "customer"),  # never had a password
    ]
    assert {refused(answer) for answer in answers} == {(401, "invalid_credentials")}
    assert len({answer.content for answer in answers}) == 1
    assert verified == [PASSWORD, "a wrong password", PASSWORD, PASSWORD]
    told = [row["entity_id"] for row in await audited(owner, tenant, "session.refused")]
    assert told == [None, *(tenant.people[role].id for role in ("staff", "scanner", "customer"))]


async def test_a_password_is_good_in_its_own_organisation_only(
    client: Client, services: Services, tenant: Tenant, other_tenant: Tenant
) -> None:
    await give_password(services, tenant, "owner")
    assert (await sign_in(client, tenant, "owner")).status_code == 201
    assert refused(await sign_in(client, other_tenant, "owner")) == (401, "invalid_credentials")


async def test_guessing_is_slowed_down_for_one_account(
    client: Client, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, verified: list[str]
) -> None:
    now = 1_000_000_020 + 18.5
    monkeypatch.setattr(limits, "time", SimpleNamespace(time=lambda: now))
    guesses = [await sign_in(client, tenant, "staff", f"guess number {n}") for n in range(10)]
    assert {refused(guess) for guess in guesses} == {(401, "invalid_credentials")}
    slowed = await sign_in(client, tenant, "STAFF", "guess number 11")
    assert refused(slowed) == (429, "rate_limited")
    assert slowed.headers["retry-after"] == "42"
    assert len(verified) == 10
    assert refused(await sign_in(client, tenant, "owner", "another account")) == (401, "invalid_credentials")
    now += 42
    assert refused(await sign_in(client, tenant, "staff", "a minute later")) == (401, "invalid_credentials")


# --- by a mailed link


async def _ask_for_link(client: Client, tenant: Tenant, email: str) -> None:
    wish = {"organization": tenant.organization.slug, "email": email}
    answer = await client.post("/api/auth/magic-link", json=wish)
    assert (answer.status_code, answer.content) == (202, b"")


async def test_a_mailed_link_signs_in_once(client: Client, owners: Client, tenant: Tenant) -> None:
    await _ask_for_link(client, tenant, "staff@example.org")
    token = await link_in_mail(owners, "sign-in")
    session = data(await client.post("/api/auth/magic-link/redeem", json={"token": token}), 201)
    assert session["user"]["id"] == str(tenant.people["staff"].id)
    assert data(await client.as_(session["token"]).get("/api/me"))["role"] == "staff"
    again = await client.post("/api/auth/magic-link/redeem", json={"token": token})
    assert refused(again) == (410, "link_invalid")


async def test_an_unknown_address_gets_the_same_answer_and_becomes_a_customer(
    client: Client, owners: Client, tenant: Tenant
) -> None:
    await _ask_for_link(client, tenant, "New.Buyer@example.org")
    token = await link_in_mail(owners, "sign-in")
    user = data(await client.post("/api/auth/magic-link/redeem", json={"token": token}), 201)["user"]
    assert (user["role"], user["email"], user["name"]) == ("customer", "New.Buyer@example.org", "New.Buyer")
    await _ask_for_link(client, tenant, "new.buyer@example.org")
    token = await link_in_mail(owners, "sign-in")
    again = data(await client.post("/api/auth/magic-link/redeem", json={"token": token}), 201)["user"]
    assert again["id"] == user["id"]


async def test_a_mailed_link_ends_after_twenty_minutes(
    client: Client, owners: Client, tenant: Tenant, clock: Clock
) -> None:
    await _ask_for_link(client, tenant, "staff@example.org")
    token = await link_in_mail(owners, "sign-in")
    await clock(timedelta(minutes=20, seconds=1))
    assert refused(await client.post("/api/auth/magic-link/redeem", json={"token": token})) == (410, "link_invalid")
    await clock(timedelta(minutes=19))
    assert (await client.post("/api/auth/magic-link/redeem", json={"token": token})).status_code == 201


async def test_a_disabled_person_has_no_use_of_a_link(
    client: Client, owners: Client, tenant: Tenant, owner: Any
) -> None:
    await owner.execute("UPDATE users SET status = 'disabled' WHERE id = $1", tenant.people["staff"].id)
    await _ask_for_link(client, tenant, "staff@example.org")
    token = await link_in_mail(owners, "sign-in")
    assert refused(await client.post("/api/auth/magic-link/redeem", json={"token": token})) == (410, "link_invalid")


async def test_links_that_were_never_ours(client: Client, tenant: Tenant, other_tenant: Tenant) -> None:
    session = tenant.tokens["owner"]
    forged = [
        "nonsense",
        secrets.mint(TokenKind.MAGIC_LINK, tenant.id),
        secrets.mint(TokenKind.INVITATION, tenant.id),
        secrets.mint(TokenKind.MAGIC_LINK, secrets.PLATFORM_ID),
        session,
        session.replace("fhs_", "fhm_"),
    ]
    for token in forged:
        answer = await client.post("/api/auth/magic-link/redeem", json={"token": token})
        assert refused(answer) == (410, "link_invalid"), token


async def test_links_to_one_address_are_few(
    client: Client, tenant: Tenant, owners: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "time", SimpleNamespace(time=lambda: 1_000_000_200.0))
    for _ in range(5):
        await _ask_for_link(client, tenant, "staff@example.org")
    wish = {"organization": tenant.organization.slug, "email": "Staff@example.org"}
    assert refused(await client.post("/api/auth/magic-link", json=wish)) == (429, "rate_limited")
    assert len(data(await owners.get("/api/org/mailbox"))) == 5


async def test_a_mail_has_a_subject_of_one_line_whatever_the_house_is_called(
    client: Client, owners: Client, tenant: Tenant
) -> None:
    data(await owners.patch("/api/org", json={"name": "Two\r\nLines"}))
    await _ask_for_link(client, tenant, "staff@example.org")
    assert data(await owners.get("/api/org/mailbox"))[0]["subject"] == "Sign in to Two Lines"


# --- by an invitation


async def _invite(owners: Client, email: str, role: str = "staff") -> str:
    data(await owners.post("/api/org/invitations", json={"email": email, "role": role}), 201)
    return await link_in_mail(owners, "join")


def _acceptance(token: str) -> dict[str, str]:
    return {"token": token, "name": "Newcomer", "password": PASSWORD}


async def test_an_invitation_makes_a_member_once(
    client: Client, owners: Client, services: Services, tenant: Tenant
) -> None:
    wish = _acceptance(await _invite(owners, "newcomer@example.org", "admin"))
    session = data(await client.post("/api/auth/invitation/accept", json=wish), 201)
    assert (session["user"]["role"], session["user"]["name"]) == ("admin", "Newcomer")
    assert (await sign_in(client, tenant, "newcomer")).status_code == 201
    assert refused(await client.post("/api/auth/invitation/accept", json=wish)) == (410, "link_invalid")


async def test_a_customer_who_is_invited_stays_the_same_person(
    client: Client, owners: Client, tenant: Tenant, owner: Any
) -> None:
    wish = _acceptance(await _invite(owners, "Customer@example.org"))
    user = data(await client.post("/api/auth/invitation/accept", json=wish), 201)["user"]
    assert (user["id"], user["role"]) == (str(tenant.people["customer"].id), "staff")
    old_session = await client.as_(tenant.tokens["customer"]).get("/api/me")
    assert refused(old_session) == (401, "unauthenticated")  # whoever holds one must not become staff by it
    told = "SELECT payload->>'role' FROM outbox WHERE subject_id = $1 AND name = 'member.changed'"
    assert await owner.fetchval(told, tenant.people["customer"].id) == "staff"


async def test_a_later_invitation_replaces_the_earlier(client: Client, owners: Client) -> None:
    earlier = await _invite(owners, "newcomer@example.org")
    later = await _invite(owners, "NEWCOMER@example.org", "scanner")
    answer = await client.post("/api/auth/invitation/accept", json=_acceptance(earlier))
    assert refused(answer) == (410, "link_invalid")
    user = data(await client.post("/api/auth/invitation/accept", json=_acceptance(later)), 201)["user"]
    assert user["role"] == "scanner"


async def test_an_invitation_ends_after_seven_days_or_when_taken_back(
    client: Client, owners: Client, clock: Clock
) -> None:
    taken_back = await _invite(owners, "first@example.org")
    (invitation,) = data(await owners.get("/api/org/invitations"))
    assert (await owners.delete(f"/api/org/invitations/{invitation['id']}")).status_code == 204
    late, last = [await _invite(owners, f"{name}@example.org") for name in ("second", "third")]
    await clock(timedelta(days=7) - timedelta(minutes=1))
    data(await client.post("/api/auth/invitation/accept", json=_acceptance(last)), 201)
    await clock(timedelta(days=7, seconds=1))
    for token in (taken_back, late):
        answer = await client.post("/api/auth/invitation/accept", json=_acceptance(token))
        assert refused(answer) == (410, "link_invalid")


# --- at a suspended organisation


async def test_nobody_enters_a_suspended_organisation(
    client: Client, owners: Client, services: Services, tenant: Tenant, owner: Any
) -> None:
    await give_password(services, tenant, "staff")
    await _ask_for_link(client, tenant, "staff@example.org")
    link = await link_in_mail(owners, "sign-in")
    invitation = await _invite(owners, "newcomer@example.org")
    await owner.execute("UPDATE organizations SET status = 'suspended' WHERE id = $1", tenant.id)
    slug = tenant.organization.slug
    wishes = {
        "guest": {"organization": slug},
        "login": {"organization": slug, "email": "staff@example.org", "password": PASSWORD},
        "magic-link": {"organization": slug, "email": "staff@example.org"},
        "magic-link/redeem": {"token": link},
        "invitation/accept": _acceptance(invitation),
    }
    for path, wish in wishes.items():
        answer = await client.post(f"/api/auth/{path}", json=wish)
        assert refused(answer) == (403, "organization_suspended"), path
