"""Commands on waiting rooms in a transaction. What people do themselves, in batches, is in `entry_actions`."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec

from fullhouse.events import actions as events
from fullhouse.events.facts import EventFact
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.live.bus import LOCAL
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.secrets import Keyring
from fullhouse.waiting_room import draw, facts, policy, store
from fullhouse.waiting_room.model import (
    Admission,
    InCheckout,
    LockedPlace,
    NotInQueue,
    PreQueueTooLate,
    Room,
    RoomSettings,
    WrongState,
)

SLOT_FREED = f"{LOCAL}queue:free"  # published in this process only: a slot is free, the next person can be admitted
SEED_PURPOSE = "queue seed"
JOINED_AS_BUYERS = 1  # third number of `j`: something is left for them although the event is sold out
STATUS_CODES = {
    "waiting": 1,
    "admitted": 2,
    "expired": 3,
    "left": 4,
    "done": 5,
}  # as in virtual_queue.py
_FACT_TYPES: dict[policy.RoomCommand, type[facts.QueueFact]] = {
    "open": facts.QueueOpened,
    "pause": facts.QueuePaused,
    "resume": facts.QueueResumed,
    "drain": facts.QueueDraining,
    "close": facts.QueueClosed,
}


# --- slots: used by the checkout


async def find_admission(tx: Tx, event_id: UUID, user_id: UUID, *, lock: bool = False) -> Admission | None:
    """The slot that a person has now. With `lock` it cannot end before this transaction does."""
    find = store.lock_admission if lock else store.find_admission
    return _to_admission(await find(tx, event_id=event_id, user_id=user_id))


async def extend_slot(tx: Tx, event_id: UUID, user_id: UUID, until: datetime) -> Admission | None:
    """A checkout extends its slot until then; it never shortens it."""
    slot = await store.extend_slot(tx, event_id=event_id, user_id=user_id, until=until)
    return _publish_admission(tx, event_id, slot)


async def regain_slot(tx: Tx, event_id: UUID, user_id: UUID, until: datetime) -> bool:
    """For a checkout that goes on after a slow payment: extends its slot, or takes a free one if nobody waits for it.
    The room's lock keeps the number of slots exact, as for every admission."""
    if await extend_slot(tx, event_id, user_id, until):
        return True
    room = await store.lock_room(tx, event_id)
    if room is None:
        return True
    if room.state not in ("open", "closed") or not await store.is_empty(tx, event_id=event_id, slots=room.slots):
        return False
    await admit_holders_first(tx, event_id, [(user_id, until)])
    return True


async def extend_choosing(tx: Tx, event_id: UUID, user_id: UUID, seconds: int) -> Admission | None:
    """Extends the slot of a person who is choosing, up to half an hour in all. None if there is no slot."""
    slot = await store.extend_choosing(
        tx, event_id=event_id, user_id=user_id, seconds=seconds, at_most=policy.CHOOSING_MAX
    )
    return _publish_admission(tx, event_id, slot)


async def end_slot(tx: Tx, event_id: UUID, user_id: UUID, *, bought: bool) -> None:
    """Ends a slot: at the commit it is free, and the next person is admitted. Without a slot nothing happens."""
    await end_slots(tx, event_id, [user_id], bought=bought)


async def end_slots(tx: Tx, event_id: UUID, user_ids: Sequence[UUID], *, bought: bool) -> None:
    """Ends the slots of several people in one statement."""
    ending = "done" if bought else "left"
    seqs = await store.end_slots(tx, event_id=event_id, user_ids=list(user_ids), status=ending)
    if seqs:
        publish_change(tx, event_id, e=[[seq, STATUS_CODES[ending]] for seq in seqs])
        tx.publish(SLOT_FREED, (tx.organization_id, event_id))


async def admit_holders_first(tx: Tx, event_id: UUID, holders: Sequence[tuple[UUID, datetime]]) -> None:
    """Puts people who hold seats when the room opens, and until when, at the front of the queue; admits them while
    there are slots."""
    users, untils = [user_id for user_id, _ in holders], [until for _, until in holders]
    rows = await store.admit_holders_first(tx, event_id=event_id, user_ids=users, untils=untils)
    if rows:
        slots = [[row.seq, _ms(row.expires_at)] for row in rows if row.status == "admitted"]
        publish_change(
            tx, event_id, j=[min(row.seq for row in rows), max(row.seq for row in rows), JOINED_AS_BUYERS], a=slots
        )


async def leave_queue(tx: Tx, event_id: UUID, user_id: UUID) -> None:
    """Gives up a place or a slot. A person who leaves the queue cannot join it again for an hour. Refused for a slot
    with a checkout: there would be more checkouts than slots."""
    slot = await find_admission(tx, event_id, user_id, lock=True)
    if slot and await store.is_in_checkout(tx, event_id=event_id, user_id=user_id):
        raise InCheckout()
    ended = await store.leave_queue(tx, event_id=event_id, user_id=user_id, cooldown=policy.COOLDOWN)
    if ended is None:
        await events.require_event(tx, event_id)  # refuses an unknown event
        raise NotInQueue()
    publish_change(tx, event_id, e=[[ended.seq, STATUS_CODES["left"]]])
    if ended.was_slot:
        tx.publish(SLOT_FREED, (tx.organization_id, event_id))


# --- handing over a guest's place at sign-in


async def lock_places(
    tx: Tx, event_ids: Sequence[UUID], user_ids: Sequence[UUID]
) -> tuple[set[UUID], list[LockedPlace]]:
    """Which of these events have an open waiting room, and these people's places in it. Until this transaction ends,
    nobody joins, is admitted or ends there."""
    rooms = await store.lock_rooms(tx, list(event_ids))
    places = await store.lock_places(tx, event_ids=list(event_ids), user_ids=list(user_ids))
    return {room.event_id for room in rooms if room.state != "closed"}, places


async def hand_over(tx: Tx, event_id: UUID, user_id: UUID, places: Sequence[LockedPlace]) -> None:
    """Of the places (locked) that a person has in one queue under two user ids, the account gets the best; the others
    end. Virtual queues have numbers, not people: nothing changes there."""
    live = sorted((place for place in places if not place.overdue), key=lambda p: policy.rank(p, user_id))
    for place in places:
        if place not in live[:1] and (place.user_id == user_id or not place.overdue):
            ending = "expired" if place.overdue else "left"
            await store.end_place(tx, event_id=event_id, seq=place.seq, status=ending)
            publish_change(tx, event_id, e=[[place.seq, STATUS_CODES[ending]]])
            if place.inside:
                tx.publish(SLOT_FREED, (tx.organization_id, event_id))
    if live and live[0].user_id != user_id:
        await store.hand_over_place(tx, event_id=event_id, seq=live[0].seq, user_id=user_id)


# --- the organiser's commands


async def get_room(tx: Tx, event_id: UUID) -> Room:
    await events.require_event(tx, event_id)
    assert tx.organization_id
    found = await store.find_room(tx, event_id)
    return found or Room(organization_id=tx.organization_id, event_id=event_id)


async def change_settings(tx: Tx, keyring: Keyring, event_id: UUID, settings: RoomSettings) -> Room:
    """A lower number of slots ends none that is in use. `off` serves the people who wait, then closes the room."""
    await events.require_event(tx, event_id)
    if settings.opens_at is not None and settings.opens_at <= await tx.now():
        raise Invalid(fields=[FieldError("opens_at", "In the future.")])
    sells = await store.lock_event(tx, event_id)
    room = await _lock_room(tx, event_id)
    opens_at = settings.opens_at if settings.mode == "on" else None
    changed = msgspec.structs.replace(
        room, mode=settings.mode, slots=settings.slots, admit_window_s=settings.admit_window_s, opens_at=opens_at
    )
    if room.state == "pre" and opens_at is None:
        raise WrongState("People are already joining the pre-queue: open the room, or set another opening time.")
    if room.state not in ("closed", "pre") and opens_at is not None:
        raise WrongState("The waiting room is already open: an opening time can only be set before.")
    order: policy.RoomCommand | None = None
    if room.state == "closed" and opens_at is not None:
        if sells:
            raise PreQueueTooLate()
        changed = _start_pre_queue(keyring, changed)
    elif room.state == "closed" and settings.mode == "on":
        order = "open"
    elif settings.mode == "off" and room.state in ("open", "paused"):
        order = "drain"
    before, after = _audited_settings(room), _audited_settings(changed)
    if before != after:
        await _write_room(tx, changed)
        await audit.write(tx, "queue.settings_changed", "event", event_id, before=before, after=after)
        await announce(tx, facts.QueueSettingsChanged(**_fact_fields(changed)))
        tx.publish(SLOT_FREED, (tx.organization_id, event_id))
    if changed.state == "pre" and room.state == "closed":
        await announce(tx, facts.QueueOpened(**_fact_fields(changed), opens_at=opens_at))
    return await _move(tx, keyring, changed, order, None) if order else changed


async def move(tx: Tx, keyring: Keyring, event_id: UUID, order: policy.RoomCommand, reason: str | None = None) -> Room:
    """A command of the organiser or of the loop. A room that is opened by hand stays open until it is drained."""
    await events.require_event(tx, event_id)
    await store.lock_event(tx, event_id)
    return await _move(tx, keyring, await _lock_room(tx, event_id), order, reason)


async def open_when_full(tx: Tx, keyring: Keyring, event_id: UUID) -> None:
    """A person wants a slot and none is free. Called several times at once, it opens the room once."""
    await store.lock_event(tx, event_id)
    room = await _lock_room(tx, event_id)
    if room.state == "closed" and room.mode != "off":
        await _move(tx, keyring, room, "open", "all slots are taken", by_itself=True)


async def close_when_empty(tx: Tx, keyring: Keyring, event_id: UUID) -> bool:
    """Closes a room in which nobody waits, if it opened automatically or is drained."""
    room = await _lock_room(tx, event_id)
    over = room.state == "draining" or (room.state == "open" and room.mode == "auto")
    if not over or not await store.is_empty(tx, event_id=event_id, slots=room.slots):
        return False
    await _move(tx, keyring, room, "close", "nobody waits any more")
    return True


async def close_with_event(tx: Tx, fact: EventFact) -> None:
    """A sync handler: the event is cancelled or over. The next poll of people who wait says so."""
    room = await store.lock_room(tx, fact.subject_id)
    if room is not None and room.state != "closed":
        await _write_room(tx, msgspec.structs.replace(room, state="closed", mode="auto"))
        await audit.write(tx, "queue.closed", "event", fact.subject_id, reason=f"the show is {fact.new_status}")
        publish_change(tx, fact.subject_id, r=1)


async def _move(
    tx: Tx, keyring: Keyring, room: Room, order: policy.RoomCommand, reason: str | None, *, by_itself: bool = False
) -> Room:
    state = policy.MOVES.get((room.state, order))
    if state is None:
        raise WrongState(f"The waiting room is {room.state}.")
    changed = msgspec.structs.replace(room, state=state)
    if order == "open":
        changed = _reveal_seed(keyring, changed, was=room.state)
        if not by_itself and room.mode == "auto" and tx.actor.type != "system":
            changed = msgspec.structs.replace(changed, mode="on")
    elif order == "drain" and room.mode == "on":
        changed = msgspec.structs.replace(changed, mode="auto")
    await _write_room(tx, changed)
    before, after = {"state": room.state, "mode": room.mode}, {"state": changed.state, "mode": changed.mode}
    name = _FACT_TYPES[order].name
    await audit.write(tx, name, "event", room.event_id, before=before, after=after, reason=reason)
    await announce(tx, _FACT_TYPES[order](**_fact_fields(changed)))
    tx.publish(SLOT_FREED, (tx.organization_id, room.event_id))
    return changed


def _start_pre_queue(keyring: Keyring, room: Room) -> Room:
    """A pre-queue begins: the hash of its seed is public. Refused once numbers were given out: these have no draw."""
    if room.next_seq > 1:
        raise WrongState("People have already joined this queue: a pre-queue is possible only before that.")
    seed = draw.new_seed()
    return msgspec.structs.replace(
        room,
        state="pre",
        seed_hash=draw.hash_of(seed),
        sealed_seed=keyring.seal(SEED_PURPOSE, seed),
        seed=None,
        tickets=None,
    )


def _reveal_seed(keyring: Keyring, room: Room, *, was: str) -> Room:
    """Publishes the seed and how many numbers take part in the draw; the loop then writes the places."""
    if was != "pre":
        return room
    assert room.sealed_seed
    seed = keyring.open(SEED_PURPOSE, room.sealed_seed)
    if seed is None:
        raise RuntimeError("the seed was sealed with another FULLHOUSE_SECRET_KEY: restore that key")
    tickets = room.next_seq - 1
    return msgspec.structs.replace(room, seed=seed, tickets=tickets, drawn=tickets == 0)


async def _lock_room(tx: Tx, event_id: UUID) -> Room:
    room = await store.lock_room(tx, event_id)
    if room is None:
        await store.create_room(tx, event_id)
        room = await store.lock_room(tx, event_id)
    assert room
    return room


async def _write_room(tx: Tx, room: Room) -> None:
    await store.write_room(
        tx,
        event_id=room.event_id,
        mode=room.mode,
        state=room.state,
        slots=room.slots,
        admit_window_s=room.admit_window_s,
        opens_at=room.opens_at,
        seed_hash=room.seed_hash,
        sealed_seed=room.sealed_seed,
        seed=room.seed,
        tickets=room.tickets,
        drawn=room.drawn,
    )
    publish_change(tx, room.event_id, r=1)


# --- messages


def publish_change(tx: Tx, event_id: UUID, **change: Any) -> None:
    """Publishes what changed to the virtual queues of all processes: the keys are those of app.queue_change."""
    tx.publish(f"queue:{event_id}", change)


def _fact_fields(room: Room) -> dict[str, Any]:
    return {"subject_id": room.event_id} | {
        name: getattr(room, name) for name in ("event_id", "mode", "state", "slots")
    }


def _audited_settings(room: Room) -> dict[str, Any]:
    return {name: getattr(room, name) for name in ("mode", "slots", "admit_window_s", "opens_at")}


def _publish_admission(tx: Tx, event_id: UUID, slot: store.Slot | None) -> Admission | None:
    if slot is not None:
        publish_change(tx, event_id, a=[[slot.seq, _ms(slot.expires_at)]])
    return _to_admission(slot)


def _to_admission(slot: store.Slot | None) -> Admission | None:
    if slot is None:
        return None
    return Admission(seq=slot.seq, expires_at=slot.expires_at, expires_at_unix_ms=_ms(slot.expires_at))


def _ms(moment: datetime) -> int:
    return int(moment.astimezone(UTC).timestamp() * 1000)
