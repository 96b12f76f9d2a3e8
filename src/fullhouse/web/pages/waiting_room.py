"""The waiting room's page: one small document, because everyone loads it at the same time."""

from litestar import Response
from litestar.params import FromPath
from markupsafe import Markup

from fullhouse.events import store
from fullhouse.events.public import json_ld
from fullhouse.events.public.model import EventNotFound
from fullhouse.kit.services import Services
from fullhouse.web import event_views, words
from fullhouse.web.rendering import AnyRequest, cacheable_page, public


@public("/o/{org:str}/{slug:str}/queue")
async def waiting_room(request: AnyRequest, org: FromPath[str], slug: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    async with services.reads.without_tenant() as tx:
        show = await store.find_public_event_by_slug(tx, organization=org, slug=slug)
    if show is None:
        raise EventNotFound
    t = await words.choose_language(request, show.organization_id)
    texts = Markup(json_ld.render_script(t.with_prefix("q_")))  # noqa: S704 - escaped for this very place
    return cacheable_page(request, "queue.html", t=t, it=event_views.to_view(show, t), texts=texts)


handlers = [waiting_room]
