"""A client for crowds: one connection, kept, and one request at a time. Thousands of them fit into a test's process,
where a general client takes longer for a request than the server does."""

import asyncio
import json
from typing import Any, NamedTuple


class Answer(NamedTuple):
    status_code: int
    text: str

    @property
    def is_success(self) -> bool:
        return 200 <= self.status_code < 300

    def json(self) -> Any:
        return json.loads(self.text)


class Caller:
    """Raises OSError, EOFError or TimeoutError if there is no answer; the next request has a new connection then."""

    def __init__(self) -> None:
        self._port = 0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
        self, port: int, method: str, path: str, body: Any, headers: dict[str, str], *, patience_s: float
    ) -> Answer:
        if port != self._port:
            self.close()
        self._port = port
        sent = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", f"content-length: {len(sent)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if sent:
            lines.append("content-type: application/json")
        try:
            async with asyncio.timeout(patience_s):
                return await self._exchange("\r\n".join([*lines, "", ""]).encode() + sent)
        except BaseException:
            self.close()
            raise

    async def _exchange(self, request: bytes) -> Answer:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write(request)
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        said = dict(line.split(": ", 1) for line in lines if line)
        text = (await reader.readexactly(int(said.get("content-length", 0)))).decode()
        if said.get("connection") == "close":
            self.close()
        return Answer(int(first.split()[1]), text)

    def close(self) -> None:
        if self._streams:
            self._streams[1].close()
        self._streams = None
