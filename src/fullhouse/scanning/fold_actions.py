"""Refolds tickets whose scans have changed: updates presences, counts, ticket statuses and incidents."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from uuid import UUID

from fullhouse.kit.db.database import Tx
from fullhouse.scanning import policy, store
from fullhouse.scanning.policy import AdmittedScan, Fold
from fullhouse.scanning.queries import Stand
from fullhouse.scanning.store import MergeTicket, StoredScan
from fullhouse.seating.facts import LayoutMigrated


async def refold(
    tx: Tx,
    event_id: UUID,
    tickets: Sequence[MergeTicket],
    stayed: Iterable[StoredScan],
    *,
    added: Sequence[StoredScan] = (),
    removed: Sequence[StoredScan] = (),
) -> dict[UUID, Fold]:
    """Needs the event's scan lock, and the tickets locked. `stayed` are the scans that exist before and after the
    change, `added` exist only after it, `removed` only before."""
    if not tickets:
        return {}
    same = _group_by_ticket(stayed)
    found, was = (
        _fold_tickets(tickets, same, _group_by_ticket(added)),
        _fold_tickets(tickets, same, _group_by_ticket(removed)),
    )
    await _save_presences(tx, event_id, found)
    await _update_ticket_status(tx, tickets, found)
    await _save_incidents(tx, event_id, was, found)
    await _update_counts(tx, event_id, tickets, was, found)
    tx.publish(f"scans:{event_id}", None)
    return found


async def recount_zones(tx: Tx, fact: LayoutMigrated) -> None:
    """Sync handler of a relocation: recounts occupancy by the new layout's zones, and continues their spot numbers."""
    event_id = fact.subject_id
    await store.lock_scans(tx, event_id)
    await store.delete_zone_counts(tx, event_id)
    seen = await store.list_scanned_tickets(tx, event_id) or []
    tickets = await store.tickets_to_merge(tx, event_id=event_id, codes=[], ticket_ids=seen)
    found = _fold_tickets(tickets, _group_by_ticket(await store.list_counting_scans(tx, seen)), {})
    await _update_counts(tx, event_id, tickets, {}, found, only="zone")
    await store.restore_spot_numbers(tx, event_id)
    tx.publish(f"scans:{event_id}", None)


def _group_by_ticket(scans: Iterable[StoredScan]) -> Mapping[UUID, Sequence[StoredScan]]:
    found: dict[UUID, list[StoredScan]] = defaultdict(list)
    for scan in scans:
        found[scan.ticket_id].append(scan)
    return found


ScansByTicket = Mapping[UUID, Sequence[StoredScan]]


def _fold_tickets(tickets: Sequence[MergeTicket], scans: ScansByTicket, more: ScansByTicket) -> dict[UUID, Fold]:
    folds = {}
    for ticket in tickets:
        own = [_to_admitted_scan(scan) for scan in (*scans.get(ticket.id, ()), *more.get(ticket.id, ()))]
        folds[ticket.id] = (
            policy.fold_scans(own, ticket.entitlement, ticket.max_daily_entries) if own else policy.EMPTY_FOLD
        )
    return folds


def _to_admitted_scan(scan: StoredScan) -> AdmittedScan:
    """A scan without a counter was online: it is ordered by the server's clock alone."""
    name = str(scan.id)
    device = name if scan.counter is None else _to_text(scan.device_id)
    return AdmittedScan(
        name, device, scan.counter or 0, scan.at, scan.day, scan.direction, _to_text(scan.gate_id), scan.overridden
    )


# Cached, since thousands of scans refer to few gates and devices.
_to_text, _to_id = lru_cache(1000)(str), lru_cache(1000)(UUID)


async def _save_presences(tx: Tx, event_id: UUID, found: Mapping[UUID, Fold]) -> None:
    stands, unseen = [], []
    for ticket_id, (now, _, _) in found.items():
        if now.entries and now.gate:
            stands.append(
                Stand(
                    ticket_id=ticket_id,
                    inside=now.inside,
                    day=now.day,
                    entries_today=now.entries_today,
                    entries=now.entries,
                    at=now.at,
                    gate_id=_to_id(now.gate),
                )
            )
        else:
            unseen.append(ticket_id)
    await store.upsert_presence(tx, event_id=event_id, stands=stands)
    await store.reset_presence(tx, unseen)


async def _update_ticket_status(tx: Tx, tickets: Sequence[MergeTicket], found: Mapping[UUID, Fold]) -> None:
    """Sets single-entry tickets to used after an entry, and back to valid when the entry was undone."""
    single = [ticket for ticket in tickets if ticket.entitlement == "single"]
    for was, now, came in (("valid", "used", True), ("used", "valid", False)):
        moved = [t.id for t in single if t.status == was and bool(found[t.id].presence.entries) is came]
        if moved:
            await store.set_ticket_status(tx, ticket_ids=moved, status=now)


async def _save_incidents(tx: Tx, event_id: UUID, was: Mapping[UUID, Fold], found: Mapping[UUID, Fold]) -> None:
    """Deletes incidents that no longer hold, and upserts the others. Tickets without earlier scans have none."""
    doubles = [(ticket_id, double) for ticket_id, each in found.items() for double in each.doubles]
    seconds = [UUID(double.second) for _, double in doubles]
    seen = [ticket_id for ticket_id, each in was.items() if each is not policy.EMPTY_FOLD]
    await store.delete_incidents(tx, ticket_ids=seen, second_scan_ids=seconds)
    await store.upsert_incidents(
        tx,
        event_id=event_id,
        ticket_ids=[ticket_id for ticket_id, _ in doubles],
        kinds=[double.kind for _, double in doubles],
        first_scan_ids=[UUID(double.first) for _, double in doubles],
        second_scan_ids=seconds,
    )


async def _update_counts(
    tx: Tx,
    event_id: UUID,
    tickets: Sequence[MergeTicket],
    was: Mapping[UUID, Fold],
    found: Mapping[UUID, Fold],
    *,
    only: str | None = None,
) -> None:
    """Applies the difference between these tickets' contributions now and before. Other tickets need not be read."""
    shapes: Counter[Contribution] = Counter()  # grouped: thousands of tickets contribute the same
    for ticket in tickets:
        for sign, fold in ((1, found[ticket.id]), (-1, was.get(ticket.id, policy.EMPTY_FOLD))):
            for day, (entered, inside_by) in fold.days.items():
                shapes[ticket.zone_id, day, tuple(entered.items()), inside_by] += sign
    moves: dict[tuple[date, str, UUID], list[int]] = defaultdict(lambda: [0, 0])
    for shape, times in shapes.items():
        for key, inside, came in _list_count_changes(event_id, *shape):
            moves[key][0] += times * inside
            moves[key][1] += times * came
    changed = [(key, move) for key, move in sorted(moves.items()) if any(move) and only in (None, key[1])]
    if changed:
        await store.add_to_counts(
            tx,
            event_id=event_id,
            days=[day for (day, _, _), _ in changed],
            kinds=[kind for (_, kind, _), _ in changed],
            ref_ids=[ref_id for (_, _, ref_id), _ in changed],
            inside=[inside for _, (inside, _) in changed],
            entered=[entered for _, (_, entered) in changed],
        )


# A ticket's contribution to a day: zone, day, entries by gate, and the gate of entry if it is inside.
Contribution = tuple[UUID | None, date, tuple[tuple[str, int], ...], str | None]


def _list_count_changes(
    event_id: UUID, zone_id: UUID | None, day: date, entered: tuple[tuple[str, int], ...], inside_by: str | None
) -> Iterable[tuple[tuple[date, str, UUID], int, int]]:
    inside, came = int(inside_by is not None), sum(times for _, times in entered)
    yield (day, "event", event_id), inside, came
    if zone_id:
        yield (day, "zone", zone_id), inside, came
    for gate, times in entered:
        yield (day, "gate", _to_id(gate)), 0, times
    if inside_by:
        yield (day, "gate", _to_id(inside_by)), 1, 0
