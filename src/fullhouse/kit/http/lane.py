"""The fast lane: hot handlers in front of Litestar, in the same process, on both transports.

Its table is read from Litestar's routes that are marked `opt={"fast": handler}`: no fast route exists without
a documented twin, and whatever the table does not match exactly, the twin serves.
"""

import gc
import re
from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import Awaitable, Callable
from functools import lru_cache, partial

from litestar import Litestar
from litestar.routes import HTTPRoute

from fullhouse.kit.broadcast import Reader
from fullhouse.kit.errors import Forbidden
from fullhouse.kit.http import asgi, body, problems, rsgi, streams
from fullhouse.kit.http.answer import Answer as Answer
from fullhouse.kit.http.call import AsgiCall, Match, Route, RsgiCall
from fullhouse.kit.http.call import Call as Call
from fullhouse.kit.http.edge import Edge, Visit
from fullhouse.kit.http.wide import WideLane
from fullhouse.kit.ids import read_id

_UUID_LENGTH = 36
READ_OFTEN = 1024  # paths: what many read, they read at the same address
_UUID_PARAMETER = re.compile(r"/\{(\w+):uuid\}")


class Table:
    """Fast routes by method and path, with `{}` for every UUID: a request takes one look-up or two."""

    def __init__(self, app: Litestar, rules: body.Rules) -> None:
        self._routes: dict[tuple[str, str], Route] = {}
        for route in app.routes:
            for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
                if (fast := handler.opt.get("fast")) is None:
                    continue
                names, shape = _UUID_PARAMETER.findall(route.path), _UUID_PARAMETER.sub("/{}", route.path)
                if ":" in shape:
                    raise ValueError(f"{route.path}: a fast route takes no parameters but {{name:uuid}}.")
                entry = Route(fast, route.path_format, rules.amended(handler.opt), tuple(names), handler.opt)
                for method in handler.http_methods:
                    self._routes[str(method), shape] = entry
        self._read = lru_cache(READ_OFTEN)(partial(self._look_up, "GET"))

    def find(self, method: str, path: str) -> Match | None:
        return self._read(path) if method == "GET" else self._look_up(method, path)

    def _look_up(self, method: str, path: str) -> Match | None:
        parts = path.split("/")
        ids = [part for part in parts if len(part) == _UUID_LENGTH]
        route = self._routes.get((method, "/".join([part if len(part) != _UUID_LENGTH else "{}" for part in parts])))
        # A path may contain a literal `{}`: then the number of ids does not fit.
        if route is None or len(route.names) != len(ids):
            return None
        try:
            return Match(route, tuple([read_id(each) for each in ids]))
        except ValueError:  # as long as one, but none
            return None


Guard = Callable[[Call, Route], Awaitable[None]]
Note = Callable[[Call, Route, Forbidden], Awaitable[None]]


class Lane:
    """The whole application: both lanes, with an ASGI face and an RSGI face."""

    def __init__(self, wide: Litestar, edge: Edge, guard: Guard | None = None, note: Note | None = None) -> None:
        """`guard` is asked before each fast handler, as Litestar's guards are before theirs; `note` writes down whom a
        handler has refused."""
        self.edge = edge
        self._guard, self._note = guard, note
        self.wide = wide
        self.table = Table(wide, edge.body_rules)
        self._wide_lane = WideLane(wide, edge)
        self._mount = rsgi.AsgiMount(self._wide_lane)

    def _is_foreign(self, header: Callable[[str], str | None]) -> bool:
        """Another site's page asks, and some of them may read the answer: which, Litestar knows."""
        if self.wide.cors_config is None or (origin := header("origin")) is None:
            return False
        return not origin.endswith(f"://{header('host')}")

    async def _answer(self, match: Match, call: Call, visit: Visit) -> Answer | Reader:
        try:
            self.edge.admit(visit, call.query)
            if self._guard:
                await self._guard(call, match.route)
            await call.check_length()
            return await match.route.handler(call)
        except Exception as exc:
            if self._note and isinstance(exc, Forbidden) and call.principal:
                exc = await self._noted(call, match.route, exc)
            return problems.answer(exc)

    async def _noted(self, call: Call, route: Route, refusal: Forbidden) -> Exception:
        assert self._note
        try:
            await self._note(call, route, refusal)
        except Exception as exc:  # no denial without its row: then "try again" is the answer
            return exc
        return refusal

    async def __call__(self, scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
        if scope["type"] == "lifespan":
            await self._wide_lane(scope, receive, self._settling(send))
            return
        method, path = scope.get("method", ""), scope["path"]
        match = self.table.find(method, path) if scope["type"] == "http" else None
        if match is None or self._is_foreign(partial(asgi.header, scope)):
            await self._wide_lane(scope, receive, send)
            return
        with self.edge.enter(method, path, asgi.header(scope, "x-request-id"), match.route.template) as visit:
            call = AsgiCall(match, visit, scope, receive, self.wide.state)
            answer = await self._answer(match, call, visit)
            if isinstance(answer, Reader):
                await streams.AsgiStream(answer, send).run(receive, _stream_begins(visit))
                return
            visit.status = answer.status
            await asgi.send_answer(send, answer, visit.headers(dict(answer.headers)))

    def __rsgi_init__(self, loop: AbstractEventLoop) -> None:
        rsgi.die_with_parent()
        loop.run_until_complete(self._mount.startup())
        rsgi.on_stop(loop, self._end_streams)
        settle()

    def __rsgi_del__(self, loop: AbstractEventLoop) -> None:
        loop.run_until_complete(self._mount.shutdown())

    async def __rsgi__(self, scope: rsgi.Scope, connection: rsgi.Connection) -> None:
        if scope.proto != "http":
            connection.close(403)
            return
        method, path = scope.method, scope.path
        match = self.table.find(method, path)
        if match is None or self._is_foreign(scope.headers.get):
            await self._mount(scope, connection)
            return
        with self.edge.enter(method, path, scope.headers.get("x-request-id"), match.route.template) as visit:
            call = RsgiCall(match, visit, scope, connection, self.wide.state)
            answer = await self._answer(match, call, visit)
            if isinstance(answer, Reader):
                await streams.send_rsgi(answer, connection, _stream_begins(visit))
                return
            visit.status = answer.status
            dressed = answer.own_headers() + visit.headers(dict(answer.headers))
            if answer.body:
                connection.response_bytes(answer.status, dressed, answer.body)
            else:
                connection.response_empty(answer.status, dressed)

    def _end_streams(self) -> None:
        """A server waits for its open connections before it stops, and streams would let it wait."""
        if services := self.wide.state.get("services"):
            services.streams.close()

    def _settling(self, send: asgi.Send) -> asgi.Send:
        async def send_lifespan(message: asgi.Message) -> None:
            if message["type"] == "lifespan.startup.complete":
                rsgi.die_with_parent()
                rsgi.on_stop(get_running_loop(), self._end_streams)
                settle()
            await send(message)

        return send_lifespan


def _stream_begins(visit: Visit) -> list[tuple[str, str]]:
    """A stream gives its place back when it starts: a thousand readers do no work."""
    visit.status = 200
    added = visit.headers(dict(streams.HEADERS))
    visit.leave()
    return added


def settle() -> None:
    """What was made at the start lives for good: the collector need not look at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
