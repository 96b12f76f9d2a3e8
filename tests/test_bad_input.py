"""Bad input over many routes: a stable code each time, never a 5xx, and not one row changed."""

from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import httpx
import pytest

from fullhouse.kit.http.openapi import document
from fullhouse.kit.ids import new_id
from fullhouse.processes import app as application
from tests.accounts.helpers import data, make_platform_user, refused
from tests.counts import Counts
from tests.fixtures import Client, Tenant, settings

JSON = {"content-type": "application/json"}
KILOBYTES_64 = 65_536


class Route(NamedTuple):
    """A route that takes a body, a body that is good, and who sends it."""

    method: str
    path: str
    good: dict[str, Any]
    caller: str = "owner"


LINK = "fhm_" + "A" * 64
MEMBERSHIP = {"email": "mia@example.org", "name": "Mia", "tier": "friends", "number": "A-1"}
ROUTES = {
    f"{route.method} {route.path}": route
    for route in (
        Route("POST", "/api/auth/guest", {"organization": "some-house", "name": "Gus"}, "nobody"),
        Route("POST", "/api/auth/login", {"organization": "some-house", "email": "a@b", "password": "x"}, "nobody"),
        Route("POST", "/api/auth/magic-link", {"organization": "some-house", "email": "a@b"}, "nobody"),
        Route("POST", "/api/auth/magic-link/redeem", {"token": LINK}, "nobody"),
        Route("PATCH", "/api/me", {"name": "Ada"}),
        Route("PUT", "/api/me/password", {"new_password": "a long password"}),
        Route("PATCH", "/api/org", {"name": "New House", "currency": "EUR"}),
        Route("POST", "/api/org/invitations", {"email": "new@example.org", "role": "staff"}),
        Route("POST", "/api/org/api-keys", {"name": "Box office", "scopes": ["org:read"]}),
        Route("POST", "/api/org/memberships", MEMBERSHIP),
        Route("POST", "/api/platform/organizations", {"slug": "n-h", "name": "N", "owner_email": "a@b"}, "platform"),
    )
}
LISTS = ("org/members", "org/invitations", "org/api-keys", "org/memberships", "audit", "org/mailbox")
THINGS = (
    "PATCH /api/org/members",
    "DELETE /api/org/invitations",
    "DELETE /api/org/api-keys",
    "GET /api/org/memberships",
)


class Sender:
    """Sends to all routes in turn and gathers their refusals; afterwards, every table has as many rows as before."""

    def __init__(self, callers: dict[str, Client]) -> None:
        self._callers = callers

    async def send(self, route: Route, content: Any = None, **more: Any) -> httpx.Response:
        headers = more.pop("headers", JSON)
        return await self._callers[route.caller].request(
            route.method, route.path, content=content, headers=headers, **more
        )

    async def refusals(self, content: Any, **more: Any) -> set[tuple[int, str]]:
        """One answer for all routes: that is what it means to be guarded in one place."""
        return {refused(await self.send(route, content, **more)) for route in ROUTES.values()}

    async def get(self, path: str) -> httpx.Response:
        return await self._callers["owner"].get(path)

    async def ask(self, method: str, path: str) -> httpx.Response:
        return await self._callers["owner"].request(method, path, json={})


@pytest.fixture
async def callers(client: Client, tenant: Tenant, owner: Any) -> dict[str, Client]:
    email = await make_platform_user(owner, "super_admin", "a long password")
    answer = await client.post("/api/platform/login", json={"email": email, "password": "a long password"})
    platform = client.as_(data(answer, 201)["token"])
    return {"nobody": client, "owner": client.as_(tenant.tokens["owner"]), "platform": platform}


@pytest.fixture
async def sender(callers: dict[str, Client], owner: Any) -> AsyncIterator[Sender]:
    async with Counts(owner).unchanged():
        yield Sender(callers)


def _encoded(body: Any) -> bytes:
    return httpx.Request("POST", "http://x", json=body).content


async def test_the_good_bodies_are_good(callers: dict[str, Client], tenant: Tenant) -> None:
    """Otherwise the refusals below would prove nothing."""
    unique = {"organization": tenant.organization.slug, "slug": f"h-{new_id().hex}"}
    for route in ROUTES.values():
        body = {name: unique.get(name, value) for name, value in route.good.items()}
        answer = await callers[route.caller].request(route.method, route.path, json=body)
        expected = {"login": 401, "redeem": 410}.get(
            route.path.rpartition("/")[2]
        )  # nobody has such a password or link
        assert answer.status_code == expected or (expected is None and answer.is_success), answer.text


# --- bytes that no decoder should see


MALFORMED = (
    b"{",
    b"{'name': 'x'}",
    b'{"name": "x"',
    b'{"name": "x"}}',
    b'{"name": NaN}',
    b'{"name": x}',
    b"name=x",
    b'{"a":' * 21 + b"1" + b"}" * 21,
    b"[" * 1000 + b"]" * 1000,
    b'{"name": "a\\u0000b"}',
    b'{"name": "a\0b"}',
    b'{"na\\u0000me": "x"}',
    b'{"name": "\\ud800"}',
    b'{"name": "\\udc00\\ud800"}',
    b'{"name": "\xed\xa0\x80"}',
    b'{"name": "\xff"}',
    b"\xef\xbb\xbf{}",
    b"",
)


async def test_malformed(sender: Sender) -> None:
    for content in MALFORMED:
        assert await sender.refusals(content) == {(400, "malformed_request")}, content


async def test_too_large(sender: Sender) -> None:
    async def in_pieces() -> AsyncIterator[bytes]:
        for _ in range(9):
            yield b" " * 8192

    for route in ROUTES.values():
        for content in (b'{"name": "' + b"x" * KILOBYTES_64 + b'"}', in_pieces()):
            answer = await sender.send(route, content)
            assert refused(answer) == (413, "body_too_large")
    just_fits = b'{"nonsense": "' + b"x" * (KILOBYTES_64 - 16) + b'"}'
    assert await sender.refusals(just_fits) == {(422, "unknown_field")}


async def test_not_json(sender: Sender) -> None:
    """A page elsewhere can make a browser send these without asking us first."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/json", ""):
        headers = {"content-type": kind} if kind else {}
        for route in ROUTES.values():
            answer = await sender.send(route, _encoded(route.good), headers=headers)
            assert refused(answer) == (415, "unsupported_media_type")


async def test_nothing_where_a_body_belongs(sender: Sender) -> None:
    assert await sender.refusals(None, headers={}) == {(400, "malformed_request")}


async def test_malformed_queries(sender: Sender) -> None:
    for query in ("cursor=%00", "tier=a%00b", "x=%00", "cursor=%ff", "cursor=%ed%a0%80"):
        for name in LISTS:
            assert refused(await sender.get(f"/api/{name}?{query}")) == (400, "malformed_request")


async def test_malformed_paths(sender: Sender) -> None:
    for path in ("/api/org/memberships/%00", "/api/org%00", "/%00", "/api/%ff"):
        assert refused(await sender.get(path)) == (400, "malformed_request")


# --- well-formed, but wrong


async def test_not_an_object(sender: Sender) -> None:
    for content in (b"[]", b'["name"]', b'"name"', b"1", b"true", b"null", b"18446744073709551616"):
        assert await sender.refusals(content) == {(422, "invalid")}


@pytest.mark.req("TEN-1")
async def test_unknown_fields(sender: Sender) -> None:
    for field in ("organization_id", "price", "status", "id", "is_admin", "NAME", "__proto__"):
        for route in ROUTES.values():
            answer = await sender.send(route, _encoded(route.good | {field: str(new_id())}))
            assert refused(answer) == (422, "unknown_field"), route.path
            assert [told["path"] for told in answer.json()["fields"]] == [field]


async def test_wrong_types(sender: Sender) -> None:
    wrongs: list[Any] = [True, 0, 1.5, 2**63, -(2**63) - 1, [], {}, [[]]]
    for wrong in wrongs:
        for route in ROUTES.values():
            for field in route.good:
                answer = await sender.send(route, _encoded(route.good | {field: wrong}))
                assert refused(answer) == (422, "invalid"), (route.path, field)
                assert answer.json()["fields"][0]["path"].startswith(field)


async def test_null_and_missing(sender: Sender) -> None:
    for route in ROUTES.values():
        for field in route.good:
            answer = await sender.send(route, _encoded(route.good | {field: None}))
            assert refused(answer) == (422, "invalid"), (route.path, field)
            if route.method != "PATCH" and field != "name":
                rest = {name: value for name, value in route.good.items() if name != field}
                answer = await sender.send(route, _encoded(rest))
                assert refused(answer) == (422, "invalid"), (route.path, field)
                assert answer.json()["fields"][0]["path"] == field


async def test_texts_that_are_too_long_or_empty(sender: Sender) -> None:
    for route in ROUTES.values():
        for field, good in route.good.items():
            for text in ("x" * 5_000, "ü" * 5_000, ""):
                wrong = [text] if isinstance(good, list) else text
                answer = await sender.send(route, _encoded(route.good | {field: wrong}))
                assert answer.status_code == 422, (route.path, field, answer.text)


async def test_a_line_break_at_the_end_is_a_character_too(sender: Sender) -> None:
    """In Python's patterns `$` also stands before it; in PostgreSQL's it does not."""
    lines = {
        "POST /api/auth/guest": {"organization": "some-house\n"},
        "POST /api/auth/magic-link": {"email": "a@b\n"},
        "POST /api/org/invitations": {"email": "new@example.org\n"},
        "POST /api/org/memberships": {"tier": "friends\n"},
        "POST /api/platform/organizations": {"slug": "new-house\n"},
    }
    lines_of_org: list[dict[str, Any]] = [
        {"currency": "EUR\n"},
        {"locale": "en\n"},
        {"accent_color": "#aabbcc\n"},
        {"contact_email": "a@b\n"},
        {"embed_origins": ["https://a.example\n"]},
    ]
    wishes = [*lines.items(), *(("PATCH /api/org", line) for line in lines_of_org)]
    for name, line in wishes:
        answer = await sender.send(ROUTES[name], _encoded(ROUTES[name].good | line))
        assert refused(answer) == (422, "invalid"), line


def test_no_pattern_anywhere_lets_one_through() -> None:
    """A new route's patterns end in `$(?!\\n)`: tested here, so that nobody needs to remember."""
    lane = application.build(settings("postgresql://unused/unused", "postgresql://unused/unused", home="/nonexistent"))
    assert [pattern for pattern in _patterns(document(lane.wide)) if pattern.endswith("$")] == []


def _patterns(node: Any) -> list[str]:
    if isinstance(node, list):
        return [pattern for item in node for pattern in _patterns(item)]
    if not isinstance(node, dict):
        return []
    here = [node["pattern"]] if isinstance(node.get("pattern"), str) else []
    return here + [pattern for item in node.values() for pattern in _patterns(item)]


MOMENTS = (
    "0001-01-01T00:00:00+14:00",  # before the calendar, in UTC
    "9999-12-31T23:59:59-14:00",  # and after it
    "0001-01-01T00:00:00Z",  # what the driver takes for minus infinity
    "9999-12-31T23:59:59.999999Z",
    "0000-01-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-01-01",
    "yesterday",
    "",
)


async def test_times_that_no_calendar_has(sender: Sender) -> None:
    for moment in MOMENTS:
        keys, members = ROUTES["POST /api/org/api-keys"], ROUTES["POST /api/org/memberships"]
        for route, field in ((keys, "expires_at"), (members, "valid_from"), (members, "valid_until")):
            answer = await sender.send(route, _encoded(route.good | {field: moment}))
            assert refused(answer) == (422, "invalid"), field
        for field in ("since", "until"):
            answer = await sender.get(f"/api/audit?{httpx.QueryParams({field: moment})}")
            assert refused(answer) == (422, "invalid"), field


# --- parameters


async def test_page_sizes(sender: Sender) -> None:
    for limit in ("0", "-1", "201", "1000", str(2**63), str(-(2**63) - 1), "9" * 400, "true", "ten", "1.5", ""):
        for name in LISTS:
            answer = await sender.get(f"/api/{name}?limit={limit}")
            assert refused(answer) == (422, "invalid")
            assert answer.json()["fields"][0]["path"] == "limit"


async def test_wrong_filters(sender: Sender) -> None:
    for query in ("actor_id=nobody", "entity_id=1", "since=1700000000", "until=0.5"):
        assert refused(await sender.get(f"/api/audit?{query}")) == (422, "invalid"), query


async def test_ids_that_are_none(sender: Sender) -> None:
    for name in ("nonsense", "1", "00000000", f"{new_id()}0", "%20", "..%2f..%2fetc", "{id}", "é", "%F0%9F%98%80"):
        for thing in THINGS:
            method, path = thing.split()
            assert refused(await sender.ask(method, f"{path}/{name}")) == (404, "not_found")


@pytest.mark.req("TEN-2")
async def test_ids_of_nothing_and_of_another_organisation(other_tenant: Tenant, sender: Sender) -> None:
    for thing in THINGS:
        method, path = thing.split()
        for thing_id in (new_id(), other_tenant.people["staff"].id, other_tenant.id, "0" * 32):
            assert refused(await sender.ask(method, f"{path}/{thing_id}")) == (404, "not_found")


@pytest.mark.req("TEN-1", "TEN-2")
async def test_the_organisation_never_comes_from_the_query(
    tenant: Tenant, other_tenant: Tenant, sender: Sender
) -> None:
    for query in (f"organization_id={other_tenant.id}", f"organization={other_tenant.organization.slug}"):
        assert data(await sender.get(f"/api/org?{query}"))["id"] == str(tenant.id)
        theirs = {str(person.id) for person in other_tenant.people.values()}
        assert not theirs & {member["id"] for member in data(await sender.get(f"/api/org/members?{query}"))}


async def test_keys_for_repeats_have_a_length(sender: Sender) -> None:
    route = ROUTES["POST /api/org/api-keys"]
    for key in ("", "x" * 256):
        answer = await sender.send(route, _encoded(route.good), headers=JSON | {"idempotency-key": key})
        assert refused(answer) == (422, "invalid")
        assert answer.json()["fields"][0]["path"] == "Idempotency-Key"


async def test_addresses_and_methods_that_do_not_exist(sender: Sender) -> None:
    assert refused(await sender.get("/api/no/such/thing")) == (404, "not_found")
    assert refused(await sender.ask("DELETE", "/api/org")) == (405, "method_not_allowed")
