"""The platform stops a show: for safety, abuse or the law. Always with a reason; with consent where it must be."""

from uuid import UUID

from fullhouse.accounts.model import PlatformRole
from fullhouse.events import actions, store
from fullhouse.events.model import ApprovalMissing, EventView, PlatformOrder
from fullhouse.events.policy import Move
from fullhouse.kit import audit
from fullhouse.kit.actors import Principal
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http.endpoints import post
from fullhouse.kit.services import Services


@post("/api/platform/events/{event_id:uuid}/cancel", "platform.events.stop", status=200)
async def cancel_any_event(who: Principal, services: Services, event_id: UUID, data: PlatformOrder) -> EventView:
    """Cancel any organisation's show."""
    return await _stop(who, services, event_id, Move.CANCEL, data)


@post("/api/platform/events/{event_id:uuid}/postpone", "platform.events.stop", status=200)
async def postpone_any_event(who: Principal, services: Services, event_id: UUID, data: PlatformOrder) -> EventView:
    """Postpone any organisation's show, until it has a new date."""
    return await _stop(who, services, event_id, Move.POSTPONE, data)


async def _stop(who: Principal, services: Services, event_id: UUID, move: Move, order: PlatformOrder) -> EventView:
    async with services.database.nobody() as tx:
        organization_id = await store.organization_of_event(tx, event_id)
    if organization_id is None:
        raise NotFound
    approval = order.tenant_approval_reference
    if who.role == PlatformRole.TENANT_MANAGER and approval is None:
        async with services.database.tenant(organization_id, who.actor) as tx:
            await audit.write(tx, f"event.{move}_refused", "event", event_id, reason=order.reason)
        missing = ApprovalMissing()
        missing.noted = True
        raise missing
    async with services.database.tenant(organization_id, who.actor) as tx:
        event = await actions.move_event(tx, event_id, move, reason=order.reason, approval_reference=approval)
        return actions.view(event, await tx.now())


handlers = [cancel_any_event, postpone_any_event]
