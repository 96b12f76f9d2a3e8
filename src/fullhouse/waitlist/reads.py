"""Reads of waitlists: for the customer, for the bearer of an entry's secret, and for the organiser."""

import hmac
from uuid import UUID

from fullhouse.accounts import actions as accounts
from fullhouse.events import actions as events
from fullhouse.kit import secrets
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.cursors import Cursors, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.secrets import Keyring, Kind
from fullhouse.waitlist import store
from fullhouse.waitlist.model import Counts, Entry, EntryRow, List, ListView, NotWaiting, Offered, StoredEntry


def secret_of(keyring: Keyring, organization_id: UUID, entry_id: UUID) -> str:
    """The secret of an entry: 256 bits, derived from this installation's key. Only its hash is stored."""
    return secrets.mint(Kind.WAITLIST, organization_id, hmac.digest(keyring.key("waitlist"), entry_id.bytes, "sha256"))


def organization_in(secret: str) -> UUID:
    """The organisation that a secret names. Whether the secret is valid is checked in its transaction."""
    claim = secrets.read(secret, Kind.WAITLIST)
    if claim is None:
        raise NotWaiting()
    return claim[1]


async def get(tx: Tx, entry_id: UUID) -> StoredEntry:
    found = await store.entry_by_id(tx, entry_id)
    if found is None:
        raise NotWaiting()
    return found


async def offer_of(tx: Tx, entry: StoredEntry) -> list[Offered]:
    """The holds of an entry's offer."""
    if entry.status != "offered":
        return []
    return await store.holds_of_offer(tx, entry.basket_id)


async def by_secret(tx: Tx, secret: str) -> StoredEntry:
    found = await store.entry_by_secret(tx, secrets.digest(secret))
    if found is None:
        raise NotWaiting()
    return found


async def of_person(tx: Tx, who: Principal, event_id: UUID) -> StoredEntry:
    """The user's newest entry for an event."""
    found = await store.entry_of(tx, event_id=event_id, user_id=who.id)
    if found is None:
        await events.get_event(tx, event_id)  # a missing event is 404 `not_found`, not `not_on_waitlist`
        raise NotWaiting()
    return found


async def shown(tx: Tx, keyring: Keyring, entry: StoredEntry) -> Entry:
    """The entry as its customer sees it."""
    assert tx.organization_id
    event, organization = await events.get_event(tx, entry.event_id), await accounts.get_profile(tx)
    return Entry(
        id=entry.id,
        event_id=entry.event_id,
        email=entry.email,
        party=entry.party,
        zone_key=entry.zone_key,
        ticket_type_id=entry.ticket_type_id,
        accessible=entry.accessible,
        status=entry.status,
        position=None if entry.ahead is None else entry.ahead + 1,
        offer=await offer_of(tx, entry),
        answer_by=entry.answer_by,
        answer_by_unix_ms=int(entry.answer_by.timestamp() * 1000) if entry.answer_by else None,
        server_time_unix_ms=int((await tx.now()).timestamp() * 1000),
        joined_at=entry.created_at,
        timezone=event.timezone,
        show_path=f"/o/{organization.slug}/{event.slug}",
        secret=secret_of(keyring, tx.organization_id, entry.id),
    )


async def view(tx: Tx, event_id: UUID) -> ListView:
    """The waitlist for its organiser; with default settings if it has no row yet."""
    await events.get_event(tx, event_id)
    known = await store.list_of(tx, event_id) or List(event_id=event_id)
    counts = await store.count_entries(tx, event_id)
    assert isinstance(counts, Counts)
    return ListView(event_id=event_id, enabled=known.enabled, window_s=known.window_s, now=counts)


async def page_of_entries(
    tx: Tx, keyring: Keyring, event_id: UUID, status: str | None, cursor: str | None, limit: int
) -> Page[EntryRow]:
    await events.get_event(tx, event_id)
    cursors = Cursors(keyring, "waitlist", tx.organization_id, event_id, status)
    (after,) = cursors.read(cursor, int) or (None,)
    rows = await store.list_entries(tx, event_id=event_id, status=status, after_seq=after, limit=limit + 1)
    return cursors.page(rows, limit, "seq")
