"""The fast lane: hot handlers in front of Litestar, in the same process, on our own server and by ASGI."""

import gc
from collections.abc import Callable
from functools import partial
from typing import Protocol

from litestar import Litestar

from fullhouse.kit.errors import Forbidden
from fullhouse.kit.http import asgi, problems, streams
from fullhouse.kit.http.batch_reply import BatchReply, send_response
from fullhouse.kit.http.hot_request import AsgiHotRequest, FastRoute, RouteMatch, ServerHotRequest
from fullhouse.kit.http.hot_request import HotRequest as HotRequest
from fullhouse.kit.http.middleware import Middleware, RequestContext
from fullhouse.kit.http.mount import AsgiMount
from fullhouse.kit.http.request import Request, encode_headers
from fullhouse.kit.http.response import Response as Response
from fullhouse.kit.http.route_table import RouteTable
from fullhouse.kit.http.wide_lane import WideLane
from fullhouse.kit.live.broadcast import Reader


class FastLaneGuard(Protocol):
    """Runs before each fast handler, as Litestar's guards do in the wide lane."""

    async def admit(self, hot_request: HotRequest, route: FastRoute) -> None:
        """Sets the request's principal, or raises a refusal."""

    async def record_denial(self, hot_request: HotRequest, route: FastRoute, refusal: Forbidden) -> None:
        """Audits a denial by the guard or a handler."""

    def is_known(self, hot_request: HotRequest, route: FastRoute) -> bool:
        """As `admit`, from this process's cache only. If it returns False, `admit` decides."""

    def passes_rate_limit(self, hot_request: HotRequest) -> bool:
        """Counts the request against the caller's rate limit, in this process. If it returns False, `admit` decides."""


class LaneRouter:
    """The application with both lanes, for our own server (`open`, `serve`, `close`) and as an ASGI application."""

    def __init__(self, wide: Litestar, middleware: Middleware, guard: FastLaneGuard | None = None) -> None:
        self.middleware = middleware
        self._guard = guard
        self.wide = wide
        self.table = RouteTable(wide, middleware.body_rules)
        self._wide_lane = WideLane(wide, middleware)
        self._mount = AsgiMount(self._wide_lane)

    def _is_cross_origin(self, header: Callable[[str], str | None]) -> bool:
        """A cross-origin request: served by Litestar, which implements CORS."""
        if self.wide.cors_config is None or (origin := header("origin")) is None:
            return False
        return not origin.endswith(f"://{header('host')}")

    async def _respond(self, match: RouteMatch, hot_request: HotRequest, context: RequestContext) -> Response | Reader:
        try:
            self.middleware.check_admission(context, hot_request.query)
            if self._guard:
                await self._guard.admit(hot_request, match.route)
            await hot_request.check_length()
            return await match.route.handler(hot_request)
        except Exception as exc:
            if self._guard and isinstance(exc, Forbidden) and hot_request.principal:
                exc = await self._record_denial(hot_request, match.route, exc)
            return problems.to_response(problems.replace_refusal(match.route.opt.get("says", {}), exc))

    async def _record_denial(self, hot_request: HotRequest, route: FastRoute, refusal: Forbidden) -> Exception:
        assert self._guard
        try:
            await self._guard.record_denial(hot_request, route, refusal)
        except Exception as exc:  # a denial that cannot be audited becomes this error (503)
            return exc
        return refusal

    async def __call__(self, scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
        if scope["type"] == "lifespan":
            await self._wide_lane(scope, receive, send)
            return
        method, path = scope.get("method", ""), scope["path"]
        match = self.table.find(method, path) if scope["type"] == "http" else None
        if match is None or self._is_cross_origin(partial(asgi.header, scope)):
            await self._wide_lane(scope, receive, send)
            return
        with self.middleware.enter(method, path, asgi.header(scope, "x-request-id"), match.route.template) as context:
            hot_request = AsgiHotRequest(match, context, scope, receive, self.wide.state)
            response = await self._respond(match, hot_request, context)
            if isinstance(response, Reader):
                await streams.AsgiStream(response, send).run(receive, _start_stream(context))
                return
            context.status = response.status
            await asgi.send_response(send, response, context.added_headers(dict(response.headers)))

    async def open(self) -> None:
        await self._mount.startup()
        freeze_gc()

    async def close(self) -> None:
        await self._mount.shutdown()

    def at_once(self, request: Request) -> bool:
        """Serves a request without a task, if it can: from memory, or by a batch. Returns False for anything unusual;
        `serve` then handles it, refusals included."""
        if request.query or self.middleware.is_full or (match := self.table.find(request.method, request.path)) is None:
            return False
        route = match.route
        if (route.at_once is None and route.in_batch is None) or self._is_cross_origin(request.header):
            return False
        context = self.middleware.enter(request.method, request.path, request.header("x-request-id"), route.template)
        hot_request = ServerHotRequest(match, context, request, self.wide.state)
        try:
            serve = self._join_batch if route.in_batch else self._respond_immediately
            return serve(hot_request, route, request, context)
        except Exception:
            return False

    def _respond_immediately(
        self, hot_request: ServerHotRequest, route: FastRoute, request: Request, context: RequestContext
    ) -> bool:
        assert route.at_once
        if (response := route.at_once(hot_request)) is None:
            return False
        send_response(request, context, response)
        context.record()
        return True

    def _join_batch(
        self, hot_request: ServerHotRequest, route: FastRoute, request: Request, context: RequestContext
    ) -> bool:
        guard = self._guard
        if guard is None or not guard.is_known(hot_request, route):
            return False
        assert route.in_batch
        assert hot_request.principal
        batch_request = route.in_batch(hot_request)
        if batch_request is None or not guard.passes_rate_limit(hot_request):
            return False
        self.middleware.in_flight_requests.add(context)
        about = {"request_id": context.request_id, "organization_id": hot_request.principal.organization_id}
        waiter = BatchReply(request, context, batch_request.to_response, about)
        batch_request.batcher.put(batch_request.key, batch_request.request, waiter, batch_request.conflict_keys)
        return True

    async def serve(self, request: Request) -> None:
        method, path = request.method, request.path
        match = self.table.find(method, path)
        if match is None or self._is_cross_origin(request.header):
            await self._mount.serve(request)
            return
        with self.middleware.enter(method, path, request.header("x-request-id"), match.route.template) as context:
            response = await self._respond(match, ServerHotRequest(match, context, request, self.wide.state), context)
            if isinstance(response, Reader):
                await streams.send_stream(
                    response, request, encode_headers([*streams.HEADERS, *_start_stream(context)])
                )
                return
            send_response(request, context, response)

    def end_streams(self) -> None:
        """Ends all streams at shutdown, because the server waits for its open connections."""
        if services := self.wide.state.get("services"):
            services.streams.close()


def _start_stream(context: RequestContext) -> list[tuple[str, str]]:
    """A stream stops counting as in flight when it starts, because open streams do no work."""
    context.status = 200
    added = context.added_headers(dict(streams.HEADERS))
    context.finish()
    return added


def freeze_gc() -> None:
    """Excludes the objects made at start-up from garbage collection: they live as long as the process."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
