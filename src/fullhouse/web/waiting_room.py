"""The waiting room's page: one small document, because everyone loads it at the same time."""

from litestar import Response
from litestar.params import FromPath
from markupsafe import Markup

from fullhouse.events import store
from fullhouse.events.public import structured
from fullhouse.events.public.model import EventNotFound
from fullhouse.kit.services import Services
from fullhouse.web import programme, words
from fullhouse.web.pages import AnyRequest, kept_page, public


@public("/o/{org:str}/{slug:str}/queue")
async def waiting_room(request: AnyRequest, org: FromPath[str], slug: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    async with services.reads.nobody() as tx:
        show = await store.public_show_at(tx, organization=org, slug=slug)
    if show is None:
        raise EventNotFound
    t = await words.of(request, show.organization_id)
    texts = Markup(structured.script(t.some("q_")))  # noqa: S704 - escaped for this very place
    return kept_page(request, "queue.html", t=t, it=programme.printed(show, t), texts=texts)


handlers = [waiting_room]
