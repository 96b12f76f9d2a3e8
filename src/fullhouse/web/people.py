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
from fullhouse.web.pages import AnyRequest, page, public, static_file

HOUSES_MAX = 50  # with more of them the visitor types a slug instead of choosing from a list
# A service worker has a policy of its own: this one fetches what it caches, from this origin only.
_KEEPER_POLICY = "default-src 'none'; connect-src 'self'"
_PRIVATE = {"cache-control": "private, no-cache", "x-robots-tag": "noindex"}


@public("/sign-in")
async def sign_in(request: AnyRequest) -> Response[str]:
    """By an emailed link, whose secret is in the fragment that browsers never send; or by email and password."""
    services: Services = request.app.state.services
    async with services.reads.nobody() as tx:
        organizations = await store.open_organizations(tx, HOUSES_MAX + 1)
    here = await _house(request)
    t = await words.of(request, here.id if here else None)
    choices = organizations if len(organizations) <= HOUSES_MAX else []
    return _own(request, "sign_in.html", t, organization=here, organizations=choices)


@public("/join")
async def join(request: AnyRequest) -> Response[str]:
    return _own(request, "join.html", words.wanted(request) or words.EN)


@public("/my")
async def my_tickets(request: AnyRequest) -> Response[str]:
    return await _mine(request)


@public("/my/tickets/{ticket_id:uuid}")
async def my_ticket(request: AnyRequest, ticket_id: FromPath[UUID]) -> Response[str]:
    """The same page: its script shows this ticket, if it is the visitor's."""
    return await _mine(request)


@public("/tickets-sw.js")
async def keeper(request: AnyRequest) -> Response[bytes]:
    """Stores tickets on the device. It is served from the root because a service worker's scope is its own folder."""
    script = static_file(request, "tickets-sw.js", cache="no-cache")
    script.headers["content-security-policy"] = _KEEPER_POLICY
    return script


async def _mine(request: AnyRequest) -> Response[str]:
    organization = await _house(request)
    t = await words.of(request, organization.id if organization else None)
    return _own(request, "my.html", t, organization=organization)


def _own(request: AnyRequest, name: str, t: Words, **values: Any) -> Response[str]:
    response = page(name, t=t, **values)
    response.headers.update(words.told(request) | _PRIVATE)
    return response


async def _house(request: AnyRequest) -> Organization | None:
    """The organisation whose pages the visitor came from: `?at=`."""
    services: Services = request.app.state.services
    if not (slug := request.query_params.get("at")):
        return None
    async with services.reads.nobody() as tx:
        found = await store.organization_by_slug(tx, slug[:100])
    return found if found and found.status == "active" else None


handlers = [sign_in, join, my_tickets, my_ticket, keeper]
