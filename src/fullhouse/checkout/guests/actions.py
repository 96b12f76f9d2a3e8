"""What a guest brings along when signing in: what is held, what is about to be bought, a place in the line.

A consequence of the sign-in, in its transaction. Locks, of all shows at once and of each kind in one order: events,
people, checkouts, rooms and places in them, pools, seats, holds; as everybody has them who takes, begins, pays or ends.

What is being paid for stays the guest's, with its checkout and its slot: the payment decides, and the tickets go to the
address that was given. What a waiting list has offered stays too: its link opens it.
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
from fullhouse.holds.model import Brought
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.messages.outbox import announce
from fullhouse.waiting_room import actions as queue
from fullhouse.waiting_room.model import PlaceInLine


class Begun(NamedTuple):
    """The guest's checkout in a show, and what is in it."""

    session: StoredSession
    items: list[StoredItem]

    @property
    def holds(self) -> set[UUID]:
        return {item.hold_id for item in self.items}


class Show(NamedTuple):
    """What there is of the two in one show, all of it locked."""

    event_id: UUID
    begun: Begun | None
    theirs: StoredSession | None  # the checkout of whoever signs in
    places: list[PlaceInLine]
    brought: list[Brought]
    has_line: bool


async def bring_along(tx: Tx, fact: GuestSignedIn) -> None:
    guest_id, user_id = fact.guest_id, fact.subject_id
    for show in await _locked(tx, guest_id, user_id):
        await _bring_along(tx, show, guest_id, user_id)


async def _locked(tx: Tx, guest_id: UUID, user_id: UUID) -> list[Show]:
    people = [guest_id, user_id]
    shows = await store.lock_shows(tx, guest_id) or []
    if not shows:
        return []
    await holds.lock_people(tx, people)
    await store.lock_checkouts(tx, event_ids=shows, user_ids=people)
    open_lines, places = await queue.lock_places(tx, shows, people)
    sessions = await store.lock_new_checkouts(tx, event_ids=shows, user_ids=people)
    # Where somebody is at work with one that has just begun, everything stays as it is: it has its own time.
    busy = (
        await store.shows_with_checkouts(tx, event_ids=shows, user_ids=people, session_ids=[s.id for s in sessions])
        or []
    )
    shows = [event_id for event_id in shows if event_id not in busy]
    begun = {
        s.event_id: Begun(s, await checkouts.items_of_session(tx, s.id)) for s in sessions if s.user_id == guest_id
    }
    kinds = [item.ticket_type_id for one in begun.values() for item in one.items]
    brought = await holds.lock_brought(tx, shows, guest_id, kinds)
    return [
        Show(
            event_id,
            begun.get(event_id),
            next((s for s in sessions if s.event_id == event_id and s.user_id == user_id), None),
            [place for place in places if place.event_id == event_id],
            [row for row in brought if row.event_id == event_id],
            event_id in open_lines,
        )
        for event_id in shows
    ]


async def _bring_along(tx: Tx, show: Show, guest_id: UUID, user_id: UUID) -> None:
    begun, event_id = show.begun, show.event_id
    stays = begun is not None and _stays(begun, show.brought)
    free = [row for row in show.brought if not (stays and begun and row.hold_id in begun.holds)]
    kept = await holds.give_back_surplus(tx, event_id, user_id, free)
    follows = (
        begun is not None
        and not stays
        and show.theirs is None
        and begun.session.expires_at > await tx.now()
        and begun.holds <= {row.hold_id for row in kept}
    )
    # A slot goes with its checkout; without one it is worth something only where there is a line.
    if not stays and (follows or begun is None or show.has_line):
        await queue.hand_over(tx, event_id, user_id, show.places)
    if begun and follows:
        await _hand_over(tx, begun.session, guest_id, user_id)
    elif begun and not stays:  # its places are in the basket
        await end_session(tx, begun.session, begun.items, "left")
    await holds.hand_over(tx, event_id, guest_id, user_id, kept)


def _stays(begun: Begun, brought: Sequence[Brought]) -> bool:
    """It is being paid for, or it is of what a waiting list has offered."""
    live = {item.hold_id for item in begun.items if item.hold_status in ("active", "suspended")}
    return begun.session.status == "paying" or not live <= {row.hold_id for row in brought}


async def _hand_over(tx: Tx, session: StoredSession, guest_id: UUID, user_id: UUID) -> None:
    await store.hand_over_checkout(tx, session_id=session.id, guest_id=guest_id, user_id=user_id)
    await queue.prolong(tx, session.event_id, user_id, session.expires_at)
    about = {"event_id": session.event_id, "user_id": user_id}
    await audit.write(tx, "checkout.handed_over", "checkout", session.id, before={"user_id": guest_id}, after=about)
    await announce(tx, CheckoutHandedOver(subject_id=session.id, guest_id=guest_id, **about))
