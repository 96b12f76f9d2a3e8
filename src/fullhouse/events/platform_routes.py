"""Platform staff stop an event, for safety, abuse or the law: with a reason, and a tenant_manager with consent."""

from datetime import datetime
from uuid import UUID

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.model import PlatformRole
from fullhouse.events import actions, store
from fullhouse.events import reads as event_reads
from fullhouse.events.model import ApprovalMissing, EventView, StopRequest
from fullhouse.events.policy import Move, date_of
from fullhouse.events.public import reads as public_reads
from fullhouse.kit.actors import Principal
from fullhouse.kit.db import audit
from fullhouse.kit.db.cursors import LIMIT, Cursors, Page
from fullhouse.kit.http.endpoints import get, post
from fullhouse.kit.http.parameters import After, PageSize
from fullhouse.kit.services import Services


@post("/api/platform/events/{event_id:uuid}/cancel", "platform.events.stop", status=200)
async def cancel_any_event(who: Principal, services: Services, event_id: UUID, data: StopRequest) -> EventView:
    """Cancel an event of any organisation."""
    return await _stop(who, services, event_id, Move.CANCEL, data)


@post("/api/platform/events/{event_id:uuid}/postpone", "platform.events.stop", status=200)
async def postpone_any_event(who: Principal, services: Services, event_id: UUID, data: StopRequest) -> EventView:
    """Postpone an event of any organisation, without a new date."""
    return await _stop(who, services, event_id, Move.POSTPONE, data)


async def _stop(who: Principal, services: Services, event_id: UUID, move: Move, order: StopRequest) -> EventView:
    organization_id = await public_reads.require_organization(services, event_id)
    approval = order.tenant_approval_reference
    if who.role == PlatformRole.TENANT_MANAGER and approval is None:
        async with services.database.tenant(organization_id, who.actor) as tx:
            await audit.write(tx, f"event.{move}_refused", "event", event_id, reason=order.reason)
        missing = ApprovalMissing()
        missing.is_audited = True
        raise missing
    async with services.database.tenant(organization_id, who.actor) as tx:
        event = await actions.move_event(tx, event_id, move, reason=order.reason, approval_reference=approval)
        (view,) = await event_reads.to_views(tx, [event])
        return view


@get("/api/platform/organizations/{organization_id:uuid}/events", "platform.events.stop")
async def list_events_of_any(
    who: Principal, services: Services, organization_id: UUID, limit: PageSize = LIMIT, cursor: After = None
) -> Page[EventView]:
    """An organisation's events that are not over, by date: those that the platform can stop."""
    cursors = Cursors(services.keyring, "platform_events", organization_id)
    after_at, after_id = cursors.read(cursor, datetime, UUID) or (None, None)
    async with services.database.tenant(organization_id, who.actor) as tx:
        await accounts.require_profile(tx)
        rows = await store.list_unfinished_events(tx, after_at=after_at, after_id=after_id, limit=limit + 1)
        page = cursors.page(rows, limit, date_of, "id")
        return Page(await event_reads.to_views(tx, page.data), page.next_cursor)


handlers = [cancel_any_event, postpone_any_event, list_events_of_any]
