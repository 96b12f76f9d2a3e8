"""The few pieces of ASGI that both lanes need."""

from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

from fullhouse.kit.errors import Malformed
from fullhouse.kit.http.answer import Answer

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def header(scope: Scope, name: str) -> str | None:
    """A header's value; the values of a repeated one as the one line they mean (RFC 9110, 5.3)."""
    key = name.encode("latin-1")
    values = [value.decode("latin-1") for given, value in scope["headers"] if given == key]
    return joined(name, values)


def joined(name: str, values: list[str]) -> str | None:
    if len(values) < 2:
        return values[0] if values else None
    return ("; " if name == "cookie" else ", ").join(values)


def query(scope: Scope) -> str:
    raw: bytes = scope["query_string"]
    return raw.decode("latin-1")


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


async def send_answer(send: Send, answer: Answer, added: list[tuple[str, str]] | None = None) -> None:
    headers = [*answer.own_headers(), ("content-length", str(len(answer.body))), *(added or [])]
    await send(
        {
            "type": "http.response.start",
            "status": answer.status,
            "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        }
    )
    await send({"type": "http.response.body", "body": answer.body})
