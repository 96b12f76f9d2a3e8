"""Tickets whose scans have changed, folded anew: where they stand, what is counted, and what was double."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from uuid import UUID

from fullhouse.kit.db import Tx
from fullhouse.scanning import policy, store
from fullhouse.scanning.policy import Fold, Kept
from fullhouse.scanning.store import KeptScan, MergeTicket
from fullhouse.seating.facts import LayoutMigrated


async def refold(
    tx: Tx,
    event_id: UUID,
    tickets: Sequence[MergeTicket],
    *,
    added: Sequence[KeptScan] = (),
    removed: Sequence[KeptScan] = (),
) -> dict[UUID, Fold]:
    """Under the show's scan lock, with the tickets locked. `added` were not there before, `removed` were."""
    if not tickets:
        return {}
    stayed = await _kept_scans(tx, tickets, added)
    found, was = _folds(tickets, stayed, added), _folds(tickets, stayed, removed)
    await _put_presences(tx, event_id, found)
    await _use_tickets(tx, tickets, found)
    await _put_incidents(tx, event_id, found)
    await _move_counts(tx, event_id, tickets, was, found)
    tx.tell(f"scans:{event_id}", None)
    return found


async def follow_layout(tx: Tx, fact: LayoutMigrated) -> None:
    """A show on another layout has other zones: who is inside is counted there, and places go on from the last one."""
    event_id = fact.subject_id
    await store.lock_scans(tx, event_id)
    await store.drop_zone_counts(tx, tx.organization_id, event_id)
    seen = await store.tickets_seen(tx, tx.organization_id, event_id) or []
    tickets = await store.tickets_to_merge(tx, tx.organization_id, event_id, [], seen)
    found = _folds(tickets, await _kept_scans(tx, tickets, ()), ())
    await _move_counts(tx, event_id, tickets, {}, found, only="zone")
    await store.go_on_from_places(tx, tx.organization_id, event_id)
    tx.tell(f"scans:{event_id}", None)


async def _kept_scans(
    tx: Tx, tickets: Sequence[MergeTicket], but: Sequence[KeptScan]
) -> Mapping[UUID, Sequence[KeptScan]]:
    ids, known = [ticket.id for ticket in tickets], [scan.id for scan in but]
    return _by_ticket(await store.kept_scans(tx, tx.organization_id, ids, known))


def _by_ticket(scans: Iterable[KeptScan]) -> Mapping[UUID, Sequence[KeptScan]]:
    found: dict[UUID, list[KeptScan]] = defaultdict(list)
    for scan in scans:
        found[scan.ticket_id].append(scan)
    return found


def _folds(
    tickets: Sequence[MergeTicket], scans: Mapping[UUID, Sequence[KeptScan]], more: Sequence[KeptScan]
) -> dict[UUID, Fold]:
    others = _by_ticket(more)
    folds = {}
    for ticket in tickets:
        own = [_kept(scan) for scan in (*scans.get(ticket.id, ()), *others.get(ticket.id, ()))]
        folds[ticket.id] = policy.fold(own, ticket.entitlement, ticket.max_daily_entries) if own else policy.NOTHING
    return folds


def _kept(scan: KeptScan) -> Kept:
    """A scan without a counter was online: our own clock orders it."""
    name = str(scan.id)
    return Kept(
        scan_id=name,
        device=name if scan.counter is None else _text(scan.device_id),
        counter=scan.counter or 0,
        at=scan.at,
        day=scan.day,
        direction=scan.direction,
        gate=_text(scan.gate_id),
        overridden=scan.overridden,
    )


# Of gates and devices there are few, and thousands of scans name them.
_text, _id = lru_cache(1000)(str), lru_cache(1000)(UUID)


async def _put_presences(tx: Tx, event_id: UUID, found: Mapping[UUID, Fold]) -> None:
    seen = [(ticket_id, each.presence) for ticket_id, each in found.items() if each.presence.entries]
    await store.put_presence(
        tx, tx.organization_id, event_id,
        [ticket_id for ticket_id, _ in seen],
        [presence.inside for _, presence in seen],
        [presence.day for _, presence in seen],
        [presence.entries_today for _, presence in seen],
        [presence.entries for _, presence in seen],
        [presence.at for _, presence in seen],
        [_id(presence.gate) for _, presence in seen if presence.gate],
    )  # fmt: skip
    unseen = [ticket_id for ticket_id, each in found.items() if not each.presence.entries]
    await store.leave_presence(tx, tx.organization_id, unseen)


async def _use_tickets(tx: Tx, tickets: Sequence[MergeTicket], found: Mapping[UUID, Fold]) -> None:
    """Single tickets are used once somebody came in with them, and valid again when that was undone."""
    single = [ticket for ticket in tickets if ticket.entitlement == "single" and ticket.status in ("valid", "used")]
    wanted = {ticket.id: "used" if found[ticket.id].presence.entries else "valid" for ticket in single}
    moved = {ticket.id: wanted[ticket.id] for ticket in single if ticket.status != wanted[ticket.id]}
    if moved:
        await store.use_tickets(tx, tx.organization_id, [*moved], [*moved.values()])


async def _put_incidents(tx: Tx, event_id: UUID, found: Mapping[UUID, Fold]) -> None:
    doubles = [(ticket_id, double) for ticket_id, each in found.items() for double in each.doubles]
    seconds = [UUID(double.second) for _, double in doubles]
    await store.drop_incidents(tx, tx.organization_id, list(found), seconds)
    await store.put_incidents(
        tx, tx.organization_id, event_id,
        [ticket_id for ticket_id, _ in doubles],
        [double.kind for _, double in doubles],
        [UUID(double.first) for _, double in doubles],
        seconds,
    )  # fmt: skip


async def _move_counts(
    tx: Tx,
    event_id: UUID,
    tickets: Sequence[MergeTicket],
    was: Mapping[UUID, Fold],
    found: Mapping[UUID, Fold],
    *,
    only: str | None = None,
) -> None:
    """By what these tickets add to the counts now, and did before: who else is inside need not be read for it."""
    moves: dict[tuple[date, str, UUID], list[int]] = defaultdict(lambda: [0, 0])
    for ticket in tickets:
        for sign, fold in ((1, found[ticket.id]), (-1, was.get(ticket.id, policy.NOTHING))):
            for key, inside, entered in _marks(event_id, ticket, fold):
                moves[key][0] += sign * inside
                moves[key][1] += sign * entered
    changed = [(*key, *move) for key, move in sorted(moves.items()) if any(move) and only in (None, key[1])]
    if changed:
        await store.move_counts(tx, tx.organization_id, event_id, *map(list, zip(*changed, strict=True)))


def _marks(event_id: UUID, ticket: MergeTicket, fold: Fold) -> Iterable[tuple[tuple[date, str, UUID], int, int]]:
    for day, (entered, inside_by) in fold.days.items():
        yield (day, "event", event_id), inside_by is not None, sum(entered.values())
        if ticket.zone_id:
            yield (day, "zone", ticket.zone_id), inside_by is not None, sum(entered.values())
        for gate, times in entered.items():
            yield (day, "gate", _id(gate)), 0, times
        if inside_by:
            yield (day, "gate", _id(inside_by)), 1, 0
