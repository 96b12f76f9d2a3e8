"""The fast lane's routing table.

It is built from Litestar's routes with `opt={"fast": handler}`: Litestar documents every fast route, and serves all
requests that the table does not match exactly.
"""

import re
from functools import lru_cache, partial
from typing import NamedTuple

from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from fullhouse.kit.http import body
from fullhouse.kit.http.hot_request import FastRoute, RouteMatch
from fullhouse.kit.ids import parse_id

CACHED_PATHS, _CACHED_LENGTH_MAX = 1024, 256  # cached look-ups, and their longest path: popular pages share a few paths
_UUID_LENGTH = 36
_UUID_PARAMETER = re.compile(r"/\{(\w+):uuid\}")


class PathShape(NamedTuple):
    """A fast route's path. Its parameters are all UUIDs, so its length and the position of each part are fixed."""

    route: FastRoute
    literals: tuple[tuple[str, int], ...]  # the literal parts between the ids, and their positions
    ids: tuple[slice, ...]

    @classmethod
    def of(cls, path: str, route: FastRoute) -> "PathShape":
        words: list[tuple[str, int]] = []
        ids: list[slice] = []
        at = 0
        for n, part in enumerate(_UUID_PARAMETER.split(path)):
            if n % 2:  # a parameter's name
                ids.append(slice(at + 1, at + 1 + _UUID_LENGTH))
                at += 1 + _UUID_LENGTH
            else:
                words.append((f"{part}/" if n < 2 * len(route.names) else part, at))
                at += len(part)
        return cls(route, tuple(words), tuple(ids))

    @property
    def length(self) -> int:
        word, at = self.literals[-1]
        return at + len(word)


class RouteTable:
    """Fast routes by method and path length: nearly always there is one candidate, whose literal parts are compared."""

    def __init__(self, app: Litestar, rules: body.BodyRules) -> None:
        self._shapes: dict[tuple[str, int], tuple[PathShape, ...]] = {}
        for route in app.routes:
            for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
                if (fast := handler.opt.get("fast")) is not None:
                    names = tuple(_UUID_PARAMETER.findall(route.path))
                    self._add(
                        route.path,
                        handler,
                        FastRoute(
                            fast,
                            route.path_format,
                            rules.with_options(handler.opt),
                            names,
                            handler.opt,
                        ),
                    )
        self._find_cached = lru_cache(CACHED_PATHS)(partial(self._look_up, "GET"))

    def _add(self, path: str, handler: HTTPRouteHandler, route: FastRoute) -> None:
        if ":" in _UUID_PARAMETER.sub("", path):
            raise ValueError(f"{path}: a fast route may have no parameters but {{name:uuid}}.")
        shape = PathShape.of(path, route)
        for method in handler.http_methods:
            key = str(method), shape.length
            self._shapes[key] = (*self._shapes.get(key, ()), shape)

    def find(self, method: str, path: str) -> RouteMatch | None:
        return (
            self._find_cached(path)
            if method == "GET" and len(path) <= _CACHED_LENGTH_MAX
            else self._look_up(method, path)
        )

    def _look_up(self, method: str, path: str) -> RouteMatch | None:
        for shape in self._shapes.get((method, len(path)), ()):
            for word, at in shape.literals:
                if not path.startswith(word, at):
                    break
            else:
                try:
                    return RouteMatch(shape.route, tuple([parse_id(path[where]) for where in shape.ids]))
                except ValueError:  # not a UUID
                    return None
        return None
