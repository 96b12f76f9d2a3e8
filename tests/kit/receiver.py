"""A tiny HTTP receiver in this process. It takes what is posted, or misbehaves as a test wishes."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

Misbehave = Callable[[asyncio.StreamWriter], Awaitable[None]]


class Posted(NamedTuple):
    target: str
    headers: dict[str, str]
    body: bytes


def answer(status: int, body: bytes = b"", **headers: str) -> bytes:
    named = {"content_length": str(len(body)), **headers}
    lines = [f"HTTP/1.1 {status} X", *(f"{name.replace('_', '-')}: {value}" for name, value in named.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Receiver:
    """`posted` came in whole. The next answers are those of `script`, in order; without one it is a plain 204."""

    def __init__(self) -> None:
        self.host, self.port = "", 0
        self.posted: list[Posted] = []
        self.connections = 0
        self.script: list[bytes | Misbehave] = []
        self.otherwise: bytes | Misbehave = answer(204)
        self.released = asyncio.Event()  # set at the end: whoever hangs may go

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}/hook"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (h.partition(":") for h in head[1:] if h)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.posted.append(Posted(head[0].split()[1], headers, body))
            doing = self.script.pop(0) if self.script else self.otherwise
            if isinstance(doing, bytes):
                writer.write(doing)
                await writer.drain()
            else:
                await doing(writer)
        except (OSError, asyncio.IncompleteReadError):
            pass  # they have gone
        finally:
            writer.close()

    # --- misbehaviours

    async def hang(self, _writer: asyncio.StreamWriter) -> None:
        await self.released.wait()

    async def close_early(self, _writer: asyncio.StreamWriter) -> None:
        return

    async def drip_head(self, writer: asyncio.StreamWriter) -> None:
        """A byte of the answer's head now and then, for ever."""
        writer.write(b"HTTP/1.1 200 OK\r\nx: ")
        while not (self.released.is_set() or writer.is_closing()):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    async def drip_body(self, writer: asyncio.StreamWriter) -> None:
        """A whole head, then a byte of the body now and then, for ever."""
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
        while not (self.released.is_set() or writer.is_closing()):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    async def flood(self, writer: asyncio.StreamWriter) -> None:
        """A body without an end, as fast as it goes."""
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while not self.released.is_set():
            writer.write(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
            await writer.drain()

    async def half_a_body(self, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")


@asynccontextmanager
async def receiving(host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, host, ssl=tls)
    receiver.host, receiver.port = host, server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        receiver.released.set()
        server.close()
