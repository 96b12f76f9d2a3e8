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

# Values that must never be in a log, whoever puts them there.
_SECRET_KEYS = frozenset({"password", "token", "authorization", "cookie", "secret"})


# What every line of a request says of it. One variable for all of it: structlog's own take several steps for each word.
ABOUT: ContextVar[Mapping[str, Any]] = ContextVar("about", default=MappingProxyType({}))


def say_about_request(**words: Any) -> None:
    """From here on, in every log line and span of this request; without one, nowhere."""
    about = ABOUT.get()
    if isinstance(about, dict):
        about.update(words)


def merge_about(_logger: Any, _method: str, event: Any) -> Any:
    for word, value in ABOUT.get().items():
        event.setdefault(word, str(value))
    return event


_warned: set[str] = set()


def warn_once(log: Any, words: str, **more: Any) -> None:
    """Loud the first time in this process; after that for whoever looks for it only. It would bury everything else."""
    tell = log.debug if words in _warned else log.warning
    _warned.add(words)
    tell(words, **more)


class _Stream:
    """The error stream. A line that it does not take, as a file on a full disk, is lost; whoever wrote it goes on."""

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
        merge_about,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _hide_secrets,
        structlog.processors.format_exc_info,
    ]
    stream = _Stream()
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, stream)),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(process=process)
    # Libraries speak through the standard logger: only their warnings, in the same stream and shape.
    handler = logging.StreamHandler(cast(TextIO, stream))
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=shared))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


@contextmanager
def logs_of_a_command() -> Iterator[None]:
    """A command answers on the standard output: what is logged meanwhile goes to the other one, and warnings only."""
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
    def shown(key: str, value: Any) -> Any:
        if str(key).lower() in _SECRET_KEYS:
            return "…"
        return _hide_secrets(_logger, _method, value) if isinstance(value, Mapping) else value

    return {key: shown(key, value) for key, value in event.items()}


def metrics() -> bytes:
    """All processes' metrics together (PROMETHEUS_MULTIPROC_DIR), or this one's."""
    return generate_latest(_everybodys())


def readings(*names: str) -> dict[str, list[Sample]]:
    """The samples of some metrics by their family's name, for those who show a few of them to people."""
    found: dict[str, list[Sample]] = {name: [] for name in names}
    for family in _everybodys().collect():
        if family.name in found:
            found[family.name] += family.samples
    return found


def quantile(samples: Iterable[Sample], part: float) -> float | None:
    """Below which value this part of a histogram's observations lies, as far as its buckets tell; None if it is empty.
    What lies beyond the last bucket counts as its edge.
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


def observed(samples: Iterable[Sample]) -> float:
    """How many observations a histogram is made of."""
    return sum(sample.value for sample in samples if sample.name.endswith("_count"))


def _everybodys() -> CollectorRegistry:
    try:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    except ValueError:
        return REGISTRY
    return registry


class Tracing(NamedTuple):
    """An ASGI wrapper that traces each request, and the way to end it with nothing unsent."""

    wrap: Callable[[Any], Any]
    close: Callable[[], None]


def tracing(endpoint: str | None, *, service: str) -> Tracing | None:
    """None if no collector is configured."""
    if endpoint is None:
        return None
    # Imported here: half a second that nobody without a collector should pay.
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

                async def note(message: Any) -> None:
                    if message["type"] == "http.response.start":
                        span.set_attribute("http.response.status_code", message["status"])
                        for name, value in {**structlog.contextvars.get_contextvars(), **ABOUT.get()}.items():
                            span.set_attribute(f"fullhouse.{name}", str(value))
                    await send(message)

                await app(scope, receive, note)

        return traced

    return Tracing(wrap, provider.shutdown)
