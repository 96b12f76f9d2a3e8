"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


class ToldScan(NamedTuple):
    id: UUID | None
    ticket_id: UUID | None
    counter: int | None
    gate_id: UUID | None
    direction: str | None
    admitted: bool | None
    reason: str | None
    override: str | None
    test: bool | None
    at: datetime | None
    day: date | None


class Stand(NamedTuple):
    ticket_id: UUID | None
    inside: bool | None
    day: date | None
    entries_today: int | None
    entries: int | None
    at: datetime | None
    gate_id: UUID | None


class ScanAsk(NamedTuple):
    req: int | None
    device_id: UUID | None
    counter: int | None
    gate_id: UUID | None
    ticket_id: UUID | None
    code: str | None
    key_id: int | None


class ScanLine(NamedTuple):
    req: int | None
    scan_id: UUID | None
    event_id: UUID | None
    ticket_id: UUID | None
    device_id: UUID | None
    counter: int | None
    gate_id: UUID | None
    direction: str | None
    admitted: bool | None
    reason: str | None
    override: str | None
    test: bool | None
    at: datetime | None
    day: date | None
    counts: bool | None
    expected: int | None
    event_version: int | None
    gate_version: int | None
    ticket_version: int | None
    inside: bool | None
    presence_day: date | None
    entries_today: int | None
    entries: int | None
    last_at: datetime | None
    last_gate_id: UUID | None
    step: int | None
    count_gate_id: UUID | None
    zone_id: UUID | None
    gate_capacity: int | None
    zone_capacity: int | None
    uses: bool | None
    place_no: int | None
    wants_place: bool | None
    number: str | None
    battery: int | None
    app_version: str | None
    device_name: str | None
    ip: str | None
    user_agent: str | None
    request_id: str | None


def insert_device(
    tx: Tenant,
    /,
    *,
    id: UUID,
    event_id: UUID,
    name: str,
    gate_ids: Sequence[UUID],
    rights: Sequence[str],
    code_hash: bytes,
    code_expires_at: datetime,
    created_by: UUID,
) -> None: ...


def organization_id_by_slug(tx: Runs, /, slug: str) -> None: ...


def pair_device(
    tx: Tenant, /, *, token_hash: bytes, sealed_key: bytes, app_version: str | None, code_hash: bytes
) -> None: ...


def revoke_device(tx: Tenant, /, device_id: UUID) -> None: ...


def devices_of_event(tx: Tenant, /, event_id: UUID | None) -> None: ...


def device_by_id(tx: Tenant, /, device_id: UUID) -> None: ...


def former_devices(tx: Tenant, /, *, event_id: UUID, device_ids: Sequence[UUID]) -> None: ...


def sealed_key(tx: Tenant, /, device_id: UUID) -> None: ...


def record_device_seen(
    tx: Tenant, /, *, battery: int | None, app_version: str | None, clock_offset_s: int | None, device_id: UUID
) -> None: ...


def list_gates(tx: Tenant, /, *, event_id: UUID, gate_ids: Sequence[UUID] | None) -> None: ...


def scan_by_id(tx: Tenant, /, scan_id: UUID) -> None: ...


def undo_scan(tx: Tenant, /, *, undone_reason: str, scan_id: UUID) -> None: ...


def search_tickets(tx: Tenant, /, *, event_id: UUID, words: str) -> None: ...


def lock_scans(tx: Runs, /, event_id: UUID) -> None: ...


def former_codes(tx: Tenant, /, *, event_id: UUID, codes: Sequence[str]) -> None: ...


def tickets_to_merge(tx: Tenant, /, *, event_id: UUID, codes: Sequence[str], ticket_ids: Sequence[UUID]) -> None: ...


def insert_scans(
    tx: Tenant,
    /,
    *,
    event_id: UUID,
    device_id: UUID,
    scans: Sequence[ToldScan],
    actor_type: str,
    actor_id: UUID | None,
    actor_name: str | None,
    ip: str | None,
    user_agent: str | None,
    request_id: str | None,
) -> None: ...


def scans_by_id(tx: Tenant, /, scan_ids: Sequence[UUID]) -> None: ...


def list_counting_scans(tx: Tenant, /, ticket_ids: Sequence[UUID]) -> None: ...


def upsert_presence(tx: Tenant, /, *, event_id: UUID, stands: Sequence[Stand]) -> None: ...


def reset_presence(tx: Tenant, /, ticket_ids: Sequence[UUID]) -> None: ...


def set_ticket_status(tx: Tenant, /, *, status: str, ticket_ids: Sequence[UUID]) -> None: ...


def add_to_counts(
    tx: Tenant,
    /,
    *,
    event_id: UUID,
    days: Sequence[date],
    kinds: Sequence[str],
    ref_ids: Sequence[UUID],
    inside: Sequence[int],
    entered: Sequence[int],
) -> None: ...


def delete_zone_counts(tx: Tenant, /, event_id: UUID) -> None: ...


def list_scanned_tickets(tx: Tenant, /, event_id: UUID) -> None: ...


def restore_spot_numbers(tx: Tenant, /, event_id: UUID) -> None: ...


def upsert_incidents(
    tx: Tenant,
    /,
    *,
    event_id: UUID,
    ticket_ids: Sequence[UUID],
    kinds: Sequence[str],
    first_scan_ids: Sequence[UUID],
    second_scan_ids: Sequence[UUID],
) -> None: ...


def insert_void_incidents(
    tx: Tenant,
    /,
    *,
    event_id: UUID,
    ticket_ids: Sequence[UUID],
    kinds: Sequence[str],
    void_ats: Sequence[datetime | None],
    scan_ids: Sequence[UUID],
) -> None: ...


def delete_incidents(tx: Tenant, /, *, ticket_ids: Sequence[UUID], second_scan_ids: Sequence[UUID]) -> None: ...


def incidents_of_event(tx: Tenant, /, *, event_id: UUID, incident_id: UUID | None) -> None: ...


def resolve_incident(tx: Tenant, /, *, resolved_by: UUID, note: str, event_id: UUID, incident_id: UUID) -> None: ...


def find_event_day(tx: Tenant, /, event_id: UUID) -> None: ...


def occupancy(tx: Tenant, /, *, day: date, event_id: UUID) -> None: ...


def entries_over_time(tx: Tenant, /, *, event_id: UUID, day: date) -> None: ...


def list_gate_pace(tx: Tenant, /, event_id: UUID) -> None: ...


def count_rejected(tx: Tenant, /, *, event_id: UUID, day: date) -> None: ...


def count_open_incidents(tx: Tenant, /, event_id: UUID) -> None: ...


def tickets_of_snapshot(tx: Tenant, /, *, event_id: UUID, since: datetime | None) -> None: ...


def types_of_snapshot(tx: Tenant, /, event_id: UUID) -> None: ...


def zones_of_snapshot(tx: Tenant, /, *, day: date, event_id: UUID) -> None: ...


def members_of_snapshot(tx: Tenant, /, event_id: UUID) -> None: ...


def former_codes_of_snapshot(tx: Tenant, /, event_id: UUID) -> None: ...


def companions_of_snapshot(tx: Tenant, /, event_id: UUID) -> None: ...


def scan_facts(tx: Tenant, /, asks: Sequence[ScanAsk]) -> None: ...


def write_scans(tx: Tenant, /, *, sender: str | None, lines: Sequence[ScanLine]) -> None: ...
