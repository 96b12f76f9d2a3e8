"""Actions on layouts. A plan is parsed and checked before anything is written; only a draft can be changed."""

import asyncio
import gzip
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.events.venues import actions as venues
from fullhouse.kit.actors import Principal
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import announce
from fullhouse.seating import facts, journal, store
from fullhouse.seating.maps import geometry
from fullhouse.seating.model import Layout, LayoutFixed, LayoutNotFound, LayoutView
from fullhouse.seating.plans import checks as plan_checks
from fullhouse.seating.plans import decoding
from fullhouse.seating.plans.chart import Chart, build_chart, seat_id
from fullhouse.seating.plans.plan import Plan, capacity_of, encode, price_of, total_capacity, walk

_SEATS_PER_STATEMENT = 5_000  # seats in one statement: building its arguments blocks other requests
Neighbours = geometry.Neighbours


class PreparedLayout(NamedTuple):
    """A plan that passed its checks, and what is stored of it."""

    plan: Plan
    chart: Chart
    document: bytes
    geometry: bytes


def prepare_layout(plan: Plan, venue_capacity: int) -> PreparedLayout:
    """Raises with all mistakes at once, or returns what will be written. Pure; takes about a second for an arena."""
    if mistakes := plan_checks.check(plan, venue_capacity):
        raise decoding.to_refusal(mistakes)
    chart = build_chart(plan)
    drawn = gzip.compress(geometry.encode_geometry(plan, chart), 6, mtime=0)
    return PreparedLayout(plan, chart, zlib.compress(encode(plan), 6), drawn)


def decode_plan(document: bytes) -> Plan:
    return decoding.decode_plan(zlib.decompress(document))


async def get_layout(tx: Tx, layout_id: UUID) -> Layout:
    layout = await store.layout_by_id(tx, layout_id)
    if layout is None:
        raise LayoutNotFound()
    return layout


async def get_plan(tx: Tx, layout_id: UUID) -> Plan:
    document = await store.layout_document(tx, layout_id)
    if document is None:
        raise LayoutNotFound()
    return await asyncio.to_thread(decode_plan, document)


async def load_neighbours(tx: Tx, layout_id: UUID) -> Neighbours:
    """Which seats are neighbours, from the geometry: callers hold locks, and an arena's plan takes 1 s to parse."""
    drawn = await store.layout_geometry(tx, layout_id)
    if drawn is None:
        raise LayoutNotFound()
    return geometry.decode_neighbours(gzip.decompress(drawn))


async def to_view(tx: Tx, layout: Layout) -> LayoutView:
    zones = await store.zones_of_layout(tx, layout.id)
    return LayoutView(**{name: getattr(layout, name) for name in layout.__struct_fields__}, zones=zones)


async def create_layout(tx: Tx, who: Principal, venue_id: UUID, read: Callable[[], Plan]) -> Layout:
    """The first version of a layout, as a draft. `read` runs in a thread: a document may have 100,000 seats."""
    prepared = await _read_and_prepare(tx, venue_id, read)
    layout_id = new_id()
    made = await _insert(tx, who, prepared, layout_id, venue_id, family_id=layout_id, version=1)
    journal.log_layout_version(tx, made, None)
    return made


async def create_version(tx: Tx, who: Principal, layout_id: UUID, read: Callable[[], Plan]) -> Layout:
    """The next version of a layout, as a draft. Events on older versions stay there."""
    origin = await get_layout(tx, layout_id)
    prepared = await _read_and_prepare(tx, origin.venue_id, read)
    await store.lock_family(tx, origin.family_id)
    newest = await store.newest_version(tx, origin.family_id) or 0
    made = await _insert(tx, who, prepared, new_id(), origin.venue_id, family_id=origin.family_id, version=newest + 1)
    journal.log_layout_version(tx, made, newest or None)
    return made


async def replace_draft(tx: Tx, layout_id: UUID, read: Callable[[], Plan]) -> Layout:
    """Replaces a draft's plan. A layout that events may use is changed by a new version only."""
    before = await _lock_draft(tx, layout_id)
    prepared = await _read_and_prepare(tx, before.venue_id, read)
    await store.delete_layout_places(tx, layout_id)
    plan = prepared.plan
    after = await store.update_draft(
        tx,
        layout_id=layout_id,
        name=plan.name,
        description=plan.description,
        total_capacity=total_capacity(plan),
        seat_count=len(prepared.chart.zone),
        document=prepared.document,
        geometry=prepared.geometry,
    )
    assert after
    await _insert_seats(tx, layout_id, prepared)
    await audit.write(
        tx, "layout.updated", "layout", layout_id, before=_audit_fields(before), after=_audit_fields(after)
    )
    await _announce_change(tx, after)
    return after


async def activate(tx: Tx, layout_id: UUID) -> Layout:
    """Opens a draft to events; archives the version that was active."""
    family_id = (await get_layout(tx, layout_id)).family_id
    await store.lock_family(tx, family_id)
    before = await _lock_draft(tx, layout_id)
    former = await store.active_version(tx, before.family_id)
    await store.archive_other_versions(tx, family_id=before.family_id, layout_id=layout_id)
    active = await _set_status(tx, before, "active")
    journal.log_layout_version(tx, active, (await get_layout(tx, former)).version if former else None)
    return active


async def archive(tx: Tx, layout_id: UUID) -> Layout:
    """No other event can use it. Events that have it keep it."""
    before = await _lock_layout(tx, layout_id)
    return before if before.status == "archived" else await _set_status(tx, before, "archived")


async def delete_draft(tx: Tx, layout_id: UUID) -> None:
    layout = await _lock_draft(tx, layout_id)
    await store.delete_layout(tx, layout_id)
    await audit.write(tx, "layout.deleted", "layout", layout_id, before=_audit_fields(layout))
    await _announce_change(tx, layout)


# --- shared


async def _read_and_prepare(tx: Tx, venue_id: UUID | None, read: Callable[[], Plan]) -> PreparedLayout:
    capacity = (await venues.require_venue(tx, venue_id)).max_capacity if venue_id else 0
    return await asyncio.to_thread(lambda: prepare_layout(read(), capacity))


async def _lock_layout(tx: Tx, layout_id: UUID) -> Layout:
    layout = await store.lock_layout(tx, layout_id)
    if layout is None:
        raise LayoutNotFound()
    return layout


async def _lock_draft(tx: Tx, layout_id: UUID) -> Layout:
    layout = await _lock_layout(tx, layout_id)
    if layout.status != "draft":
        raise LayoutFixed(
            f"Version {layout.version} is {layout.status}; make a new version of it.", version=layout.version
        )
    return layout


async def _set_status(tx: Tx, before: Layout, status: str) -> Layout:
    after = await store.set_layout_status(tx, layout_id=before.id, status=status)
    assert after
    await audit.write(
        tx, f"layout.{status}", "layout", before.id, before={"status": before.status}, after={"status": status}
    )
    await _announce_change(tx, after)
    return after


async def _insert(
    tx: Tx,
    who: Principal,
    prepared: PreparedLayout,
    layout_id: UUID,
    venue_id: UUID | None,
    *,
    family_id: UUID,
    version: int,
) -> Layout:
    plan = prepared.plan
    layout = await store.insert_layout(
        tx,
        id=layout_id,
        venue_id=venue_id,
        family_id=family_id,
        version=version,
        name=plan.name,
        description=plan.description,
        total_capacity=total_capacity(plan),
        seat_count=len(prepared.chart.zone),
        document=prepared.document,
        geometry=prepared.geometry,
        created_by=who.actor.id,
    )
    assert layout
    await _insert_seats(tx, layout_id, prepared)
    await audit.write(tx, "layout.created", "layout", layout_id, after=_audit_fields(layout))
    await _announce_change(tx, layout)
    return layout


async def _insert_seats(tx: Tx, layout_id: UUID, prepared: PreparedLayout) -> None:
    plan = prepared.plan
    zone_ids = [new_id() for _ in plan.zones]
    await store.insert_zones(
        tx,
        layout_id=layout_id,
        ids=zone_ids,
        positions=list(range(len(zone_ids))),
        zone_keys=[zone.key for zone in plan.zones],
        names=[zone.name for zone in plan.zones],
        zone_types=[zone.zone_type for zone in plan.zones],
        capacities=[capacity_of(zone) for zone in plan.zones],
        access_modes=[zone.access_mode for zone in plan.zones],
        membership_tiers=[zone.membership_tier for zone in plan.zones],
        allowed_roles=[",".join(zone.allowed_roles) for zone in plan.zones],
        price_categories=[zone.price_category for zone in plan.zones],
    )
    for columns in await asyncio.to_thread(_seat_columns, layout_id, prepared, zone_ids):
        await store.insert_seats(tx, layout_id=layout_id, **columns)
    await store.use_custom_plans(tx)
    if plan.groups:
        ordinals = {place.seat.key: n for n, place in enumerate(walk(plan))}
        await store.insert_groups(
            tx,
            layout_id=layout_id,
            ids=[new_id() for _ in plan.groups],
            group_keys=[group.key for group in plan.groups],
            group_types=[group.group_type for group in plan.groups],
            sold_as=[group.sold_as for group in plan.groups],
            ordinals=[",".join(map(str, sorted(ordinals[key] for key in group.seats))) for group in plan.groups],
        )


SEAT_COLUMNS = (
    "ids", "ordinals", "seat_keys", "zone_ids", "sections", "row_labels", "numbers", "categories", "price_categories",
    "companion_ofs",
)  # fmt: skip


def _seat_rows(layout_id: UUID, prepared: PreparedLayout, zone_ids: list[UUID]) -> Iterator[tuple[object, ...]]:
    """Rows with the columns of `SEAT_COLUMNS`."""
    companion_of = prepared.chart.companion_of.tolist()
    ids = [seat_id(layout_id, n) for n in range(len(companion_of))]
    first = 0
    for zone_id, zone in zip(zone_ids, prepared.plan.zones, strict=True):
        for section in zone.sections:
            for row in section.rows:
                name, label, price = section.name, row.label, price_of(zone, row)
                for n, seat in enumerate(row.seats, first):
                    companion = companion_of[n]
                    yield (
                        ids[n],
                        n,
                        seat.key,
                        zone_id,
                        name,
                        label,
                        seat.number,
                        seat.category,
                        seat.price_category or price,
                        ids[companion] if companion >= 0 else None,
                    )
                first += len(row.seats)


def _seat_columns(layout_id: UUID, prepared: PreparedLayout, zone_ids: list[UUID]) -> list[dict[str, Any]]:
    rows = list(_seat_rows(layout_id, prepared, zone_ids))
    return [
        dict(zip(SEAT_COLUMNS, map(list, zip(*rows[start : start + _SEATS_PER_STATEMENT], strict=True)), strict=True))
        for start in range(0, len(rows), _SEATS_PER_STATEMENT)
    ]


def _audit_fields(layout: Layout) -> dict[str, object]:
    return {"name": layout.name, "version": layout.version, "capacity": layout.total_capacity}


async def _announce_change(tx: Tx, layout: Layout) -> None:
    await announce(
        tx,
        facts.LayoutChanged(
            subject_id=layout.id, family_id=layout.family_id, layout_version=layout.version, status=layout.status
        ),
    )
