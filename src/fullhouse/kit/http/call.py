"""A request, as much of it as a fast handler may see, on either transport."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]  # its stubs do not re-export
from litestar.datastructures import State

from fullhouse.kit.actors import Principal
from fullhouse.kit.broadcast import Reader
from fullhouse.kit.errors import Malformed
from fullhouse.kit.http import asgi, body, rsgi
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.edge import Visit


class Route(NamedTuple):
    """A fast route, and what its template allows."""

    handler: "Handler"
    template: str
    rules: body.Rules
    names: tuple[str, ...]  # of the ids in its path
    opt: Mapping[str, Any]


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

    async def _arrive(self) -> bytes:
        return await body.gather(self._chunks(), self._rules.limit)

    async def check_length(self) -> None:
        """The lane asks this before it calls the handler, which may not read the body at all."""
        if announced := self.header("content-length"):
            await body.check_length(announced, self._rules.limit, self._chunks)

    async def read(self) -> bytes:
        """The body: within the limit, of an accepted type, checked, but not yet decoded."""
        if self._body is None:
            with self._visit.edge.patience.wait():
                arrived = await self._arrive()
            body.check(self.header("content-type"), arrived, self._rules)
            self._body = arrived
        return self._body


Handler = Callable[[Call], Awaitable[Answer | Reader]]

_AT_ONCE = 65_536


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


class RsgiCall(Call):
    __slots__ = ("_connection", "_headers", "_scope")

    def __init__(
        self, match: Match, visit: Visit, scope: rsgi.Scope, connection: rsgi.Connection, state: State
    ) -> None:
        super().__init__(match, visit, scope.query_string, state)
        self._scope = scope
        self._headers = scope.headers  # made anew by Granian every time that it is asked for
        self._connection = connection

    def header(self, name: str) -> str | None:
        if name in asgi.LISTS:
            return asgi.joined(name, self._headers.get_all(name))
        return self._headers.get(name)

    def _peer(self) -> str:
        return self._scope.client.rpartition(":")[0].strip("[]")

    def _chunks(self) -> AsyncIterator[bytes]:
        return rsgi.chunks(self._scope, self._connection)

    async def _arrive(self) -> bytes:
        """A short body whose length was announced, and checked, is there at once."""
        if not 0 < int(self._headers.get("content-length") or 0) <= _AT_ONCE:
            return await super()._arrive()
        try:
            return await self._connection()
        except ProtocolClosed:
            raise Malformed("The body ended early.") from None
