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
    """Runs before each fast handler, as Litestar's guards do in the wide lane."""

    async def admit(self, hot_request: Call, route: Route) -> None:
        """Sets the request's principal, or raises a refusal."""

    async def note(self, hot_request: Call, route: Route, refusal: Forbidden) -> None:
        """Audits a denial by the guard or a handler."""

    def is_known(self, hot_request: Call, route: Route) -> bool:
        """As `admit`, from this process's cache only. If it returns False, `admit` decides."""

    def counts(self, hot_request: Call) -> bool:
        """Counts the request against the caller's rate limit, in this process. If it returns False, `admit` decides."""


class Lane:
    """The application with both lanes, for our own server (`open`, `serve`, `close`) and as an ASGI application."""

    def __init__(self, wide: Litestar, middleware: Edge, guard: Guard | None = None) -> None:
        self.edge = middleware
        self._guard = guard
        self.wide = wide
        self.table = Table(wide, middleware.body_rules)
        self._wide_lane = WideLane(wide, middleware)
        self._mount = AsgiMount(self._wide_lane)

    def _is_foreign(self, header: Callable[[str], str | None]) -> bool:
        """A cross-origin request: served by Litestar, which implements CORS."""
        if self.wide.cors_config is None or (origin := header("origin")) is None:
            return False
        return not origin.endswith(f"://{header('host')}")

    async def _answer(self, match: Match, hot_request: Call, context: Visit) -> Answer | Reader:
        try:
            self.edge.admit(context, hot_request.query)
            if self._guard:
                await self._guard.admit(hot_request, match.route)
            await hot_request.check_length()
            return await match.route.handler(hot_request)
        except Exception as exc:
            if self._guard and isinstance(exc, Forbidden) and hot_request.principal:
                exc = await self._noted(hot_request, match.route, exc)
            return problems.answer(problems.said_as(match.route.opt.get("says", {}), exc))

    async def _noted(self, hot_request: Call, route: Route, refusal: Forbidden) -> Exception:
        assert self._guard
        try:
            await self._guard.note(hot_request, route, refusal)
        except Exception as exc:  # a denial that cannot be audited becomes this error (503)
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
        with self.edge.enter(method, path, asgi.header(scope, "x-request-id"), match.route.template) as context:
            hot_request = AsgiCall(match, context, scope, receive, self.wide.state)
            response = await self._answer(match, hot_request, context)
            if isinstance(response, Reader):
                await streams.AsgiStream(response, send).run(receive, _stream_begins(context))
                return
            context.status = response.status
            await asgi.send_answer(send, response, context.headers(dict(response.headers)))

    async def open(self) -> None:
        await self._mount.startup()
        settle()

    async def close(self) -> None:
        await self._mount.shutdown()

    def at_once(self, request: Request) -> bool:
        """Serves a request without a task, if it can: from memory, or by a batch. Returns False for anything unusual;
        `serve` then handles it, refusals included."""
        if request.query or self.edge.is_full or (match := self.table.find(request.method, request.path)) is None:
            return False
        route = match.route
        if (route.at_once is None and route.in_batch is None) or self._is_foreign(request.header):
            return False
        context = self.edge.enter(request.method, request.path, request.header("x-request-id"), route.template)
        hot_request = WireCall(match, context, request, self.wide.state)
        try:
            serve = self._join if route.in_batch else self._tell
            return serve(hot_request, route, request, context)
        except Exception:
            return False

    def _tell(self, hot_request: WireCall, route: Route, request: Request, context: Visit) -> bool:
        assert route.at_once
        if (response := route.at_once(hot_request)) is None:
            return False
        send(request, context, response)
        context.write_down()
        return True

    def _join(self, hot_request: WireCall, route: Route, request: Request, context: Visit) -> bool:
        guard = self._guard
        if guard is None or not guard.is_known(hot_request, route):
            return False
        assert route.in_batch
        assert hot_request.principal
        batch_request = route.in_batch(hot_request)
        if batch_request is None or not guard.counts(hot_request):
            return False
        self.edge.visits.add(context)
        about = {"request_id": context.request_id, "organization_id": hot_request.principal.organization_id}
        waiter = Reply(request, context, batch_request.tell, about)
        batch_request.batches.put(batch_request.key, batch_request.request, waiter, batch_request.apart)
        return True

    async def serve(self, request: Request) -> None:
        method, path = request.method, request.path
        match = self.table.find(method, path)
        if match is None or self._is_foreign(request.header):
            await self._mount.serve(request)
            return
        with self.edge.enter(method, path, request.header("x-request-id"), match.route.template) as context:
            response = await self._answer(match, WireCall(match, context, request, self.wide.state), context)
            if isinstance(response, Reader):
                await streams.send(response, request, encoded([*streams.HEADERS, *_stream_begins(context)]))
                return
            send(request, context, response)

    def end_streams(self) -> None:
        """Ends all streams at shutdown, because the server waits for its open connections."""
        if services := self.wide.state.get("services"):
            services.streams.close()


def _stream_begins(context: Visit) -> list[tuple[str, str]]:
    """A stream stops counting as in flight when it starts, because open streams do no work."""
    context.status = 200
    added = context.headers(dict(streams.HEADERS))
    context.leave()
    return added


def settle() -> None:
    """Excludes the objects made at start-up from garbage collection: they live as long as the process."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
