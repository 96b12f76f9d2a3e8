"""The probe: every route and verb, as nobody, as the wrong role, as another tenant. Generated from the route table.

A route has a row in PROBES or it fails the suite: whoever adds one says who must not use it, and how to call it.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from litestar.routes import HTTPRoute

from fullhouse import app as application
from fullhouse.accounts import actions, passwords, policy, store
from fullhouse.accounts.model import CreateApiKey, GrantMembership, Invite
from fullhouse.events import actions as events
from fullhouse.events import venue_actions as venues
from fullhouse.events.model import NewEvent, NewGate, NewVenue
from fullhouse.events.policy import Move
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.counts import Counts
from tests.fixtures import Client, Tenant, settings

Make = Callable[[Services, Tenant], Awaitable[UUID]]


class Probe(NamedTuple):
    """How to call a route so that only the right is missing. `thing` makes what the path's id names."""

    body: Any = None
    thing: Make | None = None
    public: bool = False
    needs_venue: bool = False


async def _api_key(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        return (await actions.create_api_key(tx, tenant.principal("owner"), CreateApiKey("k", ["org:read"]))).id


async def _invitation(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        wish = Invite("new@example.org", "staff")
        return (await actions.invite(tx, tenant.principal("owner"), wish, public_url="http://x")).id


async def _membership(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        return (await actions.grant_membership(tx, GrantMembership("m@example.org", "M", "friends", "1"))).id


async def _member(services: Services, tenant: Tenant) -> UUID:
    return tenant.people["staff"].id


async def _venue(services: Services, tenant: Tenant) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        wish = NewVenue(**VENUE)
        return (await venues.create_venue(tx, tenant.principal("owner"), wish)).id


async def _gate(services: Services, tenant: Tenant) -> UUID:
    venue_id = await _venue(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        wish = NewGate(gate_code="GATE_A", name="A")
        return (await venues.create_gate(tx, tenant.principal("owner"), venue_id, wish)).id


async def _event(services: Services, tenant: Tenant) -> UUID:
    venue_id = await _venue(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        now = await tx.now()
        wish = NewEvent(
            venue_id=venue_id,
            name="Show",
            description="A show.",
            category="theatre",
            start_at=now + timedelta(days=9),
            end_at=now + timedelta(days=9, hours=2),
        )
        return (await events.create_event(tx, tenant.principal("owner"), wish)).id


def _event_that(*moves: Move) -> Make:
    async def make(services: Services, tenant: Tenant) -> UUID:
        event_id = await _event(services, tenant)
        async with services.database.tenant(tenant.id) as tx:
            for move in moves:
                await events.move_event(tx, event_id, move)
        return event_id

    return make


async def _organization(services: Services, tenant: Tenant) -> UUID:
    return tenant.id


VENUE: dict[str, Any] = {"name": "Hall", "city": "Gent", "country": "BE", "timezone": "Europe/Brussels"} | {
    "address": "Kouter 1, Gent"
}
SHOW = {"name": "Show", "description": "A show.", "category": "theatre"} | {
    "start_at": "2099-01-01T19:00:00Z",
    "end_at": "2099-01-01T21:00:00Z",
}
PUBLIC_SHOW = {"title": "Show", "description": "A show.", "category": "theatre", "city": "Gent"} | {
    "start_time": "2099-01-01T19:00:00Z",
    "end_time": "2099-01-01T21:00:00Z",
}
PUBLIC = Probe(public=True)
PROBES: dict[str, Probe] = {
    "GET /": PUBLIC,
    "GET /sign-in": PUBLIC,
    "GET /join": PUBLIC,
    "GET /problems/{code:str}": PUBLIC,
    "GET /static/{name:str}": PUBLIC,
    "GET /api/openapi.json": PUBLIC,
    "GET /api/docs": PUBLIC,
    "GET /health/live": PUBLIC,
    "GET /health/ready": PUBLIC,
    "GET /metrics": PUBLIC,
    "POST /api/auth/guest": PUBLIC,
    "POST /api/auth/login": PUBLIC,
    "POST /api/auth/magic-link": PUBLIC,
    "POST /api/auth/magic-link/redeem": PUBLIC,
    "POST /api/auth/invitation/accept": PUBLIC,
    "POST /api/auth/logout": Probe(),
    "GET /api/me": Probe(),
    "PATCH /api/me": Probe({"name": "New"}),
    "PUT /api/me/password": Probe({"new_password": "a long password"}),
    "GET /api/org": Probe(),
    "PATCH /api/org": Probe({"name": "New"}),
    "GET /api/org/members": Probe(),
    "PATCH /api/org/members/{user_id:uuid}": Probe({"role": "scanner"}, _member),
    "GET /api/org/invitations": Probe(),
    "POST /api/org/invitations": Probe({"email": "n@example.org", "role": "staff"}),
    "DELETE /api/org/invitations/{invitation_id:uuid}": Probe(None, _invitation),
    "GET /api/org/api-keys": Probe(),
    "POST /api/org/api-keys": Probe({"name": "k", "scopes": ["org:read"]}),
    "DELETE /api/org/api-keys/{key_id:uuid}": Probe(None, _api_key),
    "GET /api/org/memberships": Probe(),
    "POST /api/org/memberships": Probe({"email": "x@example.org", "name": "X", "tier": "friends", "number": "9"}),
    "GET /api/org/memberships/{membership_id:uuid}": Probe(None, _membership),
    "PATCH /api/org/memberships/{membership_id:uuid}": Probe({"status": "revoked"}, _membership),
    "GET /api/audit": Probe(),
    "GET /api/org/mailbox": Probe(),
    "GET /api/venues": Probe(),
    "POST /api/venues": Probe(VENUE),
    "GET /api/venues/{venue_id:uuid}": Probe(None, _venue),
    "PATCH /api/venues/{venue_id:uuid}": Probe({"name": "New"}, _venue),
    "DELETE /api/venues/{venue_id:uuid}": Probe(None, _venue),
    "GET /api/venues/{venue_id:uuid}/gates": Probe(None, _venue),
    "POST /api/venues/{venue_id:uuid}/gates": Probe({"gate_code": "B", "name": "B"}, _venue),
    "GET /api/gates/{gate_id:uuid}": Probe(None, _gate),
    "PATCH /api/gates/{gate_id:uuid}": Probe({"status": "closed"}, _gate),
    "DELETE /api/gates/{gate_id:uuid}": Probe(None, _gate),
    "GET /api/events": Probe(),
    "POST /api/events": Probe(SHOW, needs_venue=True),
    "GET /api/events/{event_id:uuid}": Probe(None, _event),
    "PATCH /api/events/{event_id:uuid}": Probe({"name": "New"}, _event),
    "DELETE /api/events/{event_id:uuid}": Probe(None, _event),
    "POST /api/events/{event_id:uuid}/publish": Probe(None, _event),
    "POST /api/events/{event_id:uuid}/unpublish": Probe({}, _event_that(Move.PUBLISH)),
    "POST /api/events/{event_id:uuid}/start": Probe(None, _event_that(Move.PUBLISH)),
    "POST /api/events/{event_id:uuid}/end": Probe(None, _event_that(Move.PUBLISH, Move.START)),
    "POST /api/events/{event_id:uuid}/cancel": Probe({}, _event),
    "POST /api/events/{event_id:uuid}/postpone": Probe({}, _event_that(Move.PUBLISH)),
    "POST /api/events/{event_id:uuid}/reschedule": Probe(
        {"rescheduled_at": "2099-01-01T19:00:00Z"}, _event_that(Move.PUBLISH, Move.POSTPONE)
    ),
    "POST /api/events/{event_id:uuid}/archive": Probe(None, _event),
    "POST /api/events/{event_id:uuid}/duplicate": Probe({"start_at": "2099-01-01T19:00:00Z"}, _event),
    "POST /api/platform/events/{event_id:uuid}/cancel": Probe({"reason": "safety"}, _event),
    "POST /api/platform/events/{event_id:uuid}/postpone": Probe({"reason": "safety"}, _event_that(Move.PUBLISH)),
    "GET /event/v1/events": PUBLIC,
    "GET /event/v1/events/{event_id:uuid}": PUBLIC,
    "GET /event/v1/meta/cities": PUBLIC,
    "GET /api/search": PUBLIC,
    "POST /event/v1/events": Probe(PUBLIC_SHOW),
    "PATCH /event/v1/events/{event_id:uuid}": Probe({"title": "New"}, _event),
    "POST /event/v1/events/{event_id:uuid}/publish": Probe(None, _event),
    "POST /event/v1/events/{event_id:uuid}/unpublish": Probe(None, _event_that(Move.PUBLISH)),
    "POST /event/v1/events/{event_id:uuid}/cancel": Probe({}, _event),
    "GET /event/v1/me/events": Probe(),
    "POST /api/platform/login": PUBLIC,
    "POST /api/platform/logout": Probe(),
    "GET /api/platform/organizations": Probe(),
    "POST /api/platform/organizations": Probe({"slug": "new-house", "name": "New", "owner_email": "o@example.org"}),
    "GET /api/platform/organizations/{organization_id:uuid}": Probe(None, _organization),
    "PATCH /api/platform/organizations/{organization_id:uuid}": Probe(
        {"status": "suspended", "reason": "abuse"}, _organization
    ),
}


def _routes() -> dict[str, Any]:
    lane = application.build(settings("postgresql://unused/unused", "postgresql://unused/unused", home="/nonexistent"))
    return {
        f"{method} {route.path}": handler
        for route in lane.wide.routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        for method in handler.http_methods
        if method != "OPTIONS"
    }


ROUTES = _routes()
GUARDED = sorted(name for name, handler in ROUTES.items() if not handler.opt.get("public"))


@pytest.mark.req("RBAC-1")
def test_every_route_has_a_row() -> None:
    assert set(ROUTES) == set(PROBES)


def test_public_routes_are_those_that_the_table_says() -> None:
    assert {n for n, h in ROUTES.items() if h.opt.get("public")} == {n for n, p in PROBES.items() if p.public}


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.req("RBAC-1", "TEN-2")
async def test_nobody_gets_401(name: str, client: Client, services: Services, tenant: Tenant, counts: Counts) -> None:
    path = await _path(name, services, tenant)
    async with counts.unchanged():
        for token in (None, "fhs_nonsense", tenant.tokens["owner"][:-2] + "AA"):
            caller = client.as_(token) if token else client
            answer = await _call(caller, name, path)
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated"), answer.text


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.req("RBAC-1", "AUD-1")
async def test_the_wrong_role_gets_403_and_an_audit_row(
    name: str, client: Client, services: Services, tenant: Tenant, counts: Counts, owner: Any
) -> None:
    action = ROUTES[name].opt["action"]
    wrong = [role for role, allowed in policy.ROLE_ACTIONS.items() if action not in allowed]
    if not wrong:
        assert action in ("me.read", "me.update")  # open to everybody who is signed in, and nothing else is
        return
    path = await _path(name, services, tenant)
    async with counts.unchanged(besides="audit_log"):
        for role in wrong:
            answer = await _call(client.as_(tenant.tokens[role]), name, path)
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), (role, answer.text)
    denied = await owner.fetch(
        "SELECT actor_id FROM audit_log WHERE organization_id = $1 AND action = 'access.denied'", tenant.id
    )
    assert [row["actor_id"] for row in denied] == [tenant.people[role].id for role in wrong]


@pytest.mark.parametrize("name", [n for n in GUARDED if PROBES[n].thing and "/platform/" not in n])
@pytest.mark.req("TEN-2")
async def test_another_tenants_thing_is_like_one_that_never_was(
    name: str, client: Client, services: Services, tenant: Tenant, other_tenant: Tenant, counts: Counts
) -> None:
    thing = PROBES[name].thing
    assert thing
    theirs = await thing(services, other_tenant)
    stranger = client.as_(tenant.tokens["owner"])
    async with counts.unchanged():
        foreign = await _call(stranger, name, _fill(name, theirs))
        missing = await _call(stranger, name, _fill(name, new_id()))
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content


@pytest.mark.parametrize("name", sorted(PROBES))
async def test_the_right_caller_gets_in(
    name: str, client: Client, services: Services, tenant: Tenant, platform: str
) -> None:
    """Otherwise the refusals above would prove nothing: the same call, with the right, is not refused."""
    if PROBES[name].public:
        return
    token = platform if "/platform/" in name else tenant.tokens["owner"]
    body = PROBES[name].body
    if PROBES[name].needs_venue:
        body = {"venue_id": str(await _venue(services, tenant)), **body}
    answer = await _call(client.as_(token), name, await _path(name, services, tenant), body)
    assert answer.status_code < 300, answer.text


async def _call(client: Client, name: str, path: str, body: Any = None) -> Any:
    return await client.request(name.split()[0], path, json=body or PROBES[name].body)


async def _path(name: str, services: Services, tenant: Tenant) -> str:
    thing = PROBES[name].thing
    return _fill(name, await thing(services, tenant)) if thing else name.split()[1]


def _fill(name: str, thing_id: UUID) -> str:
    before, brace, rest = name.split()[1].partition("{")
    return f"{before}{thing_id}{rest.partition('}')[2]}" if brace else before


@pytest.fixture
async def platform(client: Client, owner: Any) -> str:
    """A super_admin's token."""
    email = f"{new_id().hex}@example.org"
    password_hash = await passwords.hash_password("a long password")
    await store.insert_platform_user(owner, new_id(), email, "Root", "super_admin", password_hash)
    answer = await client.post("/api/platform/login", json={"email": email, "password": "a long password"})
    token: str = answer.json()["data"]["token"]
    return token


@pytest.fixture
def counts(owner: Any) -> Counts:
    return Counts(owner)
