"""Reads of waitlists: for the customer, for the bearer of an entry's secret, and for the organiser."""

import hmac
from uuid import UUID

from fullhouse.accounts import actions as accounts
from fullhouse.events import actions as events
from fullhouse.kit import secrets
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.cursors import Cursors, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.secrets import Keyring, TokenKind
from fullhouse.waitlist import store
from fullhouse.waitlist.model import (
    Counts,
    NotWaiting,
    OfferedHold,
    StoredEntry,
    Waitlist,
    WaitlistEntry,
    WaitlistEntryRow,
    WaitlistView,
)


def make_secret(keyring: Keyring, organization_id: UUID, entry_id: UUID) -> str:
    """The secret of an entry: 256 bits, derived from this installation's key. Only its hash is stored."""
    return secrets.mint(
        TokenKind.WAITLIST, organization_id, hmac.digest(keyring.key("waitlist"), entry_id.bytes, "sha256")
    )


def parse_organization(secret: str) -> UUID:
    """The organisation that a secret names. Whether the secret is valid is checked in its transaction."""
    claim = secrets.parse_token(secret, TokenKind.WAITLIST)
    if claim is None:
        raise NotWaiting()
    return claim[1]


async def require_entry(tx: Tx, entry_id: UUID) -> StoredEntry:
    found = await store.entry_by_id(tx, entry_id)
    if found is None:
        raise NotWaiting()
    return found


async def list_offered_holds(tx: Tx, entry: StoredEntry) -> list[OfferedHold]:
    """The holds of an entry's offer."""
    if entry.status != "offered":
        return []
    return await store.list_holds_of_offer(tx, entry.basket_id)


async def require_entry_by_secret(tx: Tx, secret: str) -> StoredEntry:
    found = await store.entry_by_secret(tx, secrets.digest_token(secret))
    if found is None:
        raise NotWaiting()
    return found


async def require_entry_of_user(tx: Tx, who: Principal, event_id: UUID) -> StoredEntry:
    """The user's newest entry for an event."""
    found = await store.find_newest_entry(tx, event_id=event_id, user_id=who.id)
    if found is None:
        await events.require_event(tx, event_id)  # a missing event is 404 `not_found`, not `not_on_waitlist`
        raise NotWaiting()
    return found


async def to_view(tx: Tx, keyring: Keyring, entry: StoredEntry) -> WaitlistEntry:
    """The entry as its customer sees it."""
    assert tx.organization_id
    event, organization = await events.require_event(tx, entry.event_id), await accounts.require_profile(tx)
    return WaitlistEntry(
        id=entry.id,
        event_id=entry.event_id,
        email=entry.email,
        party=entry.party,
        zone_key=entry.zone_key,
        ticket_type_id=entry.ticket_type_id,
        accessible=entry.accessible,
        status=entry.status,
        position=None if entry.ahead is None else entry.ahead + 1,
        offer=await list_offered_holds(tx, entry),
        answer_by=entry.answer_by,
        answer_by_unix_ms=int(entry.answer_by.timestamp() * 1000) if entry.answer_by else None,
        server_time_unix_ms=int((await tx.now()).timestamp() * 1000),
        joined_at=entry.created_at,
        timezone=event.timezone,
        show_path=f"/o/{organization.slug}/{event.slug}",
        secret=make_secret(keyring, tx.organization_id, entry.id),
    )


async def get_list_view(tx: Tx, event_id: UUID) -> WaitlistView:
    """The waitlist for its organiser; with default settings if it has no row yet."""
    await events.require_event(tx, event_id)
    known = await store.find_list(tx, event_id) or Waitlist(event_id=event_id)
    counts = await store.count_entries(tx, event_id)
    assert isinstance(counts, Counts)
    return WaitlistView(event_id=event_id, enabled=known.enabled, window_s=known.window_s, now=counts)


async def list_entries(
    tx: Tx, keyring: Keyring, event_id: UUID, status: str | None, cursor: str | None, limit: int
) -> Page[WaitlistEntryRow]:
    await events.require_event(tx, event_id)
    cursors = Cursors(keyring, "waitlist", tx.organization_id, event_id, status)
    (after,) = cursors.read(cursor, int) or (None,)
    rows = await store.list_entries(tx, event_id=event_id, status=status, after_seq=after, limit=limit + 1)
    return cursors.page(rows, limit, "seq")
