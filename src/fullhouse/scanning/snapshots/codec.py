"""The compact binary format of snapshots for offline devices, specified in docs/scanning.md. Pure.

It contains no names, so that a lost device reveals none. A ticket is found by its code, or by the tag of its QR code.
"""

import hashlib
import os
import struct
import zlib
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import numpy as np
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from fullhouse.kit.codes import ALPHABET

MAGIC, SEALED = b"FHS1", b"FHE1"
TAG_BYTES, CODE_BYTES = 8, 5
STATUSES = ("valid", "used", "cancelled", "refunded")
CATEGORIES = ("", "wheelchair", "companion")
NONE = 0xFFFF
# Column by column in this order, little-endian, so that a browser reads them as typed arrays.
COLUMNS: tuple[tuple[str, str], ...] = (
    ("at", "<u4"), ("type", "<u2"), ("zone", "<u2"), ("member", "<u2"), ("section", "<u2"), ("row", "<u2"),
    ("seat", "<u2"), ("day", "<u2"), ("entries", "<u2"), ("gate", "<u2"), ("entries_today", "u1"), ("status", "u1"),
    ("category", "u1"), ("inside", "u1"),
)  # fmt: skip
_VALUES = {digit: value for value, digit in enumerate(ALPHABET)}


class Row(NamedTuple):
    """A ticket. References are indexes into the header's lists."""

    ticket_id: UUID
    nonce: bytes
    code: str
    numbers: tuple[int, ...]  # in the order of COLUMNS


def tag_of(ticket_id: UUID, nonce: bytes) -> bytes:
    """Identifies a QR code. A transfer changes the nonce, and so the tag."""
    return hashlib.sha256(ticket_id.bytes + nonce).digest()[:TAG_BYTES]


def code_number(code: str) -> int:
    number = 0
    for digit in code:
        number = number * 31 + _VALUES[digit]
    return number


def code_of(number: int) -> str:
    found = ""
    for _ in range(8):
        number, digit = divmod(number, 31)
        found = ALPHABET[digit] + found
    return found


class IndexedValues:
    """A list of distinct values, with the index of each."""

    def __init__(self, things: Iterable[Any] = ()) -> None:
        self.indexes: dict[Any, int] = {thing: n for n, thing in enumerate(things)}

    def index_of(self, thing: Any) -> int:
        return NONE if thing is None else self.indexes.setdefault(thing, len(self.indexes))


def pack(header: dict[str, Any], rows: Sequence[Row]) -> bytes:
    head = msgspec.json.encode(header | {"tickets": len(rows)})
    head += b" " * (-len(head) % 8)  # typed arrays need aligned columns
    numbers = np.array([row.numbers for row in rows], np.int64).reshape(len(rows), len(COLUMNS))
    columns = [numbers[:, n].astype(kind).tobytes() for n, (_, kind) in enumerate(COLUMNS)]
    tags = b"".join(tag_of(row.ticket_id, row.nonce) for row in rows)
    codes = b"".join(code_number(row.code).to_bytes(CODE_BYTES, "big") for row in rows)
    return MAGIC + struct.pack("<I", len(head)) + head + b"".join(columns) + tags + codes


def seal(packed: bytes, key: bytes, signer: Ed25519PrivateKey, device_id: UUID) -> bytes:
    """Compressed, encrypted for the device, signed by the organisation's key."""
    nonce = os.urandom(12)
    sealed = nonce + AESGCM(key).encrypt(nonce, zlib.compress(packed, 6), device_id.bytes)
    return SEALED + signer.sign(sealed) + sealed


def unseal(sealed: bytes, key: bytes, verify_key: bytes, device_id: UUID) -> bytes | None:
    """As a device does it. None if it is for another device, or the signature is invalid."""
    signature, rest = sealed[4:68], sealed[68:]
    try:
        Ed25519PublicKey.from_public_bytes(verify_key).verify(signature, rest)
        return zlib.decompress(AESGCM(key).decrypt(rest[:12], rest[12:], device_id.bytes))
    except (InvalidSignature, InvalidTag, zlib.error):
        return None


def unpack(packed: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The header, and the tickets by column name: for tests, and as a reference reader."""
    (length,) = struct.unpack_from("<I", packed, 4)
    header = msgspec.json.decode(packed[8 : 8 + length])
    count, at = header["tickets"], 8 + length
    columns: dict[str, list[int]] = {}
    for name, kind in COLUMNS:
        columns[name] = np.frombuffer(packed, kind, count, at).tolist()
        at += np.dtype(kind).itemsize * count
    codes = at + TAG_BYTES * count
    return header, [
        {name: column[n] for name, column in columns.items()}
        | {"tag": packed[at + TAG_BYTES * n :][:TAG_BYTES]}
        | {"code": code_of(int.from_bytes(packed[codes + CODE_BYTES * n :][:CODE_BYTES], "big"))}
        for n in range(count)
    ]


def seconds_since(at: datetime | None, base: datetime) -> int:
    """Seconds since the snapshot's base. 0 means never."""
    return 0 if at is None else max(1, round((at - base).total_seconds()))


def days_since(day: date | None, base: date) -> int:
    return NONE if day is None else max(0, (day - base).days)
