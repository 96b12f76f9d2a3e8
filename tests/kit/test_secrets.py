"""Tokens say where they belong and nothing else; seals open for their own key and purpose only."""

import base64
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from fullhouse.kit import secrets
from fullhouse.kit.ids import new_id
from fullhouse.kit.secrets import Keyring, TokenKind

KEYRING = Keyring("one key, long enough")
OTHER = Keyring("another key, long enough")

kinds = st.sampled_from(TokenKind)
purposes = st.text(max_size=20)


@given(kinds, st.uuids(), st.binary(min_size=32, max_size=32))
def test_a_token_says_its_kind_and_organisation(kind: TokenKind, organization_id: UUID, secret: bytes) -> None:
    token = secrets.mint(kind, organization_id, secret)
    assert secrets.parse_token(token, *TokenKind) == (kind, organization_id)
    assert secrets.parse_token(token, *(other for other in TokenKind if other != kind)) is None
    assert secret.hex() not in token
    assert token == secrets.mint(kind, organization_id, secret)


def test_a_token_is_new_each_time() -> None:
    organization_id = new_id()
    tokens = {secrets.mint(TokenKind.SESSION, organization_id) for _ in range(100)}
    assert len({secrets.digest_token(token) for token in tokens}) == 100


@given(st.text(max_size=100) | st.builds(lambda kind, rest: f"{kind}_{rest}", kinds, st.text(min_size=64, max_size=64)))
def test_whatever_people_send_is_a_token_or_is_not(text: str) -> None:
    claim = secrets.parse_token(text, *TokenKind)
    assert claim is None or (claim[0] in TokenKind and isinstance(claim[1], UUID))


@given(kinds, st.uuids(), st.integers(0, 67), st.characters(codec="ascii"))
def test_a_token_with_another_letter_has_another_hash(kind: TokenKind, org: UUID, at: int, letter: str) -> None:
    token = secrets.mint(kind, org)
    altered = token[:at] + letter + token[at + 1 :]
    assert (secrets.digest_token(altered) == secrets.digest_token(token)) == (altered == token)


@given(purposes, st.binary(max_size=200))
def test_a_signature_is_good_for_its_purpose_and_key(purpose: str, message: bytes) -> None:
    signed = KEYRING.sign(purpose, message)
    assert KEYRING.verify(purpose, signed) == message
    assert KEYRING.verify(f"{purpose}.", signed) is None
    assert OTHER.verify(purpose, signed) is None


@given(st.binary(max_size=50), st.data())
def test_a_signed_message_cannot_be_altered(message: bytes, data: st.DataObject) -> None:
    raw = bytearray(base64.urlsafe_b64decode(_padded(KEYRING.sign("purpose", message))))
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    altered = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    assert KEYRING.verify("purpose", altered) is None


@given(st.text(max_size=100))
def test_nobody_guesses_a_signature(text: str) -> None:
    assert KEYRING.verify("purpose", text) is None


@given(purposes, st.binary(max_size=200))
def test_a_seal_opens_for_its_purpose_and_key(purpose: str, message: bytes) -> None:
    sealed = KEYRING.seal(purpose, message)
    assert KEYRING.open(purpose, sealed) == message
    assert KEYRING.open(f"{purpose}.", sealed) is None
    assert OTHER.open(purpose, sealed) is None
    assert len(message) < 4 or message not in sealed


@given(st.binary(max_size=50), st.data())
def test_a_sealed_message_cannot_be_altered(message: bytes, data: st.DataObject) -> None:
    sealed = bytearray(KEYRING.seal("purpose", message))
    sealed[data.draw(st.integers(0, len(sealed) - 1))] ^= data.draw(st.integers(1, 255))
    assert KEYRING.open("purpose", bytes(sealed)) is None


@given(st.binary(max_size=60))
def test_what_is_no_seal_does_not_open(anything: bytes) -> None:
    assert KEYRING.open("purpose", anything) is None


def test_equal_messages_have_different_seals() -> None:
    assert KEYRING.seal("purpose", b"message") != KEYRING.seal("purpose", b"message")


def _padded(text: str) -> str:
    return text + "=" * (-len(text) % 4)
