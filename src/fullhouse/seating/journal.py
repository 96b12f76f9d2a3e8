"""Log lines that trace single seats, layouts and zones: one line per change, at info level, each with `org_id`.

seat_hold.created       a seat is held: user_id, hold_id, held_until, and the fields of the next one
seat.status_changed     seat_id, status_before, status_after (`removed` if the event left the layout), reason
wheelchair.held         seat_id, companion_seat_id, companion_soft_reserved
layout.version_changed  venue_id, layout_id, version_before, version_after
orphan_seats.created    orphans_created, reason
zone.access             zone_id, user_id, access_granted or access_denied, reason
cache.invalidated       keys_invalidated (kit/cache/cache.py, holds/mirror/writer.py)
"""

from collections.abc import Container, Iterable
from typing import Any
from uuid import UUID

import structlog

from fullhouse.kit.db.database import Tx
from fullhouse.seating.model import Layout
from fullhouse.seating.plans.chart import ordinal_of, seat_id

# Side effects of a hold on other seats: status before, status after, reason.
SIDE_EFFECTS = {
    "freed": ("held", "available", "expired"),
    "accompanied": ("available", "blocked", "kept for a companion"),
}
log = structlog.get_logger()


def log_seat_change(
    org_id: Any, event_id: UUID, seat_id: UUID | None, before: str, after: str, reason: str | None
) -> None:
    log.info(
        "seat.status_changed",
        org_id=str(org_id),
        event_id=str(event_id),
        seat_id=str(seat_id),
        status_before=before,
        status_after=after,
        reason=reason,
    )


def log_seat_changes(tx: Tx, event_id: UUID, seats: Iterable[tuple[UUID, str]], after: str, reason: str | None) -> None:
    """Logs after the commit. Each seat comes with its status before."""
    changed = [(seat, before) for seat, before in seats if before != after]

    def write() -> None:
        for seat, before in changed:
            log_seat_change(tx.organization_id, event_id, seat, before, after, reason)

    tx.after_commit.append(write)


def log_side_effects(tx: Tx, event_id: UUID, layout_id: UUID, outcome: str, ordinals: Iterable[int]) -> None:
    """Logs seats that changed as a side effect of holds (see `SIDE_EFFECTS`)."""
    before, after, reason = SIDE_EFFECTS[outcome]
    log_seat_changes(tx, event_id, [(seat_id(layout_id, n), before) for n in ordinals], after, reason)


def log_freed_seats(
    tx: Tx, event_id: UUID, seats: Iterable[UUID | None], ordinals: Container[int], reason: str | None
) -> None:
    """Logs sold seats that are available again: those of `seats` whose ordinal is in `ordinals`."""
    freed = [(seat, "sold") for seat in seats if seat and ordinal_of(seat, seat) in ordinals]
    log_seat_changes(tx, event_id, freed, "available", reason)


def log_layout_version(tx: Tx, layout: Layout, before: int | None) -> None:
    tx.after_commit.append(
        lambda: log.info(
            "layout.version_changed",
            org_id=str(tx.organization_id),
            venue_id=str(layout.venue_id),
            layout_id=str(layout.id),
            version_before=before,
            version_after=layout.version,
            status=layout.status,
        )
    )


def log_orphans(org_id: UUID, event_id: UUID, orphans: int, reason: str) -> None:
    log.info("orphan_seats.created", org_id=str(org_id), event_id=str(event_id), orphans_created=orphans, reason=reason)


def log_zone_access(
    org_id: UUID, event_id: UUID, zone_id: Any, user_id: UUID | None, *, granted: bool, reason: str
) -> None:
    outcome = {"access_granted": True} if granted else {"access_denied": True}
    log.info(
        "zone.access",
        org_id=str(org_id),
        event_id=str(event_id),
        zone_id=str(zone_id),
        user_id=str(user_id),
        reason=reason,
        **outcome,
    )
