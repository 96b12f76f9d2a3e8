"""The wide lane: Litestar behind the same middleware as the fast lane.

`WidePlugin` configures Litestar (bodies, problems, documentation); `WideLane` wraps it as ASGI middleware (request id,
concurrency limit, headers, log).
"""

import re
from functools import cache, partial
from typing import Any

import msgspec
from litestar import Litestar, Request
from litestar.config.app import AppConfig
from litestar.handlers import BaseRouteHandler
from litestar.plugins import InitPlugin
from litestar.routes import HTTPRoute

from fullhouse.kit.errors import FieldError, Refusal
from fullhouse.kit.http import asgi, body, problems
from fullhouse.kit.http.decode import decode
from fullhouse.kit.http.middleware import Middleware, RequestContext, log
from fullhouse.kit.http.openapi import StructSchemas, is_body_optional
from fullhouse.kit.http.request import ClientGone
from fullhouse.kit.http.timeouts import Timeouts

_ID = re.compile(r"\{(\w+):uuid\}")
# A UUID's usual text form. Python also accepts braces, URNs, and hyphens in any position.
_UUID_TEXT = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32}")


class StrictRequest(Request[Any, Any, Any]):
    """Decodes a body by the handler's own type, at once and strictly.

    Litestar decodes to plain values first and then converts them leniently: it would accept `"3"` as 3.
    """

    async def json(self) -> Any:
        return decode(_decoder(self.route_handler), await self.body())

    async def body(self) -> bytes:
        """An empty body counts as `{}` where the body is optional: `POST …/cancel` without a reason."""
        return await super().body() or (b"{}" if is_body_optional(self.route_handler) else b"")


@cache
def _decoder(handler: BaseRouteHandler) -> msgspec.json.Decoder[Any]:
    data = handler.parsed_data_field
    return msgspec.json.Decoder(Any if data is None else data.annotation)


class WidePlugin(InitPlugin, StructSchemas):
    """Makes a Litestar application respond as the fast lane does."""

    def __init__(self, middleware: Middleware) -> None:
        self._rules = middleware.body_rules
        self._body_timeouts = middleware.body_timeouts

    def on_app_init(self, app_config: AppConfig) -> AppConfig:
        app_config.exception_handlers = {**problems.exception_handlers, **app_config.exception_handlers}
        app_config.middleware.insert(0, self._guard_bodies)
        app_config.request_class = StrictRequest
        app_config.logging_config = None  # errors are logged by `problems`, once
        return app_config

    def _guard_bodies(self, app: Any) -> Any:
        """A Litestar middleware: it runs after routing, because a route may set its own rules."""

        async def guarded(scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
            if scope["type"] == "http":
                rules = self._rules.with_options(scope["route_handler"].opt)
                if announced := asgi.header(scope, "content-length"):
                    await body.check_length(announced, rules.limit, partial(asgi.chunks, receive))
                receive = _receive_checked_body(receive, asgi.header(scope, "content-type"), rules, self._body_timeouts)
            await app(scope, receive, send)

        return guarded


def _receive_checked_body(
    receive: asgi.Receive, content_type: str | None, rules: body.BodyRules, patience: Timeouts
) -> asgi.Receive:
    """Receives the body in one piece, when first read: after the guards, so unauthenticated clients send little."""
    unread = True

    async def receive_whole() -> asgi.Message:
        nonlocal unread
        if not unread:
            return await receive()
        unread = False
        with patience.wait():
            whole = await body.read_body(asgi.chunks(receive), rules.limit)
        body.check_body(content_type, whole, rules)
        return {"type": "http.request", "body": whole, "more_body": False}

    return receive_whole


class WideLane:
    """The Litestar application with the middleware around it."""

    def __init__(self, app: Litestar, middleware: Middleware) -> None:
        self.app: Any = app
        self.middleware = middleware
        self._bad_paths = PathIdCheck(app)

    async def __call__(self, scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with self.middleware.enter(scope["method"], scope["path"], asgi.header(scope, "x-request-id")) as context:
            response = _ResponseSender(context, scope, send)
            try:
                scope.setdefault("state", {})["request_id"] = context.request_id
                app = self._app_or_refusal(context, scope)
                self._resolve_client(scope)
                await app(scope, receive, response.send)
            except Exception as exc:
                if not response.started:
                    await asgi.send_response(response.send, problems.to_response(exc))
                elif not _is_client_disconnect(exc):
                    # Part of the response is sent: the server aborts the connection.
                    log.exception("http.response_aborted")
                    raise

    def _app_or_refusal(self, context: RequestContext, scope: asgi.Scope) -> Any:
        """The application; or, at capacity or for an invalid path, an application that responds with the refusal."""
        try:
            self.middleware.check_admission(context, asgi.query(scope))
            self._bad_paths.check(scope["method"], scope["path"])
        except Refusal as refusal:
            request: Request[Any, Any, Any] = Request(scope)  # type: ignore[arg-type]
            return self.app.exception_handlers[Exception](request, refusal).to_asgi_response(None, request)
        return self.app

    def _resolve_client(self, scope: asgi.Scope) -> None:
        if self.middleware.trusted_proxies and scope.get("client"):
            peer, port = scope["client"]
            ip = self.middleware.client_ip(peer, asgi.header(scope, "x-forwarded-for"))
            scope["client"] = (ip, port if ip == peer else 0)


class PathIdCheck:
    """Routes with their own refusal of an invalid id in the path (`bad_path`); elsewhere that is a 404."""

    def __init__(self, app: Litestar) -> None:
        self._known = [
            (str(method), re.compile(_ID.sub(r"(?P<\1>[^/]*)", route.path) + "/?"), handler.opt["bad_path"])
            for route in app.routes
            if isinstance(route, HTTPRoute)
            for handler in route.route_handlers
            if handler.opt.get("bad_path")
            for method in handler.http_methods
        ]

    def check(self, method: str, path: str) -> None:
        for known, pattern, refusal in self._known:
            if method == known and (ids := pattern.fullmatch(path)):
                invalid = [
                    FieldError(name, "Not a valid id.")
                    for name, text in ids.groupdict().items()
                    if not _UUID_TEXT.fullmatch(text)
                ]
                if invalid:
                    raise refusal(fields=invalid)


class _ResponseSender:
    """Adds the middleware's headers to a response."""

    def __init__(self, context: RequestContext, scope: asgi.Scope, send: asgi.Send) -> None:
        self._context = context
        self._scope = scope
        self._send = send
        self.started = False

    async def send(self, message: asgi.Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            self._context.status = message["status"]
            self._context.route = self._scope.get("path_template")
            given = list(message.get("headers", ()))
            own = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in given}
            added = self._context.added_headers(own)
            given += [(name.encode("latin-1"), value.encode("latin-1")) for name, value in added]
            message = {**message, "headers": given}
        else:
            # A stream stops counting as in flight when it starts, because open streams do no work.
            self._context.finish()
        await self._send(message)


def _is_client_disconnect(exc: BaseException | None) -> bool:
    """Whether the cause is a client disconnect, which is not logged. The framework wraps what `send` raised."""
    if isinstance(exc, BaseExceptionGroup):
        return all(_is_client_disconnect(inner) for inner in exc.exceptions)
    return exc is not None and (isinstance(exc, ClientGone) or _is_client_disconnect(exc.__cause__))
