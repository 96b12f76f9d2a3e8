"""An event's box office embedded in other sites: the script that they include, and the page that it frames.

docs/adr/0027-widget.md says why the frame never uses the visitor's session with the organisation.
"""

from uuid import UUID

from litestar import Response
from litestar.params import FromPath

from fullhouse.accounts import actions as accounts
from fullhouse.events import store
from fullhouse.events.public.model import EventNotFound
from fullhouse.kit.services import Services
from fullhouse.payments.providers.actions import Providers
from fullhouse.web import programme, safety, words
from fullhouse.web.pages import AnyRequest, kept_page, public, static_file
from fullhouse.web.shows import box_office

SITES_S = 60  # at most, if the invalidation is lost; otherwise a change takes effect at once


@public("/widget.js")
async def widget(request: AnyRequest) -> Response[bytes]:
    return static_file(request, "widget.js", cache="public, max-age=3600")


@public("/embed/{org:str}/{slug:str}")
async def embedded(request: AnyRequest, org: FromPath[str], slug: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    async with services.reads.nobody() as tx:
        show = await store.public_show_at(tx, organization=org, slug=slug)
    if show is None:
        raise EventNotFound
    t = await words.of(request, show.organization_id)
    it = programme.printed(show, t, now=services.clock.now())
    stripe = it.sells and services.part(Providers).has_card_fields
    framed_by = await _sites(services, show.organization_id)
    policy = safety.policy(stripe=stripe, framed_by=framed_by)
    return kept_page(request, "embed.html", t=t, policy=policy, it=it, office=await box_office(services, it))


async def _sites(services: Services, organization_id: UUID) -> list[str]:
    """The sites that the organisation allows to embed its events."""

    async def load() -> list[str]:
        async with services.database.tenant(organization_id) as tx:
            return (await accounts.get_profile(tx)).embed_origins

    return await services.cache.get(accounts.embed_origins_key(organization_id), SITES_S, load, list[str])


handlers = [widget, embedded]
