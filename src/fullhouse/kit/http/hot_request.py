"""A fast handler's view of a request, from our own server or by ASGI."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

from litestar.datastructures import State

from fullhouse.kit import tasks
from fullhouse.kit.actors import Principal
from fullhouse.kit.http import asgi, body
from fullhouse.kit.http.middleware import RequestContext
from fullhouse.kit.http.request import Request
from fullhouse.kit.http.response import Response
from fullhouse.kit.live.broadcast import Reader


class FastRoute(NamedTuple):
    """A fast route, with the options of its Litestar route."""

    handler: "Handler"
    template: str
    rules: body.BodyRules
    names: tuple[str, ...]  # the names of the ids in its path
    opt: Mapping[str, Any]


class RouteMatch(NamedTuple):
    """The route of a request, with the ids in its path."""

    route: FastRoute
    params: tuple[UUID, ...]


class HotRequest(ABC):
    """One request to a fast handler."""

    __slots__ = ("_body", "_context", "_ip", "_rules", "params", "principal", "query", "state")

    def __init__(self, match: RouteMatch, context: RequestContext, query: str, state: State) -> None:
        self._rules = match.route.rules
        self._context = context
        self._body: bytes | None = None
        self._ip: str | None = None
        self.principal: Principal | None = None
        """The caller, where the route is not public."""
        self.params: tuple[UUID, ...] = match.params
        """The ids in the path, in order."""
        self.query = query
        """As it was sent, percent-encoded."""
        self.state = state
        """Litestar's `app.state`, filled by the lifespan."""

    @property
    def method(self) -> str:
        return self._context.method

    @property
    def path(self) -> str:
        return self._context.path

    @property
    def request_id(self) -> str:
        return self._context.request_id

    @property
    def client_ip(self) -> str:
        if self._ip is None:  # computed once: the guard and the handler use it
            middleware, peer = self._context.middleware, self._peer()
            # X-Forwarded-For counts only if there is a trusted proxy.
            proxied = bool(middleware.trusted_proxies)
            self._ip = middleware.client_ip(peer, self.header("x-forwarded-for")) if proxied else peer
        return self._ip

    @abstractmethod
    def header(self, name: str) -> str | None:
        """A header's value, by its name in lower case."""

    @abstractmethod
    def _peer(self) -> str: ...

    @abstractmethod
    def _chunks(self) -> AsyncIterator[bytes]: ...

    def _arrived_body(self) -> bytes | None:
        """The whole body, if it arrived together with the head."""
        return None

    async def check_length(self) -> None:
        """Called by the lane before the handler, because a handler may not read the body at all."""
        if announced := self.header("content-length"):
            await body.check_length(announced, self._rules.limit, self._chunks)

    async def read(self) -> bytes:
        """The body: within the limit, of an accepted type, checked, but not yet decoded."""
        if self._body is None:
            arrived = self._arrived_body()
            if arrived is None:
                await tasks.enter_task()
                with self._context.middleware.body_timeouts.wait():
                    arrived = await body.read_body(self._chunks(), self._rules.limit)
            body.check_body(self.header("content-type"), arrived, self._rules)
            self._body = arrived
        return self._body


Handler = Callable[[HotRequest], Awaitable[Response | Reader]]


class ServerHotRequest(HotRequest):
    """On our own server."""

    __slots__ = ("_request",)

    def __init__(self, match: RouteMatch, context: RequestContext, request: Request, state: State) -> None:
        super().__init__(match, context, request.query, state)
        self._request = request

    def header(self, name: str) -> str | None:
        return self._request.header(name)

    def _peer(self) -> str:
        return self._request.client[0]

    def _chunks(self) -> AsyncIterator[bytes]:
        return self._request.chunks()

    def _arrived_body(self) -> bytes | None:
        return self._request.take() if self._request.complete else None


class AsgiHotRequest(HotRequest):
    __slots__ = ("_receive", "_scope")

    def __init__(
        self, match: RouteMatch, context: RequestContext, scope: asgi.Scope, receive: asgi.Receive, state: State
    ) -> None:
        super().__init__(match, context, asgi.query(scope), state)
        self._scope = scope
        self._receive = receive

    def header(self, name: str) -> str | None:
        return asgi.header(self._scope, name)

    def _peer(self) -> str:
        client: tuple[str, int] | None = self._scope.get("client")
        return client[0] if client else ""

    def _chunks(self) -> AsyncIterator[bytes]:
        return asgi.chunks(self._receive)
