"""The fast lane beside its twin in Litestar: no database, one process, loopback.

    python bench/http_lanes.py [seconds per measurement]

The load client shares the machine with the server, so trust the ratios and not the absolute figures.
"""

import itertools
import os
import statistics
import sys
from pathlib import Path
from uuid import UUID

import msgspec
import structlog
from litestar import Litestar, post
from litestar.params import FromPath, JSONBody

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import _load

from fullhouse.kit.http.body import decode
from fullhouse.kit.http.lanes import HotRequest, LaneRouter, Response
from fullhouse.kit.http.middleware import Middleware
from fullhouse.kit.http.wide_lane import WidePlugin

CONNECTIONS = 64
ROUNDS = 3
PATH = "/api/shops/0190f5a0-0000-7000-8000-000000000001/items"
BODY = b'{"items":[{"name":"a","quantity":2}]}'


class Item(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    quantity: int


class Basket(msgspec.Struct, forbid_unknown_fields=True):
    items: list[Item]


BASKET = msgspec.json.Decoder(Basket)


async def fast(call: HotRequest) -> Response:
    basket = decode(BASKET, await call.read())
    return Response(201, msgspec.json.encode({"data": {"shop": call.params[0], "count": len(basket.items)}}))


@post("/api/shops/{shop:uuid}/items", opt={"fast": fast})
async def twin(shop: FromPath[UUID], data: JSONBody[Basket]) -> dict[str, dict[str, object]]:
    return {"data": {"shop": shop, "count": len(data.items)}}


def lane() -> LaneRouter:
    wrapper = structlog.make_filtering_bound_logger(20)
    structlog.configure(wrapper_class=wrapper, cache_logger_on_first_use=True)
    edge = Middleware()
    return LaneRouter(Litestar([twin], plugins=[WidePlugin(edge)]), edge)


def asks(path: str) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"
    return head.encode() + BODY


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    rates: dict[str, list[float]] = {way: [] for way in _PATHS}
    with _load.serving("bench.http_lanes:lane", dict(os.environ)) as server:
        for _, (way, path) in itertools.product(range(ROUNDS), _PATHS.items()):
            request = asks(path)
            found = _load.load(server.port, lambda: request, connections=CONNECTIONS, seconds=seconds)  # noqa: B023
            assert set(found.statuses) == {201}, found.statuses
            rates[way].append(found.rate)
    fast, twin = (statistics.median(rates[way]) for way in _PATHS)
    print(f"fast lane: {fast:,.0f}/s ÷ its twin in Litestar: {twin:,.0f}/s = {fast / twin:.2f}")


# Litestar ignores the slash at the end; the fast lane's table does not know it.
_PATHS = {"fast lane": PATH, "Litestar twin": f"{PATH}/"}

if __name__ == "__main__":
    main()
