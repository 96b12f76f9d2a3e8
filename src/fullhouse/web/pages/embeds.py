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
from fullhouse.web import content_security, event_views, words
from fullhouse.web.pages.events import load_box_office
from fullhouse.web.rendering import AnyRequest, cacheable_page, public, static_file

SITES_CACHE_S = 60  # at most, if the invalidation is lost; otherwise a change takes effect at once


@public("/widget.js")
async def widget(request: AnyRequest) -> Response[bytes]:
    return static_file(request, "widget.js", cache="public, max-age=3600")


@public("/embed/{org:str}/{slug:str}")
async def embed_page(request: AnyRequest, org: FromPath[str], slug: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    async with services.reads.without_tenant() as tx:
        show = await store.find_public_event_by_slug(tx, organization=org, slug=slug)
    if show is None:
        raise EventNotFound
    t = await words.choose_language(request, show.organization_id)
    it = event_views.to_view(show, t, now=services.clock.now())
    stripe = it.sells and services.part(Providers).has_card_fields
    framed_by = await _load_sites(services, show.organization_id)
    policy = content_security.policy(stripe=stripe, framed_by=framed_by)
    return cacheable_page(request, "embed.html", t=t, policy=policy, it=it, office=await load_box_office(services, it))


async def _load_sites(services: Services, organization_id: UUID) -> list[str]:
    """The sites that the organisation allows to embed its events."""

    async def load() -> list[str]:
        async with services.database.tenant(organization_id) as tx:
            return (await accounts.require_profile(tx)).embed_origins

    return await services.cache.get(accounts.embed_origins_key(organization_id), SITES_CACHE_S, load, list[str])


handlers = [widget, embed_page]
