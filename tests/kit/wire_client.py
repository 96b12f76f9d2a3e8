"""A server in this process, and a client that speaks to it byte by byte."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from fullhouse.kit.http.request import Request, encode_headers
from fullhouse.kit.http.server import Server

Serve = Callable[[Request], Awaitable[None]]
HOST = b"Host: x\r\n"
REQUEST = b"POST /a%20b?c=%41 HTTP/1.1\r\n" + HOST + b"X-Mark: m\r\nContent-Length: 5\r\n\r\nhello"


async def echo(request: Request) -> None:
    """Method, path, query and body, in its own words."""
    body = b"".join([chunk async for chunk in request.chunks()])
    words = f"{request.method} {request.path}?{request.query} {request.header('x-mark')} ".encode()
    request.respond(200, encode_headers([("content-type", "text/plain")]), words + body)


@asynccontextmanager
async def listening(serve: Serve = echo) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    server = Server(serve)
    await server.listen("127.0.0.1", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        yield reader, writer
    finally:
        writer.close()
        await server.close(1)


async def answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    """The next whole answer."""
    head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)).decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in head[1:] if line)
    status = int(head[0].split()[1])
    return status, headers, await reader.readexactly(int(headers.get("content-length", 0)))


async def asked(request: bytes, serve: Serve = echo) -> tuple[int, dict[str, str], bytes]:
    async with listening(serve) as (reader, writer):
        writer.write(request)
        return await answer(reader)


async def closes(reader: asyncio.StreamReader) -> bool:
    return await asyncio.wait_for(reader.read(), 10) == b""
