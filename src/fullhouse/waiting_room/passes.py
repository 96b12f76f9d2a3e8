"""The token of a place: signed, so that a poll is believed without asking; bound to the session that joined.

It holds the organisation, the show, the number and when it was made; into the signature goes the digest of the
session's own token, so that whoever finds or is given a queue token cannot use it without that session. A keyed hash
and not Ed25519: only this house reads it, and checking takes a microsecond and not a hundred.
"""

import binascii
import hashlib
import hmac
import struct
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from fullhouse.kit.secrets import Keyring, digest

LIFETIME_S = 7 * 24 * 3600  # longer than people gather; whoever joins again gets a new one
POLLERS = 32_768  # whose tokens are remembered: some ten megabytes
_BODY = struct.Struct(">16s16sII")
_MAC = 20  # 60 bytes in all: no padding
_LENGTH = (_MAC + _BODY.size) * 4 // 3


class Pass(NamedTuple):
    organization: bytes  # ids as they are: most polls need not make more of them
    event: bytes
    seq: int

    @classmethod
    def of(cls, organization_id: UUID, event_id: UUID, seq: int) -> "Pass":
        return cls(organization_id.bytes, event_id.bytes, seq)


class Passes:
    def __init__(self, keyring: Keyring) -> None:
        self._key = keyring.key("queue token")
        # The same people ask again every few seconds, and what a token says does not change.
        self._said = lru_cache(POLLERS)(self._fields)

    def mint(self, of: Pass, credential: bytes, now_s: int) -> str:
        body = _BODY.pack(of.organization, of.event, of.seq, now_s)
        return binascii.b2a_base64(self._mac(body, credential) + body, newline=False).decode()

    def read(self, token: str, credentials: list[bytes], now_s: float) -> tuple[bytes, bytes, int] | None:
        """The fields of the pass, if we made it for one of these sessions and not too long ago."""
        for credential in credentials:
            if found := self._fields(token, credential):
                return found[:3] if now_s - found[3] <= LIFETIME_S else None
        return None

    def read_again(self, token: str, bearer: str, now_s: float) -> tuple[bytes, bytes, int, int] | None:
        """The same, with the session's own token, for those who ask often."""
        found = self._said(token, bearer)
        return found if found and now_s - found[3] <= LIFETIME_S else None

    def _fields(self, token: str, credential: bytes | str) -> tuple[bytes, bytes, int, int] | None:
        if len(token) != _LENGTH:
            return None
        try:
            raw = binascii.a2b_base64(token, strict_mode=True)
        except ValueError:
            return None
        mac, body = raw[:_MAC], raw[_MAC:]
        shown = digest(credential) if isinstance(credential, str) else credential
        return _BODY.unpack(body) if hmac.compare_digest(mac, self._mac(body, shown)) else None

    def _mac(self, body: bytes, credential: bytes) -> bytes:
        return hashlib.blake2b(body + credential, key=self._key, digest_size=_MAC).digest()


def credentials_in(authorization: str | None, cookie: str | None) -> list[bytes]:
    """The digests of the session tokens that a request shows, as `kit/http/guard.py` reads them."""
    scheme, _, bearer = (authorization or "").partition(" ")
    if scheme.lower() == "bearer" and (bearer := bearer.strip()):
        return [digest(bearer)]
    for part in (cookie or "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == "fullhouse":
            return [digest(token) for token in value.split(".")[:8]]
    return []
