"""The QR text of a ticket: a short signed message that a scanner can verify offline.

    version  1 byte    1
    key      2 bytes   which of the organisation's keys signed it
    event    16 bytes
    ticket   16 bytes
    nonce    8 bytes   replaced by a transfer, which voids the old QR code
    ——————   64 bytes  Ed25519 over all of the above

The bytes travel as `FH:` and base 45 (RFC 9285): in a QR code that is as short as the bytes themselves.
"""

import struct
from typing import NamedTuple
from uuid import UUID

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PREFIX = "FH:"
VERSION = 1
_HEAD = struct.Struct(">BH16s16s8s")
_SIGNATURE = 64
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}


class Claim(NamedTuple):
    """The claims of a QR text. Trust them only after `verify`."""

    key_id: int
    event_id: UUID
    ticket_id: UUID
    nonce: bytes


def sign(claim: Claim, private_key: bytes) -> str:
    message = _HEAD.pack(VERSION, claim.key_id, claim.event_id.bytes, claim.ticket_id.bytes, claim.nonce)
    return PREFIX + encode_base45(message + Ed25519PrivateKey.from_private_bytes(private_key).sign(message))


def parse(text: str) -> Claim | None:
    """The claims of a QR text; None if it is not a ticket of this format."""
    raw = _decode(text)
    if raw is None:
        return None
    _, key_id, event, ticket, nonce = _HEAD.unpack_from(raw)
    return Claim(key_id, UUID(bytes=event), UUID(bytes=ticket), nonce)


def verify(text: str, public_key: bytes) -> bool:
    raw = _decode(text)
    if raw is None:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(raw[_HEAD.size :], raw[: _HEAD.size])
    except InvalidSignature:
        return False
    return True


def _decode(text: str) -> bytes | None:
    if not text.startswith(PREFIX):
        return None
    raw = decode_base45(text[len(PREFIX) :])
    return raw if raw and len(raw) == _HEAD.size + _SIGNATURE and raw[0] == VERSION else None


def encode_base45(raw: bytes) -> str:
    found = []
    for n in range(0, len(raw) - 1, 2):
        rest, first = divmod(raw[n] << 8 | raw[n + 1], 45)
        third, second = divmod(rest, 45)
        found += [_DIGITS[first], _DIGITS[second], _DIGITS[third]]
    if len(raw) % 2:
        second, first = divmod(raw[-1], 45)
        found += [_DIGITS[first], _DIGITS[second]]
    return "".join(found)


def decode_base45(text: str) -> bytes | None:
    """The bytes; None if the text is not canonical base 45."""
    values = [_VALUES.get(digit) for digit in text]
    if None in values or len(values) % 3 == 1:
        return None
    found = bytearray()
    for n in range(0, len(values), 3):
        group = [value or 0 for value in values[n : n + 3]]
        number = sum(value * 45**place for place, value in enumerate(group))
        width = len(group) - 1
        if number >= 256**width:
            return None
        found += number.to_bytes(width, "big")
    return bytes(found)
