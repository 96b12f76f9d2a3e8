"""A request, as much of it as a fast handler may see, on either transport."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple
from uuid import UUID

from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]  # its stubs do not re-export
from litestar.datastructures import State

from fullhouse.kit.errors import Malformed
from fullhouse.kit.http import asgi, body, rsgi
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.edge import Edge, Visit


class Route(NamedTuple):
    """A fast route, and what its template allows."""

    handler: "Handler"
    template: str
    rules: body.Rules
    ids: int


class Call(ABC):
    """One request to a fast handler."""

    __slots__ = ("_body", "_edge", "_rules", "_visit", "params", "query", "state")

    def __init__(self, edge: Edge, state: State, route: Route, params: tuple[UUID, ...], visit: Visit) -> None:
        self._edge = edge
        self._rules = route.rules
        self._visit = visit
        self._body: bytes | None = None
        self.params = params
        """The ids in the path, in order."""
        self.query = ""
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
        return self._edge.client_ip(self._peer(), self.header("x-forwarded-for"))

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
            with self._edge.patience.wait():
                arrived = await self._arrive()
            body.check(self.header("content-type"), arrived, self._rules)
            self._body = arrived
        return self._body


Handler = Callable[[Call], Awaitable[Answer]]


class AsgiCall(Call):
    __slots__ = ("receive", "scope")

    scope: asgi.Scope
    receive: asgi.Receive

    def header(self, name: str) -> str | None:
        return asgi.header(self.scope, name)

    def _peer(self) -> str:
        client: tuple[str, int] | None = self.scope.get("client")
        return client[0] if client else ""

    def _chunks(self) -> AsyncIterator[bytes]:
        return asgi.chunks(self.receive)


class RsgiCall(Call):
    __slots__ = ("connection", "headers", "scope")

    scope: rsgi.Scope
    headers: rsgi.Headers
    connection: rsgi.Connection

    def header(self, name: str) -> str | None:
        if name in asgi.LISTS:
            return asgi.joined(name, self.headers.get_all(name))
        return self.headers.get(name)

    def _peer(self) -> str:
        return rsgi.split_address(self.scope.client)[0]

    def _chunks(self) -> AsyncIterator[bytes]:
        return rsgi.chunks(self.scope, self.connection)

    async def _arrive(self) -> bytes:
        """A short body whose length was announced, and checked, is there at once."""
        length = self.headers.get("content-length")
        if length is None or int(length) > rsgi.AT_ONCE:
            return await super()._arrive()
        try:
            return await self.connection() if length != "0" else b""
        except ProtocolClosed:
            raise Malformed("The body ended early.") from None
