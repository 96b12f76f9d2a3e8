"""Who comes in: the guard before every handler, of either lane. It runs before the body is read.

The order: a known caller (401), from our own pages if by cookie (403 `csrf`), not too often (429), allowed the
endpoint's action (403). A refusal of somebody we know is written to the audit, here and wherever a handler says no.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

import structlog
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers import BaseRouteHandler

from fullhouse.kit import audit
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.db import Tx
from fullhouse.kit.errors import CrossSite, Forbidden, Unauthenticated
from fullhouse.kit.http.call import Call, Route
from fullhouse.kit.limits import Limit, network_of
from fullhouse.kit.secrets import NOWHERE
from fullhouse.kit.services import Authenticator, Credentials, Services

COOKIE = "fullhouse"
USUAL = Limit(1200, 60)  # for one caller, in all
STRANGERS = Limit(300, 60)  # bad tokens from one address
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_PARAMETER = re.compile(r"\{(\w+)")
Ids = Mapping[str, UUID]  # what the path names, in its order


class Asks(NamedTuple):
    """What both lanes know of a request."""

    method: str
    ip: str | None
    request_id: str | None
    header: Callable[[str], str | None]

    @property
    def actor(self) -> Actor:
        """Where it comes from; the name is added once it is known."""
        agent = self.header("user-agent")
        return Actor(type="user", ip=self.ip, user_agent=agent[:300] if agent else None, request_id=self.request_id)


async def guard(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """The wide lane's."""
    if connection.scope.get("method") == "OPTIONS":  # tells what a path takes; the framework answers it
        return
    ids = ids_in(connection.path_params)
    principal = await admit(connection.app.state, asks(connection), handler.handler_name, handler.opt, ids)
    connection.scope["principal"] = principal  # type: ignore[typeddict-unknown-key]


async def guard_call(call: Call, route: Route) -> None:
    """The fast lane's."""
    asking = Asks(call.method, call.client_ip, call.request_id, call.header)
    call.principal = await admit(call.state, asking, route.template, route.opt, _ids_of(call, route))


async def note_call(call: Call, route: Route, refusal: Forbidden) -> None:
    """A fast handler said no."""
    if call.principal:
        await note_denial(call.state, call.principal, route.opt["action"], _ids_of(call, route), refusal)


def ids_in(path_params: Mapping[str, Any]) -> Ids:
    return {name: value for name, value in path_params.items() if isinstance(value, UUID)}


def _ids_of(call: Call, route: Route) -> Ids:
    return dict(zip(_PARAMETER.findall(route.template), call.params, strict=False)) if call.params else {}


async def admit(state: State, asking: Asks, name: str, opt: Mapping[str, Any], ids: Ids) -> Principal | None:
    """The caller, if the endpoint has any use for one."""
    services: Services = state.services
    authenticate: Authenticator = state.authenticate
    limit: Limit | None = opt.get("limit")
    if opt.get("public"):
        if limit:
            await services.limiter.check(f"{name}:{network_of(asking.ip)}", limit)
        return None
    credentials = _credentials(asking)
    principal = await authenticate(credentials)
    if principal is None:
        await services.limiter.check(f"stranger:{network_of(asking.ip)}", STRANGERS)
        raise Unauthenticated("Sign in, or send a valid token as “Authorization: Bearer …”.")
    structlog.contextvars.bind_contextvars(organization_id=str(principal.organization_id))
    if credentials.bearer is None and asking.method not in _READS:
        _check_origin(asking, services.public_url)
    await services.limiter.check(f"caller:{principal.id}", USUAL)
    if limit:
        await services.limiter.check(f"{name}:{principal.id}", limit)
    if opt["action"] not in principal.allowed:
        refusal = Forbidden(f"Your role ({principal.role}) does not include “{opt['action']}”.")
        await note_denial(state, principal, opt["action"], ids, refusal)
        raise refusal
    return principal


def asks(connection: ASGIConnection[Any, Any, Any, Any]) -> Asks:
    return Asks(
        str(connection.scope.get("method", "")),
        connection.client.host if connection.client else None,
        structlog.contextvars.get_contextvars().get("request_id"),
        connection.headers.get,
    )


def _credentials(asking: Asks) -> Credentials:
    scheme, _, token = (asking.header("authorization") or "").partition(" ")
    return Credentials(
        # An empty one is none: the cookie would speak in its place, and must then come from our own pages.
        bearer=(token.strip() or None) if scheme.lower() == "bearer" else None,
        cookie=_cookie(asking.header("cookie")),
        organization=asking.header("x-organization"),
        actor=asking.actor,
    )


def _cookie(header: str | None) -> str | None:
    for part in (header or "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value
    return None


def _check_origin(asking: Asks, public_url: str) -> None:
    """A browser says where a write comes from; our own pages are at our own address."""
    origin = asking.header("origin")
    place = (origin or "").partition("://")[2]
    if not place or place not in (urlsplit(public_url).netloc, asking.header("host")):
        raise CrossSite("A write with the session cookie must come from our own pages (Origin header).")


async def note_denial(state: State, who: Principal, action: str, ids: Ids, refusal: Forbidden) -> None:
    """In a transaction of its own: whatever was begun is undone. The platform's people are in the audit of the
    organisation that they tried to reach, where there is one."""
    if refusal.noted:
        return
    services: Services = state.services
    organization_id: UUID | None = who.organization_id
    if organization_id == NOWHERE:
        structlog.get_logger().warning("platform access denied", action=action, actor=str(who.id))
        find = state.get("organization_of")
        organization_id = await find(services, ids) if find else None
    if organization_id is not None:
        async with services.database.tenant(organization_id, who.actor) as tx:
            await write_denial(tx, who, action, ids, refusal)


async def write_denial(tx: Tx, who: Principal, action: str, ids: Ids, refusal: Forbidden) -> None:
    """The first thing that the path names is what it is about."""
    name, entity_id = next(iter(ids.items()), ("action", None))
    others = {other: value for other, value in ids.items() if other != name}
    after = {"action": action, "role": who.role, "code": refusal.code, **others}
    await audit.write(tx, "access.denied", name.removesuffix("_id"), entity_id, after=after, reason=refusal.detail)
