"""The browser's way: one cookie, a session for each organisation in it, and writes from our own pages only."""

from pathlib import Path

import httpx
import pytest

from fullhouse.accounts.access import COOKIE_SESSIONS_MAX, add_token, choose_token, remove_token
from fullhouse.kit import secrets
from fullhouse.kit.ids import new_id
from fullhouse.kit.secrets import TokenKind
from fullhouse.kit.services import Services
from fullhouse.processes import app as application
from tests.accounts.helpers import data, refused
from tests.fixtures import PUBLIC_URL, Client, Tenant, settings

HOME = {"origin": PUBLIC_URL}


async def _enter(browser: Client, tenant: Tenant) -> str:
    """As a guest; the cookie stays in the browser, the token is returned."""
    answer = await browser.post("/api/auth/guest", json={"organization": tenant.organization.slug})
    token: str = data(answer, 201)["token"]
    return token


def _at(tenant: Tenant) -> dict[str, str]:
    return {"x-organization": str(tenant.id)}


async def _organisation(browser: Client, headers: dict[str, str] | None = None) -> str:
    answer = await browser.get("/api/me", headers=headers)
    organization_id: str = data(answer)["organization"]["id"]
    return organization_id


async def test_the_cookie_is_for_our_own_pages_and_no_script(client: Client, tenant: Tenant) -> None:
    answer = await client.post("/api/auth/guest", json={"organization": tenant.organization.slug})
    value, *flags = answer.headers["set-cookie"].split("; ")
    assert value == f"fullhouse={data(answer, 201)['token']}"
    assert flags == ["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Lax"]


async def test_over_https_the_cookie_never_travels_in_the_clear(
    server_url: str, owner_url: str, tmp_path: Path, tenant: Tenant
) -> None:
    secure = settings(server_url, owner_url, home=str(tmp_path), FULLHOUSE_URL="https://tickets.example.org")
    lane = application.build(secure)
    async with lane.wide.lifespan(), Client(lane) as browser:
        answer = await browser.post("/api/auth/guest", json={"organization": tenant.organization.slug})
    assert "Secure" in answer.headers["set-cookie"].split("; ")


@pytest.mark.req("TEN-2")
async def test_two_organisations_in_one_cookie(client: Client, tenant: Tenant, other_tenant: Tenant) -> None:
    await _enter(client, tenant)
    await _enter(client, other_tenant)
    assert await _organisation(client) == str(other_tenant.id)  # the newest, if the page does not say
    assert await _organisation(client, _at(tenant)) == str(tenant.id)
    assert await _organisation(client, _at(other_tenant)) == str(other_tenant.id)
    for elsewhere in (str(new_id()), "nonsense", ""):
        answer = await client.get("/api/me", headers={"x-organization": elsewhere})
        assert refused(answer) == (401, "unauthenticated")


async def test_a_second_session_replaces_the_first_of_the_same_organisation(client: Client, tenant: Tenant) -> None:
    await _enter(client, tenant)
    second = await _enter(client, tenant)
    assert client.cookies["fullhouse"] == second


@pytest.mark.req("TEN-2")
async def test_naming_an_organisation_grants_nothing(client: Client, tenant: Tenant, other_tenant: Tenant) -> None:
    await _enter(client, tenant)
    assert refused(await client.get("/api/me", headers=_at(other_tenant))) == (401, "unauthenticated")
    staff = client.as_(tenant.tokens["staff"])
    assert await _organisation(staff, _at(other_tenant)) == str(tenant.id)  # a bearer token speaks for itself


FOREIGN: tuple[dict[str, str], ...] = (
    {},
    {"origin": "https://evil.example"},
    {"origin": "http://testserver.evil.example"},
    {"origin": "http://evil.example/testserver"},
    {"origin": "http://["},
    {"origin": "null"},
    {"origin": "null", "host": ""},
    {"origin": ""},
    {"referer": f"{PUBLIC_URL}/my"},
    {"authorization": "Bearer"},
    {"authorization": "Bearer  "},
    {"authorization": "Basic Zm9vOmJhcg=="},
)


async def test_a_write_by_cookie_must_come_from_our_own_pages(client: Client, tenant: Tenant) -> None:
    await _enter(client, tenant)
    for headers in FOREIGN:
        for method, path in (("PATCH", "/api/me"), ("PUT", "/api/me/password"), ("POST", "/api/auth/logout")):
            answer = await client.request(method, path, json={"name": "Mallory"}, headers=headers)
            assert refused(answer) == (403, "csrf"), (path, headers)
    me = data(await client.get("/api/me", headers={"origin": "https://evil.example"}))  # reading harms nobody
    assert me["name"] == "Guest"


@pytest.mark.req("TEN-2")
async def test_a_browser_learns_where_it_is_signed_in(client: Client, tenant: Tenant, other_tenant: Tenant) -> None:
    assert data(await client.get("/api/auth/sessions")) == []
    await _enter(client, tenant)
    await _enter(client, other_tenant)
    answer = await client.get("/api/auth/sessions")
    assert "no-store" in answer.headers["cache-control"]
    found = data(answer)
    assert [session["id"] for session in found] == [str(other_tenant.id), str(tenant.id)]
    assert found[1] == {
        "id": str(tenant.id),
        "slug": tenant.organization.slug,
        "name": tenant.organization.name,
        "user_name": "Guest",
        "email": None,
        "role": "customer",
    }
    await client.post("/api/auth/logout", headers=HOME | _at(other_tenant))
    assert [session["id"] for session in data(await client.get("/api/auth/sessions"))] == [str(tenant.id)]


async def test_a_session_that_is_over_is_not_listed(client: Client, tenant: Tenant) -> None:
    token = await _enter(client, tenant)
    await client.as_(token).post("/api/auth/logout")
    client.cookies.set("fullhouse", token)
    assert data(await client.get("/api/auth/sessions")) == []


async def test_our_own_pages_write(client: Client, tenant: Tenant) -> None:
    await _enter(client, tenant)
    assert data(await client.patch("/api/me", json={"name": "Ada"}, headers=HOME))["name"] == "Ada"


async def test_a_bearer_token_needs_no_origin(client: Client, tenant: Tenant) -> None:
    staff = client.as_(tenant.tokens["staff"])
    for headers in ({}, {"origin": "https://partner.example"}):
        data(await staff.patch("/api/me", json={"name": "Ada"}, headers=headers))


async def test_signing_out_leaves_the_other_organisations_session(
    client: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    here, there = await _enter(client, tenant), await _enter(client, other_tenant)
    answer = await client.post("/api/auth/logout", headers=HOME | _at(tenant))
    assert answer.status_code == 204
    assert client.cookies["fullhouse"] == there
    assert refused(await client.as_(here).get("/api/me")) == (401, "unauthenticated")
    assert await _organisation(client) == str(other_tenant.id)
    answer = await client.post("/api/auth/logout", headers=HOME)
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert "fullhouse" not in client.cookies


async def test_nothing_but_our_own_tokens_is_sent_back(client: Client, services: Services, tenant: Tenant) -> None:
    """A cookie's value is percent-decoded on the way in: an echo of it could hold a header of somebody's choice."""
    long_enough = secrets.mint(TokenKind.SESSION, new_id())[:-4] + "%0d%0a%3b%20"
    for value in ("%0d%0aset-cookie:%20evil=1", long_enough, "a.b.c", f"{'x' * 68}.", "..."):
        client.cookies.clear()
        answer = await _enter_with(client, tenant, f"fullhouse={value}")
        token = data(answer, 201)["token"]
        assert answer.headers.get_list("set-cookie") == [
            f"fullhouse={token}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax"
        ]


async def _enter_with(client: Client, tenant: Tenant, cookie: str) -> httpx.Response:
    wish = {"organization": tenant.organization.slug}
    return await client.post("/api/auth/guest", json=wish, headers={"cookie": cookie})


def test_the_cookie_keeps_the_newest_sessions_only() -> None:
    tokens = [secrets.mint(TokenKind.SESSION, new_id()) for _ in range(COOKIE_SESSIONS_MAX + 2)]
    cookie: str | None = None
    for token in tokens:
        cookie = add_token(cookie, token)
    assert cookie == ".".join(tokens[:1:-1])
    assert len(cookie) < 4000  # what browsers keep, and what sign-in accepts


def test_choosing_and_leaving_a_session() -> None:
    here, there = new_id(), new_id()
    first, second = secrets.mint(TokenKind.SESSION, here), secrets.mint(TokenKind.SESSION, there)
    cookie = f"{first}.{second}"
    assert choose_token(cookie, None) == choose_token(cookie, str(here)) == first
    assert choose_token(cookie, str(there)) == second
    assert choose_token(cookie, str(new_id())) is choose_token(None, None) is choose_token("", str(here)) is None
    assert remove_token(cookie, here) == second
    assert remove_token(cookie, new_id()) == cookie
    assert remove_token(None, here) == remove_token(first, here) == ""
