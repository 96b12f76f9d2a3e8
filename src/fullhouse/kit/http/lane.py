"""The fast lane: hot handlers in front of Litestar, in the same process, on both transports.

Its table is read from Litestar's routes that are marked `opt={"fast": handler}`: no fast route exists without
a documented twin, and whatever the table does not match exactly, the twin serves.
"""

import gc
import re
from abc import ABC, abstractmethod
from asyncio import AbstractEventLoop
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple
from uuid import UUID

from litestar import Litestar
from litestar.datastructures import State
from litestar.routes import HTTPRoute

from fullhouse.kit.http import asgi, body, problems, rsgi
from fullhouse.kit.http.answer import Answer as Answer
from fullhouse.kit.http.edge import Edge, Visit
from fullhouse.kit.http.wide import WideLane


class Call(ABC):
    """A request, as much of it as a fast handler may see."""

    __slots__ = ("_body", "_edge", "_peer", "_rules", "method", "params", "path", "query", "request_id", "state")

    def __init__(self, lane: "Lane", match: "Match", visit: Visit, query: str, peer: str) -> None:
        self._edge = lane.edge
        self._rules = match.route.rules
        self._peer = peer
        self._body: bytes | None = None
        self.method = visit.method
        self.path = visit.path
        self.params: tuple[UUID, ...] = match.params
        """The ids in the path, in order."""
        self.query = query
        """As it was sent, percent-encoded."""
        self.request_id = visit.request_id
        self.state: State = lane.wide.state
        """Litestar's `app.state`: what the lifespan has opened."""

    @abstractmethod
    def header(self, name: str) -> str | None:
        """A header's value, by its name in lower case."""

    @abstractmethod
    def _chunks(self) -> AsyncIterator[bytes]: ...

    @property
    def client_ip(self) -> str:
        return self._edge.client_ip(self._peer, self.header("x-forwarded-for"))

    async def check_length(self) -> None:
        """The lane asks this before it calls the handler, which may not read the body at all."""
        await body.check_length(self.header("content-length"), self._rules.limit, self._chunks)

    async def read(self) -> bytes:
        """The body: within the limit, of an accepted type, checked, but not yet decoded."""
        if self._body is None:
            self._body = await body.collect(self._chunks(), self.header("content-type"), self._rules)
        return self._body


Handler = Callable[[Call], Awaitable[Answer]]


class Route(NamedTuple):
    handler: Handler
    template: str
    rules: body.Rules
    ids: int


class Match(NamedTuple):
    route: Route
    params: tuple[UUID, ...]


_UUID_SEGMENT = re.compile(r"/([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})(?=/|$)")
_UUID_PARAMETER = re.compile(r"/\{\w+:uuid\}")


class Table:
    """Fast routes by method and path, with `{}` for every UUID: a request takes one look-up or two."""

    def __init__(self, app: Litestar, rules: body.Rules) -> None:
        self._routes: dict[tuple[str, str], Route] = {}
        for route in app.routes:
            for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
                if (fast := handler.opt.get("fast")) is None:
                    continue
                shape, ids = _UUID_PARAMETER.subn("/{}", route.path)
                if ":" in shape:
                    raise ValueError(f"{route.path}: a fast route takes no parameters but {{name:uuid}}.")
                entry = Route(fast, route.path_format, rules.amended(handler.opt), ids)
                for method in handler.http_methods:
                    self._routes[str(method), shape] = entry

    def find(self, method: str, path: str) -> Match | None:
        parts = _UUID_SEGMENT.split(path)  # text, id, text, id, text
        ids = parts[1::2]
        route = self._routes.get((method, "/{}".join(parts[::2])))
        # A path may contain a literal `{}`: then the number of ids does not fit.
        if route is None or route.ids != len(ids):
            return None
        return Match(route, tuple(map(UUID, ids)))


class Lane:
    """The whole application: both lanes, with an ASGI face and an RSGI face."""

    def __init__(self, wide: Litestar, edge: Edge) -> None:
        self.edge = edge
        self.wide = wide
        self.table = Table(wide, edge.body_rules)
        self._wide_lane = WideLane(wide, edge)
        self._mount = rsgi.AsgiMount(self._wide_lane)

    async def _answer(self, match: Match, call: Call, visit: Visit) -> Answer:
        try:
            self.edge.admit(visit, call.query)
            await call.check_length()
            return await match.route.handler(call)
        except Exception as exc:
            return problems.answer(exc)

    async def __call__(self, scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
        if scope["type"] == "lifespan":
            await self._wide_lane(scope, receive, _settling(send))
        elif scope["type"] != "http" or not (match := self.table.find(scope["method"], scope["path"])):
            await self._wide_lane(scope, receive, send)
        else:
            offered_id = asgi.header(scope, "x-request-id")
            with self.edge.enter(scope["method"], scope["path"], offered_id, match.route.template) as visit:
                answer = await self._answer(match, AsgiCall(self, match, visit, scope, receive), visit)
                visit.status = answer.status
                await asgi.send_answer(send, answer, visit.headers(dict(answer.headers)))

    def __rsgi_init__(self, loop: AbstractEventLoop) -> None:
        rsgi.die_with_parent()
        loop.run_until_complete(self._mount.startup())
        settle()

    def __rsgi_del__(self, loop: AbstractEventLoop) -> None:
        loop.run_until_complete(self._mount.shutdown())

    async def __rsgi__(self, scope: rsgi.Scope, connection: rsgi.Connection) -> None:
        if scope.proto != "http":
            connection.close(403)
        elif not (match := self.table.find(scope.method, scope.path)):
            await self._mount(scope, connection)
        else:
            offered_id = scope.headers.get("x-request-id")
            with self.edge.enter(scope.method, scope.path, offered_id, match.route.template) as visit:
                answer = await self._answer(match, RsgiCall(self, match, visit, scope, connection), visit)
                visit.status = answer.status
                _respond(connection, answer, visit)


class AsgiCall(Call):
    __slots__ = ("_receive", "_scope")

    def __init__(self, lane: Lane, match: Match, visit: Visit, scope: asgi.Scope, receive: asgi.Receive) -> None:
        peer = scope.get("client") or ("", 0)
        super().__init__(lane, match, visit, asgi.query(scope), peer[0])
        self._scope = scope
        self._receive = receive

    def header(self, name: str) -> str | None:
        return asgi.header(self._scope, name)

    def _chunks(self) -> AsyncIterator[bytes]:
        return asgi.chunks(self._receive)


class RsgiCall(Call):
    __slots__ = ("_connection", "_scope")

    def __init__(self, lane: Lane, match: Match, visit: Visit, scope: rsgi.Scope, connection: rsgi.Connection) -> None:
        super().__init__(lane, match, visit, scope.query_string, rsgi.split_address(scope.client)[0])
        self._scope = scope
        self._connection = connection

    def header(self, name: str) -> str | None:
        return asgi.joined(name, self._scope.headers.get_all(name))

    def _chunks(self) -> AsyncIterator[bytes]:
        return rsgi.chunks(self._scope, self._connection)


def _respond(connection: rsgi.Connection, answer: Answer, visit: Visit) -> None:
    headers = answer.own_headers() + visit.headers(dict(answer.headers))
    if answer.body:
        connection.response_bytes(answer.status, headers, answer.body)
    else:
        connection.response_empty(answer.status, headers)


def settle() -> None:
    """What was made at the start lives for good: the collector need not look at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _settling(send: asgi.Send) -> asgi.Send:
    async def send_lifespan(message: asgi.Message) -> None:
        if message["type"] == "lifespan.startup.complete":
            rsgi.die_with_parent()
            settle()
        await send(message)

    return send_lifespan
