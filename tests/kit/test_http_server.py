"""What only a real server can show: sockets that close, processes that end."""

import asyncio
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from fullhouse.kit.http import asgi
from fullhouse.kit.http.mount import AsgiMount
from tests.kit.http_app import PLACES
from tests.kit.http_server import Server, serving

SHOP = "0190f5a0-0000-7000-8000-000000000001"
PATH = f"/api/shops/{SHOP}/orders/{SHOP}"
GOOD = b'{"lines":[{"name":"a"}]}'


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


def live(server: Server) -> dict[str, object]:
    answer: dict[str, object] = httpx.get(f"{server.url}/health/live").json()
    return answer


def becomes(name: str, count: int, server: Server) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if live(server)[name] == count:
            return True
        time.sleep(0.02)
    return False


def everything(connection: socket.socket) -> bytes:
    """Until the other side closes."""
    got = b""
    while data := connection.recv(65_536):
        got += data
    return got


def test_the_lifespan_ran_before_the_first_request(server: Server) -> None:
    assert live(server) == {"opened": True, "settled": True, "streams": 0, "slow": 0}


@pytest.mark.parametrize("lane", ["", "/"])
def test_a_head_is_a_get_without_its_body(server: Server, lane: str) -> None:
    named = {"x-request-id": "as-long-in-both-answers"}
    told, bare = (httpx.request(method, f"{server.url}/api/who{lane}", headers=named) for method in ("GET", "HEAD"))
    assert (bare.status_code, bare.content) == (200, b"")
    assert bare.headers["content-length"] == str(len(told.content))


@pytest.mark.parametrize("lane", ["", "/"])
@pytest.mark.parametrize("size", [1000, 100_000])
def test_a_body_that_is_cut_off_is_not_taken_for_whole(server: Server, lane: str, size: int) -> None:
    """The sender may still listen: it only said that it has no more to send."""
    head = f"POST /api/images{lane} HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: {size}\r\n\r\n"
    with server.connect() as connection:
        connection.sendall(head.encode() + b"x" * (size // 2))
        connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(65_536)
    assert b" 201 " not in answer
    assert live(server)


@pytest.mark.parametrize("lane", ["", "/"])
@pytest.mark.parametrize("announced", [True, False])
def test_an_honest_client_gets_to_read_that_it_sent_too_much(server: Server, lane: str, announced: bool) -> None:
    """It writes everything before it reads: closing early would reset the connection under its hands."""
    size = 3_000_000
    length = f"Content-Length: {size}" if announced else "Transfer-Encoding: chunked"
    head = f"POST {PATH}{lane} HTTP/1.1\r\nHost: x\r\n{length}\r\n\r\n"
    body = b"x" * size if announced else f"{size:x}\r\n".encode() + b"x" * size + b"\r\n0\r\n\r\n"
    with server.connect() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32_768)  # the kernel keeps none of it for us
        connection.sendall(head.encode() + body)
        answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_huge_body_is_refused_by_its_announcement(server: Server) -> None:
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 999999999999\r\n\r\n"
    with server.connect() as connection:
        connection.sendall(head.encode())
        assert connection.recv(65_536).startswith(b"HTTP/1.1 413 ")


@contextmanager
def listening(server: Server) -> Iterator[None]:
    with httpx.stream("GET", f"{server.url}/api/stream") as answer:
        ticks = answer.iter_bytes()
        assert next(ticks) == b"tick\n"
        yield


def test_a_silent_stream_ends_when_its_listener_leaves(server: Server) -> None:
    with listening(server):
        assert live(server)["streams"] == 1
    assert becomes("streams", 0, server)


def test_listeners_take_no_places(server: Server) -> None:
    with ExitStack() as listeners:
        for _ in range(2 * PLACES):
            listeners.enter_context(listening(server))
        assert live(server)["streams"] == 2 * PLACES
        assert httpx.get(f"{server.url}/api/who").status_code == 200
    assert becomes("streams", 0, server)


def test_a_broken_stream_does_not_break_the_server(server: Server) -> None:
    """And half of an answer is not taken for all of it."""
    with httpx.stream("GET", f"{server.url}/api/broken-stream") as answer, pytest.raises(httpx.TransportError):
        answer.read()
    assert live(server)


def test_a_client_that_leaves_early_frees_its_place(server: Server) -> None:
    httpx.get(f"{server.url}/health/gate?open=false")
    for _ in range(3):
        with server.connect() as connection:
            connection.sendall(b"GET /api/parked HTTP/1.1\r\nHost: x\r\n\r\n")
    httpx.get(f"{server.url}/health/gate?open=true")
    assert httpx.get(f"{server.url}/api/parked").status_code == 200


@pytest.mark.parametrize("wish", ["websocket", "h2c"])
def test_another_protocol_is_not_taken_up(server: Server, wish: str) -> None:
    """The request is answered as it is, and nothing that follows is read."""
    upgrade = f"Connection: Upgrade\r\nUpgrade: {wish}\r\n".encode()
    with server.connect() as connection:
        connection.sendall(b"GET /api/who HTTP/1.1\r\nHost: x\r\n" + upgrade + b"\r\n" + b"GET /other HTTP/1.1\r\n\r\n")
        answer = everything(connection)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"connection: close" in answer
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.fault
@pytest.mark.parametrize("lane", ["", "/"])
async def test_a_graceful_stop_answers_what_is_in_flight(lane: str) -> None:
    with serving() as server:
        async with httpx.AsyncClient() as client:
            inside = asyncio.create_task(client.get(f"{server.url}/api/slow{lane}"))
            assert await asyncio.to_thread(becomes, "slow", 1, server)
            server.process.send_signal(signal.SIGTERM)
            assert (await inside).json() == {"done": True}
        assert await asyncio.to_thread(server.process.wait, 20) == 0


async def test_a_server_does_not_start_with_an_application_that_failed() -> None:
    async def fails(_scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})

    async def raises(_scope: asgi.Scope, _receive: asgi.Receive, _send: asgi.Send) -> None:
        raise ValueError("no lifespan")

    async def returns(_scope: asgi.Scope, _receive: asgi.Receive, _send: asgi.Send) -> None: ...

    with pytest.raises(RuntimeError, match="no database"):
        await AsgiMount(fails).startup()
    with pytest.raises(ValueError, match="no lifespan"):
        await AsgiMount(raises).startup()
    with pytest.raises(RuntimeError, match="ended"):
        await AsgiMount(returns).startup()
