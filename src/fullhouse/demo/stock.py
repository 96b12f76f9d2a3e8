"""The seats and zones that the demo's events sell, and the updates that mark them as sold: seats and counters."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from fullhouse.kit.db.database import Tx

_SEATS = """
    SELECT e.seat_id, e.zone_id, z.zone_key, coalesce(s.price_category, z.price_category) AS price, s.section,
           s.row_label, s.category, e.companion_of, z.access_mode
    FROM event_seats e
    JOIN seats s ON s.organization_id = e.organization_id AND s.id = e.seat_id
    JOIN event_zones z ON z.organization_id = e.organization_id AND z.event_id = e.event_id AND z.zone_id = e.zone_id
    WHERE e.organization_id = $1 AND e.event_id = $2 AND e.status = 'available' ORDER BY e.ordinal
"""
_ZONES = """
    SELECT zone_id, zone_key, capacity, price_category AS price FROM event_zones
    WHERE organization_id = $1 AND event_id = $2 AND zone_type IN ('ga_seated', 'ga_standing')
      AND access_mode = 'public'
    ORDER BY position
"""
_SELL_SEATS = """
    UPDATE event_seats s SET status = 'sold', ticket_id = w.ticket_id, version = s.version + 1
    FROM unnest($3::uuid[], $4::uuid[]) AS w (seat_id, ticket_id)
    WHERE s.organization_id = $1 AND s.event_id = $2 AND s.seat_id = w.seat_id AND s.status = 'available'
"""
_COUNT = """
    UPDATE pools p SET sold = p.sold + w.n FROM unnest($3::uuid[], $4::integer[]) AS w (ref_id, n)
    WHERE p.organization_id = $1 AND p.event_id = $2 AND p.ref_id = w.ref_id
"""
_COUNT_BY_DAY = """
    INSERT INTO day_places (organization_id, event_id, kind, ref_id, ticket_type_id, sold)
    SELECT $1, $2, w.kind, w.ref_id, w.ticket_type_id, w.n
    FROM unnest($3::text[], $4::uuid[], $5::uuid[], $6::integer[]) AS w (kind, ref_id, ticket_type_id, n)
    JOIN pools p ON p.organization_id = $1 AND p.event_id = $2 AND p.kind = w.kind AND p.ref_id = w.ref_id
"""


async def list_seats(tx: Tx, event_id: UUID) -> list[Any]:
    return list(await tx.fetch(_SEATS, tx.organization_id, event_id))


async def list_zones(tx: Tx, event_id: UUID) -> list[Any]:
    return list(await tx.fetch(_ZONES, tx.organization_id, event_id))


async def mark_sold(
    tx: Tx,
    event_id: UUID,
    seats: Mapping[UUID, UUID],
    counts: Mapping[UUID, int],
    day_counts: Mapping[tuple[str, UUID, UUID], int],
) -> None:
    """Marks seats as sold to their tickets, and adds to the counters of pools, by type where it has valid days."""
    await tx.execute(_SELL_SEATS, tx.organization_id, event_id, list(seats), list(seats.values()))
    await tx.execute(_COUNT, tx.organization_id, event_id, list(counts), list(counts.values()))
    by_day = [list(column) for column in zip(*[(*key, n) for key, n in day_counts.items()], strict=True)]
    if by_day:
        await tx.execute(_COUNT_BY_DAY, tx.organization_id, event_id, *by_day)
