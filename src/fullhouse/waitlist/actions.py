"""The actions of waitlists: join, leave, serve; and the effect on offers when an event or its seats change.

Offers are made in the database (`app.offer_places`), by whichever runs first: the async handler of a returned ticket,
the sweep, or another customer's hold statement (`app.hold_in_turn`).
"""

from collections.abc import Sequence
from uuid import UUID

import asyncpg

from fullhouse.accounts import actions as accounts
from fullhouse.checkout.policy import REFUSALS
from fullhouse.checkout.store import layout_of_event, lock_event
from fullhouse.events import actions as events
from fullhouse.events.facts import EventFact, EventUpdated
from fullhouse.events.public.model import EventNotFound
from fullhouse.holds import actions as holds
from fullhouse.holds.model import PaymentRunning
from fullhouse.holds.system_hold_actions import from_offers, publish_system_holds
from fullhouse.kit import secrets
from fullhouse.kit.actors import Principal
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import Message, announce
from fullhouse.kit.secrets import Keyring
from fullhouse.seating import actions as layouts
from fullhouse.seating import journal
from fullhouse.seating.facts import EventLayoutChanged, LayoutMigrated, LayoutMigrating, SeatsBlocked, SeatsReleased
from fullhouse.seating.model import AVAILABLE, HELD, RESERVED
from fullhouse.seating.overlay import actions as seating
from fullhouse.tickets.types import actions as types
from fullhouse.waitlist import facts, reads, store
from fullhouse.waitlist.model import (
    AlreadyWaiting,
    JoinWaitlist,
    PlacesLeft,
    StoredEntry,
    Waitlist,
    WaitlistOff,
    WaitlistSettings,
)

NOT_TAKEN = "the offer was not taken"
OFFERS_PER_ROUND = 100  # offers per transaction; the sweep makes the next ones
# The outcomes of `app.offer_places` and the seat statuses that they set, for live seat maps.
SEAT_STATUSES = {"freed": AVAILABLE, "offered": HELD, "accompanied": RESERVED}


# --- joining and leaving


async def join(tx: Tx, keyring: Keyring, who: Principal, event_id: UUID, request: JoinWaitlist) -> StoredEntry:
    """Adds an entry at the end of the list. Refused with `PlacesLeft` if such places are free now."""
    state = await lock_event(tx, event_id)
    if state is None:
        raise EventNotFound()
    if state != "on_sale":
        raise REFUSALS[state]()
    email = request.email or (await accounts.get_tiers_and_email(tx, who.id))[1]
    if email is None:
        raise Invalid(fields=[FieldError("email", "Enter the email address for the offer.")])
    if not (await _lock_waitlist(tx, event_id)).enabled:
        raise WaitlistOff()
    zone_key = await _check_zone(tx, who, event_id, request)
    await serve(tx, event_id)  # earlier entries come first
    if await store.has_places(
        tx,
        event_id=event_id,
        party=request.party,
        zone_key=zone_key,
        ticket_type_id=request.ticket_type_id,
        accessible=request.accessible,
    ):
        raise PlacesLeft()
    entry_id = new_id()
    assert tx.organization_id
    secret = reads.make_secret(keyring, tx.organization_id, entry_id)
    try:
        await store.insert_entry(
            tx,
            id=entry_id,
            event_id=event_id,
            user_id=who.id,
            email=email,
            secret_hash=secrets.digest_token(secret),
            party=request.party,
            zone_key=zone_key,
            ticket_type_id=request.ticket_type_id,
            accessible=request.accessible,
        )
    except asyncpg.UniqueViolationError:
        raise AlreadyWaiting() from None
    after = {
        "event_id": event_id,
        "party": request.party,
        "zone_key": zone_key,
        "ticket_type_id": request.ticket_type_id,
    }
    await accounts.record_language(tx, who, email)
    await audit.write(tx, "waitlist.joined", "waitlist_entry", entry_id, after=after)
    await announce(
        tx, facts.WaitlistJoined(subject_id=entry_id, event_id=event_id, user_id=who.id, party=request.party)
    )
    return await reads.require_entry(tx, entry_id)


async def _check_zone(tx: Tx, who: Principal, event_id: UUID, request: JoinWaitlist) -> str | None:
    """Checks the requested zone (with a layout) or ticket type (without one), and returns the key of the zone."""
    has_layout = await layout_of_event(tx, event_id) is not None
    if request.ticket_type_id is not None:
        if has_layout or request.zone_id is not None:
            raise Invalid(fields=[FieldError("ticket_type_id", "This event has a layout: choose a zone instead.")])
        if (await types.require_type(tx, event_id, request.ticket_type_id)).hidden:
            raise Invalid(fields=[FieldError("ticket_type_id", "Ticket types with a promo code have no waitlist.")])
    if request.zone_id is None:
        return None
    zone = await seating.require_zone(tx, event_id, request.zone_id)
    await seating.check_access(tx, event_id, [zone], who)
    return zone.key


async def leave(tx: Tx, entry: StoredEntry) -> None:
    """Ends an entry; its offer goes to the next one at once. Idempotent."""
    await events.lock_event_shared(tx, entry.event_id)
    await store.lock_list(tx, entry.event_id)
    entry = await reads.require_entry(tx, entry.id)
    if entry.status == "offered":
        offered = [hold.hold_id for hold in await reads.list_offered_holds(tx, entry)]
        if await holds.end(tx, offered, "cancelled", reason=NOT_TAKEN) < len(offered):
            raise PaymentRunning()
        await serve(tx, entry.event_id)
    elif await store.leave_entry(tx, entry.id):
        await audit.write(tx, "waitlist.left", "waitlist_entry", entry.id)
        fact = facts.WaitlistLeft(
            subject_id=entry.id, event_id=entry.event_id, user_id=entry.user_id, party=entry.party
        )
        await announce(tx, fact)


# --- the organiser's settings


async def change_settings(tx: Tx, event_id: UUID, request: WaitlistSettings) -> Waitlist:
    """Existing offers stay as they are; a new `window_s` applies to later ones."""
    await events.lock_event_shared(tx, event_id)
    before = await _lock_waitlist(tx, event_id)
    after = await store.update_list(tx, event_id=event_id, enabled=request.enabled, window_s=request.window_s)
    assert after
    if before != after:
        sides = [{"enabled": side.enabled, "window_s": side.window_s} for side in (before, after)]
        await audit.write(tx, "waitlist.settings_changed", "event", event_id, before=sides[0], after=sides[1])
        await serve(tx, event_id)
    return after


async def _lock_waitlist(tx: Tx, event_id: UUID) -> Waitlist:
    waitlist = await store.lock_list(tx, event_id)
    if waitlist is None:
        await store.insert_list(tx, event_id)
        await _save_neighbours(tx, event_id, await layout_of_event(tx, event_id))
        waitlist = await store.lock_list(tx, event_id)
    assert waitlist
    return waitlist


async def _save_neighbours(tx: Tx, event_id: UUID, layout_id: UUID | None) -> None:
    known = await layouts.load_neighbours(tx, layout_id) if layout_id else layouts.Neighbours([], [], [])
    await store.set_neighbours(
        tx,
        event_id=event_id,
        layout_id=layout_id,
        run_starts=known.chain_starts,
        whole_seats=known.whole_seats,
        chair_seats=known.wheelchairs,
    )


# --- serving


async def serve(tx: Tx, event_id: UUID) -> int:
    """Offers what is free to the first entries that it fits; returns how many holds were made."""
    made = await store.offer_places(tx, event_id=event_id, rounds=OFFERS_PER_ROUND)
    if made:
        await _announce_holds(tx, event_id, made)
    for outcome, state in SEAT_STATUSES.items():
        seats = [(row.ordinal, row.version) for row in made if row.outcome == outcome and row.ordinal is not None]
        counts = [(row.zone_id, row.held, row.sold, row.version) for row in made if row.outcome == "counted"]
        if seats or counts:
            seating.publish_seats(tx, event_id, seats, state, counts)
    return sum(row.outcome == "offered" for row in made)


async def _announce_holds(tx: Tx, event_id: UUID, made: Sequence[store.OfferedRow]) -> None:
    """Announces the new holds, and logs the changes of neighbouring seats (companions)."""
    seats = [row.seat_id for row in made if row.seat_id]
    chairs = await store.wheelchair_places(tx, seats) if seats else []
    publish_system_holds(tx, from_offers([row._asdict() for row in made], chairs))
    neighbours = {outcome: [row.ordinal for row in made if row.outcome == outcome] for outcome in journal.SIDE_EFFECTS}
    if any(neighbours.values()) and (layout_id := await layout_of_event(tx, event_id)):
        for outcome, ordinals in neighbours.items():
            journal.log_side_effects(tx, event_id, layout_id, outcome, [n for n in ordinals if n is not None])


async def serve_after_return(tx: Tx, message: Message) -> None:
    """Async handler: a place may be free again. Does nothing if the event has no waiting entries."""
    await serve(tx, UUID(str(message.payload.get("event_id", message.subject_id))))


# --- sync handlers: in the transaction of a change


async def update_neighbours(tx: Tx, fact: EventLayoutChanged | LayoutMigrated) -> None:
    """Stores the neighbours of the new layout's seats."""
    if await store.find_list(tx, fact.subject_id):
        layout_id = fact.layout_id if isinstance(fact, EventLayoutChanged) else fact.to_layout_id
        await _save_neighbours(tx, fact.subject_id, layout_id)


async def withdraw_for_layout(tx: Tx, fact: LayoutMigrating) -> None:
    """A migration waits for holds, which last minutes. Offers last days, so they are withdrawn and made again with the
    new seats. An offer that is being paid for stays, and blocks the migration."""
    await _withdraw(tx, fact.subject_id, None, "the seats are arranged anew")


async def withdraw_when_postponed(tx: Tx, fact: EventFact) -> None:
    """Withdraws offers when the date changes; they are made again, with their full time, when the event sells again."""
    if "postponed" in (fact.old_status, fact.new_status):
        await _withdraw(tx, fact.subject_id, None, "the show is moved")


async def withdraw_outside_window(tx: Tx, fact: EventUpdated) -> None:
    if {"sale_start_at", "sale_end_at"} & set(fact.changed):
        await _withdraw(tx, fact.subject_id, None, "the sale's time is changed")


async def withdraw_seats(tx: Tx, fact: SeatsBlocked | SeatsReleased) -> None:
    """Withdraws every offer that includes one of the seats, as a whole; its entry keeps its position."""
    if isinstance(fact, SeatsReleased) or fact.blocked:
        await _withdraw(tx, fact.subject_id, fact.seat_ids, fact.reason)


async def _withdraw(tx: Tx, event_id: UUID, seat_ids: list[UUID] | None, reason: str) -> None:
    offered = await store.list_offered_hold_ids(tx, event_id=event_id, seat_ids=seat_ids)
    if offered:
        await store.set_withdrawing(tx, str(event_id))
        await holds.end(tx, offered, "cancelled", reason=reason)
        await store.set_withdrawing(tx, "")


async def close_with_event(tx: Tx, fact: EventFact) -> None:
    """Ends all waiting entries of an event that is cancelled or over. Offers end with all other holds."""
    closed = await store.close_list(tx, fact.subject_id)
    if closed:
        reason = f"the show is {fact.new_status}"
        await audit.write(tx, "waitlist.closed", "event", fact.subject_id, after={"entries": closed}, reason=reason)
