"""Authentication, rate limits and authorisation before every handler, of either lane. Runs before the body is read.

The order: authenticated (401), from our own pages if by cookie (403 `csrf`), within the rate limit (429), allowed the
endpoint's action (403). Refusals of an authenticated caller with 403 are audited, here and in the handlers.
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
from fullhouse.kit.cache.limits import Limit, network_of
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import CrossSite, Forbidden, Unauthenticated
from fullhouse.kit.http.hot_request import FastRoute, HotRequest
from fullhouse.kit.secrets import PLATFORM_ID
from fullhouse.kit.services import Authenticator, Credentials, Services
from fullhouse.kit.telemetry.telemetry import REQUEST_FIELDS, bind_request_fields

COOKIE = "fullhouse"
CALLER_LIMIT = Limit(1200, 60)  # for one caller, all endpoints together
INVALID_TOKEN_LIMIT = Limit(300, 60)  # invalid tokens from one network
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
Ids = Mapping[str, UUID]  # the ids in the path, in order


class RequestMeta(Protocol):
    """The parts of a request that the guard reads. Both lanes implement it."""

    @property
    def method(self) -> str: ...
    @property
    def client_ip(self) -> str | None: ...
    @property
    def request_id(self) -> str | None: ...
    @property
    def header(self) -> Callable[[str], str | None]: ...


class ConnectionMeta(NamedTuple):
    method: str
    client_ip: str | None
    request_id: str | None
    header: Callable[[str], str | None]

    @property
    def actor(self) -> Actor:
        """The actor of an unauthenticated request: where it comes from."""
        return Actor(
            type="user",
            ip=self.client_ip,
            user_agent=_user_agent(self),
            request_id=self.request_id,
            language=languages.requested_language(self.header),
        )


def _user_agent(meta: RequestMeta) -> str | None:
    agent = meta.header("user-agent")
    return agent[:300] if agent else None


async def guard(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """The wide lane's guard."""
    if connection.scope.get("method") == "OPTIONS":  # lists a path's methods; the framework answers it
        return
    state = connection.app.state
    principal = await authenticate_request(state, read_request_meta(connection), handler.handler_name, handler.opt)
    if principal and (refusal := find_denial(principal, handler.opt["action"])):
        await record_denial_separately(state, principal, handler.opt["action"], ids_in(connection.path_params), refusal)
        raise refusal
    connection.scope["principal"] = principal  # type: ignore[typeddict-unknown-key]


class FastGuard:
    """The fast lane's guard."""

    async def admit(self, hot_request: HotRequest, route: FastRoute) -> None:
        hot_request.principal = principal = await authenticate_request(
            hot_request.state, hot_request, route.template, route.opt
        )
        if principal and (refusal := find_denial(principal, route.opt["action"])):
            raise refusal

    async def record_denial(self, hot_request: HotRequest, route: FastRoute, refusal: Forbidden) -> None:
        if hot_request.principal:
            ids = dict(zip(route.names, hot_request.params, strict=True))
            await record_denial_separately(hot_request.state, hot_request.principal, route.opt["action"], ids, refusal)


def ids_in(path_params: Mapping[str, Any]) -> Ids:
    return {name: value for name, value in path_params.items() if isinstance(value, UUID)}


async def authenticate_request(state: State, meta: RequestMeta, name: str, opt: Mapping[str, Any]) -> Principal | None:
    """Authenticates and rate-limits the request. Returns the caller; None for a public endpoint."""
    services: Services = state.services
    authenticate: Authenticator = state.authenticate
    limit: Limit | None = opt.get("limit")
    if opt.get("public"):
        if limit:
            await services.limiter.check((name, network_of(meta.client_ip)), limit)
        return None
    credentials = _parse_credentials(meta)
    known = authenticate.find_cached(credentials) or await authenticate(credentials)
    if known is None:
        await services.limiter.check(("stranger", network_of(meta.client_ip)), INVALID_TOKEN_LIMIT)
        raise Unauthenticated("Sign in, or send a valid token as “Authorization: Bearer …”.")
    principal = known.with_request(
        meta.client_ip, _user_agent(meta), meta.request_id, languages.requested_language(meta.header)
    )
    bind_request_fields(organization_id=principal.organization_id)
    if credentials.bearer is None and meta.method not in _SAFE_METHODS:
        _check_origin(meta, services.public_url)
    await services.limiter.check(("caller", principal.id), CALLER_LIMIT)
    if limit:
        await services.limiter.check((name, principal.id), limit)
    return principal


async def identify_caller(state: State, meta: RequestMeta) -> Principal | None:
    """The caller of a public endpoint that shows more to some, or None. Invalid credentials are not refused."""
    services: Services = state.services
    authenticate: Authenticator = state.authenticate
    credentials = _parse_credentials(meta)
    if credentials.bearer is None and credentials.cookie is None:
        return None
    known = authenticate.find_cached(credentials) or await authenticate(credentials)
    if known is None:
        await services.limiter.check(("stranger", network_of(meta.client_ip)), INVALID_TOKEN_LIMIT)
        return None
    await services.limiter.check(("caller", known.id), CALLER_LIMIT)
    return known.with_request(
        meta.client_ip, _user_agent(meta), meta.request_id, languages.requested_language(meta.header)
    )


def find_denial(principal: Principal, action: str) -> Forbidden | None:
    if action in principal.allowed:
        return None
    return Forbidden(f"Your role ({principal.role}) does not include “{action}”.")


def read_request_meta(connection: ASGIConnection[Any, Any, Any, Any]) -> ConnectionMeta:
    return ConnectionMeta(
        str(connection.scope.get("method", "")),
        connection.client.host if connection.client else None,
        REQUEST_FIELDS.get().get("request_id"),
        connection.headers.get,
    )


def _parse_credentials(meta: RequestMeta) -> Credentials:
    scheme, _, token = (meta.header("authorization") or "").partition(" ")
    if scheme.lower() == "bearer" and (bearer := token.strip()):
        return Credentials(bearer, None, None)
    # An empty bearer token counts as none: then the cookie authenticates, and the origin is checked.
    return Credentials(None, _parse_cookie(meta.header("cookie")), meta.header("x-organization"))


def _parse_cookie(header: str | None) -> str | None:
    for part in (header or "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value
    return None


def _check_origin(meta: RequestMeta, public_url: str) -> None:
    """Browsers send the Origin of a write; it must be our own address."""
    origin = meta.header("origin")
    address = (origin or "").partition("://")[2]
    if not address or address not in (urlsplit(public_url).netloc, meta.header("host")):
        raise CrossSite("A write with the session cookie must come from our own pages (Origin header).")


async def record_denial_separately(state: State, who: Principal, action: str, ids: Ids, refusal: Forbidden) -> None:
    """Audits a denial in a transaction of its own, because the request's was rolled back. Denials of platform staff go
    to the audit of the organisation that they tried to reach, if there is one."""
    if refusal.is_audited:
        return
    services: Services = state.services
    organization_id: UUID | None = who.organization_id
    if organization_id == PLATFORM_ID:
        structlog.get_logger().warning("platform.access_denied", action=action, actor=str(who.id))
        find = state.get("organization_of")
        organization_id = await find(services, ids) if find else None
    if organization_id is not None:
        async with services.database.tenant(organization_id, who.actor) as tx:
            await record_denial(tx, who, action, ids, refusal)


async def record_denial(tx: Tx, who: Principal, action: str, ids: Ids, refusal: Forbidden) -> None:
    """Audits a denial. The first id in the path is the audited entity."""
    name, entity_id = next(iter(ids.items()), ("action", None))
    others = {other: value for other, value in ids.items() if other != name}
    after = {"action": action, "role": who.role, "code": refusal.code, **others}
    await audit.write(tx, "access.denied", name.removesuffix("_id"), entity_id, after=after, reason=refusal.detail)
