"""The gates over HTTP. Scanning is on the fast lane; its twin here documents it."""

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
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.decode import decode
from fullhouse.kit.http.endpoints import Data, delete, get, post
from fullhouse.kit.http.lane import Call
from fullhouse.kit.live.broadcast import LOOK_AGAIN, Channel
from fullhouse.kit.services import Services
from fullhouse.scanning import actions, device_actions, merge_actions, store
from fullhouse.scanning.engine import Engine
from fullhouse.scanning.live_model import Entries, LiveGates
from fullhouse.scanning.model import (
    Batch,
    Device,
    FindTickets,
    Hit,
    Incident,
    Merged,
    NewDevice,
    NewPairing,
    Pair,
    Paired,
    Resolve,
    Scan,
    ScanAnswer,
    ScanWish,
    Undo,
)
from fullhouse.scanning.snapshots import actions as snapshot_actions

_WISH = msgspec.json.Decoder(ScanWish)
_NO_STORE = (("cache-control", "no-store"),)
BATCH_MAX_BYTES = 4 * 2**20
SLOW_S = 60.0
PAIRINGS = Limit(20, 60)  # from one network: a code has forty bits and ten minutes
Words = Annotated[
    str, QueryParameter(min_length=2, max_length=100, description="A name, an order's code, a ticket's code or number.")
]
Show = Annotated[UUID | None, QueryParameter(description="Which show. A device knows its own.")]
Since = Annotated[
    int | None, QueryParameter(ge=0, description="The `version` of the last snapshot: only what changed since.")
]


# --- devices


@post("/api/scan/devices", "scanning.devices", location="/api/scan/devices/{id}")
async def add_device(tx: Tx, services: Services, who: Principal, data: NewDevice) -> NewPairing:
    """Make a pairing code for a device at some gates of a show. It is good once, for ten minutes."""
    return await device_actions.add(tx, who, services.public_url, data)


@get("/api/scan/devices", "scanning.devices")
async def list_devices(tx: Tx, event_id: Show = None) -> list[Device]:
    """Devices, with when they were last seen, their battery and the version of their app."""
    return await store.devices_of_event(tx, event_id)


@delete("/api/scan/devices/{device_id:uuid}", "scanning.devices")
async def revoke_device(tx: Tx, device_id: UUID) -> None:
    """Revoke a device. Its next request is refused; what it has scanned stays."""
    await device_actions.revoke(tx, device_id)


@post("/api/scan/pair", public=True, limit=PAIRINGS)
async def pair_device(services: Services, actor: Actor, data: Pair) -> Paired:
    """Become the device that a code was made for. The token and the keys are told here, and never again."""
    return await device_actions.pair(services, actor, data)


# --- scanning


async def scan_fast(call: Call) -> Answer:
    wish = decode(_WISH, await call.read())
    assert call.principal
    return await _scan(call.state.services, call.principal, wish)


@post("/api/scan", "scanning.scan", status=200, answers={200: ScanAnswer}, fast=scan_fast)
async def scan(services: Services, who: Principal, data: ScanWish) -> Answer:
    """Scan a ticket, by its QR or its eight characters.

    The answer is 200 whatever is decided: `admit`, and if not, a `reason`. With a `counter` the same scan can be sent
    again: it happens once. A test scan is marked and never counts. An override needs the right and a reason.
    """
    return await _scan(services, who, data)


async def _scan(services: Services, who: Principal, wish: ScanWish) -> Answer:
    if (wish.qr is None) == (wish.code is None):
        raise Invalid(fields=[FieldError("qr", "Either the QR or the code.")])
    found = await services.part(Engine).scan(who.organization_id, who.id, wish, who.actor)
    return Answer(200, msgspec.json.encode(Data[ScanAnswer](found)), _NO_STORE)


@post("/api/scan/{scan_id:uuid}/undo", "scanning.undo", status=200)
async def undo_scan(tx: Tx, who: Principal, scan_id: UUID, data: Undo) -> Scan:
    """Take a wrong scan back, with a reason."""
    return await actions.undo(tx, who, scan_id, data.reason)


@get("/api/scan/search", "scanning.search")
async def search_tickets(tx: Tx, who: Principal, q: Words, event_id: Show = None) -> list[Hit]:
    """Tickets of a show by name, order code, ticket code or number: fifty at most."""
    return await actions.search(tx, who, event_id, q)


@post("/api/scan/search", "scanning.search", status=200)
async def find_tickets(tx: Tx, who: Principal, data: FindTickets) -> list[Hit]:
    """The same search, with the name in the body: an address ends up in logs and histories."""
    return await actions.search(tx, who, data.event_id, data.q)


@get("/api/scan/live", "scanning.scan")
async def live_for_device(tx: Tx, who: Principal) -> LiveGates:
    """How many are inside today, at the show of the device that asks."""
    return await actions.live(tx, await actions.show_of(tx, who, None))


@get("/api/scan/incidents", "scanning.search")
async def search_incidents(tx: Tx, who: Principal, event_id: Show = None) -> list[Incident]:
    """Double entries of a show, for those at its gates: open ones first. They name people, as the search does."""
    return await actions.incidents(tx, await actions.show_of(tx, who, event_id))


# --- offline


@get("/api/scan/snapshot", "scanning.scan", media_type="application/octet-stream", deadline_s=SLOW_S)
async def get_snapshot(tx: Tx, services: Services, who: Principal, since: Since = None) -> Answer:
    """What a device needs to decide without a connection: signed, and encrypted for it (docs/scanning.md)."""
    pack = await snapshot_actions.make(tx, services.keyring, who, since)
    return Answer(200, await asyncio.to_thread(pack), _NO_STORE, "application/octet-stream")


@post("/api/scan/batch", "scanning.scan", status=200, body_limit=BATCH_MAX_BYTES, deadline_s=SLOW_S)
async def merge_batch(tx: Tx, who: Principal, data: Batch) -> Merged:
    """Tell what a device decided without a connection.

    Every scan has the device's own `counter`: sending it again changes nothing. At most 5,000 at once, in any order.
    """
    return await merge_actions.merge(tx, who, data)


# --- the console


@get("/api/events/{event_id:uuid}/gates/live", "scanning.watch")
async def live_gates(tx: Tx, event_id: UUID) -> LiveGates:
    """How many are inside today: by gate, by zone and in all."""
    return await actions.live(tx, event_id)


@get("/api/events/{event_id:uuid}/gates/entries", "scanning.watch")
async def gate_entries(tx: Tx, event_id: UUID, day: date | None = None) -> Entries:
    """Who came in and went out over a day, by five minutes; and how many came in by each gate just now."""
    return await actions.entries(tx, event_id, day)


@get("/api/events/{event_id:uuid}/gates/stream", "scanning.watch")
async def stream_gates(services: Services, who: Principal, event_id: UUID) -> Channel:
    """The same, live: Server-Sent Events, a `snapshot` whenever somebody came in, at most one a second."""
    organization_id = who.organization_id

    async def snapshot() -> LiveGates:
        async with services.database.tenant(organization_id) as tx:
            return await actions.live(tx, event_id)

    return Channel(f"gates:{organization_id}:{event_id}", {f"scans:{event_id}": lambda _: LOOK_AGAIN}, snapshot)


@get("/api/events/{event_id:uuid}/incidents", "scanning.watch")
async def list_incidents(tx: Tx, event_id: UUID) -> list[Incident]:
    """Double entries that offline gates let happen: which ticket, where and when. Open ones first."""
    return await actions.incidents(tx, event_id)


@post("/api/events/{event_id:uuid}/incidents/{incident_id:uuid}/resolve", "scanning.resolve", status=200)
async def resolve_incident(tx: Tx, who: Principal, event_id: UUID, incident_id: UUID, data: Resolve) -> Incident:
    """Close an incident, with a note of what was found."""
    return await actions.resolve(tx, who, event_id, incident_id, data.note)


handlers = [
    add_device, list_devices, revoke_device, pair_device, scan, undo_scan, search_tickets, find_tickets,
    live_for_device, search_incidents, get_snapshot, merge_batch, live_gates, gate_entries, stream_gates,
    list_incidents, resolve_incident,
]  # fmt: skip
