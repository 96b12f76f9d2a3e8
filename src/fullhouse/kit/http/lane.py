"""The fast lane: hot handlers in front of Litestar, in the same process, on our own server and by ASGI."""

import gc
from collections.abc import Callable
from functools import partial
from typing import Protocol

from litestar import Litestar

from fullhouse.kit.errors import Forbidden
from fullhouse.kit.http import asgi, problems, streams
from fullhouse.kit.http.answer import Answer as Answer
from fullhouse.kit.http.call import AsgiCall, Match, Route, WireCall
from fullhouse.kit.http.call import Call as Call
from fullhouse.kit.http.edge import Edge, Visit
from fullhouse.kit.http.mount import AsgiMount
from fullhouse.kit.http.reply import Reply, send
from fullhouse.kit.http.request import Request, encoded
from fullhouse.kit.http.table import Table
from fullhouse.kit.http.wide import WideLane
from fullhouse.kit.live.broadcast import Reader


class Guard(Protocol):
    """Who is asked before each fast handler, as Litestar's guards are before theirs."""

    async def admit(self, call: Call, route: Route) -> None:
        """The caller is the call's principal then; or it raises why not."""

    async def note(self, call: Call, route: Route, refusal: Forbidden) -> None:
        """Writes down that the guard or a handler said no."""

    def is_known(self, call: Call, route: Route) -> bool:
        """The same as `admit` as far as nobody must be asked. Where it says no, `admit` decides."""

    def counts(self, call: Call) -> bool:
        """Whoever is known does not come too often, and this time is counted. The same goes for its no."""


class Lane:
    """The whole application: both lanes, for our own server (`open`, `serve`, `close`) and as an ASGI application."""

    def __init__(self, wide: Litestar, edge: Edge, guard: Guard | None = None) -> None:
        self.edge = edge
        self._guard = guard
        self.wide = wide
        self.table = Table(wide, edge.body_rules)
        self._wide_lane = WideLane(wide, edge)
        self._mount = AsgiMount(self._wide_lane)

    def _is_foreign(self, header: Callable[[str], str | None]) -> bool:
        """Another site's page asks, and some of them may read the answer: which, Litestar knows."""
        if self.wide.cors_config is None or (origin := header("origin")) is None:
            return False
        return not origin.endswith(f"://{header('host')}")

    async def _answer(self, match: Match, call: Call, visit: Visit) -> Answer | Reader:
        try:
            self.edge.admit(visit, call.query)
            if self._guard:
                await self._guard.admit(call, match.route)
            await call.check_length()
            return await match.route.handler(call)
        except Exception as exc:
            if self._guard and isinstance(exc, Forbidden) and call.principal:
                exc = await self._noted(call, match.route, exc)
            return problems.answer(problems.said_as(match.route.opt.get("says", {}), exc))

    async def _noted(self, call: Call, route: Route, refusal: Forbidden) -> Exception:
        assert self._guard
        try:
            await self._guard.note(call, route, refusal)
        except Exception as exc:  # no denial without its row: then "try again" is the answer
            return exc
        return refusal

    async def __call__(self, scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
        if scope["type"] == "lifespan":
            await self._wide_lane(scope, receive, send)
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

    async def open(self) -> None:
        await self._mount.startup()
        settle()

    async def close(self) -> None:
        await self._mount.shutdown()

    def at_once(self, request: Request) -> bool:
        """Takes what needs no task: what is in memory, and what a batch will answer. Whatever is unusual about it takes
        the long way, and is refused there."""
        if request.query or self.edge.is_full or (match := self.table.find(request.method, request.path)) is None:
            return False
        route = match.route
        if (route.at_once is None and route.in_batch is None) or self._is_foreign(request.header):
            return False
        visit = self.edge.enter(request.method, request.path, request.header("x-request-id"), route.template)
        call = WireCall(match, visit, request, self.wide.state)
        try:
            return (
                self._join(call, route, request, visit) if route.in_batch else self._tell(call, route, request, visit)
            )
        except Exception:
            return False

    def _tell(self, call: WireCall, route: Route, request: Request, visit: Visit) -> bool:
        assert route.at_once
        if (answer := route.at_once(call)) is None:
            return False
        send(request, visit, answer)
        visit.write_down()
        return True

    def _join(self, call: WireCall, route: Route, request: Request, visit: Visit) -> bool:
        guard = self._guard
        if guard is None or not guard.is_known(call, route):
            return False
        assert route.in_batch
        assert call.principal
        errand = route.in_batch(call)
        if errand is None or not guard.counts(call):
            return False
        self.edge.visits.add(visit)
        about = {"request_id": visit.request_id, "organization_id": call.principal.organization_id}
        errand.batches.put(errand.key, errand.request, Reply(request, visit, errand.tell, about), errand.apart)
        return True

    async def serve(self, request: Request) -> None:
        method, path = request.method, request.path
        match = self.table.find(method, path)
        if match is None or self._is_foreign(request.header):
            await self._mount.serve(request)
            return
        with self.edge.enter(method, path, request.header("x-request-id"), match.route.template) as visit:
            answer = await self._answer(match, WireCall(match, visit, request, self.wide.state), visit)
            if isinstance(answer, Reader):
                await streams.send(answer, request, encoded([*streams.HEADERS, *_stream_begins(visit)]))
                return
            send(request, visit, answer)

    def end_streams(self) -> None:
        """A server waits for its open connections before it stops, and streams would let it wait."""
        if services := self.wide.state.get("services"):
            services.streams.close()


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
