"""A client that speaks to our own server's connections, without a network; what its requests need is in memory already.

So they are answered as nearly all are on the day of a sale: without a task, by a batch (kit/http/batch_reply.py).
"""

import asyncio
import re
from contextlib import suppress
from typing import Any
from uuid import UUID

import httpx

from fullhouse.holds.sale_context import SaleContexts
from fullhouse.kit.errors import Refusal
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.http.server import Server
from fullhouse.kit.http.wire import Connection, Outbox
from fullhouse.kit.services import Credentials, Services
from fullhouse.waiting_room.rooms import WaitingRooms
from tests.fixtures import PUBLIC_URL, Client

PEER = ("198.51.100.7", 4711)


class _Pipe(asyncio.Transport):
    """The other end of a connection."""

    def __init__(self) -> None:
        super().__init__({"peername": PEER})
        self.answer: asyncio.Future[httpx.Response] = asyncio.get_running_loop().create_future()
        self._said = b""

    def write(self, data: Any) -> None:
        self._said += data
        head, end, body = self._said.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = httpx.Headers([(name, value) for name, _, value in (line.partition(": ") for line in lines)])
        if end and len(body) >= int(headers.get("content-length", 0)):
            self.answer.set_result(httpx.Response(int(first.split()[1]), headers=headers, content=body))

    def is_closing(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def can_write_eof(self) -> bool:
        return True

    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...
    def write_eof(self) -> None: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...


class _Transport(httpx.AsyncBaseTransport):
    def __init__(self, lane: LaneRouter) -> None:
        self._lane = lane

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self._remember(request)
        body = await request.aread()
        lines = [f"{request.method} {request.url.raw_path.decode()} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in request.headers.items()]
        server, pipe = Server(self._lane.serve), _Pipe()
        connection = Connection(server._begin, set(), Outbox())
        connection.connection_made(pipe)
        arrived = "\r\n".join([*lines, "", ""]).encode("latin-1") + body
        asyncio.get_running_loop().call_soon(connection.data_received, arrived)  # outside this task, as from a socket
        return await asyncio.wait_for(pipe.answer, 20)

    async def _remember(self, request: httpx.Request) -> None:
        """Who asks, and the show that it is about."""
        services: Services = self._lane.wide.state.services
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        who = await self._lane.wide.state.authenticate(Credentials(token or None, None, None))
        show = re.match("/api/events/([0-9a-f-]{36})/", request.url.path)
        if who and show:
            with suppress(Refusal):
                await services.part(SaleContexts).get(who.organization_id, UUID(show[1]))
                await services.part(WaitingRooms).read_state(who.organization_id, UUID(show[1]))


class WireClient(Client):
    """As `Client`, by way of our own server."""

    def __init__(self, lane: LaneRouter, token: str | None = None) -> None:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        httpx.AsyncClient.__init__(self, transport=_Transport(lane), base_url=PUBLIC_URL, headers=headers)
        self._lane = lane

    def as_(self, token: str) -> "WireClient":
        return WireClient(self._lane, token)
