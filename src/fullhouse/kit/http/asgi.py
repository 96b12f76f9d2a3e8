"""ASGI helpers for both lanes."""

from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

from fullhouse.kit.errors import Malformed
from fullhouse.kit.http.request import LISTS
from fullhouse.kit.http.response import Response

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def header(scope: Scope, name: str) -> str | None:
    key = name.encode("latin-1")
    values = [value.decode("latin-1") for given, value in scope["headers"] if given == key]
    if not values:
        return None
    return LISTS[name].join(values) if name in LISTS else values[0]


def query(scope: Scope) -> str:
    raw: bytes = scope["query_string"]
    return raw.decode(errors="replace")


async def chunks(receive: Receive) -> AsyncIterator[bytes]:
    """The body as it arrives."""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Malformed("The body ended early.")
        if part := message.get("body", b""):
            yield part
        more = message.get("more_body", False)


async def send_response(send: Send, response: Response, added: list[tuple[str, str]] | None = None) -> None:
    headers = [*response.headers_with_type(), ("content-length", str(len(response.body))), *(added or [])]
    await send(start_message(response.status, headers))
    await send({"type": "http.response.body", "body": response.body})


def start_message(status: int, headers: list[tuple[str, str]]) -> Message:
    """A response's first message."""
    encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    return {"type": "http.response.start", "status": status, "headers": encoded}
