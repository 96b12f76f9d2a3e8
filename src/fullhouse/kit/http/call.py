"""A request, as much of it as a fast handler may see, from our own server or by ASGI."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from litestar.datastructures import State

from fullhouse.kit.actors import Principal
from fullhouse.kit.batching import Coalescer
from fullhouse.kit.http import asgi, body
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.edge import Visit
from fullhouse.kit.http.request import Request
from fullhouse.kit.live.broadcast import Reader


class Route(NamedTuple):
    """A fast route, and what its template allows."""

    handler: "Handler"
    template: str
    rules: body.Rules
    names: tuple[str, ...]  # of the ids in its path
    opt: Mapping[str, Any]
    at_once: "AtOnce | None" = None
    in_batch: "InBatch | None" = None


class Match(NamedTuple):
    """The route of a request, with the ids in its path."""

    route: Route
    params: tuple[UUID, ...]


class Call(ABC):
    """One request to a fast handler."""

    __slots__ = ("_body", "_ip", "_rules", "_visit", "params", "principal", "query", "state")

    def __init__(self, match: Match, visit: Visit, query: str, state: State) -> None:
        self._rules = match.route.rules
        self._visit = visit
        self._body: bytes | None = None
        self._ip: str | None = None
        self.principal: Principal | None = None
        """The caller, where the route is not public."""
        self.params: tuple[UUID, ...] = match.params
        """The ids in the path, in order."""
        self.query = query
        """As it was sent, percent-encoded."""
        self.state = state
        """Litestar's `app.state`: what the lifespan has opened."""

    @property
    def method(self) -> str:
        return self._visit.method

    @property
    def path(self) -> str:
        return self._visit.path

    @property
    def request_id(self) -> str:
        return self._visit.request_id

    @property
    def client_ip(self) -> str:
        if self._ip is None:  # the guard asks, and then the handler
            edge, peer = self._visit.edge, self._peer()
            # Without a proxy in front of us, nobody may say on whose behalf they come.
            self._ip = edge.client_ip(peer, self.header("x-forwarded-for")) if edge.trusted_proxies else peer
        return self._ip

    @abstractmethod
    def header(self, name: str) -> str | None:
        """A header's value, by its name in lower case."""

    @abstractmethod
    def _peer(self) -> str: ...

    @abstractmethod
    def _chunks(self) -> AsyncIterator[bytes]: ...

    def _at_once(self) -> bytes | None:
        """The whole body, where it has come with the request."""
        return None

    async def check_length(self) -> None:
        """The lane asks this before it calls the handler, which may not read the body at all."""
        if announced := self.header("content-length"):
            await body.check_length(announced, self._rules.limit, self._chunks)

    async def read(self) -> bytes:
        """The body: within the limit, of an accepted type, checked, but not yet decoded."""
        if self._body is None:
            arrived = self._at_once()
            if arrived is None:
                with self._visit.edge.patience.wait():
                    arrived = await body.gather(self._chunks(), self._rules.limit)
            body.check(self.header("content-type"), arrived, self._rules)
            self._body = arrived
        return self._body


Handler = Callable[[Call], Awaitable[Answer | Reader]]
AtOnce = Callable[[Call], Answer | None]
"""For a public route that is nearly always answered from memory: nobody waits then, and no task is made. None leaves it
to the handler, and so does whatever it raises."""


class Errand(NamedTuple):
    """What a request wants of a batch (kit/batching.py), and how it is told what it got."""

    batches: Coalescer[Any, Any]
    key: Hashable
    request: Any
    apart: Sequence[Hashable]
    tell: Callable[[Any], Answer | Awaitable[Answer]]


InBatch = Callable[["WireCall"], Errand | None]
"""For a route whose callers are nearly always known and want something of a batch: nobody waits in a task then. It
changes nothing itself. None leaves it to the handler, and so does whatever it raises."""


class WireCall(Call):
    """On our own server."""

    __slots__ = ("_request",)

    def __init__(self, match: Match, visit: Visit, request: Request, state: State) -> None:
        super().__init__(match, visit, request.query, state)
        self._request = request

    def header(self, name: str) -> str | None:
        return self._request.header(name)

    def _peer(self) -> str:
        return self._request.client[0]

    def _chunks(self) -> AsyncIterator[bytes]:
        return self._request.chunks()

    def _at_once(self) -> bytes | None:
        return self._request.take() if self._request.complete else None

    def look(self) -> bytes:
        """The same as `read`, of a request that is complete; and it stays to be read."""
        arrived = self._request.whole
        body.check(self.header("content-type"), arrived, self._rules)
        return arrived


class AsgiCall(Call):
    __slots__ = ("_receive", "_scope")

    def __init__(self, match: Match, visit: Visit, scope: asgi.Scope, receive: asgi.Receive, state: State) -> None:
        super().__init__(match, visit, asgi.query(scope), state)
        self._scope = scope
        self._receive = receive

    def header(self, name: str) -> str | None:
        return asgi.header(self._scope, name)

    def _peer(self) -> str:
        client: tuple[str, int] | None = self._scope.get("client")
        return client[0] if client else ""

    def _chunks(self) -> AsyncIterator[bytes]:
        return asgi.chunks(self._receive)
