"""Runs `queries.sql`, row to model."""

from datetime import date, datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit.db import sql
from fullhouse.scanning import queries
from fullhouse.scanning.live_model import EntriesPoint, GatePace, Occupancy
from fullhouse.scanning.model import Device, GateShown, Hit, Incident, Scan


class MergeTicket(NamedTuple):
    id: UUID
    code: str
    nonce: bytes
    status: str
    voided_at: datetime | None
    transferred_at: datetime | None
    zone_id: UUID | None
    entitlement: str
    max_daily_entries: int | None


class FormerDevice(NamedTuple):
    device: Device
    token_hash: bytes


def _former_device(token_hash: bytes, **device: Any) -> FormerDevice:
    return FormerDevice(Device(**device), token_hash)


class KeptScan(NamedTuple):
    id: UUID
    ticket_id: UUID  # never null: scans without a ticket do not count
    device_id: UUID
    counter: int | None
    at: datetime
    day: date
    direction: str
    gate_id: UUID
    overridden: bool


class FormerCode(NamedTuple):
    code: str
    ticket_id: UUID
    replaced_at: datetime


class SnapshotTicket(NamedTuple):
    id: UUID
    nonce: bytes
    code: str
    status: str
    ticket_type_id: UUID
    zone_id: UUID | None
    membership_id: UUID | None
    section: str | None
    row_label: str | None
    seat: str | None
    category: str | None
    inside: bool | None
    day: date | None
    entries_today: int | None
    entries: int | None
    at: datetime | None
    gate_id: UUID | None


class SnapshotType(NamedTuple):
    id: UUID
    name: str
    entitlement: str
    max_daily_entries: int | None
    valid_days: list[date]


class SnapshotZone(NamedTuple):
    id: UUID
    name: str
    zone_type: str
    capacity: int
    inside: int


class Companions(NamedTuple):
    code: str
    seats: str


class Renamed(NamedTuple):
    former: str
    now: str


class SnapshotMember(NamedTuple):
    id: UUID
    status: str
    valid_from: datetime
    valid_until: datetime | None


insert_device = sql.one(queries.insert_device, Device)
house_by_slug = sql.value(queries.house_by_slug, UUID)
pair_device = sql.one(queries.pair_device, Device)
revoke_device = sql.one(queries.revoke_device, Device)
devices_of_event = sql.many(queries.devices_of_event, Device)
device_by_id = sql.one(queries.device_by_id, Device)
former_devices = sql.many(queries.former_devices, _former_device)
sealed_key = sql.value(queries.sealed_key, bytes)
see_device = sql.count(queries.see_device)
gates_of_show = sql.many(queries.gates_of_show, GateShown)

scan_by_id = sql.one(queries.scan_by_id, Scan)
undo_scan = sql.one(queries.undo_scan, Scan)
search = sql.many(queries.search, Hit)

lock_scans = sql.count(queries.lock_scans)
former_codes = sql.many(queries.former_codes, FormerCode)
tickets_to_merge = sql.many(queries.tickets_to_merge, MergeTicket)
insert_scans = sql.value(queries.insert_scans, list[UUID])
scans_by_id = sql.many(queries.scans_by_id, KeptScan)
kept_scans = sql.many(queries.kept_scans, KeptScan)
put_presence = sql.count(queries.put_presence)
leave_presence = sql.count(queries.leave_presence)
use_tickets = sql.count(queries.use_tickets)
move_counts = sql.count(queries.move_counts)
drop_zone_counts = sql.count(queries.drop_zone_counts)
tickets_seen = sql.value(queries.tickets_seen, list[UUID])
go_on_from_places = sql.count(queries.go_on_from_places)
put_incidents = sql.count(queries.put_incidents)
put_void_incidents = sql.count(queries.put_void_incidents)
drop_incidents = sql.count(queries.drop_incidents)
incidents_of_event = sql.many(queries.incidents_of_event, Incident)
resolve_incident = sql.count(queries.resolve_incident)

show_today = sql.value(queries.show_today, date)
occupancy = sql.many(queries.occupancy, Occupancy)
entries_over_time = sql.many(queries.entries_over_time, EntriesPoint)
pace_of_gates = sql.many(queries.pace_of_gates, GatePace)
rejected_today = sql.value(queries.rejected_today, int)
open_incidents = sql.value(queries.open_incidents, int)

tickets_of_snapshot = sql.many(queries.tickets_of_snapshot, SnapshotTicket)
types_of_snapshot = sql.many(queries.types_of_snapshot, SnapshotType)
zones_of_snapshot = sql.many(queries.zones_of_snapshot, SnapshotZone)
members_of_snapshot = sql.many(queries.members_of_snapshot, SnapshotMember)
former_codes_of_snapshot = sql.many(queries.former_codes_of_snapshot, Renamed)
companions_of_snapshot = sql.many(queries.companions_of_snapshot, Companions)
scan_facts = sql.rows(queries.scan_facts)
write_scans = sql.rows(queries.write_scans)
