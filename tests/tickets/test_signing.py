"""A QR code is believed exactly if it was signed with the key, and every bit of it is as it was."""

import base64
import os
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from fullhouse.tickets.signing import signature
from fullhouse.tickets.signing.signature import Claim, decode_base45, encode_base45

KEY = bytes(range(32))
PUBLIC = Ed25519PrivateKey.from_private_bytes(KEY).public_key().public_bytes_raw()
CLAIM = Claim(3, UUID(int=5), UUID(int=7), b"12345678")


@pytest.mark.parametrize(
    ("plain", "written"),
    [(b"AB", "BB8"), (b"Hello!!", "%69 VD92EX0"), (b"base-45", "UJCLQE7W581"), (b"ietf!", "QED8WEX0")],
)
def test_base_45_is_that_of_the_standard(plain: bytes, written: str) -> None:
    assert encode_base45(plain) == written
    assert decode_base45(written) == plain


@given(st.binary(max_size=200))
def test_base_45_comes_back(raw: bytes) -> None:
    assert decode_base45(encode_base45(raw)) == raw


@pytest.mark.parametrize("text", ["GGW", ":::", "A", "ab", "AA?", "FGWFG"])
def test_what_is_not_base_45(text: str) -> None:
    assert decode_base45(text) is None


@pytest.mark.req("BUY-5")
def test_a_signed_code_says_what_it_is_for_and_fits_a_small_qr() -> None:
    text = signature.sign(CLAIM, KEY)
    assert signature.parse(text) == CLAIM
    assert signature.verify(text, PUBLIC)
    assert len(text) < 178  # what the 45 × 45 squares of version 7 hold at error correction M


@pytest.mark.req("BUY-5", "SCAN-3")
@given(st.integers(0, 106), st.integers(1, 255))
def test_no_bit_can_be_changed(place: int, flip: int) -> None:
    raw = bytearray(decode_base45(signature.sign(CLAIM, KEY)[3:]) or b"")
    raw[place] ^= flip
    assert not signature.verify("FH:" + encode_base45(bytes(raw)), PUBLIC)


@pytest.mark.req("SCAN-3")
def test_what_others_signed_is_not_believed() -> None:
    assert not signature.verify(signature.sign(CLAIM, os.urandom(32)), PUBLIC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "FH:",
        "FH:ABC",
        "https://example.org/t/1",
        signature.sign(CLAIM, KEY)[:-3],
        signature.sign(CLAIM, KEY) + "000",
        "FH:" + base64.b64encode(b"x" * 107).decode(),
        "fh:" + signature.sign(CLAIM, KEY)[3:],
    ],
)
def test_what_is_no_ticket_is_no_ticket(text: str) -> None:
    assert signature.parse(text) is None
    assert not signature.verify(text, PUBLIC)
