"""Bearer tokens, and the keys with which this installation signs and encrypts.

A bearer token begins with its organisation's id (decision D15), so that it is looked up under that organisation's
row-level security: `fhs_` + base64url(organisation, 16 bytes + secret, 32 bytes). Only its SHA-256
is stored.
"""

import base64
import hashlib
import hmac
import os
from enum import StrEnum
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PLATFORM_ID = UUID(int=0)  # the "organisation" of platform staff


class TokenKind(StrEnum):
    SESSION = "fhs"
    API_KEY = "fhk"
    MAGIC_LINK = "fhm"
    INVITATION = "fhi"
    PLATFORM = "fhp"
    ORDER = "fho"
    DEVICE = "fhd"
    WAITLIST = "fhw"


def mint(kind: TokenKind, organization_id: UUID, secret: bytes | None = None) -> str:
    return f"{kind}_{_b64(organization_id.bytes + (secret or os.urandom(32)))}"


def parse_token(token: str, *kinds: TokenKind) -> tuple[TokenKind, UUID] | None:
    """The kind and organisation that a token claims, or None if it is none of `kinds`. Its hash is checked later."""
    prefix, _, rest = token.partition("_")
    if prefix not in kinds or len(rest) != 64:
        return None
    try:
        return TokenKind(prefix), UUID(bytes=_unb64(rest)[:16])
    except ValueError:
        return None


def digest_token(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


class Keyring:
    """One key per purpose, all derived from FULLHOUSE_SECRET_KEY."""

    def __init__(self, secret_key: str) -> None:
        self._root = secret_key.encode()

    def key(self, purpose: str) -> bytes:
        return hmac.digest(self._root, purpose.encode(), "sha256")

    def sign(self, purpose: str, message: bytes) -> str:
        """The message with a short signature, URL-safe. Anyone can read it; only this installation can create it."""
        return _b64(hmac.digest(self.key(purpose), message, "sha256")[:16] + message)

    def verify(self, purpose: str, signed: str) -> bytes | None:
        try:
            raw = _unb64(signed)
        except ValueError:
            return None
        mac, message = raw[:16], raw[16:]
        expected = hmac.digest(self.key(purpose), message, "sha256")[:16]
        return message if hmac.compare_digest(mac, expected) else None

    def seal(self, purpose: str, message: bytes) -> bytes:
        """Encrypts and authenticates: for data that is stored in the database but must not be readable there."""
        nonce = os.urandom(12)
        return nonce + AESGCM(self.key(purpose)).encrypt(nonce, message, None)

    def open(self, purpose: str, sealed: bytes) -> bytes | None:
        try:
            return AESGCM(self.key(purpose)).decrypt(sealed[:12], sealed[12:], None)
        except (InvalidTag, ValueError):  # altered, or too short to be one
            return None


def _b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _unb64(text: str) -> bytes:
    # Validated: Python would otherwise skip all characters outside the alphabet, line breaks and semicolons too.
    return base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
