"""Just enough HTTP/2 for a test: one request over a fresh connection, and the body of its answer."""

import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, WINDOW_UPDATE = 0, 1, 4, 8
END_STREAM, END_HEADERS = 1, 4


def request(connection: socket.socket, headers: list[tuple[str, str]], body: bytes) -> bytes:
    """`headers` with the pseudo ones. No Content-Length is added: the end of the stream ends the body."""
    block = b"".join(b"\0" + _string(name) + _string(value) for name, value in headers)
    connection.sendall(
        PREFACE
        + _frame(SETTINGS, 0, 0, b"")
        + _frame(HEADERS, END_HEADERS, 1, block)
        + _frame(DATA, 0, 1, body[:5])
        + _frame(DATA, END_STREAM, 1, body[5:])
    )
    return _answer(connection)


def _answer(connection: socket.socket) -> bytes:
    body = b""
    stream = connection.makefile("rb")
    while True:
        head = stream.read(9)
        assert len(head) == 9, "the server hung up"
        payload = stream.read(int.from_bytes(head[:3]))
        kind, flags, stream_id = struct.unpack(">BBI", head[3:])
        if stream_id == 1 and kind == DATA:
            body += payload
        if stream_id == 1 and flags & END_STREAM and kind in (DATA, HEADERS):
            return body


def _frame(kind: int, flags: int, stream_id: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + struct.pack(">BBI", kind, flags, stream_id) + payload


def _string(text: str) -> bytes:
    assert len(text) < 127
    return bytes([len(text)]) + text.encode()
