"""Runs `queries.sql`, row to model."""

from datetime import date, datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit.db import sql
from fullhouse.scanning import queries
from fullhouse.scanning.live_model import EntriesPoint, GatePace, Occupancy
from fullhouse.scanning.model import Device, GateInfo, Hit, Incident, Scan


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


def _to_former_device(token_hash: bytes, **device: Any) -> FormerDevice:
    return FormerDevice(Device(**device), token_hash)


class StoredScan(NamedTuple):
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


class ReplacedCode(NamedTuple):
    former: str
    now: str


class SnapshotMember(NamedTuple):
    id: UUID
    status: str
    valid_from: datetime
    valid_until: datetime | None


insert_device = sql.one(queries.insert_device, Device)
organization_id_by_slug = sql.value(queries.organization_id_by_slug, UUID)
pair_device = sql.one(queries.pair_device, Device)
revoke_device = sql.one(queries.revoke_device, Device)
devices_of_event = sql.many(queries.devices_of_event, Device)
device_by_id = sql.one(queries.device_by_id, Device)
former_devices = sql.many(queries.former_devices, _to_former_device)
sealed_key = sql.value(queries.sealed_key, bytes)
record_device_seen = sql.count(queries.record_device_seen)
list_gates = sql.many(queries.list_gates, GateInfo)

scan_by_id = sql.one(queries.scan_by_id, Scan)
undo_scan = sql.one(queries.undo_scan, Scan)
search_tickets = sql.many(queries.search_tickets, Hit)

lock_scans = sql.count(queries.lock_scans)
former_codes = sql.many(queries.former_codes, FormerCode)
tickets_to_merge = sql.many(queries.tickets_to_merge, MergeTicket)
insert_scans = sql.value(queries.insert_scans, list[UUID])
scans_by_id = sql.many(queries.scans_by_id, StoredScan)
list_counting_scans = sql.many(queries.list_counting_scans, StoredScan)
upsert_presence = sql.count(queries.upsert_presence)
reset_presence = sql.count(queries.reset_presence)
set_ticket_status = sql.count(queries.set_ticket_status)
add_to_counts = sql.count(queries.add_to_counts)
delete_zone_counts = sql.count(queries.delete_zone_counts)
list_scanned_tickets = sql.value(queries.list_scanned_tickets, list[UUID])
restore_spot_numbers = sql.count(queries.restore_spot_numbers)
upsert_incidents = sql.count(queries.upsert_incidents)
insert_void_incidents = sql.count(queries.insert_void_incidents)
delete_incidents = sql.count(queries.delete_incidents)
incidents_of_event = sql.many(queries.incidents_of_event, Incident)
resolve_incident = sql.count(queries.resolve_incident)

find_event_day = sql.value(queries.find_event_day, date)
occupancy = sql.many(queries.occupancy, Occupancy)
entries_over_time = sql.many(queries.entries_over_time, EntriesPoint)
list_gate_pace = sql.many(queries.list_gate_pace, GatePace)
count_rejected = sql.value(queries.count_rejected, int)
count_open_incidents = sql.value(queries.count_open_incidents, int)

tickets_of_snapshot = sql.many(queries.tickets_of_snapshot, SnapshotTicket)
types_of_snapshot = sql.many(queries.types_of_snapshot, SnapshotType)
zones_of_snapshot = sql.many(queries.zones_of_snapshot, SnapshotZone)
members_of_snapshot = sql.many(queries.members_of_snapshot, SnapshotMember)
former_codes_of_snapshot = sql.many(queries.former_codes_of_snapshot, ReplacedCode)
companions_of_snapshot = sql.many(queries.companions_of_snapshot, Companions)
scan_facts = sql.rows(queries.scan_facts)
write_scans = sql.rows(queries.write_scans)
