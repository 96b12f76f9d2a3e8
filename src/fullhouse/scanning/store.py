"""Runs `queries.sql`, row to model."""

from datetime import date, datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit import sql
from fullhouse.scanning.live_model import EntriesPoint, GatePace, Occupancy
from fullhouse.scanning.model import Device, GateShown, Hit, Incident, Scan

statements = sql.load(__file__)


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
    ticket_id: UUID  # of those that count
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


insert_device = statements.one("insert_device", Device)
house_by_slug = statements.value("house_by_slug", UUID)
pair_device = statements.one("pair_device", Device)
revoke_device = statements.one("revoke_device", Device)
devices_of_event = statements.many("devices_of_event", Device)
device_by_id = statements.one("device_by_id", Device)
former_devices = statements.many("former_devices", _former_device)
sealed_key = statements.value("sealed_key", bytes)
see_device = statements.count("see_device")
gates_of_show = statements.many("gates_of_show", GateShown)

scan_by_id = statements.one("scan_by_id", Scan)
undo_scan = statements.one("undo_scan", Scan)
search = statements.many("search", Hit)

lock_scans = statements.count("lock_scans")
former_codes = statements.many("former_codes", FormerCode)
tickets_to_merge = statements.many("tickets_to_merge", MergeTicket)
insert_scans = statements.value("insert_scans", list[UUID])
scans_by_id = statements.many("scans_by_id", KeptScan)
kept_scans = statements.many("kept_scans", KeptScan)
put_presence = statements.count("put_presence")
leave_presence = statements.count("leave_presence")
use_tickets = statements.count("use_tickets")
move_counts = statements.count("move_counts")
drop_zone_counts = statements.count("drop_zone_counts")
tickets_seen = statements.value("tickets_seen", list[UUID])
go_on_from_places = statements.count("go_on_from_places")
put_incidents = statements.count("put_incidents")
put_void_incidents = statements.count("put_void_incidents")
drop_incidents = statements.count("drop_incidents")
incidents_of_event = statements.many("incidents_of_event", Incident)
resolve_incident = statements.count("resolve_incident")

show_today = statements.value("show_today", date)
occupancy = statements.many("occupancy", Occupancy)
entries_over_time = statements.many("entries_over_time", EntriesPoint)
pace_of_gates = statements.many("pace_of_gates", GatePace)
rejected_today = statements.value("rejected_today", int)
open_incidents = statements.value("open_incidents", int)

tickets_of_snapshot = statements.many("tickets_of_snapshot", SnapshotTicket)
types_of_snapshot = statements.many("types_of_snapshot", SnapshotType)
zones_of_snapshot = statements.many("zones_of_snapshot", SnapshotZone)
members_of_snapshot = statements.many("members_of_snapshot", SnapshotMember)
former_codes_of_snapshot = statements.many("former_codes_of_snapshot", Renamed)
companions_of_snapshot = statements.many("companions_of_snapshot", Companions)
