"""HTTP routes of scanning."""

import asyncio
from datetime import date
from typing import Annotated
from uuid import UUID

import msgspec
from litestar.params import QueryParameter

from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.http.endpoints import DataEnvelope, delete, get, post
from fullhouse.kit.http.response import Response
from fullhouse.kit.live.broadcast import REFRESH, Channel
from fullhouse.kit.services import Services
from fullhouse.scanning import actions, device_actions, merge_actions, store
from fullhouse.scanning.engine import ScanEngine
from fullhouse.scanning.live_model import Entries, LiveGates
from fullhouse.scanning.model import (
    Batch,
    Device,
    FindTickets,
    Hit,
    Incident,
    MergeResult,
    NewDevice,
    NewPairing,
    Pair,
    PairingResult,
    Resolve,
    Scan,
    ScanRequest,
    ScanResponse,
    Undo,
)
from fullhouse.scanning.snapshots import actions as snapshot_actions

_SCAN_DECODER = msgspec.json.Decoder(ScanRequest)
_NO_STORE = (("cache-control", "no-store"),)
BATCH_MAX_BYTES = 4 * 2**20
SLOW_S = 60.0
PAIRINGS = Limit(20, 60)  # per network: a code has forty bits and is valid for ten minutes
Words = Annotated[
    str, QueryParameter(min_length=2, max_length=100, description="A name, an order's code, a ticket's code or number.")
]
EventParam = Annotated[
    UUID | None, QueryParameter(description="The event. Devices may leave it out: they use their own.")
]
Since = Annotated[
    int | None, QueryParameter(ge=0, description="The `version` of the last snapshot, to get only what changed since.")
]


# --- devices


@post("/api/scan/devices", "scanning.devices", location="/api/scan/devices/{id}")
async def add_device(tx: Tx, services: Services, who: Principal, data: NewDevice) -> NewPairing:
    """Create a pairing code for a device at some gates of an event. It works once, for ten minutes."""
    return await device_actions.add_device(tx, who, services.public_url, data)


@get("/api/scan/devices", "scanning.devices")
async def list_devices(tx: Tx, event_id: EventParam = None) -> list[Device]:
    """Devices, with the time they were last seen, their battery level and app version."""
    return await store.devices_of_event(tx, event_id)


@delete("/api/scan/devices/{device_id:uuid}", "scanning.devices")
async def revoke_device(tx: Tx, device_id: UUID) -> None:
    """Revoke a device. Its next request is refused; its scans stay."""
    await device_actions.revoke_device(tx, device_id)


@post("/api/scan/pair", public=True, limit=PAIRINGS)
async def pair_device(services: Services, actor: Actor, data: Pair) -> PairingResult:
    """Pair as the device of a pairing code. The token and the keys are only in this response."""
    return await device_actions.pair_device(services, actor, data)


# --- scanning


@post("/api/scan", "scanning.scan", status=200, answers={200: ScanResponse}, hot=True)
async def scan(services: Services, who: Principal, data: ScanRequest) -> Response:
    """Scan a ticket, by its QR code or its eight-character code.

    The status is 200 whatever is decided: see `admit` and, if it is false, `reason`. With a `counter` the scan can be
    retried: it takes effect once. A test scan is marked and never counts. An override needs the right and a reason.
    """
    if (data.qr is None) == (data.code is None):
        raise Invalid(fields=[FieldError("qr", "Send either qr or code, not both.")])
    found = await services.part(ScanEngine).scan(who.organization_id, who.id, data, who.actor)
    return Response(200, msgspec.json.encode(DataEnvelope[ScanResponse](found)), _NO_STORE)


@post("/api/scan/{scan_id:uuid}/undo", "scanning.undo", status=200)
async def undo_scan(tx: Tx, who: Principal, scan_id: UUID, data: Undo) -> Scan:
    """Undo a wrong scan, with a reason."""
    return await actions.undo(tx, who, scan_id, data.reason)


@get("/api/scan/search", "scanning.search")
async def search_tickets(tx: Tx, who: Principal, q: Words, event_id: EventParam = None) -> list[Hit]:
    """Tickets of an event by name, order code, ticket code or number: fifty at most."""
    return await actions.search(tx, who, event_id, q)


@post("/api/scan/search", "scanning.search", status=200)
async def find_tickets(tx: Tx, who: Principal, data: FindTickets) -> list[Hit]:
    """The same search with the name in the body, since URLs end up in logs and browser histories."""
    return await actions.search(tx, who, data.event_id, data.q)


@get("/api/scan/live", "scanning.scan")
async def live_for_device(tx: Tx, who: Principal) -> LiveGates:
    """How many are inside today, at the calling device's event."""
    return await actions.get_live_gates(tx, await actions.require_event_id(tx, who, None))


@get("/api/scan/incidents", "scanning.search")
async def search_incidents(tx: Tx, who: Principal, event_id: EventParam = None) -> list[Incident]:
    """Incidents of an event, for gate staff: open ones first. They contain names, as the search does."""
    return await actions.list_incidents(tx, await actions.require_event_id(tx, who, event_id))


# --- offline


@get("/api/scan/snapshot", "scanning.scan", media_type="application/octet-stream", deadline_s=SLOW_S)
async def get_snapshot(tx: Tx, services: Services, who: Principal, since: Since = None) -> Response:
    """What a device needs to decide offline: signed, and encrypted for the device (docs/scanning.md)."""
    pack = await snapshot_actions.build_snapshot(tx, services.keyring, who, since)
    return Response(200, await asyncio.to_thread(pack), _NO_STORE, "application/octet-stream")


@post("/api/scan/batch", "scanning.scan", status=200, body_limit=BATCH_MAX_BYTES, deadline_s=SLOW_S)
async def merge_batch(tx: Tx, who: Principal, data: Batch) -> MergeResult:
    """Upload scans that a device decided offline.

    Every scan has the device's own `counter`: sending it again has no effect. At most 5,000 at once, in any order.
    """
    return await merge_actions.merge_batch(tx, who, data)


# --- the console


@get("/api/events/{event_id:uuid}/gates/live", "scanning.watch")
async def live_gates(tx: Tx, event_id: UUID) -> LiveGates:
    """How many are inside today: by gate, by zone and in total."""
    return await actions.get_live_gates(tx, event_id)


@get("/api/events/{event_id:uuid}/gates/entries", "scanning.watch")
async def gate_entries(tx: Tx, event_id: UUID, day: date | None = None) -> Entries:
    """Entries and exits of a day in five-minute intervals, and the entries at each gate in the last five minutes."""
    return await actions.get_entries(tx, event_id, day)


@get("/api/events/{event_id:uuid}/gates/stream", "scanning.watch")
async def stream_gates(services: Services, who: Principal, event_id: UUID) -> Channel:
    """Live occupancy as Server-Sent Events: a `snapshot` after every entry or exit, at most one a second."""
    organization_id = who.organization_id

    async def snapshot() -> LiveGates:
        async with services.database.tenant(organization_id) as tx:
            return await actions.get_live_gates(tx, event_id)

    return Channel(f"gates:{organization_id}:{event_id}", {f"scans:{event_id}": lambda _: REFRESH}, snapshot)


@get("/api/events/{event_id:uuid}/incidents", "scanning.watch")
async def list_incidents(tx: Tx, event_id: UUID) -> list[Incident]:
    """Incidents that offline gates caused: which ticket, where and when. Open ones first."""
    return await actions.list_incidents(tx, event_id)


@post("/api/events/{event_id:uuid}/incidents/{incident_id:uuid}/resolve", "scanning.resolve", status=200)
async def resolve_incident(tx: Tx, who: Principal, event_id: UUID, incident_id: UUID, data: Resolve) -> Incident:
    """Resolve an incident, with a note about the outcome."""
    return await actions.resolve(tx, who, event_id, incident_id, data.note)


handlers = [
    add_device, list_devices, revoke_device, pair_device, scan, undo_scan, search_tickets, find_tickets,
    live_for_device, search_incidents, get_snapshot, merge_batch, live_gates, gate_entries, stream_gates,
    list_incidents, resolve_incident,
]  # fmt: skip
