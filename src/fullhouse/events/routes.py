"""HTTP routes of events, for their organisers."""

from datetime import datetime
from typing import Annotated, Literal, get_args
from uuid import UUID

import msgspec
from litestar.openapi.spec import Example
from litestar.params import QueryParameter

from fullhouse.accounts.audit import reads as audit_reads
from fullhouse.accounts.audit.reads import Filters
from fullhouse.accounts.model import AuditEntry
from fullhouse.events import actions, policy, store
from fullhouse.events import reads as event_reads
from fullhouse.events.model import (
    Cancel,
    ChangeEvent,
    Duplicate,
    Event,
    EventSummary,
    EventView,
    NewEvent,
    Postpone,
    Reschedule,
    WithReason,
)
from fullhouse.events.policy import Move, date_of
from fullhouse.events.public import reads as public_reads
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.cursors import LIMIT, Cursors, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.http.endpoints import DataWithHeaders, delete, get, patch, post
from fullhouse.kit.http.parameters import After, IfMatch, Moment, PageSize, parse_moment
from fullhouse.kit.http.versions import etag
from fullhouse.kit.services import Services

StatusFilter = Literal["ahead", "draft", "published", "live", "ended", "cancelled", "postponed", "archived"]
_KNOWN: frozenset[str] = frozenset(get_args(StatusFilter))
Statuses = Annotated[
    list[str] | None,
    QueryParameter(
        description="One or several: repeated or comma-separated. `ahead` means every status that is not over yet.",
        examples=[Example(value=["published", "live"])],
        schema_extra={"items": {"type": "string", "enum": list(get_args(StatusFilter))}},
    ),
]
SlugFilter = Annotated[str | None, QueryParameter(max_length=100, description="The event with this slug.")]


@get("/api/events", "events.read")
async def list_events(
    tx: Tx,
    services: Services,
    status: Statuses = None,
    slug: SlugFilter = None,
    venue_id: UUID | None = None,
    since: Moment = None,
    until: Moment = None,
    limit: PageSize = LIMIT,
    cursor: After = None,
) -> Page[EventView]:
    """Events of every status, ordered by date (a new date counts). The status `ahead` selects those not over yet."""
    statuses, starts, ends = _parse_statuses(status), parse_moment("since", since), parse_moment("until", until)
    cursors = Cursors(services.keyring, "events", tx.organization_id, statuses, slug, venue_id, starts, ends)
    after_at, after_id = cursors.read(cursor, datetime, UUID) or (None, None)
    rows = await store.list_events(
        tx,
        statuses=statuses,
        slug=slug,
        venue_id=venue_id,
        since=starts,
        until=ends,
        after_at=after_at,
        after_id=after_id,
        limit=limit + 1,
    )
    page = cursors.page(rows, limit, date_of, "id")
    return Page(await event_reads.to_views(tx, page.data), page.next_cursor)


def _parse_statuses(values: list[str] | None) -> list[str] | None:
    """Sorted, so that the same filter gives the same cursor however it is written."""
    if not values:
        return None
    named = {name.strip() for text in values for name in text.split(",")}
    if unknown := named - _KNOWN:
        sentence = f"One of {', '.join(get_args(StatusFilter))}."
        raise Invalid(f"status: {sentence}", fields=[FieldError("status", sentence)], unknown=sorted(unknown))
    return sorted(policy.expand_ahead(named))


@get("/api/events/upcoming", "events.read")
async def list_upcoming_events(who: Principal, services: Services, venue_id: UUID | None = None) -> list[EventSummary]:
    """Announced events that are not over, the next one first, in short: for dashboards and drop-downs. At most 200."""
    return await public_reads.list_upcoming(services, who.organization_id, venue_id)


@post("/api/events", "events.create", location="/api/events/{id}")
async def create_event(tx: Tx, who: Principal, data: NewEvent) -> DataWithHeaders[EventView]:
    """Create an event as a draft. The name, address and time zone of its venue are copied to it."""
    return await _to_reply(tx, await actions.create_event(tx, who, data))


@get("/api/events/{event_id:uuid}", "events.read")
async def get_event(tx: Tx, event_id: UUID) -> DataWithHeaders[EventView]:
    """One event, with the transitions that its status allows now, and the number of active participants."""
    return await _to_reply(tx, await actions.require_event(tx, event_id))


@get("/api/events/{event_id:uuid}/summary", "events.read")
async def get_event_summary(who: Principal, services: Services, event_id: UUID) -> EventSummary:
    """One event in short, from the cache: for screens that poll."""
    return await public_reads.require_summary(services, who.organization_id, event_id)


@patch("/api/events/{event_id:uuid}", "events.update")
async def change_event(
    tx: Tx, who: Principal, event_id: UUID, data: ChangeEvent, if_match: IfMatch = None
) -> DataWithHeaders[EventView]:
    """Change an event. Moving an announced one to another venue requires a reason."""
    return await _to_reply(tx, await actions.change_event(tx, who, event_id, data, if_match))


@delete("/api/events/{event_id:uuid}", "events.delete")
async def delete_event(tx: Tx, event_id: UUID, if_match: IfMatch = None) -> None:
    """Delete a draft. Events that were announced can only be archived."""
    await actions.delete_event(tx, event_id, if_match)


@post("/api/events/{event_id:uuid}/publish", "events.publish", status=200)
async def publish_event(tx: Tx, event_id: UUID, if_match: IfMatch = None) -> DataWithHeaders[EventView]:
    """Publish an event, or a postponed one again on its new date."""
    return await _to_reply(tx, await actions.move_event(tx, event_id, Move.PUBLISH, if_match=if_match))


@post("/api/events/{event_id:uuid}/unpublish", "events.publish", status=200)
async def unpublish_event(
    tx: Tx, event_id: UUID, data: WithReason, if_match: IfMatch = None
) -> DataWithHeaders[EventView]:
    """Turn a published event back into a draft."""
    return await _to_reply(
        tx, await actions.move_event(tx, event_id, Move.UNPUBLISH, reason=data.reason, if_match=if_match)
    )


@post("/api/events/{event_id:uuid}/start", "events.publish", status=200)
async def start_event(tx: Tx, event_id: UUID, if_match: IfMatch = None) -> DataWithHeaders[EventView]:
    """Start the event by hand; the scheduler does it when doors open."""
    return await _to_reply(tx, await actions.move_event(tx, event_id, Move.START, if_match=if_match))


@post("/api/events/{event_id:uuid}/end", "events.publish", status=200)
async def end_event(tx: Tx, event_id: UUID, if_match: IfMatch = None) -> DataWithHeaders[EventView]:
    """End the event by hand; the scheduler does it at its end time."""
    return await _to_reply(tx, await actions.move_event(tx, event_id, Move.END, if_match=if_match))


@post("/api/events/{event_id:uuid}/cancel", "events.cancel", status=200)
async def cancel_event(tx: Tx, event_id: UUID, data: Cancel, if_match: IfMatch = None) -> DataWithHeaders[EventView]:
    """Cancel an event for good. Sales stop at once. A reason is required."""
    return await _to_reply(
        tx, await actions.move_event(tx, event_id, Move.CANCEL, reason=data.reason, if_match=if_match)
    )


@post("/api/events/{event_id:uuid}/postpone", "events.cancel", status=200)
async def postpone_event(
    tx: Tx, event_id: UUID, data: Postpone, if_match: IfMatch = None
) -> DataWithHeaders[EventView]:
    """Postpone an event, with or without a new date. A reason is required."""
    return await _to_reply(
        tx,
        await actions.move_event(
            tx, event_id, Move.POSTPONE, new_date=data.rescheduled_at, reason=data.reason, if_match=if_match
        ),
    )


@post("/api/events/{event_id:uuid}/reschedule", "events.cancel", status=200)
async def reschedule_event(
    tx: Tx, event_id: UUID, data: Reschedule, if_match: IfMatch = None
) -> DataWithHeaders[EventView]:
    """Set or change the new date of a postponed event."""
    return await _to_reply(
        tx,
        await actions.move_event(
            tx,
            event_id,
            Move.RESCHEDULE,
            new_date=data.rescheduled_at,
            sale_end_at=data.sale_end_at,
            reason=data.reason,
            if_match=if_match,
        ),
    )


@post("/api/events/{event_id:uuid}/archive", "events.publish", status=200)
async def archive_event(tx: Tx, event_id: UUID, if_match: IfMatch = None) -> DataWithHeaders[EventView]:
    """Archive an event. This is final."""
    return await _to_reply(tx, await actions.move_event(tx, event_id, Move.ARCHIVE, if_match=if_match))


@post("/api/events/{event_id:uuid}/duplicate", "events.create", location="/api/events/{id}")
async def duplicate_event(tx: Tx, who: Principal, event_id: UUID, data: Duplicate) -> DataWithHeaders[EventView]:
    """Copy an event to another date, as a draft in the same series."""
    return await _to_reply(tx, await actions.duplicate_event(tx, who, event_id, data))


@get("/api/events/{event_id:uuid}/audit", "audit.read")
async def list_event_audit(
    tx: Tx, services: Services, event_id: UUID, limit: PageSize = LIMIT, cursor: After = None
) -> Page[AuditEntry]:
    """The audit of an event: what was done, by whom and why, newest first."""
    await actions.require_event(tx, event_id)
    return await audit_reads.list_audit_page(tx, services.keyring, cursor, limit, Filters(entity_id=event_id))


async def _to_reply(tx: Tx, event: Event) -> DataWithHeaders[EventView]:
    joined = await store.active_participants(tx, event.id) or 0
    (view,) = await event_reads.to_views(tx, [event])
    view = msgspec.structs.replace(view, active_participants=joined)
    return DataWithHeaders(view, {"etag": etag(event.version)})


handlers = [
    list_events, list_upcoming_events, create_event, get_event, get_event_summary, change_event, delete_event,
    publish_event, unpublish_event, start_event, end_event, cancel_event, postpone_event, reschedule_event,
    archive_event, duplicate_event, list_event_audit,
]  # fmt: skip
