"""A guest signs in: the guest's holds are handed over to the account, up to the limits of one person.

A hold keeps its id, its deadline and its place in all counters. Only its holder changes, in its own row and in those of
the companion seats reserved with it.
"""

from collections.abc import Sequence
from itertools import groupby
from uuid import UUID

from fullhouse.holds import policy, store
from fullhouse.holds.actions import end
from fullhouse.holds.model import GuestHold
from fullhouse.kit.db.database import Tx
from fullhouse.kit.live.bus import LOCAL
from fullhouse.seating import policy as seating_policy
from fullhouse.seating import policy_actions as seating_policies
from fullhouse.seating.model import HELD, RESERVED
from fullhouse.seating.overlay import actions as seating

HANDED_OVER = f"{LOCAL}holds:handed_over"  # published in this process only: guest, user and rows
TOO_MANY = "more than one person may hold"


async def lock_users(tx: Tx, user_ids: Sequence[UUID]) -> None:
    """The lock that the hold statement takes, too: nothing else changes what these people hold meanwhile."""
    await store.lock_users(tx, list(user_ids))


async def lock_guest_holds(
    tx: Tx, event_ids: Sequence[UUID], guest_id: UUID, type_ids: Sequence[UUID]
) -> list[GuestHold]:
    """A guest's holds in these events that can be handed over. Not frozen ones, whose payment decides, nor waitlist
    offers, which have their own link. Locks pools (those of `type_ids`, too), seats and holds, in this order."""
    events = list(event_ids)
    await store.lock_pools_of_guest(tx, event_ids=events, user_id=guest_id, type_ids=list(type_ids))
    await store.lock_seats_of_guest(tx, event_ids=events, user_id=guest_id)
    return await store.lock_holds_of_guest(tx, event_ids=events, user_id=guest_id)


async def release_surplus(tx: Tx, event_id: UUID, user_id: UUID, brought: Sequence[GuestHold]) -> list[GuestHold]:
    """Returns what the account may hold in addition to its own holds; ends the rest. A basket is kept or ended as a
    whole: it may be a table."""
    effective = seating_policy.to_effective_policy(await seating_policies.load_effective_policy(tx, event_id))
    baskets = [list(rows) for _, rows in groupby(brought, lambda row: row.basket_id)]
    loads = [
        policy.Load(len(rows), sum(row.wheelchair for row in rows), sum(row.quantity for row in rows))
        for rows in baskets
    ]
    has = await store.read_load(tx, event_id=event_id, user_id=user_id)
    fits = policy.find_fitting(loads, has or policy.Load(0, 0, 0), effective)
    surplus = [row.hold_id for rows, fit in zip(baskets, fits, strict=True) if not fit for row in rows]
    if surplus:
        await end(tx, surplus, "cancelled", reason=TOO_MANY)
    return [row for rows, fit in zip(baskets, fits, strict=True) if fit for row in rows]


async def hand_over(tx: Tx, event_id: UUID, guest_id: UUID, user_id: UUID, brought: Sequence[GuestHold]) -> None:
    who = tx.actor
    rows = await store.hand_over(
        tx,
        hold_ids=[row.hold_id for row in brought],
        guest_id=guest_id,
        user_id=user_id,
        ip=who.ip,
        user_agent=who.user_agent,
        request_id=who.request_id,
    )
    if not rows:
        return
    tx.publish(HANDED_OVER, (tx.organization_id, guest_id, user_id, rows))  # first: mirrors need the holders
    seats = [(row.ordinal, row.version) for row in rows if row.ordinal is not None]
    seating.publish_seats(tx, event_id, seats, HELD, kept=True)
    places = [row.seat_id for row in rows if row.seat_id]
    kept = await store.keep_companions(tx, event_id=event_id, seat_ids=places)
    if kept:
        seating.publish_seats(tx, event_id, [(row.ordinal, row.version) for row in kept], RESERVED)
