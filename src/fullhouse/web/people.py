"""Pages about oneself: signing in, joining a team, one's own tickets and what keeps them without a connection."""

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

HOUSES_MAX = 50  # more are not for choosing from a list
# A worker has a policy of its own: this one fetches what it keeps, and nothing from elsewhere.
_KEEPER_POLICY = "default-src 'none'; connect-src 'self'"
_PRIVATE = {"cache-control": "private, no-cache", "x-robots-tag": "noindex"}


@public("/sign-in")
async def sign_in(request: AnyRequest) -> Response[str]:
    """With a mailed link's secret in the fragment, which only the browser sees; or with address and password."""
    services: Services = request.app.state.services
    async with services.reads.nobody() as tx:
        houses = await store.open_organizations(tx, HOUSES_MAX + 1)
    here = await _house(request)
    t = await words.of(request, here.id if here else None)
    return _own(request, "sign_in.html", t, house=here, houses=houses if len(houses) <= HOUSES_MAX else [])


@public("/join")
async def join(request: AnyRequest) -> Response[str]:
    return _own(request, "join.html", words.wanted(request) or words.EN)


@public("/my")
async def my_tickets(request: AnyRequest) -> Response[str]:
    return await _mine(request)


@public("/my/tickets/{ticket_id:uuid}")
async def my_ticket(request: AnyRequest, ticket_id: FromPath[UUID]) -> Response[str]:
    """The same page: its script shows the one ticket, if it is the visitor's."""
    return await _mine(request)


@public("/tickets-sw.js")
async def keeper(request: AnyRequest) -> Response[bytes]:
    """Keeps tickets on the device. It stands at the root, because it may only serve what lies below it."""
    script = static_file(request, "tickets-sw.js", cache="no-cache")
    script.headers["content-security-policy"] = _KEEPER_POLICY
    return script


async def _mine(request: AnyRequest) -> Response[str]:
    house = await _house(request)
    return _own(request, "my.html", await words.of(request, house.id if house else None), house=house)


def _own(request: AnyRequest, name: str, t: Words, **values: Any) -> Response[str]:
    shown = page(name, t=t, **values)
    shown.headers.update(words.told(request) | _PRIVATE)
    return shown


async def _house(request: AnyRequest) -> Organization | None:
    """Whose pages somebody came from: `?at=`."""
    services: Services = request.app.state.services
    if not (slug := request.query_params.get("at")):
        return None
    async with services.reads.nobody() as tx:
        found = await store.organization_by_slug(tx, slug[:100])
    return found if found and found.status == "active" else None


handlers = [sign_in, join, my_tickets, my_ticket, keeper]
