"""The fast lane's routing table.

It is built from Litestar's routes with `opt={"fast": handler}`: every fast route has a documented twin, and the twin
serves all requests that the table does not match exactly.
"""

import re
from functools import lru_cache, partial
from typing import NamedTuple

from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from fullhouse.kit.http import body
from fullhouse.kit.http.call import Match, Route
from fullhouse.kit.ids import read_id

READ_OFTEN, _OFTEN_LONG = 1024, 256  # cached look-ups, and their longest path: popular pages share a few paths
_UUID_LENGTH = 36
_UUID_PARAMETER = re.compile(r"/\{(\w+):uuid\}")


class Shape(NamedTuple):
    """A fast route's path. Its parameters are all UUIDs, so its length and the position of each part are fixed."""

    route: Route
    words: tuple[tuple[str, int], ...]  # the literal parts between the ids, and their positions
    ids: tuple[slice, ...]

    @classmethod
    def of(cls, path: str, route: Route) -> "Shape":
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
        word, at = self.words[-1]
        return at + len(word)


class Table:
    """Fast routes by method and path length: nearly always there is one candidate, whose literal parts are compared."""

    def __init__(self, app: Litestar, rules: body.Rules) -> None:
        self._shapes: dict[tuple[str, int], tuple[Shape, ...]] = {}
        for route in app.routes:
            for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
                if (fast := handler.opt.get("fast")) is not None:
                    names = tuple(_UUID_PARAMETER.findall(route.path))
                    self._add(
                        route.path,
                        handler,
                        Route(
                            fast,
                            route.path_format,
                            rules.amended(handler.opt),
                            names,
                            handler.opt,
                            handler.opt.get("at_once"),
                            handler.opt.get("in_batch"),
                        ),
                    )
        self._read = lru_cache(READ_OFTEN)(partial(self._look_up, "GET"))

    def _add(self, path: str, handler: HTTPRouteHandler, route: Route) -> None:
        public, limited = route.opt.get("public"), route.opt.get("limit") is not None
        if ":" in _UUID_PARAMETER.sub("", path):
            raise ValueError(f"{path}: a fast route may have no parameters but {{name:uuid}}.")
        if route.at_once and (limited or not public):
            raise ValueError(f"{path}: `at_once` needs a public route without a rate limit.")
        if route.in_batch and (limited or public):
            raise ValueError(f"{path}: `in_batch` needs a non-public route without a rate limit of its own.")
        shape = Shape.of(path, route)
        for method in handler.http_methods:
            key = str(method), shape.length
            self._shapes[key] = (*self._shapes.get(key, ()), shape)

    def find(self, method: str, path: str) -> Match | None:
        return self._read(path) if method == "GET" and len(path) <= _OFTEN_LONG else self._look_up(method, path)

    def _look_up(self, method: str, path: str) -> Match | None:
        for shape in self._shapes.get((method, len(path)), ()):
            for word, at in shape.words:
                if not path.startswith(word, at):
                    break
            else:
                try:
                    return Match(shape.route, tuple([read_id(path[where]) for where in shape.ids]))
                except ValueError:  # not a UUID
                    return None
        return None
