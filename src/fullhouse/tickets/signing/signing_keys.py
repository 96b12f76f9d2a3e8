"""The ticket-signing keys of organisations, each created when it is first needed."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.secrets import Keyring
from fullhouse.tickets import store
from fullhouse.tickets.facts import TicketKeyRotated
from fullhouse.tickets.model import SigningKey, TicketKey, TicketRow
from fullhouse.tickets.signing import signature

PURPOSE = "ticket-key"


async def list_keys(tx: Tx) -> list[TicketKey]:
    return await store.ticket_keys(tx)


async def rotate(tx: Tx, keyring: Keyring, *, revoke: bool) -> list[TicketKey]:
    """Creates a new signing key. Codes are signed when they are read, so holders get the new one on the next read."""
    assert tx.organization_id
    await store.retire_key(tx, revoke)
    key = await _load_current_key(tx, keyring)
    await audit.write(tx, "ticket_key.rotated", "organization", tx.organization_id, after={"key_id": key.key_id})
    await announce(tx, TicketKeyRotated(subject_id=tx.organization_id, key_id=key.key_id, revoked=revoke))
    return await list_keys(tx)


async def sign_codes(tx: Tx, keyring: Keyring, tickets: list[TicketRow]) -> list[str | None]:
    """The QR text of each ticket; None for tickets that are not valid."""
    if not any(ticket.status == "valid" for ticket in tickets):
        return [None] * len(tickets)
    key_id, sealed = await _load_current_key(tx, keyring)
    private = keyring.open(PURPOSE, sealed)
    if private is None:
        raise RuntimeError("the ticket-signing key cannot be decrypted: was FULLHOUSE_SECRET_KEY changed?")
    return [
        signature.sign(signature.Claim(key_id, ticket.event_id, ticket.id, ticket.nonce), private)
        if ticket.status == "valid"
        else None
        for ticket in tickets
    ]


async def _load_current_key(tx: Tx, keyring: Keyring) -> SigningKey:
    found = await store.signing_key(tx)
    if found is None:
        private = Ed25519PrivateKey.generate()
        public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        secret = private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        await store.insert_key(tx, public_key=public, sealed_key=keyring.seal(PURPOSE, secret))
        found = await store.signing_key(tx)
    assert found
    return found
