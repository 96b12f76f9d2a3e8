"""A person's pages: signing in, joining a team, my tickets, and the service worker that stores them for offline use."""

from typing import Any
from uuid import UUID

from litestar import Response
from litestar.params import FromPath

from fullhouse.accounts import store
from fullhouse.accounts.model import Organization
from fullhouse.kit.languages import Words
from fullhouse.kit.services import Services
from fullhouse.web import words
from fullhouse.web.rendering import AnyRequest, page, public, static_file

ORGANIZATIONS_MAX = 50  # with more of them the visitor types a slug instead of choosing from a list
# A service worker has a policy of its own: this one fetches what it caches, from this origin only.
_WORKER_POLICY = "default-src 'none'; connect-src 'self'"
_PRIVATE = {"cache-control": "private, no-cache", "x-robots-tag": "noindex"}


@public("/sign-in")
async def sign_in(request: AnyRequest) -> Response[str]:
    """By an emailed link, whose secret is in the fragment that browsers never send; or by email and password."""
    services: Services = request.app.state.services
    async with services.reads.without_tenant() as tx:
        organizations = await store.list_active_organizations(tx, ORGANIZATIONS_MAX + 1)
    here = await _find_organization(request)
    t = await words.choose_language(request, here.id if here else None)
    choices = organizations if len(organizations) <= ORGANIZATIONS_MAX else []
    return _private_page(request, "sign_in.html", t, organization=here, organizations=choices)


@public("/join")
async def join(request: AnyRequest) -> Response[str]:
    return _private_page(request, "join.html", words.preferred_language(request) or words.EN)


@public("/my")
async def my_tickets(request: AnyRequest) -> Response[str]:
    return await _my_page(request)


@public("/my/tickets/{ticket_id:uuid}")
async def my_ticket(request: AnyRequest, ticket_id: FromPath[UUID]) -> Response[str]:
    """The same page: its script shows this ticket, if it is the visitor's."""
    return await _my_page(request)


@public("/tickets-sw.js")
async def service_worker(request: AnyRequest) -> Response[bytes]:
    """Stores tickets on the device. It is served from the root because a service worker's scope is its own folder."""
    script = static_file(request, "tickets-sw.js", cache="no-cache")
    script.headers["content-security-policy"] = _WORKER_POLICY
    return script


async def _my_page(request: AnyRequest) -> Response[str]:
    organization = await _find_organization(request)
    t = await words.choose_language(request, organization.id if organization else None)
    return _private_page(request, "my.html", t, organization=organization)


def _private_page(request: AnyRequest, name: str, t: Words, **values: Any) -> Response[str]:
    response = page(name, t=t, **values)
    response.headers.update(words.language_headers(request) | _PRIVATE)
    return response


async def _find_organization(request: AnyRequest) -> Organization | None:
    """The organisation whose pages the visitor came from: `?at=`."""
    services: Services = request.app.state.services
    if not (slug := request.query_params.get("at")):
        return None
    async with services.reads.without_tenant() as tx:
        found = await store.organization_by_slug(tx, slug[:100])
    return found if found and found.status == "active" else None


handlers = [sign_in, join, my_tickets, my_ticket, service_worker]
