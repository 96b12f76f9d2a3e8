"""Actions on a layout migration after sales: plan, view, approve, discard. Approving moves all tickets or none."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

import asyncpg
import msgspec

from fullhouse.events import actions as events
from fullhouse.events.facts import LimitsJudged
from fullhouse.events.model import Event
from fullhouse.kit.actors import Principal
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, NotFound
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import announce, run_sync_handlers
from fullhouse.kit.times import to_utc
from fullhouse.seating import actions, facts, journal, store
from fullhouse.seating.model import (
    AttachLayout,
    EventLayout,
    EventZone,
    LayoutMigration,
    LayoutMigrationView,
    LayoutNotActive,
    MigrationOpen,
    MigrationStale,
    OverlayInvalid,
    PlanMigration,
    Zone,
)
from fullhouse.seating.overlay import actions as overlay_actions
from fullhouse.seating.plans.chart import ordinal_of, seat_id
from fullhouse.seating.plans.plan import RESERVED
from fullhouse.seating.relocation import policy

MIGRATED = "the layout was migrated"


async def get_migration(tx: Tx, migration_id: UUID) -> LayoutMigration:
    found = await store.migration_by_id(tx, migration_id)
    if found is None:
        raise NotFound
    return found


async def to_view(tx: Tx, migration: LayoutMigration) -> LayoutMigrationView:
    moves = await store.list_moves(tx, migration.id)
    kinds = [move.kind for move in moves]
    return LayoutMigrationView(
        **msgspec.structs.asdict(migration),
        same=kinds.count("same"),
        moved=kinds.count("equal_or_better"),
        unplaced=kinds.count("unplaced"),
        moves=moves,
    )


async def plan(tx: Tx, who: Principal, event_id: UUID, request: PlanMigration) -> LayoutMigration:
    """Plans who would move where. Nothing moves yet."""
    event = await events.lock_event(tx, event_id)
    overlay = await overlay_actions.get_event_layout(tx, event_id)
    here, there = [await actions.get_layout(tx, i) for i in (overlay.layout_id, request.to_layout_id)]
    if there.family_id != here.family_id or there.id == here.id:
        raise OverlayInvalid(fields=[FieldError("to_layout_id", "Choose another version of the same layout.")])
    if there.status == "draft":
        raise LayoutNotActive("The version is a draft; activate it first.")
    respond_by = to_utc(request.respond_by)
    if respond_by <= await tx.now():
        raise OverlayInvalid(fields=[FieldError("respond_by", "In the future.")])
    carried, zones, before = await _carry_overlay(tx, event, overlay, there.id)
    sold = await store.lock_sold_seats(tx, event_id)
    old, new = [await actions.get_plan(tx, layout.id) for layout in (here, there)]
    tickets = [(seat.ticket_id, seat.ordinal) for seat in sold]
    blocked = [ordinal for i in carried.blocked_seat_ids if (ordinal := ordinal_of(there.id, i)) is not None]
    terms = (
        _to_zone_terms(before, msgspec.convert(overlay.pricing_zones, dict[UUID, str])),
        _to_zone_terms(zones, carried.pricing_zones),
    )
    moves = await asyncio.to_thread(policy.plan_moves, old, new, tickets, blocked, *terms)
    try:
        migration = await store.insert_migration(
            tx,
            id=new_id(),
            event_id=event_id,
            from_layout_id=here.id,
            to_layout_id=there.id,
            respond_by=respond_by,
            planned_by=who.actor.id,
        )
    except asyncpg.UniqueViolationError:
        raise MigrationOpen() from None
    assert migration
    await store.insert_moves(
        tx,
        migration_id=migration.id,
        ticket_ids=[move.ticket for move in moves],
        from_seat_ids=[seat_id(here.id, move.here) for move in moves],
        to_seat_ids=[None if move.to is None else seat_id(there.id, move.to) for move in moves],
        kinds=[move.kind for move in moves],
        reasons=[move.reason for move in moves],
    )
    await audit.write(
        tx, "layout_migration.planned", "event", event_id, after={"migration_id": migration.id, "tickets": len(moves)}
    )
    return migration


async def discard(tx: Tx, who: Principal, migration_id: UUID) -> LayoutMigration:
    migration = await _lock_planned(tx, migration_id)
    after = await store.end_migration(tx, migration_id=migration_id, status="discarded", approved_by=who.actor.id)
    assert after
    await audit.write(
        tx, "layout_migration.discarded", "event", migration.event_id, after={"migration_id": migration_id}
    )
    return after


async def approve(tx: Tx, who: Principal, migration_id: UUID) -> LayoutMigration:
    """Moves the event to the new version: every ticket gets its planned seat, and holders without one are notified."""
    event = await events.lock_event(tx, (await get_migration(tx, migration_id)).event_id)
    migration = await _lock_planned(tx, migration_id)
    if migration.respond_by <= await tx.now():
        raise MigrationStale("The deadline for answers has passed. Discard this migration and plan another one.")
    overlay = await overlay_actions.get_event_layout(tx, event.id)
    await announce(tx, facts.LayoutMigrating(subject_id=event.id, migration_id=migration_id))
    await run_sync_handlers(tx, LimitsJudged(subject_id=event.id))
    await store.lock_pools(tx, event.id)  # pools before seats, as everywhere, against deadlocks
    if await store.is_any_held(tx, event.id):
        raise await overlay_actions.build_in_use_refusal(tx, event.id)
    sold = await store.lock_sold_seats(tx, event.id)
    moves = await store.list_moves(tx, migration_id)
    if overlay.layout_id != migration.from_layout_id or (
        {(seat.ticket_id, seat.seat_id) for seat in sold} != {(move.ticket_id, move.from_seat_id) for move in moves}
    ):
        raise MigrationStale()
    request, zones, before = await _carry_overlay(tx, event, overlay, migration.to_layout_id)
    kept = await store.list_kept_companions(tx, event_id=event.id, migration_id=migration_id)
    in_zones = await store.sold_in_zones(tx, event.id)
    await store.allow_relocation(tx, event.id)
    await overlay_actions.save_overlay(tx, event, request, zones)
    seated = await store.reassign_seats(tx, event_id=event.id, migration_id=migration_id)
    if seated < sum(move.to_seat_id is not None for move in moves):
        raise MigrationStale("A planned new seat is blocked now. Plan the migration again.")
    await _carry_companions(tx, event.id, before, kept)
    await store.recount_sold(
        tx,
        event_id=event.id,
        zone_keys=[row.zone_key for row in in_zones],
        ticket_type_ids=[row.ticket_type_id for row in in_zones],
        sold=[row.sold for row in in_zones],
    )
    after = await store.end_migration(tx, migration_id=migration_id, status="applied", approved_by=who.actor.id)
    assert after
    await audit.write(
        tx,
        "layout_migration.applied",
        "event",
        event.id,
        before={"layout_id": migration.from_layout_id},
        after={"layout_id": migration.to_layout_id, "migration_id": migration_id},
    )
    await announce(
        tx,
        facts.LayoutMigrated(
            subject_id=event.id,
            migration_id=migration_id,
            from_layout_id=migration.from_layout_id,
            to_layout_id=migration.to_layout_id,
        ),
    )
    overlay_actions.publish_reload(tx, event.id)
    journal.log_seat_changes(tx, event.id, [(move.from_seat_id, "sold") for move in moves], "removed", MIGRATED)
    there = [(move.to_seat_id, "available") for move in moves if move.to_seat_id]
    journal.log_seat_changes(tx, event.id, there, "sold", MIGRATED)
    return after


async def _carry_overlay(
    tx: Tx, event: Event, overlay: EventLayout, layout_id: UUID
) -> tuple[AttachLayout, list[Zone], list[EventZone]]:
    """The overlay on the other version, its zones there, and the event's present zones."""
    request = await overlay_actions.carry_over(tx, overlay, layout_id)
    zones, mistakes = await overlay_actions.fit_overlay(tx, event, request)
    before = await store.zones_of_event(tx, event.id)
    mistakes += _check_capacity(await store.sold_on_fullest_day(tx, event.id), zones)
    if mistakes:
        raise OverlayInvalid(fields=mistakes)
    return request, zones, before


def _to_zone_terms(zones: Sequence[Zone], prices: Mapping[UUID, str]) -> dict[str, policy.ZoneTerms]:
    return {
        z.key: policy.ZoneTerms(
            z.zone_type, (z.access_mode, z.membership_tier, tuple(z.allowed_roles)), prices.get(z.id)
        )
        for z in zones
    }


async def _carry_companions(tx: Tx, event_id: UUID, before: list[EventZone], kept: list[store.KeptCompanion]) -> None:
    """Keeps companion seats reserved for the buyers of wheelchair spaces; released ones stay released."""
    released = [zone.key for zone in before if zone.companions_released]
    await store.restore_released(tx, event_id=event_id, zone_keys=released)
    if kept:
        await store.restore_companions(
            tx,
            event_id=event_id,
            seat_ids=[companion.seat_id for companion in kept],
            user_ids=[companion.reserved_for for companion in kept],
            untils=[companion.reserved_until for companion in kept],
        )


def _check_capacity(before: Iterable[tuple[str, int]], after: list[Zone]) -> list[FieldError]:
    """Zones without seats must exist in the new version, with capacity for all tickets sold."""
    capacity = {zone.key: zone.capacity for zone in after if zone.zone_type not in RESERVED}
    return [
        FieldError(f"zones.{key}", f"{sold:,} places are sold; the new version has {capacity.get(key, 0):,}.")
        for key, sold in before
        if sold > capacity.get(key, 0)
    ]


async def _lock_planned(tx: Tx, migration_id: UUID) -> LayoutMigration:
    migration = await store.lock_migration(tx, migration_id)
    if migration is None:
        raise NotFound
    if migration.status != "planned":
        raise MigrationStale(f"The migration is {migration.status} already.")
    return migration
