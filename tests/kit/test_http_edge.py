"""The door itself, without anybody passing through."""

import os
import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path

import prometheus_client
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector
from structlog.testing import capture_logs

from fullhouse.kit.errors import Malformed, Unavailable
from fullhouse.kit.http import middleware as edge_module
from fullhouse.kit.http.middleware import CLIENT_CLOSED_REQUEST, Middleware
from fullhouse.kit.http.peer import client_ip
from fullhouse.kit.telemetry.telemetry import REQUEST_FIELDS

PROXIES = (ip_network("10.0.0.0/8"), ip_network("2001:db8::/32"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "192.0.2.1", "192.0.2.1"),
        ("10.0.0.1", "198.51.100.1, 192.0.2.1, 10.9.9.9", "192.0.2.1"),
        ("10.0.0.1", "10.0.0.2,10.0.0.3", "10.0.0.2"),
        ("10.0.0.1", "192.0.2.1:4711", "192.0.2.1"),
        ("10.0.0.1", "[2001:db9::1]:4711", "2001:db9::1"),
        ("2001:db8::1", "2001:db9::1", "2001:db9::1"),
        ("::ffff:10.0.0.1", "192.0.2.1", "192.0.2.1"),
        ("10.0.0.1", "192.0.2.1, unknown", "10.0.0.1"),
        ("10.0.0.1", "<script>", "10.0.0.1"),
        ("192.0.2.9", "203.0.113.5", "192.0.2.9"),
    ],
)
def test_the_client_is_the_nearest_stranger(peer: str, forwarded: str | None, expected: str) -> None:
    assert client_ip(peer, forwarded, PROXIES) == expected


def test_without_proxies_nobody_is_believed() -> None:
    assert client_ip("10.0.0.1", "192.0.2.1", ()) == "10.0.0.1"


def test_a_full_house_refuses_but_tells_how_it_is() -> None:
    edge = Middleware(max_in_flight=1)
    with edge.enter("GET", "/a", None) as first, edge.enter("GET", "/b", None) as second:
        assert edge.in_flight == 2
        with pytest.raises(Unavailable) as refusal:
            edge.check_admission(second, "")
        assert refusal.value.retry_after_s == 1
        with edge.enter("GET", "/health/live", None) as asked:
            edge.check_admission(asked, "")
        first.finish()
        edge.check_admission(second, "")
    assert edge.in_flight == 0


def test_a_bad_address_is_not_admitted() -> None:
    edge = Middleware()
    with edge.enter("GET", "/a", None) as visit, pytest.raises(Malformed):
        edge.check_admission(visit, "%00")


def test_the_request_id_is_in_every_log_line_of_the_request() -> None:
    with Middleware().enter("GET", "/a", "abcdefgh-1") as visit:
        assert REQUEST_FIELDS.get()["request_id"] == visit.request_id == "abcdefgh-1"
    assert "request_id" not in REQUEST_FIELDS.get()


@pytest.mark.parametrize("offered", [None, "", "short", "x" * 65, "a b c d e f", "abcdefgh\n", "ábcdefghij"])
def test_a_strange_request_id_is_replaced(offered: str | None) -> None:
    first, second = (Middleware().enter("GET", "/a", offered).request_id for _ in range(2))
    assert len({first, second, offered}) == 3


@pytest.mark.parametrize(
    ("status", "seconds", "level"),
    [
        (200, 0, "debug"),
        (304, 0, "debug"),
        (404, 0, "info"),
        (CLIENT_CLOSED_REQUEST, 0, "info"),
        (200, 2, "warning"),
        (404, 2, "warning"),
        (500, 0, "error"),
        (503, 2, "error"),
    ],
)
def test_the_log_is_as_loud_as_it_should_be(
    status: int, seconds: float, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = iter([100.0, 100.0 + seconds])
    monkeypatch.setattr(edge_module, "perf_counter", lambda: next(now))
    with capture_logs() as lines, Middleware().enter("GET", "/a/1", None, "/a/{id}") as visit:
        visit.status = status
    expected = {"event": "http.request", "method": "GET", "path": "/a/{id}", "status": status}
    assert lines == [expected | {"ms": seconds * 1000.0, "log_level": level}]


def test_an_unknown_route_is_logged_by_its_path_but_not_measured_by_it() -> None:
    with capture_logs() as lines, Middleware().enter("BREW", "/tea-42", None) as visit:
        visit.status = 404
    assert lines[0]["path"] == "/tea-42"
    text = prometheus_client.generate_latest().decode()
    assert 'fullhouse_http_request_seconds_count{method="OTHER",route="unmatched",status="404"}' in text
    assert "tea-42" not in text
    assert "BREW" not in text


def test_processes_measure_together(tmp_path: Path) -> None:
    code = "from fullhouse.kit.http.middleware import Middleware\n"
    code += "with Middleware().enter('GET', '/a', None, '/a') as visit: visit.status = 200"
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code], env=environment, check=True, stdout=subprocess.DEVNULL)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(tmp_path))  # type: ignore[no-untyped-call]
    labels = {"method": "GET", "route": "/a", "status": "200"}
    assert registry.get_sample_value("fullhouse_http_request_seconds_count", labels) == 2


def headers(edge: Middleware, path: str, own: dict[str, str]) -> dict[str, str]:
    return dict(edge.enter("GET", path, None).added_headers(own))


def test_the_handlers_own_headers_stay() -> None:
    added = headers(Middleware(), "/api/a", {"cache-control": "max-age=1", "referrer-policy": "no-referrer"})
    assert not {"cache-control", "referrer-policy"} & added.keys()
    assert added["x-frame-options"] == "DENY"


def test_only_a_policy_about_framing_lifts_the_frame_option() -> None:
    policy = {"content-security-policy": "default-src 'self'"}
    assert headers(Middleware(), "/", policy)["x-frame-options"] == "DENY"
    policy = {"content-security-policy": "frame-ancestors *", "x-frame-options": "SAMEORIGIN"}
    assert "x-frame-options" not in headers(Middleware(), "/", policy)


@pytest.mark.parametrize(("path", "kept"), [("/api/a", False), ("/event/v1/a", False), ("/a", True), ("/apis", True)])
def test_private_answers_are_not_stored(path: str, kept: bool) -> None:
    assert ("cache-control" not in headers(Middleware(), path, {})) is kept


def test_hsts_is_a_choice() -> None:
    assert "strict-transport-security" not in headers(Middleware(), "/", {})
    assert headers(Middleware(hsts=True), "/", {})["strict-transport-security"] == "max-age=31536000"
