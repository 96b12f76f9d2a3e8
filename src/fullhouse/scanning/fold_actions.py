"""Refolds tickets whose scans have changed: updates presences, counts, ticket statuses and incidents."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from uuid import UUID

from fullhouse.kit.db.database import Tx
from fullhouse.scanning import policy, store
from fullhouse.scanning.policy import Fold, Kept
from fullhouse.scanning.queries import Stand
from fullhouse.scanning.store import KeptScan, MergeTicket
from fullhouse.seating.facts import LayoutMigrated


async def refold(
    tx: Tx,
    event_id: UUID,
    tickets: Sequence[MergeTicket],
    stayed: Iterable[KeptScan],
    *,
    added: Sequence[KeptScan] = (),
    removed: Sequence[KeptScan] = (),
) -> dict[UUID, Fold]:
    """Needs the event's scan lock, and the tickets locked. `stayed` are the scans that exist before and after the
    change, `added` exist only after it, `removed` only before."""
    if not tickets:
        return {}
    same = _by_ticket(stayed)
    found, was = _folds(tickets, same, _by_ticket(added)), _folds(tickets, same, _by_ticket(removed))
    await _put_presences(tx, event_id, found)
    await _use_tickets(tx, tickets, found)
    await _put_incidents(tx, event_id, was, found)
    await _move_counts(tx, event_id, tickets, was, found)
    tx.tell(f"scans:{event_id}", None)
    return found


async def follow_layout(tx: Tx, fact: LayoutMigrated) -> None:
    """Sync handler of a relocation: recounts occupancy by the new layout's zones, and continues their spot numbers."""
    event_id = fact.subject_id
    await store.lock_scans(tx, event_id)
    await store.drop_zone_counts(tx, event_id)
    seen = await store.tickets_seen(tx, event_id) or []
    tickets = await store.tickets_to_merge(tx, event_id=event_id, codes=[], ticket_ids=seen)
    found = _folds(tickets, _by_ticket(await store.kept_scans(tx, seen)), {})
    await _move_counts(tx, event_id, tickets, {}, found, only="zone")
    await store.go_on_from_places(tx, event_id)
    tx.tell(f"scans:{event_id}", None)


def _by_ticket(scans: Iterable[KeptScan]) -> Mapping[UUID, Sequence[KeptScan]]:
    found: dict[UUID, list[KeptScan]] = defaultdict(list)
    for scan in scans:
        found[scan.ticket_id].append(scan)
    return found


Scans = Mapping[UUID, Sequence[KeptScan]]


def _folds(tickets: Sequence[MergeTicket], scans: Scans, more: Scans) -> dict[UUID, Fold]:
    folds = {}
    for ticket in tickets:
        own = [_kept(scan) for scan in (*scans.get(ticket.id, ()), *more.get(ticket.id, ()))]
        folds[ticket.id] = policy.fold(own, ticket.entitlement, ticket.max_daily_entries) if own else policy.NOTHING
    return folds


def _kept(scan: KeptScan) -> Kept:
    """A scan without a counter was online: it is ordered by the server's clock alone."""
    name = str(scan.id)
    device = name if scan.counter is None else _text(scan.device_id)
    return Kept(
        name, device, scan.counter or 0, scan.at, scan.day, scan.direction, _text(scan.gate_id), scan.overridden
    )


# Cached, since thousands of scans refer to few gates and devices.
_text, _id = lru_cache(1000)(str), lru_cache(1000)(UUID)


async def _put_presences(tx: Tx, event_id: UUID, found: Mapping[UUID, Fold]) -> None:
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
                    gate_id=_id(now.gate),
                )
            )
        else:
            unseen.append(ticket_id)
    await store.put_presence(tx, event_id=event_id, stands=stands)
    await store.leave_presence(tx, unseen)


async def _use_tickets(tx: Tx, tickets: Sequence[MergeTicket], found: Mapping[UUID, Fold]) -> None:
    """Sets single-entry tickets to used after an entry, and back to valid when the entry was undone."""
    single = [ticket for ticket in tickets if ticket.entitlement == "single"]
    for was, now, came in (("valid", "used", True), ("used", "valid", False)):
        moved = [t.id for t in single if t.status == was and bool(found[t.id].presence.entries) is came]
        if moved:
            await store.use_tickets(tx, ticket_ids=moved, status=now)


async def _put_incidents(tx: Tx, event_id: UUID, was: Mapping[UUID, Fold], found: Mapping[UUID, Fold]) -> None:
    """Deletes incidents that no longer hold, and upserts the others. Tickets without earlier scans have none."""
    doubles = [(ticket_id, double) for ticket_id, each in found.items() for double in each.doubles]
    seconds = [UUID(double.second) for _, double in doubles]
    seen = [ticket_id for ticket_id, each in was.items() if each is not policy.NOTHING]
    await store.drop_incidents(tx, ticket_ids=seen, second_scan_ids=seconds)
    await store.put_incidents(
        tx,
        event_id=event_id,
        ticket_ids=[ticket_id for ticket_id, _ in doubles],
        kinds=[double.kind for _, double in doubles],
        first_scan_ids=[UUID(double.first) for _, double in doubles],
        second_scan_ids=seconds,
    )


async def _move_counts(
    tx: Tx,
    event_id: UUID,
    tickets: Sequence[MergeTicket],
    was: Mapping[UUID, Fold],
    found: Mapping[UUID, Fold],
    *,
    only: str | None = None,
) -> None:
    """Applies the difference between these tickets' contributions now and before. Other tickets need not be read."""
    shapes: Counter[Shape] = Counter()  # grouped: thousands of tickets contribute the same
    for ticket in tickets:
        for sign, fold in ((1, found[ticket.id]), (-1, was.get(ticket.id, policy.NOTHING))):
            for day, (entered, inside_by) in fold.days.items():
                shapes[ticket.zone_id, day, tuple(entered.items()), inside_by] += sign
    moves: dict[tuple[date, str, UUID], list[int]] = defaultdict(lambda: [0, 0])
    for shape, times in shapes.items():
        for key, inside, came in _marks(event_id, *shape):
            moves[key][0] += times * inside
            moves[key][1] += times * came
    changed = [(key, move) for key, move in sorted(moves.items()) if any(move) and only in (None, key[1])]
    if changed:
        await store.move_counts(
            tx,
            event_id=event_id,
            days=[day for (day, _, _), _ in changed],
            kinds=[kind for (_, kind, _), _ in changed],
            ref_ids=[ref_id for (_, _, ref_id), _ in changed],
            inside=[inside for _, (inside, _) in changed],
            entered=[entered for _, (_, entered) in changed],
        )


# A ticket's contribution to a day: zone, day, entries by gate, and the gate of entry if it is inside.
Shape = tuple[UUID | None, date, tuple[tuple[str, int], ...], str | None]


def _marks(
    event_id: UUID, zone_id: UUID | None, day: date, entered: tuple[tuple[str, int], ...], inside_by: str | None
) -> Iterable[tuple[tuple[date, str, UUID], int, int]]:
    inside, came = int(inside_by is not None), sum(times for _, times in entered)
    yield (day, "event", event_id), inside, came
    if zone_id:
        yield (day, "zone", zone_id), inside, came
    for gate, times in entered:
        yield (day, "gate", _id(gate)), 0, times
    if inside_by:
        yield (day, "gate", _id(inside_by)), 1, 0
