"""Moves a guest's holds, checkouts and waiting-room positions to the account that the guest signs in to.

Runs as a sync handler of the sign-in, in its transaction. Locks, for all events at once and each kind in one order:
events, people, checkouts, waiting rooms and positions in them, pools, seats, holds; the lock order of every action that
holds, begins, pays or ends.

A checkout whose payment is under way stays with the guest, with its slot: the payment decides, and the tickets go to
the email address that was entered. Waitlist offers stay too: their link opens them.
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from fullhouse.accounts.facts import GuestSignedIn
from fullhouse.checkout import store as checkouts
from fullhouse.checkout.actions import end_session
from fullhouse.checkout.facts import CheckoutHandedOver
from fullhouse.checkout.guests import store
from fullhouse.checkout.model import StoredItem, StoredSession
from fullhouse.holds import guest_actions as holds
from fullhouse.holds.model import GuestHold
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.messages.outbox import announce
from fullhouse.waiting_room import actions as queue
from fullhouse.waiting_room.model import LockedPlace


class GuestCheckout(NamedTuple):
    """The guest's checkout in an event, with its items."""

    session: StoredSession
    items: list[StoredItem]

    @property
    def hold_ids(self) -> set[UUID]:
        return {item.hold_id for item in self.items}


class EventHandover(NamedTuple):
    """What the guest and the account have in one event, all of it locked."""

    event_id: UUID
    guest_checkout: GuestCheckout | None
    account_checkout: StoredSession | None  # the checkout of the account
    positions: list[LockedPlace]
    guest_holds: list[GuestHold]
    has_waiting_room: bool


async def hand_over_guest(tx: Tx, fact: GuestSignedIn) -> None:
    guest_id, user_id = fact.guest_id, fact.subject_id
    for handover in await _lock_handovers(tx, guest_id, user_id):
        await _hand_over_event(tx, handover, guest_id, user_id)


async def _lock_handovers(tx: Tx, guest_id: UUID, user_id: UUID) -> list[EventHandover]:
    people = [guest_id, user_id]
    event_ids = await store.lock_events_of_guest(tx, guest_id) or []
    if not event_ids:
        return []
    await holds.lock_users(tx, people)
    await store.lock_checkouts(tx, event_ids=event_ids, user_ids=people)
    open_rooms, positions = await queue.lock_places(tx, event_ids, people)
    sessions = await store.lock_new_checkouts(tx, event_ids=event_ids, user_ids=people)
    # An event in which a new checkout is locked by another transaction is left as it is; that checkout will expire.
    busy = (
        await store.events_with_checkouts(
            tx, event_ids=event_ids, user_ids=people, session_ids=[s.id for s in sessions]
        )
        or []
    )
    event_ids = [event_id for event_id in event_ids if event_id not in busy]
    started = {
        s.event_id: GuestCheckout(s, await checkouts.items_of_session(tx, s.id))
        for s in sessions
        if s.user_id == guest_id
    }
    type_ids = [item.ticket_type_id for checkout in started.values() for item in checkout.items]
    guest_holds = await holds.lock_guest_holds(tx, event_ids, guest_id, type_ids)
    return [
        EventHandover(
            event_id,
            started.get(event_id),
            next((s for s in sessions if s.event_id == event_id and s.user_id == user_id), None),
            [position for position in positions if position.event_id == event_id],
            [row for row in guest_holds if row.event_id == event_id],
            event_id in open_rooms,
        )
        for event_id in event_ids
    ]


async def _hand_over_event(tx: Tx, handover: EventHandover, guest_id: UUID, user_id: UUID) -> None:
    begun, event_id = handover.guest_checkout, handover.event_id
    stays = begun is not None and _stays_with_guest(begun, handover.guest_holds)
    free = [row for row in handover.guest_holds if not (stays and begun and row.hold_id in begun.hold_ids)]
    kept = await holds.release_surplus(tx, event_id, user_id, free)
    follows = (
        begun is not None
        and not stays
        and handover.account_checkout is None
        and begun.session.expires_at > await tx.now()
        and begun.hold_ids <= {row.hold_id for row in kept}
    )
    # A slot moves with its checkout; without a checkout it matters only where people wait for slots.
    if not stays and (follows or begun is None or handover.has_waiting_room):
        await queue.hand_over(tx, event_id, user_id, handover.positions)
    if begun and follows:
        await _hand_over_checkout(tx, begun.session, guest_id, user_id)
    elif begun and not stays:  # its holds stay in the basket
        await end_session(tx, begun.session, begun.items, "left")
    await holds.hand_over(tx, event_id, guest_id, user_id, kept)


def _stays_with_guest(begun: GuestCheckout, brought: Sequence[GuestHold]) -> bool:
    """Whether the checkout stays with the guest: its payment is under way, or it is of a waitlist offer."""
    live = {item.hold_id for item in begun.items if item.hold_status in ("active", "suspended")}
    return begun.session.status == "paying" or not live <= {row.hold_id for row in brought}


async def _hand_over_checkout(tx: Tx, session: StoredSession, guest_id: UUID, user_id: UUID) -> None:
    await store.hand_over_checkout(tx, session_id=session.id, guest_id=guest_id, user_id=user_id)
    await queue.extend_slot(tx, session.event_id, user_id, session.expires_at)
    owner = {"event_id": session.event_id, "user_id": user_id}
    await audit.write(tx, "checkout.handed_over", "checkout", session.id, before={"user_id": guest_id}, after=owner)
    await announce(tx, CheckoutHandedOver(subject_id=session.id, guest_id=guest_id, **owner))
