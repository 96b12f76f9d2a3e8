"""Tickets over HTTP: to see, to show at the gate, to print, to pass on."""

import asyncio
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from litestar.params import PathParameter

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.model import OrganizationProfile
from fullhouse.events.public import calendar
from fullhouse.events.public import reads as events
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.cursors import LIMIT, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.endpoints import get, post
from fullhouse.kit.http.parameters import After, PageSize
from fullhouse.kit.languages import Words
from fullhouse.kit.media.qr import qr_svg
from fullhouse.kit.services import Services
from fullhouse.tickets import actions, papers, wallet
from fullhouse.tickets.model import (
    CancelTicket,
    RotateKey,
    Ticket,
    TicketKey,
    TicketNotFound,
    TicketOver,
    TicketView,
    Transfer,
)
from fullhouse.tickets.signing import keys as signing_keys
from fullhouse.tickets.words import WORDS

Name = Annotated[str, PathParameter(max_length=80, description="Its id, or its id and a file's ending.")]
_PRIVATE = ("cache-control", "private, no-store")


@get("/api/me/tickets", "tickets.read")
async def list_my_tickets(
    tx: Tx,
    services: Services,
    who: Principal,
    status: Literal["valid", "used", "cancelled", "refunded"] | None = None,
    group: Literal["upcoming", "past", "transferred", "refunded"] | None = None,
    limit: PageSize = LIMIT,
    cursor: After = None,
) -> Page[TicketView]:
    """What you have tickets for, newest first.

    `group` sorts them as people do: `upcoming` (the soonest show first), `past`, `refunded` (or cancelled), and
    `transferred`: what you bought and passed on, without its code and without its new holder.
    """
    return await actions.my_tickets(tx, services.keyring, who, status, group, cursor, limit)


@get("/api/tickets/{ticket:str}", "tickets.read", also=("image/svg+xml", "application/pdf", calendar.MEDIA_TYPE))
async def get_ticket(tx: Tx, services: Services, who: Principal, ticket: Name) -> TicketView:
    """One ticket, with the text of its QR code.

    With `.qr.svg`, `.pdf` or `.ics` behind its id, the ticket as such a file; with `.wallet.json`, what a pass for a
    telephone's wallet is made of, to be signed by whoever has the certificate.
    """
    name, dot, suffix = ticket.partition(".")
    if dot and suffix not in PAPERS:
        raise TicketNotFound
    try:
        found = await actions.see(tx, services.keyring, who, UUID(name))
    except ValueError:
        raise TicketNotFound from None
    return await PAPERS[suffix](tx, services, found) if dot else found


async def _qr(tx: Tx, services: Services, ticket: TicketView) -> Any:
    drawn = await asyncio.to_thread(qr_svg, _valid(ticket).qr or "")
    return Answer(200, drawn, (_PRIVATE,), "image/svg+xml")


async def _pdf(tx: Tx, services: Services, ticket: TicketView) -> Any:
    house = await accounts.get_profile(tx)
    made = await asyncio.to_thread(papers.sheets, [_valid(ticket)], house.name, _words(tx, house))
    named = ("content-disposition", f'inline; filename="{ticket.number}.pdf"')
    return Answer(200, made, (_PRIVATE, named), "application/pdf")


async def _ics(tx: Tx, services: Services, ticket: TicketView) -> Any:
    """The show for one's own calendar, with one's place in it."""
    show = (await events.public_show(services, ticket.event_id)).show
    house = await accounts.get_profile(tx)
    t = _words(tx, house)
    parts = papers.place(ticket, t), t("ticket_number", number=ticket.number), show.description
    noted = msgspec.structs.replace(show, description=". ".join(filter(None, parts)))
    made = calendar.of_show(noted, lambda _: f"{services.public_url}/my/tickets/{ticket.id}?at={house.slug}", t.code)
    return Answer(200, made, (_PRIVATE,), calendar.MEDIA_TYPE)


async def _wallet(tx: Tx, services: Services, ticket: TicketView) -> Any:
    house = await accounts.get_profile(tx)
    made = wallet.contents(_valid(ticket), house.name, house.accent_color, _words(tx, house))
    return Answer(200, msgspec.json.encode(made), (_PRIVATE,))


def _words(tx: Tx, house: OrganizationProfile) -> Words:
    return WORDS.of(tx.actor.language or house.locale)


def _valid(ticket: TicketView) -> TicketView:
    if ticket.qr is None:
        raise TicketOver(f"It is {ticket.status}.")
    return ticket


PAPERS = {"qr.svg": _qr, "pdf": _pdf, "ics": _ics, "wallet.json": _wallet}


@post("/api/tickets/{ticket_id:uuid}/transfer", "tickets.transfer", status=200)
async def transfer_ticket(tx: Tx, services: Services, who: Principal, ticket_id: UUID, data: Transfer) -> Ticket:
    """Pass a ticket on. The new holder gets a code of their own, which only staff are told; yours is void now."""
    return await actions.transfer(tx, services.keyring, who, ticket_id, data)


@post("/api/tickets/{ticket_id:uuid}/cancel", "sales.write", status=200)
async def cancel_ticket(tx: Tx, ticket_id: UUID, data: CancelTicket) -> Ticket:
    """Void a ticket and free its place, with a reason. Paying back is another step."""
    return await actions.cancel(tx, ticket_id, data.reason)


@get("/api/org/ticket-keys", "tickets.keys")
async def list_keys(tx: Tx) -> list[TicketKey]:
    """The public keys that tickets are checked with."""
    return await signing_keys.list_keys(tx)


@post("/api/org/ticket-keys", "tickets.rotate", status=200)
async def rotate_key(tx: Tx, services: Services, data: RotateKey) -> list[TicketKey]:
    """Sign tickets with a new key. Printed codes stay good, unless the old key is revoked."""
    return await signing_keys.rotate(tx, services.keyring, revoke=data.revoke)


handlers = [
    list_my_tickets, get_ticket, transfer_ticket, cancel_ticket, list_keys, rotate_key,
]  # fmt: skip
