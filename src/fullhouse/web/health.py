"""Liveness, readiness and metrics."""

import ipaddress
from typing import Any

import msgspec
from litestar import MediaType, Request, get
from litestar import Response as LitestarResponse
from litestar.datastructures import State

from fullhouse import VERSION
from fullhouse.kit.db import migrate
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http.lanes import HotRequest
from fullhouse.kit.http.response import Response
from fullhouse.kit.services import Services
from fullhouse.kit.telemetry import telemetry

_ALIVE = msgspec.json.encode({"data": {"status": "alive", "version": VERSION}})


class Health(msgspec.Struct, frozen=True):
    status: str
    checks: dict[str, str]


async def live_fast(_call: HotRequest) -> Response:
    return Response(200, _ALIVE)


@get("/health/live", opt={"public": True, "fast": live_fast}, operation_id="health_live")
async def live() -> LitestarResponse[dict[str, Any]]:
    """The process responds."""
    return LitestarResponse(_ALIVE, media_type=MediaType.JSON)  # type: ignore[arg-type]


@get("/health/ready", opt={"public": True}, operation_id="health_ready")
async def ready(state: State) -> LitestarResponse[dict[str, Health]]:
    """Ready to serve: the database responds and has all migrations of this version."""
    services: Services = state.services
    checks = {
        "database": await _check_database(services),
        "bus": "ok" if services.bus.connected.is_set() else "reconnecting",  # reported only: not needed to serve
    }
    good = checks["database"] == "ok"
    return LitestarResponse(
        {"data": Health("ready" if good else "unavailable", checks)}, status_code=200 if good else 503
    )


async def _check_database(services: Services) -> str:
    try:
        newest = (await services.health_query.fetch())[0]["newest"] or 0
    except Exception as error:
        return f"unavailable ({type(error).__name__})"
    missing = migrate.newest_number() - newest
    return "ok" if missing <= 0 else f"{missing} migrations to apply: run `fullhouse migrate`"


@get("/metrics", opt={"public": True}, include_in_schema=False)
async def metrics(request: Request[Any, Any, State]) -> LitestarResponse[bytes]:
    """For Prometheus, on the same machine or private network; 404 through a proxy."""
    peer = request.client.host if request.client else ""
    if "x-forwarded-for" in request.headers or not _is_private(peer):
        raise NotFound
    return LitestarResponse(telemetry.render_metrics(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _is_private(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False


handlers = [live, ready, metrics]
