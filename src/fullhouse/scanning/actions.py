"""Actions of people and devices on scans: undo, search, live figures, incidents."""

from datetime import date
from uuid import UUID

import msgspec

from fullhouse.events import actions as events
from fullhouse.kit.actors import Principal
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Forbidden, Invalid
from fullhouse.kit.messages.outbox import announce
from fullhouse.scanning import device_actions, fold_actions, store
from fullhouse.scanning.facts import IncidentResolved, ScanUndone
from fullhouse.scanning.live_model import Entries, LiveGates, Occupancy
from fullhouse.scanning.model import Hit, Incident, IncidentNotFound, NothingToUndo, Scan, ScanNotFound


async def undo(tx: Tx, who: Principal, scan_id: UUID, reason: str) -> Scan:
    """Undoes a wrong scan, and derives the ticket's presence and counts anew from its other scans."""
    scan = await store.scan_by_id(tx, scan_id)
    if scan is None or (
        who.role == "device" and scan.event_id != (await device_actions.require_device(tx, who)).event_id
    ):
        raise ScanNotFound
    await events.lock_event_shared(tx, scan.event_id)
    await store.lock_scans(tx, scan.event_id)
    undone = await store.undo_scan(tx, scan_id=scan_id, undone_reason=reason)
    if undone is None or undone.ticket_id is None:
        raise NothingToUndo
    tickets = await store.tickets_to_merge(tx, event_id=scan.event_id, codes=[], ticket_ids=[undone.ticket_id])
    remaining = await store.list_counting_scans(tx, [undone.ticket_id])
    await fold_actions.refold(
        tx, scan.event_id, tickets, remaining, removed=[_to_stored_scan(undone, undone.ticket_id)]
    )
    after = {"scan_id": scan_id, "direction": scan.direction, "gate_id": scan.gate_id}
    await audit.write(tx, "ticket.scan_undone", "ticket", undone.ticket_id, after=after, reason=reason)
    await announce(tx, ScanUndone(subject_id=undone.ticket_id, event_id=scan.event_id, scan_id=scan_id, reason=reason))
    return undone


def _to_stored_scan(scan: Scan, ticket_id: UUID) -> store.StoredScan:
    """The stored scan as it was before the undo."""
    return store.StoredScan(
        scan.id,
        ticket_id,
        scan.device_id,
        scan.counter,
        scan.at,
        scan.day,
        scan.direction,
        scan.gate_id,
        scan.override is not None,
    )


async def search(tx: Tx, who: Principal, event_id: UUID | None, words: str) -> list[Hit]:
    """Searches the device's own event; people must name the event."""
    chosen = await require_event_id(tx, who, event_id)
    return await store.search_tickets(tx, event_id=chosen, words=words.strip())


async def require_event_id(tx: Tx, who: Principal, event_id: UUID | None) -> UUID:
    if who.role == "device":
        own = (await device_actions.require_device(tx, who)).event_id
        if event_id not in (None, own):
            raise Forbidden("This device is paired for another event.")
        return own
    if event_id is None:
        raise Invalid(fields=[FieldError("event_id", "Name the event.")])
    return (await events.require_event(tx, event_id)).id


async def get_live_gates(tx: Tx, event_id: UUID) -> LiveGates:
    await events.require_event(tx, event_id)
    day = await store.find_event_day(tx, event_id)
    assert day
    rows = await store.occupancy(tx, event_id=event_id, day=day)

    def of(kind: str) -> list[Occupancy]:
        return [row for row in rows if row.kind == kind]

    (whole,) = of("event")
    return LiveGates(
        event_id=event_id,
        day=day,
        inside=whole.inside,
        entered=whole.entered,
        rejected=await store.count_rejected(tx, event_id=event_id, day=day) or 0,
        incidents=await store.count_open_incidents(tx, event_id) or 0,
        gates=of("gate"),
        zones=of("zone"),
    )


async def get_entries(tx: Tx, event_id: UUID, day: date | None) -> Entries:
    """Entries of today, or of another day of the event."""
    await events.require_event(tx, event_id)
    chosen = day or await store.find_event_day(tx, event_id)
    assert chosen
    inside, points = 0, []
    for point in await store.entries_over_time(tx, event_id=event_id, day=chosen):
        inside += point.entered - point.left
        points.append(msgspec.structs.replace(point, inside=inside))
    pace = await store.list_gate_pace(tx, event_id)
    return Entries(event_id=event_id, day=chosen, points=points, pace=pace)


async def list_incidents(tx: Tx, event_id: UUID) -> list[Incident]:
    """Open ones first."""
    await events.require_event(tx, event_id)
    return await store.incidents_of_event(tx, event_id=event_id, incident_id=None)


async def resolve(tx: Tx, who: Principal, event_id: UUID, incident_id: UUID, note: str) -> Incident:
    if not await store.resolve_incident(tx, event_id=event_id, incident_id=incident_id, resolved_by=who.id, note=note):
        raise IncidentNotFound
    (incident,) = await store.incidents_of_event(tx, event_id=event_id, incident_id=incident_id)
    await audit.write(
        tx, "scan_incident.resolved", "scan_incident", incident_id, after={"ticket_id": incident.ticket_id}, reason=note
    )
    fact = IncidentResolved(subject_id=incident_id, event_id=event_id, ticket_id=incident.ticket_id, note=note)
    await announce(tx, fact)
    tx.publish(f"scans:{event_id}", None)
    return incident
