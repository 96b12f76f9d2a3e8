"""Queue tokens: signed, so that a poll needs no look-up, and bound to the session that joined.

A token contains the organisation, the event, the number and its time of issue. The signature covers the digest of the
session token, too: without that session, a queue token is useless. It is a keyed hash and not Ed25519, because only
this installation reads it, and because verifying takes one microsecond instead of a hundred.
"""

import binascii
import hashlib
import hmac
import struct
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from fullhouse.kit.secrets import Keyring, digest_token

LIFETIME_S = 7 * 24 * 3600  # longer than any pre-queue; joining again gives a new token
CACHED_MAX = 32_768  # tokens whose parsed fields are cached: some ten megabytes
_BODY = struct.Struct(">16s16sII")
_MAC = 20  # 60 bytes in all: no padding
_LENGTH = (_MAC + _BODY.size) * 4 // 3


class QueueToken(NamedTuple):
    organization: bytes  # raw ids: most polls need no UUID objects
    event: bytes
    seq: int

    @classmethod
    def of(cls, organization_id: UUID, event_id: UUID, seq: int) -> "QueueToken":
        return cls(organization_id.bytes, event_id.bytes, seq)


class QueueTokens:
    def __init__(self, keyring: Keyring) -> None:
        self._key = keyring.key("queue token")
        # The same people poll every few seconds, and the fields of a token never change.
        self._parse_cached = lru_cache(CACHED_MAX)(self._parse)

    def mint(self, of: QueueToken, credential: bytes, now_s: int) -> str:
        body = _BODY.pack(of.organization, of.event, of.seq, now_s)
        return binascii.b2a_base64(self._mac(body, credential) + body, newline=False).decode()

    def read(self, token: str, credentials: list[bytes], now_s: float) -> tuple[bytes, bytes, int] | None:
        """The token's fields, if it was issued to one of these sessions and is not too old."""
        for credential in credentials:
            if found := self._parse(token, credential):
                return found[:3] if now_s - found[3] <= LIFETIME_S else None
        return None

    def read_cached(self, token: str, bearer: str, now_s: float) -> tuple[bytes, bytes, int, int] | None:
        """The same with the session token itself, cached for frequent polls."""
        found = self._parse_cached(token, bearer)
        return found if found and now_s - found[3] <= LIFETIME_S else None

    def _parse(self, token: str, credential: bytes | str) -> tuple[bytes, bytes, int, int] | None:
        if len(token) != _LENGTH:
            return None
        try:
            raw = binascii.a2b_base64(token, strict_mode=True)
        except ValueError:
            return None
        mac, body = raw[:_MAC], raw[_MAC:]
        credential = digest_token(credential) if isinstance(credential, str) else credential
        return _BODY.unpack(body) if hmac.compare_digest(mac, self._mac(body, credential)) else None

    def _mac(self, body: bytes, credential: bytes) -> bytes:
        return hashlib.blake2b(body + credential, key=self._key, digest_size=_MAC).digest()


def parse_credentials(authorization: str | None, cookie: str | None) -> list[bytes]:
    """The digests of a request's session tokens, read in the same way as in `kit/http/guard.py`."""
    scheme, _, bearer = (authorization or "").partition(" ")
    if scheme.lower() == "bearer" and (bearer := bearer.strip()):
        return [digest_token(bearer)]
    for part in (cookie or "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == "fullhouse":
            return [digest_token(token) for token in value.split(".")[:8]]
    return []
