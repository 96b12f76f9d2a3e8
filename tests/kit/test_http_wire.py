"""Our own HTTP/1.1: what arrives in any pieces is read once, in one way; and answered in its order."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullhouse.kit.http.request import Request, encode_headers
from tests.kit.wire_client import HOST, REQUEST, answer, asked, closes, echo, listening

# --- reading


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
async def test_a_request_comes_in_any_pieces(size: int) -> None:
    async with listening() as (reader, writer):
        for at in range(0, len(REQUEST), size):
            writer.write(REQUEST[at : at + size])
            await asyncio.sleep(0)
        assert (await answer(reader))[2] == b"POST /a b?c=%41 m hello"


async def test_requests_that_come_together_are_answered_one_after_the_other() -> None:
    at_once: list[str] = []

    async def slowly(request: Request) -> None:
        at_once.append(request.path)
        await asyncio.sleep(0.01)
        assert at_once == [request.path]
        at_once.clear()
        await echo(request)

    async with listening(slowly) as (reader, writer):
        writer.write(b"".join(b"GET /%d HTTP/1.1\r\n%b\r\n" % (n, HOST) for n in range(20)))
        for n in range(20):
            assert (await answer(reader))[2] == b"GET /%d? None " % n


async def test_a_chunked_body_is_put_together_and_its_trailer_changes_nothing() -> None:
    head = b"POST / HTTP/1.1\r\n" + HOST + b"X-Mark: mine\r\nTransfer-Encoding: chunked\r\n\r\n"
    _, _, body = await asked(head + b"3\r\nabc\r\n2\r\nde\r\n0\r\nX-Mark: forged\r\n\r\n")
    assert body == b"POST /? mine abcde"


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("http://x?u=/admin", "/?u=/admin"),
        ("/a?b", "/a?b"),
        ("http://x/a?b", "/a?b"),
        ("HTTP://x", "/?"),
        ("/a#b", "/a?"),
        ("/%ff", "/\ufffd?"),
    ],
)
async def test_addresses(target: str, path: str) -> None:
    _, _, body = await asked(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert body.decode() == f"GET {path} None "


async def test_lines_of_one_header_are_read_as_one_where_that_is_meant() -> None:
    async def show(request: Request) -> None:
        request.respond(200, b"", f"{request.header('cookie')} {request.header('x-mark')}".encode())

    lines = b"Cookie: a=1\r\nX-Mark: first\r\nCookie: b=2\r\nX-Mark: second\r\n"
    assert (await asked(b"GET / HTTP/1.1\r\n" + HOST + lines + b"\r\n", show))[2] == b"a=1; b=2 first"


async def test_who_waits_to_be_told_sends_its_body_then() -> None:
    async with listening() as (reader, writer):
        writer.write(b"POST / HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10) == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"ok")
        assert (await answer(reader))[2] == b"POST /? None ok"


# --- what is no request


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n", 400),
        (b"CONNECT x:1 HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"GET x HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n" + HOST + b"Bad header: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n" + HOST + b"A: b\r\n folded\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n" + HOST + b"A: \x00\r\n\r\n", 400),
        (b"CONNECT / HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: identity\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400),
        (
            b"POST / HTTP/1.1\r\n"
            + HOST
            + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
        ),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"BREW / HTTP/1.1\r\n" + HOST + b"\r\n", 501),
        (b"GET / HTTP/2.0\r\n" + HOST + b"\r\n", 505),
        (b"GET / HTTP/1.1\r\n" + HOST + b"Expect: miracles\r\n\r\n", 417),
        (b"GET / HTTP/1.1\r\n" + b"A: " + b"b" * 300_000, 431),
        (b"GET /" + b"a" * 300_000, 431),
    ],
)
async def test_what_is_no_request_is_refused_and_the_connection_ends(sent: bytes, status: int) -> None:
    served = []

    async def note(request: Request) -> None:
        served.append(request.path)
        await echo(request)

    async with listening(note) as (reader, writer):
        for at in range(0, len(sent), 16_384):
            writer.write(sent[at : at + 16_384])
            await asyncio.sleep(0.001)
        got, headers, body = await answer(reader)
        assert (got, headers["connection"], headers["content-type"]) == (status, "close", "application/problem+json")
        assert b'"detail"' in body
        assert not served
        assert await closes(reader)


async def test_what_follows_a_good_request_and_is_none_ends_the_connection_after_it() -> None:
    async def later(request: Request) -> None:
        await asyncio.sleep(0)
        await echo(request)

    async with listening(later) as (reader, writer):
        writer.write(b"GET /good HTTP/1.1\r\n" + HOST + b"\r\nnonsense\r\n\r\n")
        status, headers, _ = await answer(reader)
        assert (status, headers["connection"]) == (200, "close")
        assert await closes(reader)


@given(st.lists(st.binary(max_size=80), max_size=6))
async def test_no_bytes_break_the_server(pieces: list[bytes]) -> None:
    async with listening() as (reader, writer):
        for piece in pieces:
            writer.write(piece)
        writer.write_eof()
        said = await asyncio.wait_for(reader.read(), 10)
        assert not said or said.startswith(b"HTTP/1.1 ")


# --- answering


async def test_a_head_has_the_length_and_nothing_else() -> None:
    async with listening() as (reader, writer):
        writer.write(b"HEAD / HTTP/1.1\r\n" + HOST + b"\r\nGET /next HTTP/1.1\r\n" + HOST + b"\r\n")
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        assert f"content-length: {len(b'GET /? None ')}" in head
        assert (await answer(reader))[2] == b"GET /next? None "


@pytest.mark.parametrize("status", [204, 304])
async def test_some_answers_have_no_body_and_no_length(status: int) -> None:
    async def empty(request: Request) -> None:
        request.respond(status, b"", b"never shown")

    got, headers, _ = await asked(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n", empty)
    assert (got, "content-length" in headers) == (status, False)


async def test_a_line_break_in_a_header_is_a_mistake_of_ours() -> None:
    for bad in ("a\r\nset-cookie: b", "a\nb", "a\rb", "a\0"):
        with pytest.raises(ValueError, match="line break"):
            encode_headers([("location", bad)])


async def test_a_stream_is_chunked_and_the_connection_goes_on() -> None:
    async def count(request: Request) -> None:
        stream = request.stream(200, b"")
        for n in range(3):
            stream.write(b"%d" % n)
        stream.end()

    async with listening(count) as (reader, writer):
        for _ in range(2):
            writer.write(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            assert b"transfer-encoding: chunked" in head
            assert await reader.readuntil(b"0\r\n\r\n") == b"1\r\n0\r\n1\r\n1\r\n1\r\n2\r\n0\r\n\r\n"


async def test_an_old_client_sees_the_end_by_the_connections() -> None:
    async def count(request: Request) -> None:
        stream = request.stream(200, b"")
        stream.write(b"012")
        stream.end()

    async with listening(count) as (reader, writer):
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        head, _, body = (await asyncio.wait_for(reader.read(), 10)).partition(b"\r\n\r\n")
        assert (b"chunked" in head, body) == (False, b"012")


@pytest.mark.parametrize("written", [b"12", b"1234"])
async def test_an_answer_of_another_length_than_announced_is_broken_off(written: bytes) -> None:
    async def lie(request: Request) -> None:
        stream = request.stream(200, b"", length=3)
        stream.write(written)
        stream.end()

    async with listening(lie) as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\n" + HOST + b"\r\nGET / HTTP/1.1\r\n" + HOST + b"\r\n")
        try:
            said = await asyncio.wait_for(reader.read(), 10)
        except ConnectionError:
            said = b""
        assert said.count(b"HTTP/1.1 200") <= 1


async def test_whoever_serves_and_fails_is_answered_for() -> None:
    async def fail(_request: Request) -> None:
        raise RuntimeError("secret")

    async with listening(fail) as (reader, writer):
        for _ in range(2):
            writer.write(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
            assert (await answer(reader))[0] == 500
