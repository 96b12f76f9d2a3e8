"""Logs without secrets, metrics, and traces that say whose request it was."""

import json
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from fullhouse.kit.ids import new_id
from fullhouse.kit.messages import loops
from fullhouse.kit.telemetry import telemetry
from fullhouse.processes import app as application
from tests.fixtures import Client, Tenant, settings


def logged(code: str, level: str = "info") -> list[Any]:
    """What a process of its own logs; the configuration is the whole process's."""
    program = f"""
import logging, structlog
from fullhouse.kit.telemetry.telemetry import configure_logs
configure_logs({level!r}, process="test")
log = structlog.get_logger()
{textwrap.dedent(code)}"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    return [json.loads(line) for line in done.stderr.splitlines()]


def test_what_is_always_so_is_warned_of_once() -> None:
    lines = logged(
        """
        from fullhouse.kit.telemetry.telemetry import warn_once
        for n in range(3):
            warn_once(log, "no mail leaves", n=n)
        warn_once(log, "nobody is paid")
        """
    )
    assert [(line["event"], line["level"], line.get("n")) for line in lines] == [
        ("no mail leaves", "warning", 0),
        ("nobody is paid", "warning", None),
    ]


def test_a_line_is_one_json_object_with_time_level_and_context() -> None:
    [line] = logged(
        """
        log.debug("too quiet")
        with structlog.contextvars.bound_contextvars(request_id="r-1", organization_id="o-1"):
            log.info("hello", n=1)
        """
    )
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "hello",
        "level": "info",
        "process": "test",
        "request_id": "r-1",
        "organization_id": "o-1",
        "n": 1,
    }


def test_secrets_are_hidden_wherever_they_are_put() -> None:
    lines = logged(
        """
        log.info("plain", password="SECRET", token="SECRET", cookie="SECRET", authorization="SECRET", secret="SECRET")
        log.info("inside", headers={"Authorization": "SECRET", "deeper": {"COOKIE": "SECRET"}, "accept": "*"})
        structlog.contextvars.bind_contextvars(token="SECRET")
        log.info("bound")
        """
    )
    assert "SECRET" not in json.dumps(lines)
    assert lines[1]["headers"]["accept"] == "*"


def test_an_exception_is_in_the_line_that_tells_of_it() -> None:
    [line] = logged(
        """
        try:
            1 / 0
        except ZeroDivisionError:
            log.exception("failed")
        """
    )
    assert line["level"] == "error"
    assert line["exception"].endswith("ZeroDivisionError: division by zero")


def test_libraries_are_heard_in_the_same_stream_and_shape() -> None:
    [line] = logged(
        """
        logging.getLogger("library").info("too quiet")
        logging.getLogger("library").warning("look %s", "here")
        """
    )
    assert (line["event"], line["level"], line["process"]) == ("look here", "warning", "test")


def test_metrics_are_shown_as_prometheus_reads_them() -> None:
    name = f"loop {new_id()}"
    loops.ROUNDS.labels(name, "ok").inc(3)
    assert f'fullhouse_loop_rounds_total{{loop="{name}",outcome="ok"}} 3.0'.encode() in telemetry.render_metrics()


# --- traces


class Collector(BaseHTTPRequestHandler):
    """Takes spans, as an OpenTelemetry collector does."""

    spans: list[Any]
    raw: bytes

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        request = ExportTraceServiceRequest.FromString(body)
        if self.path == "/v1/traces":
            type(self).raw += body
            type(self).spans += [
                (resource.resource, span)
                for resource in request.resource_spans
                for scope in resource.scope_spans
                for span in scope.spans
            ]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[tuple[str, type[Collector]]]:
    handler = type("OwnCollector", (Collector,), {"spans": [], "raw": b""})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", handler
    server.shutdown()
    server.server_close()


def attributes(thing: Any) -> dict[str, Any]:
    return {
        pair.key: getattr(pair.value, pair.value.WhichOneof("value"))
        for pair in thing.attributes
        if not pair.key.startswith("telemetry.")
    }


async def test_a_request_becomes_a_span_that_says_whose_it_was(
    collector: tuple[str, type[Collector]], server_url: str, owner_url: str, tmp_path: Any, tenant: Tenant
) -> None:
    url, received = collector
    lane = application.build(settings(server_url, owner_url, str(tmp_path), OTEL_EXPORTER_OTLP_ENDPOINT=url))
    async with lane.wide.lifespan(), Client(lane, tenant.tokens["staff"]) as client:
        answer = await client.get("/api/me", headers={"x-request-id": "request-to-trace"})
        assert answer.status_code == 200
        await client.get(f"/api/org/memberships/{tenant.id}")
    spans = {span.name: (attributes(resource), attributes(span)) for resource, span in received.spans}
    resource, span = spans["GET /api/me"]
    assert resource["service.name"] == "fullhouse-api"
    assert (
        span.items()
        >= {
            "http.route": "/api/me",
            "http.response.status_code": 200,
            "fullhouse.organization_id": str(tenant.id),
            "fullhouse.request_id": "request-to-trace",
        }.items()
    )
    [template] = [name for name in spans if "memberships" in name]
    assert str(tenant.id) not in template
    assert tenant.tokens["staff"].encode() not in received.raw


def test_without_a_collector_nothing_is_traced() -> None:
    assert telemetry.open_tracing(None, service="test") is None


@pytest.mark.fault
@pytest.mark.req("OBS-2")
def test_whoever_writes_to_a_log_on_a_full_disk_goes_on() -> None:
    script = """
import logging, structlog
from fullhouse.kit.telemetry import telemetry
from fullhouse.kit.terminal import print_message
telemetry.configure_logs("info", process="test")
structlog.get_logger().warning("broker.unavailable", backlog=812)
logging.getLogger("library").warning("a warning")
print_message("a line")
print("went on")
"""
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=full, text=True, check=False
        )
    assert done.stdout == "went on\n"
    assert done.returncode in (0, 120)  # with 120 Python says that it could not empty a stream at the end
