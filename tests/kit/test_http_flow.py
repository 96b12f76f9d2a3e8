"""Our own HTTP/1.1: nobody sends or is sent more than is taken, whoever leaves is missed, and everything has an end."""

import asyncio
from typing import cast

import pytest

from fullhouse.kit.errors import Malformed
from fullhouse.kit.http import wire
from fullhouse.kit.http.request import Request
from fullhouse.kit.http.server import Server
from tests.kit.wire_client import HOST, REQUEST, answer, closes, echo, listening

# --- flow


async def test_a_body_that_nobody_reads_is_not_received() -> None:
    go_on = asyncio.Event()
    sizes: list[int] = []

    async def wait(request: Request) -> None:
        await go_on.wait()
        sizes.append(len(request._parts))
        size = sum([len(chunk) async for chunk in request.chunks()])
        request.respond(200, b"", b"%d" % size)

    body = b"x" * 20_000_000
    async with listening(wait) as (reader, writer):
        writer.write(b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % len(body))
        sending = asyncio.create_task(_send(writer, body))
        await asyncio.sleep(0.2)
        assert not sending.done()
        go_on.set()
        assert (await answer(reader))[2] == b"20000000"
        await sending
        assert sizes[0] < 20


async def _send(writer: asyncio.StreamWriter, body: bytes) -> None:
    writer.write(body)
    await writer.drain()


async def test_an_answer_that_nobody_reads_is_not_written() -> None:
    waited: list[bool] = []

    async def flood(request: Request) -> None:
        stream = request.stream(200, b"")
        for _ in range(400):
            stream.write(b"x" * 65_536)
            waited.append(stream.is_full)
            await stream.drain()
        stream.end()

    async with listening(flood) as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
        await asyncio.sleep(0.2)
        assert len(waited) < 400
        assert waited[-1]
        assert len(await asyncio.wait_for(reader.read(), 20)) > 400 * 65_536


async def test_an_answer_before_the_body_has_come_ends_the_connection_and_is_read() -> None:
    async def refuse(request: Request) -> None:
        request.respond(401, b"", b"no")

    async with listening(refuse) as (reader, writer):
        writer.write(b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 3000000\r\n\r\n" + b"x" * 1000)
        status, headers, body = await answer(reader)
        assert (status, headers["connection"], body) == (401, "close", b"no")
        assert await closes(reader)


async def test_who_has_said_all_and_still_listens_is_answered() -> None:
    async with listening() as (reader, writer):
        writer.write(REQUEST)
        writer.write_eof()
        assert (await answer(reader))[2] == b"POST /a b?c=%41 m hello"
        assert await closes(reader)


async def test_a_body_that_is_cut_off_is_not_whole() -> None:
    found: list[str] = []

    async def read(request: Request) -> None:
        try:
            await echo(request)
        except Malformed as error:
            found.append(error.detail)
            request.respond(400, b"", b"")

    async with listening(read) as (reader, writer):
        writer.write(REQUEST[:-2])
        writer.write_eof()
        assert (await answer(reader))[0] == 400
        assert found == ["The body ended early."]


async def test_who_leaves_is_missed() -> None:
    left = asyncio.Event()

    async def wait(request: Request) -> None:
        request.on_left(left.set)
        await left.wait()

    async with listening(wait) as (_, writer):
        writer.write(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
        await asyncio.sleep(0.05)
        writer.close()
        await asyncio.wait_for(left.wait(), 10)


async def test_who_asks_on_and_on_and_reads_nothing_is_not_answered_on_and_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "READ_S", 0.3)
    monkeypatch.setattr("fullhouse.kit.http.server.TICK_S", 0.05)
    answered = 0

    async def large(request: Request) -> None:
        nonlocal answered
        answered += 1
        request.respond(200, b"", b"x" * 20_000)

    async def by_task(request: Request) -> None:
        await asyncio.sleep(0)
        await large(request)

    for serve in (large, by_task):
        answered, server = 0, Server(serve)
        await server.listen("127.0.0.1", 0)
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        cast(asyncio.Transport, writer.transport).pause_reading()
        writer.write((b"GET / HTTP/1.1\r\n" + HOST + b"\r\n") * 5000)
        async with asyncio.timeout(20):
            while server._connections:
                await asyncio.sleep(0.02)
        assert 0 < answered < 2000  # the kernel's own buffers take some
        writer.close()
        await server.close(1)


async def test_a_body_is_read_though_another_protocol_is_offered() -> None:
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
    head = b"POST / HTTP/1.1\r\n" + HOST + offer
    for framed in (b"Content-Length: 5\r\n\r\nhello", b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"):
        for cut in (len(head) + len(framed), len(head) + 30, len(head) + len(framed) - 3):
            async with listening() as (reader, writer):
                writer.write((head + framed)[:cut])
                await asyncio.sleep(0.01)
                writer.write((head + framed)[cut:])
                _, headers, body = await answer(reader)
                assert (body, headers["connection"]) == (b"POST /? None hello", "close")


async def test_a_trailer_without_an_end_is_not_kept() -> None:
    async def read(request: Request) -> None:
        try:
            await echo(request)
        except Malformed:
            request.respond(400, b"", b"")

    async with listening(read) as (reader, writer):
        writer.write(b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: ")
        for _ in range(40):
            writer.write(b"y" * 8192)
            await asyncio.sleep(0.001)
        assert (await answer(reader))[0] == 400
        assert await closes(reader)


async def test_a_refusal_is_read_by_who_still_sends() -> None:
    async def refuse(request: Request) -> None:
        await asyncio.sleep(0.1)  # more of the body has come than is kept
        request.respond(401, b"", b"no")

    async with listening(refuse) as (reader, writer):
        writer.write(b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 3000000\r\n\r\n")
        await asyncio.wait_for(_send(writer, b"x" * 3_000_000), 10)
        assert (await answer(reader))[0] == 401
        assert await closes(reader)


async def test_half_of_an_answer_is_seen_to_be_half_by_old_clients_too() -> None:
    async def half(request: Request) -> None:
        request.stream(200, b"").write(b"half")

    async with listening(half) as (reader, writer):
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        with pytest.raises(ConnectionResetError):
            await asyncio.wait_for(reader.read(), 10)


@pytest.mark.parametrize("after", ["the end of the server", "the end of what was asked", "nonsense"])
async def test_a_stream_that_is_over_is_the_last_where_nothing_may_follow(after: str) -> None:
    begun, over = asyncio.Event(), asyncio.Event()

    async def stream(request: Request) -> None:
        news = request.stream(200, b"")
        news.write(b"news")
        begun.set()
        await over.wait()
        news.end()

    server = Server(stream)
    await server.listen("127.0.0.1", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
    await begun.wait()
    if after == "the end of what was asked":
        writer.write_eof()
    elif after == "nonsense":
        writer.write(b"nonsense\r\n\r\n")
    await asyncio.sleep(0.05)
    over.set()
    closing = asyncio.create_task(server.close(20)) if after == "the end of the server" else None
    assert (await asyncio.wait_for(reader.read(), 10)).endswith(b"news\r\n0\r\n\r\n")
    if closing:
        await asyncio.wait_for(closing, 10)
    writer.close()
    await server.close(1)


# --- an end to everything


@pytest.mark.parametrize(
    ("patience", "sent"),
    [("HEAD_S", b""), ("HEAD_S", b"GET / HTTP/1.1\r\nHo"), ("IDLE_S", b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")],
)
async def test_silence_ends(monkeypatch: pytest.MonkeyPatch, patience: str, sent: bytes) -> None:
    monkeypatch.setattr(wire, patience, 0.05)
    monkeypatch.setattr("fullhouse.kit.http.server.TICK_S", 0.05)
    async with listening() as (reader, writer):
        writer.write(sent)
        if sent.endswith(b"\r\n\r\n"):
            assert (await answer(reader))[0] == 200
        assert await closes(reader)


async def test_who_takes_nothing_of_an_answer_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "READ_S", 0.2)
    monkeypatch.setattr("fullhouse.kit.http.server.TICK_S", 0.05)
    lost = asyncio.Event()

    async def flood(request: Request) -> None:
        request.on_left(lost.set)
        request.respond(200, b"", b"x" * 30_000_000)
        await lost.wait()

    async with listening(flood) as (_, writer):
        writer.write(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
        await asyncio.wait_for(lost.wait(), 20)


async def test_a_server_that_closes_answers_what_it_has_begun() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(request: Request) -> None:
        begun.set()
        await go_on.wait()
        await echo(request)

    server = Server(slowly)
    await server.listen("127.0.0.1", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    silent, other = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
    await begun.wait()
    closing = asyncio.create_task(server.close(10))
    assert await closes(silent)  # nothing is in hand there
    go_on.set()
    status, headers, _ = await answer(reader)
    assert (status, headers["connection"]) == (200, "close")
    await closing
    for each in (writer, other):
        each.close()
