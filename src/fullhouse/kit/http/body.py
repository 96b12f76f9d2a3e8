"""Checks on a request body before it is decoded: size, content type, valid UTF-8 without NUL, nesting depth.

They run before any decoder, because decoders differ: some pass NUL characters on to the database, some overflow the
stack on deep nesting. Both lanes and both transports use them.
"""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from fullhouse.kit.errors import Malformed, TooLarge, UnsupportedMedia
from fullhouse.kit.http.decode import decode as decode  # the step after these checks
from fullhouse.kit.tasks import timeout

JSON = "application/json"
DEPTH_MAX = 20
DISCARD_MAX = 4 * 2**20
DISCARD_S = 2


class BodyRules(NamedTuple):
    """What a route accepts. A route's `opt` may set `accepts` (media types) and `body_limit` (bytes)."""

    limit: int = 65_536
    accepts: tuple[str, ...] = (JSON,)

    def with_options(self, opt: Mapping[str, Any]) -> "BodyRules":
        return self._replace(limit=opt.get("body_limit", self.limit), accepts=tuple(opt.get("accepts", self.accepts)))


def check_address(path: str, query: str) -> None:
    """The path (decoded by the server) and the query (as sent) must be UTF-8 text without NUL."""
    # Servers, ours included, put U+FFFD in place of bytes that are not UTF-8.
    if "\0" in path or "\ufffd" in path:
        raise Malformed("The path has a NUL or is not UTF-8. Check how the address is encoded.")
    if "%" in query or not query.isascii() or "\0" in query:
        raw = unquote_to_bytes(query)
        if b"\0" in raw or "\ufffd" in query or not _is_utf8(raw):
            raise Malformed("The query has a NUL or is not UTF-8. Check how the address is encoded.")


async def check_length(announced: str, limit: int, chunks: Callable[[], AsyncIterator[bytes]]) -> None:
    """Refuse an oversized body by its Content-Length, before any of it is stored."""
    if not (announced.isascii() and announced.isdigit()):
        raise Malformed("Content-Length is not a number.")
    if len(announced) > 18 or int(announced) > limit:
        if len(announced) < 18 and int(announced) <= DISCARD_MAX:
            await _discard(chunks())
        raise _too_large(limit)


async def read_body(chunks: AsyncIterator[bytes], limit: int) -> bytes:
    """Read a whole body, up to the limit."""
    parts: list[bytes] = []
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > limit:
            await _discard(chunks)
            raise _too_large(limit)
        parts.append(chunk)
    return b"".join(parts)


async def _discard(chunks: AsyncIterator[bytes]) -> None:
    """Read the rest of a slightly oversized body: the client may not read the response before it has sent everything,
    and closing a connection with unread data would reset it, and lose the refusal."""
    left = DISCARD_MAX
    with suppress(TimeoutError, Malformed):
        async with timeout(DISCARD_S):
            async for chunk in chunks:
                left -= len(chunk)
                if left < 0:
                    break


def check_body(content_type: str | None, body: bytes, rules: BodyRules) -> None:
    """Refuse a body of the wrong type or size, and JSON that is unsafe to decode."""
    if not body:
        return
    if len(body) > rules.limit:
        raise _too_large(rules.limit)
    if content_type not in rules.accepts:
        content_type = (content_type or "").partition(";")[0].strip().lower()
        if content_type not in rules.accepts:
            accepted = " or ".join(rules.accepts)
            raise UnsupportedMedia(f"This address accepts {accepted}. Set Content-Type accordingly.")
    if content_type == JSON:
        check_json(body)


def check_json(body: bytes) -> None:
    """Check encoding, NUL characters and nesting depth. The decoder checks the JSON syntax."""
    if b"\0" in body:
        raise Malformed("The body contains a NUL character. Remove it.")
    if not body.isascii() and not _is_utf8(body):
        raise Malformed("The body is not UTF-8. Encode it as UTF-8.")
    if b"\\u" in body and any(escape["bad"] for escape in _ESCAPE.finditer(body)):
        raise Malformed("The body contains a NUL character or half a surrogate pair. Remove it.")
    if body.count(b"[") + body.count(b"{") > DEPTH_MAX and _depth(body) > DEPTH_MAX:
        raise Malformed(f"The body is nested deeper than {DEPTH_MAX} levels.")


# Consumes each escape whole, so that `\\u0000` (a backslash and then letters) is not mistaken for one.
_ESCAPE = re.compile(
    rb"""\\(?: u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
             | (?P<bad> u0000 | u[dD][89a-fA-F][0-9a-fA-F]{2})
             | . )""",
    re.VERBOSE | re.DOTALL,
)
# The closing quote is optional, so that a string without one costs a single pass and not one per character.
_STRING_OR_BRACKET = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)


def _depth(body: bytes) -> int:
    depth = deepest = 0
    for match in _STRING_OR_BRACKET.finditer(body):
        token = match[0]
        if token in (b"[", b"{"):
            depth += 1
            deepest = max(deepest, depth)
        elif token in (b"]", b"}"):
            depth -= 1
    return deepest


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than the {limit} bytes that this address accepts. Send less.")
