"""Layouts and the shows on them: their seats, holds, queues and waiting lists, and the move to another layout."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from fullhouse.events import actions as events
from fullhouse.events.policy import Move
from fullhouse.holds.engine import Engine, RequestItem
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating import actions as layouts
from fullhouse.seating.model import AttachLayout, Layout, PlanMigration
from fullhouse.seating.overlay import actions as overlays
from fullhouse.seating.plans.chart import seat_id
from fullhouse.seating.relocation import actions as relocations
from fullhouse.waiting_room import actions as queue
from fullhouse.waiting_room import policy as queue_policy
from fullhouse.waitlist import actions as waitlist
from fullhouse.waitlist.model import JoinWaitlist
from tests.fixtures import Tenant
from tests.holds.helpers import OnSale, wish
from tests.probe.probe import Make, Named
from tests.probe.things import a_venue, an_event
from tests.seating.helpers import without_lounge


async def a_draft_layout(services: Services, tenant: Tenant) -> UUID:
    venue_id = await a_venue(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        return (await layouts.create_layout(tx, tenant.principal("owner"), venue_id, without_lounge)).id


async def layout_for(services: Services, tenant: Tenant, event_id: UUID) -> Layout:
    """An active one, in the show's venue."""
    who = tenant.principal("owner")
    async with services.database.tenant(tenant.id, who.actor) as tx:
        venue_id = (await events.require_event(tx, event_id)).venue_id
        assert venue_id
        made = await layouts.create_layout(tx, who, venue_id, without_lounge)
        return await layouts.activate(tx, made.id)


async def a_seated_event(services: Services, tenant: Tenant) -> UUID:
    event_id = await an_event(services, tenant)
    layout = await layout_for(services, tenant, event_id)
    async with services.database.tenant(tenant.id) as tx:
        await overlays.attach(tx, event_id, AttachLayout(layout_id=layout.id), None)
    return event_id


async def an_event_on_sale(services: Services, tenant: Tenant) -> UUID:
    event_id = await a_seated_event(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        await events.move_event(tx, event_id, Move.PUBLISH)
    return event_id


async def an_event_with_waitlist(services: Services, tenant: Tenant) -> UUID:
    """Nothing is sold there yet, so that everybody waits: its owner too."""
    event_id, who = await an_event_on_sale(services, tenant), tenant.principal("owner")
    async with services.database.tenant(tenant.id, who.actor) as tx:
        await waitlist.join(tx, services.keyring, who, event_id, JoinWaitlist())
    return event_id


def an_event_with_queue(*orders: queue_policy.RoomCommand) -> Make:
    async def make(services: Services, tenant: Tenant) -> UUID:
        event_id = await an_event_on_sale(services, tenant)
        owner = tenant.people["owner"].id
        async with services.database.tenant(tenant.id, tenant.principal("owner").actor) as tx:
            for order in orders:
                await queue.move(tx, services.keyring, event_id, order)
            await queue.admit_holders_first(tx, event_id, [(owner, await tx.now())])
        return event_id

    return make


async def a_seat_on_sale(services: Services, tenant: Tenant) -> Named:
    event_id = await an_event_on_sale(services, tenant)
    async with services.database.tenant(tenant.id) as tx:
        return event_id, seat_id((await overlays.get_event_layout(tx, event_id)).layout_id, 3)


async def a_hold(services: Services, tenant: Tenant) -> UUID:
    event_id, seat = await a_seat_on_sale(services, tenant)  # type: ignore[misc]
    engine = Engine(services)
    sale = OnSale(UUID(str(event_id)), new_id(), {})
    (held,) = await engine.hold(
        tenant.id, wish(sale, tenant.people["owner"].id, RequestItem(new_id(), UUID(str(seat))))
    )
    await engine.stop()
    assert held.hold_id
    return held.hold_id


async def items_of(services: Services, tenant: Tenant, event: Named) -> Any:
    assert isinstance(event, UUID)
    async with services.database.tenant(tenant.id) as tx:
        overlay = await overlays.get_event_layout(tx, event)
    return {"items": [{"seat_id": seat_id(overlay.layout_id, 3)}, {"seat_id": seat_id(overlay.layout_id, 4)}]}


def a_zone_and(*more: str) -> Make:
    async def make(services: Services, tenant: Tenant) -> Named:
        event_id = await a_seated_event(services, tenant)
        async with services.database.tenant(tenant.id) as tx:
            overlay = await overlays.to_view(tx, await overlays.get_event_layout(tx, event_id))
        return event_id, overlay.zones[0].id, *more

    return make


async def a_migration(services: Services, tenant: Tenant) -> UUID:
    event_id = await a_seated_event(services, tenant)
    wish = PlanMigration(**await migration_of(services, tenant, event_id))
    async with services.database.tenant(tenant.id) as tx:
        return (await relocations.plan(tx, tenant.principal("owner"), event_id, wish)).id


async def layout_of(services: Services, tenant: Tenant, event: Named) -> Any:
    assert isinstance(event, UUID)
    return {"layout_id": str((await layout_for(services, tenant, event)).id)}


async def seats_of(services: Services, tenant: Tenant, event: Named) -> Any:
    assert isinstance(event, UUID)
    async with services.database.tenant(tenant.id) as tx:
        overlay = await overlays.get_event_layout(tx, event)
    return {"seat_ids": [str(seat_id(overlay.layout_id, 0))], "reason": "Camera"}


async def migration_of(services: Services, tenant: Tenant, event: Named) -> Any:
    assert isinstance(event, UUID)
    async with services.database.tenant(tenant.id) as tx:
        overlay = await overlays.get_event_layout(tx, event)
        newer = await layouts.create_version(tx, tenant.principal("owner"), overlay.layout_id, without_lounge)
        await layouts.activate(tx, newer.id)
    return {"to_layout_id": newer.id, "respond_by": datetime(2098, 1, 1, tzinfo=UTC)}
