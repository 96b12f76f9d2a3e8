"""The loop of the waiting rooms: opens due rooms, draws, expires entries, admits people, and closes empty rooms.

A process that is notified of a free slot admits the next person at once. The loop finds what was missed,
within a second.
"""

import asyncio
from typing import Any

import structlog
from prometheus_client import Counter, Gauge

from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.services import Services
from fullhouse.waiting_room import actions, draw, store
from fullhouse.waiting_room.rooms import has_more

LOOP_ACTOR = Actor(type="system", name="queue keeper")
EXPIRED_MAX = 400  # as many as fit into one message
DRAWN_AT_ONCE = 10_000
EXPIRED = Counter("fullhouse_queue_expiries_total", "Places and slots that expired", ["what"])
PEOPLE = Gauge(
    "fullhouse_queue_people", "People in a queue", ["organization", "event", "status"], multiprocess_mode="mostrecent"
)
# A gauge that several processes share cannot be removed, so a queue that has ended is set to 0. Only this process's
# memory says which: a queue that ends while no worker runs keeps its last count until it is used again. Finding such
# queues in the database would mean reading every room that ever existed, four times a minute.
_counted: set[tuple[str, str]] = set()
log = structlog.get_logger()


async def advance_waiting_rooms(services: Services, finder: Database) -> None:
    await expire_entries(services, finder)
    async with finder.without_tenant() as tx:
        rooms = await store.list_active_rooms(tx)
    for room in rooms:
        try:
            await _advance_room(services, room)
        except Exception:
            log.exception("queue.advance_failed", detail="retried in the next round", event_id=str(room.event_id))


async def expire_entries(services: Services, finder: Database) -> int:
    """Finds overdue entries across organisations and ends them in a transaction of each. Returns how many ended."""
    ended = 0
    while True:
        async with finder.without_tenant() as tx:
            due = await store.list_due_entries(tx, EXPIRED_MAX)
        gone = 0
        for organization_id, event_id, seqs in due:
            async with services.database.tenant(organization_id, LOOP_ACTOR) as tx:
                rows = await store.expire_entries(tx, event_id=event_id, seqs=seqs)
                if rows:
                    actions.publish_change(tx, event_id, e=[[row.seq, actions.STATUS_CODES["expired"]] for row in rows])
            for row in rows:
                EXPIRED.labels("slot" if row.was_slot else "place").inc()
            gone += len(rows)
        ended += gone
        if gone < EXPIRED_MAX:
            return ended


async def _advance_room(services: Services, room: store.ActiveRoom) -> None:
    organization_id, event_id = room.organization_id, room.event_id
    if room.due:
        async with services.database.tenant(organization_id, LOOP_ACTOR) as tx:
            await actions.move(tx, services.keyring, event_id, "open", "its time has come")
    if room.due or not room.drawn:
        await write_drawn_places(services, room)
    while True:
        async with services.database.tenant(organization_id, LOOP_ACTOR) as tx:
            change = await _admit(tx, event_id)
        if not has_more(change):
            break
    if room.empty:
        async with services.database.tenant(organization_id, LOOP_ACTOR) as tx:
            await actions.close_when_empty(tx, services.keyring, event_id)


async def _admit(tx: Tx, event_id: Any) -> dict[str, Any]:
    change = await store.admit_people(tx, sender=None, event_id=event_id) or {}
    if change:
        actions.publish_change(tx, event_id, **change)
    return change


async def write_drawn_places(services: Services, of: store.ActiveRoom) -> None:
    """Writes the places of the draw in batches. If it is interrupted, the next round continues."""
    organization_id, event_id = of.organization_id, of.event_id
    async with services.database.tenant(organization_id, LOOP_ACTOR) as tx:
        room = await store.find_room(tx, event_id)
    if room is None or room.drawn or room.seed is None or not room.tickets:
        return
    places = await asyncio.to_thread(draw.draw_places, room.seed, room.tickets)
    while True:
        async with services.database.tenant(organization_id, LOOP_ACTOR) as tx:
            seqs = await store.list_undrawn(tx, event_id=event_id, last_seq=room.tickets, limit=DRAWN_AT_ONCE)
            if not seqs:
                await store.mark_drawn(tx, event_id)
                actions.publish_change(tx, event_id, r=1)
                return
            await store.write_places(tx, event_id=event_id, seqs=seqs, places=places[seqs].tolist())


async def count_people(finder: Database) -> None:
    async with finder.without_tenant() as tx:
        crowds = await store.count_people(tx)
    now = {(str(crowd.organization_id), str(crowd.event_id)): crowd for crowd in crowds}
    for names in _counted | now.keys():
        crowd = now.get(names)
        PEOPLE.labels(*names, "waiting").set(crowd.waiting if crowd else 0)
        PEOPLE.labels(*names, "admitted").set(crowd.admitted if crowd else 0)
    _counted.update(now)
