"""Middleware for every request, of both lanes and transports.

It assigns a request id, limits concurrency (503), adds security headers, logs the request and measures it.
"""

import logging
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from time import perf_counter
from typing import Any

import structlog
from prometheus_client import Histogram

from fullhouse.kit.errors import Unavailable
from fullhouse.kit.http.body import BodyRules, check_address
from fullhouse.kit.http.peer import Network, client_ip
from fullhouse.kit.http.request import encode_headers
from fullhouse.kit.http.timeouts import Timeouts
from fullhouse.kit.telemetry.telemetry import REQUEST_FIELDS

log = structlog.get_logger()

REQUEST_SECONDS = Histogram(
    "fullhouse_http_request_seconds",
    "Time from a request's arrival to its response, or to the start of a stream.",
    ("method", "route", "status"),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SLOW_MS = 1000
CLIENT_CLOSED_REQUEST = 499
"""Logged, never sent: the client disconnected before the response."""

_VALID_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")

_SECURITY_HEADERS = (
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("cross-origin-opener-policy", "same-origin"),
)
_DENY_FRAMES = ("x-frame-options", "DENY")
_HSTS = ("strict-transport-security", "max-age=31536000")
_NO_STORE = ("cache-control", "no-store")


def _request_ids() -> Iterator[str]:
    """A random prefix for the process and a counter: faster than a random id for each request."""
    process = secrets.token_urlsafe(9)
    return (f"{process}-{number:x}" for number in count(1))


@lru_cache(maxsize=256)
def _added_headers(own: tuple[str, ...], policy: str, *, hsts: bool, private: bool) -> tuple[tuple[str, str], ...]:
    """The headers added to a response that has these of its own. Cached: there are few combinations."""
    added = [header for header in _SECURITY_HEADERS if header[0] not in own]
    if "x-frame-options" not in own and "frame-ancestors" not in policy:
        added.append(_DENY_FRAMES)
    if hsts:
        added.append(_HSTS)
    if "cache-control" not in own and private:
        added.append(_NO_STORE)
    return tuple(added)


@lru_cache(maxsize=512)
def _render_head(headers: tuple[tuple[str, str], ...], content_type: str | None, *, hsts: bool, private: bool) -> bytes:
    """The cacheable header lines of a response: all but the request id."""
    own = dict(headers)
    typed = [("content-type", content_type)] if content_type else []
    policy = own.get("content-security-policy", "")
    return encode_headers([*headers, *typed, *_added_headers(tuple(own), policy, hsts=hsts, private=private)])


@dataclass(frozen=True, eq=False)
class Middleware:
    """The middleware's settings, and the requests in flight."""

    max_in_flight: int = 512
    body_limit: int = 65_536
    body_timeouts: Timeouts = field(default_factory=lambda: Timeouts(seconds=30))
    hsts: bool = False
    trusted_proxies: tuple[Network, ...] = ()
    private_paths: tuple[str, ...] = ("/api/", "/event/")
    in_flight_requests: set["RequestContext"] = field(default_factory=set, init=False, repr=False)
    request_ids: Iterator[str] = field(default_factory=_request_ids, init=False, repr=False)
    log: Any = field(default_factory=lambda: structlog.get_logger().bind(), init=False, repr=False)

    @property
    def in_flight(self) -> int:
        return len(self.in_flight_requests)

    @property
    def is_full(self) -> bool:
        return len(self.in_flight_requests) > self.max_in_flight

    @property
    def body_rules(self) -> BodyRules:
        """The default rules of a route."""
        return BodyRules(limit=self.body_limit)

    def enter(self, method: str, path: str, offered_id: str | None, route: str | None = None) -> "RequestContext":
        """Used as a context manager around the handling of the request."""
        return RequestContext(self, method, path, offered_id, route)

    def check_admission(self, context: "RequestContext", query: str) -> None:
        """Refuse a request with a malformed address, or at capacity. Health checks are exempt from the latter."""
        if self.is_full and not context.path.startswith("/health/"):
            raise Unavailable("The server is at capacity. Try again in a second.", retry_after_s=1)
        check_address(context.path, query)

    def client_ip(self, peer: str, forwarded: str | None) -> str:
        return client_ip(peer, forwarded, self.trusted_proxies)


class RequestContext:
    """The context of one request, from its arrival to its response."""

    __slots__ = ("_began", "_token", "method", "middleware", "path", "request_id", "route", "status")

    def __init__(
        self, middleware: Middleware, method: str, path: str, offered_id: str | None, route: str | None
    ) -> None:
        self.middleware = middleware
        self._began = perf_counter()
        self.method = method
        self.path = path
        self.route = route
        self.status = CLIENT_CLOSED_REQUEST
        if offered_id is None or not _VALID_REQUEST_ID.fullmatch(offered_id):
            offered_id = next(middleware.request_ids)
        self.request_id = offered_id

    def __enter__(self) -> "RequestContext":
        self.middleware.in_flight_requests.add(self)
        self._token = REQUEST_FIELDS.set({"request_id": self.request_id})
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()
        REQUEST_FIELDS.reset(self._token)

    def added_headers(self, own: Mapping[str, str]) -> list[tuple[str, str]]:
        """The headers added to the handler's own (names in lower case)."""
        private = self.path.startswith(self.middleware.private_paths)
        policy = own.get("content-security-policy", "")
        return [
            ("x-request-id", self.request_id),
            *_added_headers(tuple(own), policy, hsts=self.middleware.hsts, private=private),
        ]

    def render_head(self, headers: tuple[tuple[str, str], ...], content_type: str | None) -> bytes:
        """The encoded header lines: the handler's own and the added ones."""
        private = self.path.startswith(self.middleware.private_paths)
        added = _render_head(headers, content_type, hsts=self.middleware.hsts, private=private)
        return b"x-request-id: %b\r\n%b" % (self.request_id.encode(), added)

    def finish(self) -> None:
        """Stops counting the request as in flight, and records it. A stream does so at its start already."""
        if self in self.middleware.in_flight_requests:
            self.middleware.in_flight_requests.remove(self)
            self.record()

    def record(self) -> None:
        """Measures and logs the request. One served synchronously was never counted as in flight."""
        seconds = perf_counter() - self._began
        _histogram_of(self.method if self.method in METHODS else "OTHER", self.route, self.status).observe(seconds)
        if self.status >= 400 or seconds * 1000 > SLOW_MS or self.middleware.log.is_enabled_for(logging.DEBUG):
            self._log(round(seconds * 1000, 1))

    def _log(self, ms: float) -> None:
        log = self.middleware.log
        if self.status >= 500:
            write = log.error
        elif ms > SLOW_MS:
            write = log.warning
        elif self.status >= 400:
            write = log.info
        else:
            write = log.debug
        write("http.request", method=self.method, path=self.route or self.path, status=self.status, ms=ms)


_known_series: dict[tuple[str, str | None, int], Any] = {}


def _histogram_of(method: str, route: str | None, status: int) -> Any:
    """`labels()` locks and builds strings on every call; there are few series and many requests."""
    key = (method, route, status)
    if (series := _known_series.get(key)) is None:
        series = _known_series[key] = REQUEST_SECONDS.labels(method, route or "unmatched", str(status))
    return series
