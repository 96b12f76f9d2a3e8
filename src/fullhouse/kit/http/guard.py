"""Who comes in: the guard before every handler, of either lane. It runs before the body is read.

The order: a known caller (401), from our own pages if by cookie (403 `csrf`), not too often (429), allowed the
endpoint's action (403). A refusal of somebody we know is written to the audit, here and wherever a handler says no.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit
from uuid import UUID

import structlog
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers import BaseRouteHandler

from fullhouse.kit import languages
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.cache.limits import Limit, Limiter, network_of
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import CrossSite, Forbidden, Unauthenticated
from fullhouse.kit.http.call import Call, Route
from fullhouse.kit.secrets import NOWHERE
from fullhouse.kit.services import Authenticator, Credentials, Services
from fullhouse.kit.telemetry.telemetry import ABOUT, say_about_request

COOKIE = "fullhouse"
USUAL = Limit(1200, 60)  # for one caller, in all
STRANGERS = Limit(300, 60)  # bad tokens from one address
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
Ids = Mapping[str, UUID]  # what the path names, in its order


class Asking(Protocol):
    """What the guard looks at: a fast lane's call is one, and so is what the wide lane knows of a request."""

    @property
    def method(self) -> str: ...
    @property
    def client_ip(self) -> str | None: ...
    @property
    def request_id(self) -> str | None: ...
    @property
    def header(self) -> Callable[[str], str | None]: ...


class Asks(NamedTuple):
    method: str
    client_ip: str | None
    request_id: str | None
    header: Callable[[str], str | None]

    @property
    def actor(self) -> Actor:
        """Where it comes from, of whom nobody knows the name."""
        return Actor(
            type="user",
            ip=self.client_ip,
            user_agent=_user_agent(self),
            request_id=self.request_id,
            language=languages.asked(self.header),
        )


def _user_agent(asking: Asking) -> str | None:
    agent = asking.header("user-agent")
    return agent[:300] if agent else None


async def guard(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """The wide lane's."""
    if connection.scope.get("method") == "OPTIONS":  # tells what a path takes; the framework answers it
        return
    state = connection.app.state
    principal = await admit(state, asks(connection), handler.handler_name, handler.opt)
    if principal and (refusal := denial(principal, handler.opt["action"])):
        await note_denial(state, principal, handler.opt["action"], ids_in(connection.path_params), refusal)
        raise refusal
    connection.scope["principal"] = principal  # type: ignore[typeddict-unknown-key]


class FastGuard:
    """The fast lane's (lane.Guard)."""

    async def admit(self, call: Call, route: Route) -> None:
        call.principal = principal = await admit(call.state, call, route.template, route.opt)
        if principal and (refusal := denial(principal, route.opt["action"])):
            raise refusal

    async def note(self, call: Call, route: Route, refusal: Forbidden) -> None:
        if call.principal:
            ids = dict(zip(route.names, call.params, strict=True))
            await note_denial(call.state, call.principal, route.opt["action"], ids, refusal)

    def is_known(self, call: Call, route: Route) -> bool:
        credentials = _credentials(call)
        known: Principal | None = call.state.authenticate.remembered(credentials)
        if known is None or route.opt["action"] not in known.allowed:
            return False
        if credentials.bearer is None and call.method not in _READS:
            _check_origin(call, call.state.services.public_url)
        # A batch writes no letters: in which language somebody reads is not looked for on the hot path.
        call.principal = known.coming_from(call.client_ip, _user_agent(call), call.request_id)
        return True

    def counts(self, call: Call) -> bool:
        assert call.principal
        limiter: Limiter = call.state.services.limiter
        return limiter.passes(("caller", call.principal.id), USUAL)


def ids_in(path_params: Mapping[str, Any]) -> Ids:
    return {name: value for name, value in path_params.items() if isinstance(value, UUID)}


async def admit(state: State, asking: Asking, name: str, opt: Mapping[str, Any]) -> Principal | None:
    """The caller, if the endpoint has any use for one."""
    services: Services = state.services
    authenticate: Authenticator = state.authenticate
    limit: Limit | None = opt.get("limit")
    if opt.get("public"):
        if limit:
            await services.limiter.check((name, network_of(asking.client_ip)), limit)
        return None
    credentials = _credentials(asking)
    known = authenticate.remembered(credentials) or await authenticate(credentials)
    if known is None:
        await services.limiter.check(("stranger", network_of(asking.client_ip)), STRANGERS)
        raise Unauthenticated("Sign in, or send a valid token as “Authorization: Bearer …”.")
    principal = known.coming_from(
        asking.client_ip, _user_agent(asking), asking.request_id, languages.asked(asking.header)
    )
    say_about_request(organization_id=principal.organization_id)
    if credentials.bearer is None and asking.method not in _READS:
        _check_origin(asking, services.public_url)
    await services.limiter.check(("caller", principal.id), USUAL)
    if limit:
        await services.limiter.check((name, principal.id), limit)
    return principal


async def recognised(state: State, asking: Asking) -> Principal | None:
    """Who asks a public endpoint, if they say so and it is true: for one that shows more to some. It refuses nobody."""
    services: Services = state.services
    authenticate: Authenticator = state.authenticate
    credentials = _credentials(asking)
    if credentials.bearer is None and credentials.cookie is None:
        return None
    known = authenticate.remembered(credentials) or await authenticate(credentials)
    if known is None:
        await services.limiter.check(("stranger", network_of(asking.client_ip)), STRANGERS)
        return None
    await services.limiter.check(("caller", known.id), USUAL)
    return known.coming_from(asking.client_ip, _user_agent(asking), asking.request_id, languages.asked(asking.header))


def denial(principal: Principal, action: str) -> Forbidden | None:
    if action in principal.allowed:
        return None
    return Forbidden(f"Your role ({principal.role}) does not include “{action}”.")


def asks(connection: ASGIConnection[Any, Any, Any, Any]) -> Asks:
    return Asks(
        str(connection.scope.get("method", "")),
        connection.client.host if connection.client else None,
        ABOUT.get().get("request_id"),
        connection.headers.get,
    )


def _credentials(asking: Asking) -> Credentials:
    scheme, _, token = (asking.header("authorization") or "").partition(" ")
    if scheme.lower() == "bearer" and (bearer := token.strip()):
        return Credentials(bearer, None, None)
    # An empty one is none: the cookie speaks in its place, and must then come from our own pages.
    return Credentials(None, _cookie(asking.header("cookie")), asking.header("x-organization"))


def _cookie(header: str | None) -> str | None:
    for part in (header or "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value
    return None


def _check_origin(asking: Asking, public_url: str) -> None:
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
