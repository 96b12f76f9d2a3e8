"""The event service at `/event/v1`, and the search. Public routes read only the projection (`public_events`)."""

from typing import Annotated, Literal
from uuid import UUID

import msgspec
from litestar.params import QueryParameter

from fullhouse.events import actions, store
from fullhouse.events.model import Event, WithReason
from fullhouse.events.policy import Move
from fullhouse.events.public import actions as public_actions
from fullhouse.events.public import reads
from fullhouse.events.public.model import (
    CANCEL_REASON,
    ChangePublicEvent,
    CitySuggestion,
    EventNotFound,
    NewPublicEvent,
    OwnEvent,
    PublicEvent,
)
from fullhouse.events.public.reads import Filters
from fullhouse.events.public.view_counter import ViewCounter
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.db.cursors import Page, page_by_age
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import Caller, DataWithHeaders, get, patch, post
from fullhouse.kit.http.parameters import After, IfMatch, IfNoneMatch, Moment, PageSize, parse_moment
from fullhouse.kit.http.response import Response
from fullhouse.kit.http.versions import etag, matches_etag
from fullhouse.kit.services import Services
from fullhouse.kit.text import fold, to_tsquery

RESULTS_MAX = 100
PAGE = 20  # default page size of the event service
Text = Annotated[str | None, QueryParameter(min_length=1, max_length=200)]
CityName = Annotated[str | None, QueryParameter(min_length=1, max_length=50, description="Ignores accents and case.")]
CategoryName = Annotated[str | None, QueryParameter(pattern=r"^[a-z0-9](_?[a-z0-9]){0,39}$(?!\n)", max_length=40)]
SaleStatus = Literal["upcoming", "on_sale", "sold_out", "suspended", "closed"]


@get("/event/v1/events", public=True)
async def list_public_events(
    services: Services,
    actor: Actor,
    city: CityName = None,
    category: CategoryName = None,
    since: Moment = None,
    until: Moment = None,
    sale_status: SaleStatus | None = None,
    q: Text = None,
    sort: Literal["latest", "trending"] = "latest",
    limit: PageSize = PAGE,
    cursor: After = None,
) -> Page[PublicEvent]:
    """Public events of all organisations: the next one first (`latest`), or by views and sales (`trending`)."""
    filters = Filters(
        fold(city) if city else None,
        category,
        parse_moment("since", since),
        parse_moment("until", until),
        sale_status,
        to_tsquery(q) if q else None,
    )
    if q:
        await reads.check_search_limit(services, actor.ip)
    return await reads.feed(services, filters, sort, cursor, limit)


@get(
    "/event/v1/events/{event_id:uuid}",
    public=True,
    answers={200: PublicEvent | OwnEvent},
    hot=True,
)
async def get_public_event(
    services: Services, ip: str | None, caller: Caller, event_id: UUID, if_none_match: IfNoneMatch = None
) -> Response:
    """One public event. 304 if `If-None-Match` has the current `ETag`.

    An event that is not public is returned to its creator only, in the form of `/event/v1/me/events`.
    """
    ready = reads.peek_public_event(services, event_id)
    if ready is None:
        try:
            ready = await reads.require_public_event(services, event_id)
        except EventNotFound:
            return await _respond_to_creator(services, event_id, await caller())
    return _respond(services, ready, ip, if_none_match)


def _respond(services: Services, ready: reads.EncodedEvent, ip: str | None, if_none_match: str | None) -> Response:
    services.part(ViewCounter).record_view(ready.event.organization_id, ready.event.id, ip)
    is_same = if_none_match is not None and matches_etag(if_none_match, ready.tag)
    return ready.not_modified if is_same else ready.response


async def _respond_to_creator(services: Services, event_id: UUID, who: Principal | None) -> Response:
    """An event that is not public, for its creator; 404 for everybody else."""
    if who is None or "events.read" not in who.allowed:
        raise EventNotFound()
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        event = await store.event_by_id(tx, event_id)
        if event is None or event.created_by != who.actor.id:
            raise EventNotFound()
        body = msgspec.json.encode({"data": await public_actions.to_own_event(tx, event)})
    return Response(200, body, (("etag", etag(event.version)), ("cache-control", "private, no-store")))


@get("/event/v1/meta/cities", public=True)
async def suggest_cities(
    services: Services,
    q: Annotated[str, QueryParameter(max_length=50)] = "",
    limit: Annotated[int, QueryParameter(ge=1, le=50)] = 10,
) -> list[CitySuggestion]:
    """Cities with public events: those that begin with `q`, then similar names."""
    return (await reads.load_city_index(services)).suggest(q, limit)


@get("/api/search", public=True, limit=reads.SEARCH_LIMIT)
async def search(
    services: Services,
    q: Annotated[str, QueryParameter(min_length=1, max_length=200)],
    city: CityName = None,
    category: CategoryName = None,
    since: Moment = None,
    until: Moment = None,
    sale_status: SaleStatus | None = None,
    language: Annotated[str, QueryParameter(pattern=r"^[a-z]{2}$(?!\n)", description="For stemming.")] = "en",
    limit: Annotated[int, QueryParameter(ge=1, le=RESULTS_MAX)] = 20,
) -> list[PublicEvent]:
    """Search public events by title, venue, city and description, best match first.

    The last word may be incomplete.
    """
    filters = public_actions.to_tsquery(public_actions.filter_lexemes(city=city, category=category))
    stemmer = public_actions.STEMMERS.get(language, "simple")
    window = parse_moment("since", since), parse_moment("until", until)
    async with services.reads.without_tenant() as tx:
        return await reads.search(tx, to_tsquery(q), stemmer, filters, *window, sale_status, limit)


@post("/event/v1/events", "events.create", location="/event/v1/events/{id}")
async def create_public_event(tx: Tx, who: Principal, data: NewPublicEvent) -> DataWithHeaders[OwnEvent]:
    """Create an event as a draft, at a venue or just in a city.

    Until it is published, only its creator can read it under its address here.
    """
    return await _to_reply(tx, await public_actions.create(tx, who, data))


@patch("/event/v1/events/{event_id:uuid}", "events.update")
async def change_public_event(
    tx: Tx, who: Principal, event_id: UUID, data: ChangePublicEvent, if_match: IfMatch = None
) -> DataWithHeaders[OwnEvent]:
    """Change an event that I created; admins and owners can change any."""
    return await _to_reply(tx, await public_actions.change(tx, who, event_id, data, if_match))


@post("/event/v1/events/{event_id:uuid}/publish", "events.publish", status=200)
async def publish_public_event(tx: Tx, event_id: UUID, if_match: IfMatch = None) -> DataWithHeaders[OwnEvent]:
    """Publish an event."""
    return await _to_reply(tx, await actions.move_event(tx, event_id, Move.PUBLISH, if_match=if_match))


@post("/event/v1/events/{event_id:uuid}/unpublish", "events.publish", status=200)
async def unpublish_public_event(tx: Tx, event_id: UUID, if_match: IfMatch = None) -> DataWithHeaders[OwnEvent]:
    """Turn a published event back into a draft."""
    return await _to_reply(tx, await actions.move_event(tx, event_id, Move.UNPUBLISH, if_match=if_match))


@post("/event/v1/events/{event_id:uuid}/cancel", "events.cancel", status=200)
async def cancel_public_event(
    tx: Tx, event_id: UUID, data: WithReason, if_match: IfMatch = None
) -> DataWithHeaders[OwnEvent]:
    """Cancel an event. Without a reason, a default one is recorded."""
    reason = data.reason or CANCEL_REASON
    return await _to_reply(tx, await actions.move_event(tx, event_id, Move.CANCEL, reason=reason, if_match=if_match))


@get("/event/v1/me/events", "events.read")
async def list_my_events(
    tx: Tx, who: Principal, services: Services, limit: PageSize = PAGE, cursor: After = None
) -> Page[OwnEvent]:
    """Events that I created, newest first."""
    page = await page_by_age(tx, services.keyring, "my events", store.list_own_events, cursor, limit, created_by=who.id)
    return Page([public_actions.with_public_status(event) for event in page.data], page.next_cursor)


async def _to_reply(tx: Tx, event: Event) -> DataWithHeaders[OwnEvent]:
    return DataWithHeaders(await public_actions.to_own_event(tx, event), {"etag": etag(event.version)})


handlers = [
    list_public_events, get_public_event, suggest_cities, search, create_public_event, change_public_event,
    publish_public_event, unpublish_public_event, cancel_public_event, list_my_events,
]  # fmt: skip
