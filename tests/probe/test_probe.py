"""The probe: every route and verb of the table, as nobody, as the wrong role, as another tenant."""

from typing import Any
from uuid import UUID

import msgspec
import pytest
from litestar.routes import HTTPRoute

from fullhouse.accounts import passwords, policy, store
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.processes import app as application
from tests.counts import Counts
from tests.fixtures import Client, Tenant, settings
from tests.kit.sse import listening
from tests.probe.probe import Named
from tests.probe.sales import a_device_token
from tests.probe.table import PROBES
from tests.probe.things import a_venue

BUYERS = ("checkout.use", "orders.mine", "tickets.read", "tickets.transfer")


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


def _is_platforms(name: str) -> bool:
    return str(ROUTES[name].opt.get("action")).startswith("platform.")


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
        for token in (None, "fhs_nonsense", tenant.tokens["owner"][:-8] + "A" * 8):
            caller = client.as_(token) if token else client
            answer = await _call(caller, name, path)
            said = {own.code for own in ROUTES[name].opt.get("says", {}).values()}  # the seed's word, on its own route
            assert answer.status_code == 401, answer.text
            assert answer.json()["code"] in ("unauthenticated", *said), answer.text


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.req("RBAC-1", "AUD-1")
async def test_the_wrong_role_gets_403_and_an_audit_row(
    name: str, client: Client, services: Services, tenant: Tenant, counts: Counts, owner: Any
) -> None:
    action = ROUTES[name].opt["action"]
    wrong = [role for role, allowed in policy.ROLE_ACTIONS.items() if action not in allowed]
    if not wrong:
        # Open to everybody who is signed in, and nothing else is.
        assert action in ("me.read", "me.update", "holds.read", "holds.place", "queue.join", "waitlist.join", *BUYERS)
        return
    path = await _path(name, services, tenant)
    async with counts.unchanged(besides="audit_log"):
        for role in wrong:
            answer = await _call(client.as_(tenant.tokens[role]), name, path)
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), (role, answer.text)
    denied = await owner.fetch(
        "SELECT actor_id FROM audit_log WHERE organization_id = $1 AND action = 'access.denied' ORDER BY created_at",
        tenant.id,
    )
    assert [row["actor_id"] for row in denied] == [tenant.people[role].id for role in wrong]


@pytest.mark.parametrize(
    "name", [n for n in GUARDED if PROBES[n].thing and not (PROBES[n].everybodys or _is_platforms(n))]
)
@pytest.mark.req("TEN-2")
async def test_another_tenants_thing_is_like_one_that_never_was(
    name: str, client: Client, services: Services, tenant: Tenant, other_tenant: Tenant, counts: Counts
) -> None:
    thing = PROBES[name].thing
    assert thing
    theirs = await thing(services, other_tenant)
    stranger = client.as_(tenant.tokens["owner"])
    async with counts.unchanged(besides="idempotency_keys"):  # a refusal is its key's answer from then on
        foreign = await _call(stranger, name, _fill(name, theirs))
        missing = await _call(stranger, name, _fill(name, _made_up(theirs)))
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content


@pytest.mark.parametrize("name", GUARDED)
async def test_the_right_caller_gets_in(
    name: str, client: Client, lane: LaneRouter, services: Services, tenant: Tenant, owner: Any
) -> None:
    """Otherwise the refusals above would prove nothing: the same call, with the right, is not refused."""
    token = await _super_admin(client, owner) if _is_platforms(name) else tenant.tokens["owner"]
    if PROBES[name].device:
        token = await a_device_token(services, tenant)
    body = PROBES[name].body
    if PROBES[name].needs_venue:
        body = {"venue_id": str(await a_venue(services, tenant)), **body}
    if name.endswith("/stream"):  # it would go on for a minute
        async with listening(lane, await _path(name, services, tenant), token=token) as stream:
            assert stream.status == 200
        return
    thing, fitting = PROBES[name].thing, PROBES[name].fitting
    named = await thing(services, tenant) if thing else ()
    if fitting:
        body = msgspec.to_builtins(await fitting(services, tenant, named))
    answer = await _call(client.as_(token), name, _fill(name, named), body)
    assert answer.status_code < 300, answer.text


async def _call(client: Client, name: str, path: str, body: Any = None) -> Any:
    if file := PROBES[name].file:
        headers = {"content-type": PROBES[name].kind}
        return await client.request(name.split()[0], path, content=file, headers=headers)
    headers = {header: value.format(new_id().hex) for header, value in (PROBES[name].headers or {}).items()}
    return await client.request(name.split()[0], path, json=body or PROBES[name].body, headers=headers)


async def _path(name: str, services: Services, tenant: Tenant) -> str:
    thing = PROBES[name].thing
    return _fill(name, await thing(services, tenant) if thing else ())


def _fill(name: str, named: Named) -> str:
    """The route's path with what it names, in order."""
    path = name.split()[1]
    for value in named if isinstance(named, tuple) else (named,):
        before, _, rest = path.partition("{")
        path = f"{before}{value}{rest.partition('}')[2]}"
    return path + PROBES[name].query.format(named)


def _made_up(named: Named) -> Named:
    if isinstance(named, UUID):
        return new_id()
    return tuple(new_id() if isinstance(part, UUID) else part for part in named)


async def _super_admin(client: Client, owner: Any) -> str:
    """Their token."""
    email = f"{new_id().hex}@example.org"
    password_hash = await passwords.hash_password("a long password")
    await store.insert_platform_user(
        owner, id=new_id(), email=email, name="Root", role="super_admin", password_hash=password_hash
    )
    answer = await client.post("/api/platform/login", json={"email": email, "password": "a long password"})
    token: str = answer.json()["data"]["token"]
    return token


@pytest.fixture
def counts(owner: Any, tenant: Tenant, other_tenant: Tenant) -> Counts:
    return Counts(owner, tenant.id, other_tenant.id)
