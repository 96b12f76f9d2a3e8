"""Who comes in: the guard before every Litestar handler. It runs before the body is read.

The order: a known caller (401), from our own pages if by cookie (403 `csrf`), not too often (429), allowed the
endpoint's action (403). A refusal of somebody we know is written to the audit.
"""

from typing import Any
from urllib.parse import urlsplit

import structlog
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from fullhouse.kit import audit
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.errors import CrossSite, Forbidden, Unauthenticated
from fullhouse.kit.limits import Limit
from fullhouse.kit.secrets import NOWHERE
from fullhouse.kit.services import Authenticator, Credentials, Services

COOKIE = "fullhouse"
USUAL = Limit(1200, 60)  # for one caller, or for one address without a name
_READS = frozenset({"GET", "HEAD", "OPTIONS"})


async def guard(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    if connection.scope.get("method") == "OPTIONS":  # tells what a path takes; the framework answers it
        return
    services: Services = connection.app.state.services
    actor = actor_of(connection)
    if handler.opt.get("public"):
        if limit := handler.opt.get("limit"):
            await services.limiter.check(f"{handler.handler_name}:{actor.ip}", limit)
        return
    credentials = _credentials(connection, actor)
    authenticate: Authenticator = connection.app.state.authenticate
    principal = await authenticate(credentials)
    if principal is None:
        raise Unauthenticated("Sign in, or send a valid token as “Authorization: Bearer …”.")
    structlog.contextvars.bind_contextvars(organization_id=str(principal.organization_id))
    if credentials.bearer is None and connection.scope.get("method") not in _READS:
        _check_origin(connection, services.public_url)
    await services.limiter.check(f"caller:{principal.id}", handler.opt.get("limit") or USUAL)
    if handler.opt["action"] not in principal.allowed:
        await _note_refusal(services, principal, handler.opt["action"])
        raise Forbidden(f"Your role ({principal.role}) does not include “{handler.opt['action']}”.")
    connection.scope["principal"] = principal  # type: ignore[typeddict-unknown-key]


def actor_of(connection: ASGIConnection[Any, Any, Any, Any]) -> Actor:
    """Where a request comes from; its name is added once it is known."""
    agent = connection.headers.get("user-agent")
    return Actor(
        type="user",
        ip=connection.client.host if connection.client else None,
        user_agent=agent[:300] if agent else None,
        request_id=structlog.contextvars.get_contextvars().get("request_id"),
    )


def _credentials(connection: ASGIConnection[Any, Any, Any, Any], actor: Actor) -> Credentials:
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return Credentials(
        bearer=token.strip() if scheme.lower() == "bearer" else None,
        cookie=connection.cookies.get(COOKIE),
        organization=connection.headers.get("x-organization"),
        actor=actor,
    )


def _check_origin(connection: ASGIConnection[Any, Any, Any, Any], public_url: str) -> None:
    """A browser says where a write comes from; our own pages are at our own address."""
    origin = connection.headers.get("origin")
    own = {urlsplit(public_url).netloc, connection.headers.get("host", "")}
    if origin is None or urlsplit(origin).netloc not in own:
        raise CrossSite("A write with the session cookie must come from our own pages (Origin header).")


async def _note_refusal(services: Services, principal: Principal, action: str) -> None:
    if principal.organization_id == NOWHERE:
        structlog.get_logger().warning("platform access denied", action=action, actor=str(principal.id))
        return
    async with services.database.tenant(principal.organization_id, principal.actor) as tx:
        await audit.write(tx, "access.denied", "action", None, after={"action": action, "role": principal.role})
