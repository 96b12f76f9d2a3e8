"""iCalendar files: one event to add, an organisation's events to subscribe to."""

from uuid import UUID

from litestar import Response, get
from litestar.params import FromPath

from fullhouse.events import store
from fullhouse.events.public import calendar
from fullhouse.events.public.model import EventNotFound
from fullhouse.kit.services import Services
from fullhouse.web import event_views, words
from fullhouse.web.pages.events import require_organization
from fullhouse.web.rendering import AnyRequest, cacheable_response, public

EVENTS_MAX = 500


@get(
    "/api/events/{event_id:uuid}/calendar.ics",
    opt={"public": True},
    media_type=calendar.MEDIA_TYPE,
    operation_id="get_event_calendar",
    summary="A public event as iCalendar",
)
async def event_calendar(request: AnyRequest, event_id: FromPath[UUID]) -> Response[bytes]:
    """Times are in the venue's time zone."""
    services: Services = request.app.state.services
    async with services.reads.without_tenant() as tx:
        show = await store.find_public_event(tx, event_id)
    if show is None:
        raise EventNotFound
    t = await words.choose_language(request, show.organization_id)
    body = calendar.render_event(show, lambda it: services.public_url + event_views.path_of(it), t.code)
    # A slug is letters, digits and hyphens: it needs no quoting.
    disposition = {"content-disposition": f'attachment; filename="{show.slug}.ics"'}
    return cacheable_response(request, body, calendar.MEDIA_TYPE, disposition | words.language_headers(request))


@public("/o/{org:str}/calendar.ics")
async def organization_calendar(request: AnyRequest, org: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    organization = await require_organization(services, org)
    async with services.reads.without_tenant() as tx:
        shows = await store.list_coming_events(tx, organization_id=organization.id, limit=EVENTS_MAX)
    t = await words.choose_language(request, organization.id)
    body = calendar.render_feed(
        organization.name, shows, lambda it: services.public_url + event_views.path_of(it), t.code
    )
    disposition = {"content-disposition": f'inline; filename="{organization.slug}.ics"'}
    return cacheable_response(request, body, calendar.MEDIA_TYPE, disposition | words.language_headers(request))


handlers = [event_calendar, organization_calendar]
