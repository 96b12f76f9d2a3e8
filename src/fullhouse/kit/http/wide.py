"""The wide lane: Litestar behind the same door as the fast lane.

`WidePlugin` sets Litestar up from the inside (bodies, problems, documentation); `WideLane` wraps it from the
outside (request id, back-pressure, headers, log).
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
from fullhouse.kit.http.edge import Edge, Visit, log
from fullhouse.kit.http.openapi import StructSchemas, needs_nothing
from fullhouse.kit.http.patience import Patience
from fullhouse.kit.http.request import ClientGone

_ID = re.compile(r"\{(\w+):uuid\}")
# An id as it is written. Python takes one in braces, as a URN, and with hyphens wherever they stand.
_WRITTEN = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32}")


class StrictRequest(Request[Any, Any, Any]):
    """Decodes a body by the handler's own type, at once and strictly.

    Litestar decodes to plain values first and then converts them leniently: `"3"` would pass for 3.
    """

    async def json(self) -> Any:
        return decode(_decoder(self.route_handler), await self.body())

    async def body(self) -> bytes:
        """Nothing is `{}` to an order that needs nothing said: `POST …/cancel` without a reason."""
        return await super().body() or (b"{}" if needs_nothing(self.route_handler) else b"")


@cache
def _decoder(handler: BaseRouteHandler) -> msgspec.json.Decoder[Any]:
    data = handler.parsed_data_field
    return msgspec.json.Decoder(Any if data is None else data.annotation)


class WidePlugin(InitPlugin, StructSchemas):
    """Everything that a Litestar application needs to answer like the fast lane does."""

    def __init__(self, edge: Edge) -> None:
        self._rules = edge.body_rules
        self._patience = edge.patience

    def on_app_init(self, app_config: AppConfig) -> AppConfig:
        app_config.exception_handlers = {**problems.exception_handlers, **app_config.exception_handlers}
        app_config.middleware.insert(0, self._guard_bodies)
        app_config.request_class = StrictRequest
        app_config.logging_config = None  # what goes wrong is logged by `problems`, once
        return app_config

    def _guard_bodies(self, app: Any) -> Any:
        """A middleware: it runs where the route is already known, because a route may set its own rules."""

        async def guarded(scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
            if scope["type"] == "http":
                rules = self._rules.amended(scope["route_handler"].opt)
                if announced := asgi.header(scope, "content-length"):
                    await body.check_length(announced, rules.limit, partial(asgi.chunks, receive))
                receive = _checked(receive, asgi.header(scope, "content-type"), rules, self._patience)
            await app(scope, receive, send)

        return guarded


def _checked(receive: asgi.Receive, content_type: str | None, rules: body.Rules, patience: Patience) -> asgi.Receive:
    """Hand the body over in one piece, when it is asked for: after the guards, so that strangers send little."""
    unread = True

    async def receive_whole() -> asgi.Message:
        nonlocal unread
        if not unread:
            return await receive()
        unread = False
        with patience.wait():
            whole = await body.gather(asgi.chunks(receive), rules.limit)
        body.check(content_type, whole, rules)
        return {"type": "http.request", "body": whole, "more_body": False}

    return receive_whole


class WideLane:
    """The application with the door around it."""

    def __init__(self, app: Litestar, edge: Edge) -> None:
        self.app: Any = app
        self.edge = edge
        self._bad_paths = BadPaths(app)

    async def __call__(self, scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with self.edge.enter(scope["method"], scope["path"], asgi.header(scope, "x-request-id")) as visit:
            door = _Door(visit, scope, send)
            try:
                scope.setdefault("state", {})["request_id"] = visit.request_id
                program = self._let_in(visit, scope)
                self._resolve_client(scope)
                await program(scope, receive, door.send)
            except Exception as exc:
                if not door.open:
                    await asgi.send_answer(door.send, problems.answer(exc))
                elif not _hung_up(exc):
                    # Half of the answer is out: all that is left is to break off, and the server does that.
                    log.exception("answer broken off")
                    raise

    def _let_in(self, visit: Visit, scope: asgi.Scope) -> Any:
        """The application; or, where the house is full or the path is none, its own way to say so."""
        try:
            self.edge.admit(visit, asgi.query(scope))
            self._bad_paths.check(scope["method"], scope["path"])
        except Refusal as refusal:
            request: Request[Any, Any, Any] = Request(scope)  # type: ignore[arg-type]
            return self.app.exception_handlers[Exception](request, refusal).to_asgi_response(None, request)
        return self.app

    def _resolve_client(self, scope: asgi.Scope) -> None:
        if self.edge.trusted_proxies and scope.get("client"):
            peer, port = scope["client"]
            ip = self.edge.client_ip(peer, asgi.header(scope, "x-forwarded-for"))
            scope["client"] = (ip, port if ip == peer else 0)


class BadPaths:
    """Routes that refuse an id in their path which is none (`bad_path`): elsewhere there is no such page."""

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
                wrong = [
                    FieldError(name, "Not a valid id.")
                    for name, text in ids.groupdict().items()
                    if not _WRITTEN.fullmatch(text)
                ]
                if wrong:
                    raise refusal(fields=wrong)


class _Door:
    """Dresses the answer on its way out."""

    def __init__(self, visit: Visit, scope: asgi.Scope, send: asgi.Send) -> None:
        self._visit = visit
        self._scope = scope
        self._send = send
        self.open = False

    async def send(self, message: asgi.Message) -> None:
        if message["type"] == "http.response.start":
            self.open = True
            self._visit.status = message["status"]
            self._visit.route = self._scope.get("path_template")
            given = list(message.get("headers", ()))
            own = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in given}
            added = self._visit.headers(own)
            given += [(name.encode("latin-1"), value.encode("latin-1")) for name, value in added]
            message = {**message, "headers": given}
        else:
            # A stream gives its place back when it starts: a thousand listeners do no work.
            self._visit.leave()
        await self._send(message)


def _hung_up(exc: BaseException | None) -> bool:
    """The framework wraps what `send` raised; nobody needs to hear that a browser was closed."""
    if isinstance(exc, BaseExceptionGroup):
        return all(_hung_up(inner) for inner in exc.exceptions)
    return exc is not None and (isinstance(exc, ClientGone) or _hung_up(exc.__cause__))
