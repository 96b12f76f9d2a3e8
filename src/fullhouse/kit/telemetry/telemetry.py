"""Logs, metrics and traces. Logs are JSON, or readable lines on a terminal; traces only if a collector is named."""

import logging
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from math import isinf
from types import MappingProxyType
from typing import Any, NamedTuple, TextIO, cast

import structlog
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest, multiprocess
from prometheus_client.samples import Sample

# Keys whose values must never be logged.
_SECRET_KEYS = frozenset({"password", "token", "authorization", "cookie", "secret"})


# Fields of every log line of a request. One ContextVar for all: structlog's contextvars cost several steps per field.
REQUEST_FIELDS: ContextVar[Mapping[str, Any]] = ContextVar("about", default=MappingProxyType({}))


def bind_request_fields(**fields: Any) -> None:
    """Adds fields to every later log line and span of this request. Outside a request it does nothing."""
    about = REQUEST_FIELDS.get()
    if isinstance(about, dict):
        about.update(fields)


def merge_request_fields(_logger: Any, _method: str, event: Any) -> Any:
    for name, value in REQUEST_FIELDS.get().items():
        event.setdefault(name, str(value))
    return event


_logged_once: set[str] = set()


def warn_once(log: Any, key: str, **more: Any) -> None:
    """A warning the first time in this process, at debug level after that: it would bury everything else."""
    write = log.debug if key in _logged_once else log.warning
    _logged_once.add(key)
    write(key, **more)


class _SafeStderr:
    """Standard error. A line that cannot be written (a file on a full disk) is dropped without an error."""

    def write(self, text: str) -> None:
        with suppress(OSError):
            sys.stderr.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            sys.stderr.flush()


def configure_logs(level: str, *, process: str) -> None:
    renderer: Any = structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        merge_request_fields,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _hide_secrets,
        structlog.processors.format_exc_info,
    ]
    stream = _SafeStderr()
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, stream)),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(process=process)
    # Libraries log through the standard logger: only their warnings, in the same stream and format.
    handler = logging.StreamHandler(cast(TextIO, stream))
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=shared))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


@contextmanager
def use_command_logging() -> Iterator[None]:
    """A command prints its result to standard output, so its logs go to standard error, and only warnings."""
    before = structlog.get_config()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    try:
        yield
    finally:
        structlog.configure(**before)


def _hide_secrets(_logger: Any, _method: str, event: Mapping[str, Any]) -> dict[str, Any]:
    def redact(key: str, value: Any) -> Any:
        if str(key).lower() in _SECRET_KEYS:
            return "…"
        return _hide_secrets(_logger, _method, value) if isinstance(value, Mapping) else value

    return {key: redact(key, value) for key, value in event.items()}


def render_metrics() -> bytes:
    """All processes' metrics together (PROMETHEUS_MULTIPROC_DIR), or this one's."""
    return generate_latest(_registry_of_all_processes())


def read_samples(*names: str) -> dict[str, list[Sample]]:
    """The samples of some metrics by family name, for pages that show a few of them."""
    found: dict[str, list[Sample]] = {name: [] for name in names}
    for family in _registry_of_all_processes().collect():
        if family.name in found:
            found[family.name] += family.samples
    return found


def quantile(samples: Iterable[Sample], part: float) -> float | None:
    """The value below which this part of a histogram's observations lies, interpolated within its bucket; None if it
    is empty. Observations beyond the last bucket count as its upper edge.
    """
    edges: dict[float, float] = {}
    for sample in samples:
        if sample.name.endswith("_bucket"):
            edge = float(sample.labels["le"])
            edges[edge] = edges.get(edge, 0.0) + sample.value
    buckets = sorted(edges.items())
    wanted = part * buckets[-1][1] if buckets else 0.0
    if not wanted:
        return None
    below, before = 0.0, 0.0
    for edge, count in buckets:
        if count >= wanted:
            return below if isinf(edge) else below + (edge - below) * (wanted - before) / (count - before)
        below, before = edge, count
    return None


def count_observations(samples: Iterable[Sample]) -> float:
    """The number of observations in a histogram."""
    return sum(sample.value for sample in samples if sample.name.endswith("_count"))


def _registry_of_all_processes() -> CollectorRegistry:
    try:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    except ValueError:
        return REGISTRY
    return registry


class Tracing(NamedTuple):
    """An ASGI wrapper that traces each request, and the function that flushes and stops the exporter."""

    wrap: Callable[[Any], Any]
    close: Callable[[], None]


def open_tracing(endpoint: str | None, *, service: str) -> Tracing | None:
    """None if no collector is configured."""
    if endpoint is None:
        return None
    # Imported here, because the import takes half a second.
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": service}))
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=1000))
    tracer = provider.get_tracer("fullhouse")

    def wrap(app: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def traced(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            # The route's template, never the path itself: an address may hold a secret.
            route = scope.get("path_template") or "unmatched"
            with tracer.start_as_current_span(f"{scope['method']} {route}", kind=trace.SpanKind.SERVER) as span:
                span.set_attribute("http.route", route)

                async def send_traced(message: Any) -> None:
                    if message["type"] == "http.response.start":
                        span.set_attribute("http.response.status_code", message["status"])
                        for name, value in {**structlog.contextvars.get_contextvars(), **REQUEST_FIELDS.get()}.items():
                            span.set_attribute(f"fullhouse.{name}", str(value))
                    await send(message)

                await app(scope, receive, send_traced)

        return traced

    return Tracing(wrap, provider.shutdown)
