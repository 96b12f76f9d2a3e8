"""A sealed snapshot, what changed after it, and QR codes: what the offline scanner must be able to open, believe and
refuse. `python -m tests.scanning.sample` writes sample.json.
"""

import base64
import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from fullhouse.scanning.snapshots import codec
from fullhouse.scanning.snapshots.codec import COLUMNS, NONE, Row
from fullhouse.tickets.signing import signature
from fullhouse.tickets.signing.signature import Claim

FILE = Path(__file__).with_name("sample.json")
NOW = datetime(2026, 6, 20, 19, 5, tzinfo=UTC)
BASE = datetime(2025, 5, 16, 19, 5, tzinfo=UTC)
EVENT, OTHER, DEVICE = UUID(int=1), UUID(int=2), UUID(int=3)
KEY = hashlib.sha256(b"device").digest()
HOUSE, SIGNER, REVOKED = (hashlib.sha256(word).digest() for word in (b"house", b"tickets", b"revoked"))
CODES = ("23456789", "ABCDEFGH", "ZZZZZZZZ")
PASSED_ON = "PASSED22"  # what the first has once it has changed hands


def public(private: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def claim(ticket: int, *, event: UUID = EVENT, key: int = 1, nonce: bytes = b"nonce-01") -> Claim:
    return Claim(key, event, UUID(int=100 + ticket), nonce)


def header(**more: Any) -> dict[str, Any]:
    gates = [{"id": "g-a", "code": "A", "name": "North A", "open": True, "capacity": None, "inside": 1},
             {"id": "g-b", "code": "B", "name": "South B", "open": True, "capacity": 2, "inside": 0}]  # fmt: skip
    types: list[dict[str, Any]] = [
        {"id": "t-single", "name": "Seat", "entitlement": "single", "max_daily_entries": None, "valid_days": []}
    ]
    usual = {
        "version": ms(NOW), "since": None, "base": ms(BASE), "first_day": "2025-05-16",
        "device": {"id": DEVICE, "gates": ["g-a", "g-b"], "rights": ["override", "scan", "search"]},
        "event": {"id": EVENT, "name": "Harbour Lights", "status": "live", "timezone": "UTC", "new_window": None},
        "days": [{"day": "2026-06-20", "from": ms(NOW) - 50_000_000, "until": ms(NOW) + 36_400_000}],
        "keys": [{"id": 1, "public": public(SIGNER), "revoked": False},
                 {"id": 2, "public": public(REVOKED), "revoked": True}],
        "gates": gates, "types": types,
        "zones": [{"id": "z-1", "name": "Lower tier", "capacity": 100, "inside": 1}],
        "members": [{"id": "m-1", "status": "active", "from": 0, "until": None}],
        "companions": {CODES[1]: "Row B, seat 13"}, "former": {},
        "sections": ["104"], "rows": ["B"], "seats": ["12", "14"],
    }  # fmt: skip
    return usual | more


def row(ticket: int, code: str, *, nonce: bytes = b"nonce-01", **numbers: int) -> Row:
    usual = dict.fromkeys((name for name, _ in COLUMNS), 0) | {"member": NONE, "day": NONE, "gate": NONE}
    return Row(UUID(int=100 + ticket), nonce, code, tuple((usual | numbers)[name] for name, _ in COLUMNS))


INSIDE: dict[str, Any] = {"inside": 1, "status": 1, "entries": 1, "entries_today": 1, "day": 400, "gate": 0,
          "at": codec.seconds_since(datetime(2026, 6, 20, 19, 2, tzinfo=UTC), BASE)}  # fmt: skip


def ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def whole() -> bytes:
    rows = [row(0, CODES[0]), row(1, CODES[1], seat=1, category=1, member=0, **INSIDE)]
    return codec.pack(header(), rows)


def changes() -> bytes:
    """The first ticket changed hands, a third was sold; gates and members stand in another order now."""
    other = header()
    moved = header(
        version=ms(NOW) + 60_000,
        since=ms(NOW),
        base=ms(BASE) + 60_000,
        gates=other["gates"][::-1],
        members=[
            {"id": "m-0", "status": "active", "from": 0, "until": None},
            {"id": "m-1", "status": "revoked", "from": 0, "until": None},
        ],
        sections=["9"],
        rows=["Q"],
        seats=["1"],
        former={CODES[0]: PASSED_ON},
    )
    return codec.pack(moved, [row(0, PASSED_ON, nonce=b"nonce-02", seat=NONE), row(2, CODES[2], member=0)])


def rendered() -> bytes:
    house = Ed25519PrivateKey.from_private_bytes(HOUSE)
    good = signature.sign(claim(0), SIGNER)
    told = {
        "device": DEVICE,
        "key": KEY,
        "verify_key": public(HOUSE),
        "now": ms(NOW),
        "whole": codec.seal(whole(), KEY, house, DEVICE),
        "changes": codec.seal(changes(), KEY, house, DEVICE),
        "qr": {
            "good": good,
            "inside": signature.sign(claim(1), SIGNER),
            "passed_on": signature.sign(claim(0, nonce=b"nonce-02"), SIGNER),
            "other_show": signature.sign(claim(0, event=OTHER), SIGNER),
            "forged": signature.sign(claim(0), REVOKED),
            "no_such_key": signature.sign(claim(0, key=9), SIGNER),
            "revoked": signature.sign(claim(0, key=2), REVOKED),
            "cut_off": good[:-3],
        },
    }
    return msgspec.json.format(msgspec.json.encode(told)) + b"\n"


def opened(name: str) -> bytes | None:
    """What a device makes of the committed one."""
    told = msgspec.json.decode(FILE.read_bytes())
    return codec.unseal(base64.b64decode(told[name]), KEY, public(HOUSE), DEVICE)


if __name__ == "__main__":
    FILE.write_bytes(rendered())
