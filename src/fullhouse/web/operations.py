"""Is it alive, is it ready, how is it doing."""

import ipaddress
from typing import Any

import msgspec
from litestar import MediaType, Request, Response, get
from litestar.datastructures import State

from fullhouse import VERSION
from fullhouse.kit.db import migrate
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.lane import Call
from fullhouse.kit.services import Services
from fullhouse.kit.telemetry import telemetry

_ALIVE = msgspec.json.encode({"data": {"status": "alive", "version": VERSION}})


class Health(msgspec.Struct, frozen=True):
    status: str
    checks: dict[str, str]


async def live_fast(_call: Call) -> Answer:
    return Answer(200, _ALIVE)


@get("/health/live", opt={"public": True, "fast": live_fast}, operation_id="health_live")
async def live() -> Response[dict[str, Any]]:
    """The process answers."""
    return Response(_ALIVE, media_type=MediaType.JSON)  # type: ignore[arg-type]


@get("/health/ready", opt={"public": True}, operation_id="health_ready")
async def ready(state: State) -> Response[dict[str, Health]]:
    """It can serve: the database answers and has the shape that this version expects."""
    services: Services = state.services
    checks = {
        "database": await _database(services),
        "bus": "ok" if services.bus.connected.is_set() else "reconnecting",  # served without; said all the same
    }
    good = checks["database"] == "ok"
    return Response({"data": Health("ready" if good else "unavailable", checks)}, status_code=200 if good else 503)


async def _database(services: Services) -> str:
    try:
        newest = (await services.pulse.fetch())[0]["newest"] or 0
    except Exception as error:
        return f"away ({type(error).__name__})"
    missing = migrate.newest() - newest
    return "ok" if missing <= 0 else f"{missing} migrations to apply: run `fullhouse migrate`"


@get("/metrics", opt={"public": True}, include_in_schema=False)
async def metrics(request: Request[Any, Any, State]) -> Response[bytes]:
    """For Prometheus, on the same machine or network: whoever comes through a proxy finds nothing here."""
    peer = request.client.host if request.client else ""
    if "x-forwarded-for" in request.headers or not _near(peer):
        raise NotFound
    return Response(telemetry.metrics(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _near(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False


handlers = [live, ready, metrics]
