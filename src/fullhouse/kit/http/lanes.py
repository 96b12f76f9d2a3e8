"""The fast lane: hot handlers in front of Litestar, in the same process, on our own server and by ASGI."""

import gc
from collections.abc import Callable
from functools import partial
from typing import Protocol

from litestar import Litestar

from fullhouse.kit import tasks
from fullhouse.kit.errors import Forbidden
from fullhouse.kit.http import asgi, problems, streams
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

    async def serve(self, request: Request) -> None:
        method, path = request.method, request.path
        match = self.table.find(method, path)
        if match is None or self._is_cross_origin(request.header):
            await tasks.enter_task()
            await self._mount.serve(request)
            return
        with self.middleware.enter(method, path, request.header("x-request-id"), match.route.template) as context:
            response = await self._respond(match, ServerHotRequest(match, context, request, self.wide.state), context)
            if isinstance(response, Reader):
                await streams.send_stream(
                    response, request, encode_headers([*streams.HEADERS, *_start_stream(context)])
                )
                return
            context.status = response.status
            head = context.render_head(response.headers, response.content_type if response.body else None)
            request.respond(response.status, head, response.body)

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
