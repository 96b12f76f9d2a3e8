"""Merges a device's offline scans. The result depends on the set of scans only: in any order of arrival, the presences,
counts and incidents are the same.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from fullhouse.events import actions as events
from fullhouse.events.model import Event
from fullhouse.kit.actors import Principal
from fullhouse.kit.codes import parse_code
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import announce
from fullhouse.scanning import device_actions, fold_actions, policy, store
from fullhouse.scanning.facts import ScansMerged
from fullhouse.scanning.model import Batch, Device, GateNotPaired, MergeResult, OfflineScan
from fullhouse.scanning.queries import ToldScan
from fullhouse.scanning.store import FormerCode, MergeTicket, StoredScan
from fullhouse.tickets.signing import signature, signing_keys

# A smaller offset is treated as network latency. Offsets are whole minutes, so that two batches agree.
LATENCY_MAX = timedelta(minutes=2)
CLOCK_ERROR_MAX = timedelta(days=3660)


def clock_offset(device_now: datetime, now: datetime) -> timedelta:
    """The correction to add to the device's times."""
    off = now - device_now
    return timedelta() if abs(off) < LATENCY_MAX else timedelta(minutes=round(off / timedelta(minutes=1)))


async def merge_batch(tx: Tx, who: Principal, batch: Batch) -> MergeResult:
    device = await device_actions.require_device(tx, who)
    now = await tx.now()
    pairings = {device.id: device, **await device_actions.check_former_pairings(tx, device.event_id, batch.former)}
    paired_as = [_find_pairing(scan, n, device, pairings) for n, scan in enumerate(batch.scans)]
    _check_times(batch, now)
    event = await events.lock_event_shared(tx, device.event_id)
    await store.lock_scans(tx, event.id)
    offset = clock_offset(batch.device_now, now)
    tickets = await _lock_tickets(tx, event.id, batch.scans)
    uploaded = [
        UploadedScan(scan, tickets.find_by_scan(scan), min(scan.at + offset, now), pairing)
        for scan, pairing in zip(batch.scans, paired_as, strict=True)
    ]
    before = await store.list_counting_scans(tx, list(tickets.by_id))
    new: dict[UUID, int] = {}
    counted: list[StoredScan] = []
    for pairing in pairings.values():
        new[pairing.id], counts = await _insert_scans(
            tx, pairing, event, [each for each in uploaded if each.device is pairing]
        )
        counted += counts
    found = await fold_actions.refold(tx, event.id, tickets.list_of_scans(counted), before, added=counted)
    voided = await _save_void_incidents(tx, event.id, uploaded, tickets, counted)
    seconds = round(offset.total_seconds())
    await store.record_device_seen(
        tx, device_id=device.id, battery=batch.battery, app_version=batch.app_version, clock_offset_s=seconds
    )
    incidents = voided + sum(len(each.doubles) for each in found.values())
    for pairing_id, scans in new.items():
        if scans:
            after = {"scans": scans, "incidents": incidents, "clock_offset_s": seconds}
            by = {} if pairing_id == device.id else {"told_by": device.id}
            await audit.write(tx, "scan_device.merged", "scan_device", pairing_id, after=after | by)
            await announce(tx, ScansMerged(subject_id=pairing_id, event_id=event.id, scans=scans, incidents=incidents))
    taken = sum(new.values())
    return MergeResult(
        taken=taken,
        known=len(batch.scans) - taken,
        unknown_tickets=sum(each.ticket is None for each in uploaded),
        incidents=incidents,
        clock_offset_s=seconds,
    )


def _find_pairing(scan: OfflineScan, n: int, device: Device, pairings: Mapping[UUID, Device]) -> Device:
    """The pairing of a scan: its counter belongs to that pairing, and its gate must be one of that pairing's."""
    pairing = pairings.get(scan.device_id or device.id)
    if pairing is None:
        raise Invalid(fields=[FieldError(f"scans[{n}].device_id", "List this pairing in `former`, with its proof.")])
    if scan.gate_id is not None and scan.gate_id not in pairing.gate_ids:
        raise GateNotPaired()
    return pairing


def _check_times(batch: Batch, now: datetime) -> None:
    """A clock may be wrong by years, but times centuries away are refused: they exceed the range of dates."""
    if abs(batch.device_now - now) > CLOCK_ERROR_MAX:
        raise Invalid(
            fields=[FieldError("device_now", "The device's clock is wrong. Set it, then send the batch again.")]
        )
    wrong = [n for n, scan in enumerate(batch.scans) if abs(scan.at - batch.device_now) > CLOCK_ERROR_MAX]
    if wrong:
        raise Invalid(fields=[FieldError(f"scans[{n}].at", "Too far from `device_now`.") for n in wrong[:10]])


class UploadedScan(NamedTuple):
    """An offline scan with its ticket, and its time by the server's clock, at the latest the time of the merge."""

    scan: OfflineScan
    ticket: MergeTicket | None
    at: datetime
    device: Device  # the pairing of the scan


class BatchTickets(NamedTuple):
    """The tickets of a batch, locked."""

    by_id: dict[UUID, MergeTicket]
    by_code: dict[str, MergeTicket]
    former: dict[str, FormerCode]
    claims: dict[str, signature.Claim]  # of QR codes with a valid signature

    def find_by_scan(self, scan: OfflineScan) -> MergeTicket | None:
        """A typed code is trusted, as the device is paired; a QR code's signature was verified here."""
        if scan.code:
            return self.by_code.get(parse_code(scan.code))
        claim = self.claims.get(scan.qr or "")
        return self.by_id.get(claim.ticket_id) if claim else None

    def transferred_at(self, scan: OfflineScan, ticket: MergeTicket) -> datetime | None:
        """When the presented code was replaced by a transfer; None if it is the current holder's. A QR code that is old
        because the seat was moved is still the holder's."""
        if scan.code and (former := self.former.get(parse_code(scan.code))):
            return former.replaced_at
        claim = self.claims.get(scan.qr or "")
        return ticket.transferred_at if claim and claim.nonce != ticket.nonce else None

    def list_of_scans(self, scans: Sequence[StoredScan]) -> list[MergeTicket]:
        """The tickets of these scans."""
        return [self.by_id[ticket_id] for ticket_id in {scan.ticket_id for scan in scans}]


async def _lock_tickets(tx: Tx, event_id: UUID, scans: Sequence[OfflineScan]) -> BatchTickets:
    keys = {key.key_id: key for key in await signing_keys.list_keys(tx)} if any(scan.qr for scan in scans) else {}
    claims: dict[str, signature.Claim] = {}
    for text in {scan.qr for scan in scans if scan.qr}:
        claim = signature.parse(text)
        key = keys.get(claim.key_id) if claim else None
        if claim and key and claim.event_id == event_id and signature.verify(text, key.public_key):
            claims[text] = claim
    codes = sorted({parse_code(scan.code) for scan in scans if scan.code})
    former = {row.code: row for row in await store.former_codes(tx, event_id=event_id, codes=codes)}
    ids = {claim.ticket_id for claim in claims.values()} | {row.ticket_id for row in former.values()}
    rows = await store.tickets_to_merge(tx, event_id=event_id, codes=codes, ticket_ids=sorted(ids))
    by_id = {row.id: row for row in rows}
    by_code = {code: by_id[row.ticket_id] for code, row in former.items()} | {row.code: row for row in rows}
    return BatchTickets(by_id, by_code, former, claims)


async def _insert_scans(
    tx: Tx, device: Device, event: Event, uploaded: Sequence[UploadedScan]
) -> tuple[int, list[StoredScan]]:
    """Returns the number of new scans, and those of them that count. An admission without a known ticket is stored as a
    rejection, since there is no ticket to count it by."""
    who, day_of = tx.actor, _cached_day_of(event)
    rows, counted = [], {}
    for _, (scan, ticket, at, _) in sorted({each.scan.counter: each for each in reversed(uploaded)}.items()):
        scan_id, gate_id, day = new_id(), scan.gate_id or device.gate_ids[0], day_of(at)
        override = scan.override.reason if scan.override else None
        admitted = scan.admitted and ticket is not None
        reason = scan.reason if admitted or scan.reason else "unknown"
        ticket_id = ticket.id if ticket else None
        rows.append(
            ToldScan(
                id=scan_id,
                ticket_id=ticket_id,
                counter=scan.counter,
                gate_id=gate_id,
                direction=scan.direction,
                admitted=admitted,
                reason=reason,
                override=override,
                test=scan.test,
                at=at,
                day=day,
            )
        )
        if ticket_id and admitted and not scan.test:
            counted[scan_id] = StoredScan(
                scan_id, ticket_id, device.id, scan.counter, at, day, scan.direction, gate_id, override is not None
            )
    new = (
        await store.insert_scans(
            tx,
            event_id=event.id,
            device_id=device.id,
            scans=rows,
            actor_type=who.type,
            actor_id=who.id,
            actor_name=who.name,
            ip=who.ip,
            user_agent=who.user_agent,
            request_id=who.request_id,
        )
        or []
    )
    # A scan that was stored as refused before keeps its id and its other columns.
    before = set(new) - {row.id for row in rows}
    again = await store.scans_by_id(tx, list(before)) if before else []
    return len(new), [counted[scan_id] for scan_id in new if scan_id in counted] + again


def _cached_day_of(event: Event) -> Callable[[datetime], date]:
    """Maps a time to the event's day, cached by the minute: time zones and boundaries have no finer step."""
    until, known = policy.parse_day_boundary(event.settings), dict[int, date]()

    def day_of(at: datetime) -> date:
        minute = int(at.timestamp()) // 60
        if (day := known.get(minute)) is None:
            day = known[minute] = policy.day_of(at, event.timezone, until)
        return day

    return day_of


async def _save_void_incidents(
    tx: Tx, event_id: UUID, uploaded: Sequence[UploadedScan], tickets: BatchTickets, counted: Sequence[StoredScan]
) -> int:
    """Records incidents for offline entries with a ticket that is void or was transferred, before or after the entry:
    the device could not know of the change, or the server not of the entry."""
    found = []
    by_counter: dict[tuple[UUID, int | None], OfflineScan] = {
        (each.device.id, each.scan.counter): each.scan for each in reversed(uploaded)
    }
    for scan in counted:
        ticket = tickets.by_id[scan.ticket_id]
        if scan.direction == "out" or (ticket.voided_at or ticket.transferred_at) is None:
            continue
        passed_on_at = tickets.transferred_at(by_counter[scan.device_id, scan.counter], ticket)
        if kind := policy.void_incident_kind(ticket.status, old_code=passed_on_at is not None):
            found.append((ticket.id, kind, ticket.voided_at or passed_on_at, scan.id))
    if found:
        await store.insert_void_incidents(
            tx,
            event_id=event_id,
            ticket_ids=[ticket_id for ticket_id, _, _, _ in found],
            kinds=[kind for _, kind, _, _ in found],
            void_ats=[void_at for _, _, void_at, _ in found],
            scan_ids=[scan_id for _, _, _, scan_id in found],
        )
    return len(found)
