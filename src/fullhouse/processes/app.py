"""The API process: Litestar with the routes of all domains, the fast lane in front of it, one middleware for both."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from litestar import Litestar, Request, Response, Router
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.openapi import OpenAPIConfig
from litestar.types import Middleware as AsgiMiddleware

from fullhouse import VERSION, config, wiring
from fullhouse.accounts import platform_routes, policy, routes
from fullhouse.accounts.access import Access
from fullhouse.accounts.audit import routes as audit_routes
from fullhouse.accounts.sign_in import routes as sign_in_routes
from fullhouse.broker import routes as messaging_routes
from fullhouse.checkout import routes as checkout_routes
from fullhouse.checkout.orders import routes as order_routes
from fullhouse.config import Config
from fullhouse.events import platform_routes as events_platform_routes
from fullhouse.events import routes as events_routes
from fullhouse.events.images import routes as image_routes
from fullhouse.events.public import routes as public_routes
from fullhouse.events.venues import routes as venue_routes
from fullhouse.holds import routes as holds_routes
from fullhouse.holds.measures import routes as measure_routes
from fullhouse.kit.http.guard import FastGuard, guard
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.http.middleware import Middleware
from fullhouse.kit.http.wide_lane import WidePlugin
from fullhouse.kit.services import open_parts, open_services
from fullhouse.kit.telemetry import telemetry
from fullhouse.mail import routes as mail_routes
from fullhouse.payments import routes as payments_routes
from fullhouse.payments.ledger import routes as ledger_routes
from fullhouse.refunds import routes as refund_routes
from fullhouse.relocations import routes as move_routes
from fullhouse.reports import routes as report_routes
from fullhouse.reports.sales import routes as sales_routes
from fullhouse.scanning import routes as scanning_routes
from fullhouse.seating import platform_routes as seating_platform_routes
from fullhouse.seating import routes as seating_routes
from fullhouse.seating.maps import routes as map_routes
from fullhouse.seating.maps import stream_routes
from fullhouse.seating.overlay import routes as overlay_routes
from fullhouse.tickets import routes as tickets_routes
from fullhouse.tickets.types import routes as type_routes
from fullhouse.waiting_room import routes as queue_routes
from fullhouse.waitlist import routes as waitlist_routes
from fullhouse.web import calendars, feeds, health, rendering, sitemaps
from fullhouse.web.pages import accounts, console, embeds, events, orders, scanner, waiting_room, waitlist
from fullhouse.webhooks import routes as webhook_routes

HANDLERS = [
    *health.handlers,
    *rendering.handlers,
    *events.handlers,
    *accounts.handlers,
    *embeds.handlers,
    *orders.handlers,
    *waiting_room.handlers,
    *waitlist.handlers,
    *scanner.handlers,
    *console.handlers,
    *calendars.handlers,
    *feeds.handlers,
    *sitemaps.handlers,
    *sign_in_routes.handlers,
    *routes.handlers,
    *audit_routes.handlers,
    *platform_routes.handlers,
    *venue_routes.handlers,
    *events_routes.handlers,
    *events_platform_routes.handlers,
    *image_routes.handlers,
    *seating_routes.handlers,
    *overlay_routes.handlers,
    *map_routes.handlers,
    *seating_platform_routes.handlers,
    *queue_routes.handlers,
    *holds_routes.handlers,
    *measure_routes.handlers,
    *checkout_routes.handlers,
    *order_routes.handlers,
    *refund_routes.handlers,
    *waitlist_routes.handlers,
    *sales_routes.handlers,
    *report_routes.handlers,
    *payments_routes.handlers,
    *ledger_routes.handlers,
    *type_routes.handlers,
    *tickets_routes.handlers,
    *move_routes.handlers,
    *scanning_routes.handlers,
    *messaging_routes.handlers,
    *webhook_routes.handlers,
    *mail_routes.handlers,
    *public_routes.handlers,
    *stream_routes.handlers,
]


def create() -> LaneRouter:
    """The ASGI application; the server calls this in each process."""
    settings = config.load(os.environ)
    telemetry.configure_logs(settings.log_level, process="api")
    return build(settings)


def build(settings: Config) -> LaneRouter:
    edge = Middleware(hsts=settings.public_url.startswith("https:"), trusted_proxies=settings.trusted_proxies)
    trace = telemetry.open_tracing(settings.otlp_endpoint, service="fullhouse-api")
    middleware: list[AsgiMiddleware] = [trace.wrap] if trace else []
    wide = Litestar(
        route_handlers=HANDLERS,
        before_request=_answer_options,
        guards=[guard],
        exception_handlers=rendering.exception_handlers,
        lifespan=[_lifespan],
        state=State({"settings": settings}),
        on_shutdown=[trace.close] if trace else [],
        plugins=[WidePlugin(edge)],
        middleware=middleware,
        cors_config=_cors_config(settings),
        openapi_config=OpenAPIConfig("fullhouse", VERSION, openapi_router=_NoRoutes("/", route_handlers=[])),
    )
    _check_actions(wide)
    return LaneRouter(wide, edge, FastGuard())


async def _answer_options(request: Request[Any, Any, Any]) -> Response[None] | None:
    """Answers OPTIONS. Litestar itself would list the methods of a path's first handler only."""
    if request.method != "OPTIONS":
        return None
    allowed = {
        str(method)
        for route in request.app.routes
        if route.path_format == request.scope["path_template"]
        for method in getattr(route, "methods", ())
    }
    return Response(None, status_code=204, headers={"allow": ", ".join(sorted(allowed))})


class _NoRoutes(Router):
    """Replaces Litestar's documentation pages, which load from other hosts. Ours are in web/rendering.py."""

    def register(self, value: Any) -> list[Any]:
        return []


@asynccontextmanager
async def _lifespan(app: Litestar) -> AsyncIterator[None]:
    settings: Config = app.state.settings
    assert settings.database_url, "`serve` or the operator sets it"
    wiring.register_handlers(settings.public_url)
    async with open_services(
        url=settings.database_url,
        read_url=settings.database_read_url,
        redis_url=settings.redis_url,
        secret_key=config.load_secret_key(settings),
        files=wiring.file_storage(settings),
        public_url=settings.public_url,
        pool_size=settings.database_connections,
        quota_bytes=settings.pictures_mb * 2**20,
        private_webhooks=settings.webhooks_private,
    ) as services:
        app.state.services = services
        app.state.organization_of = wiring.find_organization_of
        app.state.authenticate = access = Access(services)
        try:
            async with open_parts(services, wiring.PARTS, wiring.part_settings(settings)):
                yield
        finally:
            await access.close()


def _cors_config(settings: Config) -> CORSConfig | None:
    """Off by default. Cookies are never allowed: pages of other sites use bearer tokens."""
    if not settings.cors_origins:
        return None
    return CORSConfig(
        allow_origins=list(settings.cors_origins),
        allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "X-Request-Id"],
        expose_headers=["X-Request-Id", "Retry-After", "Location"],
    )


def _check_actions(app: Litestar) -> None:
    """Deny by default: refuses to start with a route that is neither public nor has a known action."""
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            opt = handler.opt
            if (
                "OPTIONS" not in handler.http_methods
                and not opt.get("public")
                and opt.get("action") not in policy.ACTIONS
            ):
                raise LookupError(f"{route.path}: “{opt.get('action')}” is not an action in accounts/policy.py")
