"""iCalendar files: one event to add, an organisation's events to subscribe to."""

from uuid import UUID

from litestar import Response, get
from litestar.params import FromPath

from fullhouse.events import store
from fullhouse.events.public import calendar
from fullhouse.events.public.model import EventNotFound
from fullhouse.kit.services import Services
from fullhouse.web import programme, words
from fullhouse.web.pages import AnyRequest, kept, public
from fullhouse.web.shows import find_organization

SHOWS_MAX = 500


@get(
    "/api/events/{event_id:uuid}/calendar.ics",
    opt={"public": True},
    media_type=calendar.MEDIA_TYPE,
    operation_id="get_event_calendar",
    summary="A public event as iCalendar",
)
async def show_calendar(request: AnyRequest, event_id: FromPath[UUID]) -> Response[bytes]:
    """Times are in the venue's time zone."""
    services: Services = request.app.state.services
    async with services.reads.nobody() as tx:
        show = await store.public_event(tx, event_id)
    if show is None:
        raise EventNotFound
    t = await words.of(request, show.organization_id)
    body = calendar.of_show(show, lambda it: services.public_url + programme.path_of(it), t.code)
    # A slug is letters, digits and hyphens: it needs no quoting.
    disposition = {"content-disposition": f'attachment; filename="{show.slug}.ics"'}
    return kept(request, body, calendar.MEDIA_TYPE, disposition | words.told(request))


@public("/o/{org:str}/calendar.ics")
async def organization_calendar(request: AnyRequest, org: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    organization = await find_organization(services, org)
    async with services.reads.nobody() as tx:
        shows = await store.coming_shows(tx, organization_id=organization.id, limit=SHOWS_MAX)
    t = await words.of(request, organization.id)
    body = calendar.of_shows(organization.name, shows, lambda it: services.public_url + programme.path_of(it), t.code)
    disposition = {"content-disposition": f'inline; filename="{organization.slug}.ics"'}
    return kept(request, body, calendar.MEDIA_TYPE, disposition | words.told(request))


handlers = [show_calendar, organization_calendar]
