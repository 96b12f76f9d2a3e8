"""Who comes in: the guard before every handler, of either lane. It runs before the body is read.

The order: a known caller (401), from our own pages if by cookie (403 `csrf`), not too often (429), allowed the
endpoint's action (403). A refusal of somebody we know is written to the audit.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import structlog
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers import BaseRouteHandler

from fullhouse.kit import audit
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.errors import CrossSite, Forbidden, Unauthenticated
from fullhouse.kit.http.call import Call, Route
from fullhouse.kit.limits import Limit, network_of
from fullhouse.kit.secrets import NOWHERE
from fullhouse.kit.services import Authenticator, Credentials, Services

COOKIE = "fullhouse"
USUAL = Limit(1200, 60)  # for one caller, in all
STRANGERS = Limit(300, 60)  # bad tokens from one address
_READS = frozenset({"GET", "HEAD", "OPTIONS"})


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
    principal = await admit(connection.app.state, asks(connection), handler.handler_name, handler.opt)
    connection.scope["principal"] = principal  # type: ignore[typeddict-unknown-key]


async def guard_call(call: Call, route: Route) -> None:
    """The fast lane's."""
    asking = Asks(call.method, call.client_ip, call.request_id, call.header)
    call.principal = await admit(call.state, asking, route.template, route.opt)


async def admit(state: State, asking: Asks, name: str, opt: Mapping[str, Any]) -> Principal | None:
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
        await _note_refusal(services, principal, opt["action"])
        raise Forbidden(f"Your role ({principal.role}) does not include “{opt['action']}”.")
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


async def _note_refusal(services: Services, principal: Principal, action: str) -> None:
    if principal.organization_id == NOWHERE:
        structlog.get_logger().warning("platform access denied", action=action, actor=str(principal.id))
        return
    async with services.database.tenant(principal.organization_id, principal.actor) as tx:
        await audit.write(tx, "access.denied", "action", None, after={"action": action, "role": principal.role})
