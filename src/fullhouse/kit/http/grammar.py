"""Checks beyond llhttp's: which well-formed requests are refused, and how request targets are parsed."""

from functools import lru_cache
from http import HTTPStatus
from urllib.parse import unquote

import msgspec

from fullhouse.kit.http.request import CLOSE, STATUS, Request

HEAD_MAX = 65_536  # bytes of a request before its body
_NO_REQUEST = {
    400: "This is not HTTP/1.1 as it should be: check the request line, the Host header and the length of the body.",
    417: "The only expectation that is met here is 100-continue.",
    431: f"The request's head is larger than {HEAD_MAX // 1024} kB. Send fewer or shorter headers.",
    501: "There is no such method.",
    505: "This server speaks HTTP/1.1.",
}


@lru_cache
def render_refusal(status: int) -> bytes:
    """An answer to what is no request, as problems are (problems.py)."""
    problem = {"type": "about:blank", "code": "malformed", "title": HTTPStatus(status).phrase, "status": status}
    body = msgspec.json.encode({**problem, "detail": _NO_REQUEST[status]})
    head = b"content-type: application/problem+json\r\ncontent-length: %d\r\n" % len(body)
    return b"".join((STATUS[status], CLOSE, head, b"\r\n", body))


def find_refusal_status(method: str, request: Request) -> int:
    """The status of what must not be served, or 0. llhttp finds fault with other codings too, but only after the
    request was handed on."""
    headers, version = request.headers, request.version
    if version not in ("1.0", "1.1"):
        return 505
    coding = headers.get("transfer-encoding")
    if coding is not None and (coding.lower() != "chunked" or version != "1.1"):
        return 400
    if method == "CONNECT" or (version == "1.1" and "host" not in headers):
        return 400
    return 417 if headers.get("expect", "100-continue").lower() != "100-continue" else 0


def read_target(method: str, target: bytes) -> tuple[bytes, str, str] | None:
    """The path as it was sent, the path as it is meant, and the query."""
    if not target.startswith(b"/"):
        found = _after_host(method, target)
        if found is None:
            return None
        target = found
    path, _, query = target.partition(b"#")[0].partition(b"?")
    text = path.decode(errors="replace")
    return path, unquote(text) if "%" in text else text, query.decode(errors="replace")


def _after_host(method: str, target: bytes) -> bytes | None:
    """Of an address with a host in it, as proxies are sent; or of the whole server, to which `*` refers."""
    scheme, mark, rest = target.partition(b"://")
    if mark and scheme.lower() in (b"http", b"https"):
        at = min((n for n in map(rest.find, (b"/", b"?", b"#")) if n >= 0), default=len(rest))
        return rest[at:] if rest[at : at + 1] == b"/" else b"/" + rest[at:]
    return b"/" if target == b"*" and method == "OPTIONS" else None
