"""Ticket endpoints: read, QR code, PDF, calendar, wallet, transfer, cancel; and signing keys."""

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
from fullhouse.kit.http.endpoints import get, post
from fullhouse.kit.http.parameters import After, PageSize
from fullhouse.kit.http.response import Response
from fullhouse.kit.languages import Words
from fullhouse.kit.media.qr import render_qr_svg
from fullhouse.kit.services import Services
from fullhouse.tickets import actions, documents, wallet
from fullhouse.tickets.model import (
    CancelTicket,
    RotateKey,
    Ticket,
    TicketKey,
    TicketNotFound,
    TicketNotValid,
    TicketView,
    Transfer,
)
from fullhouse.tickets.signing import signing_keys
from fullhouse.tickets.words import WORDS

TicketName = Annotated[
    str, PathParameter(max_length=80, description="The ticket's id, optionally with a file extension.")
]
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
    """The caller's tickets, newest first.

    `group` selects `upcoming` (the soonest event first), `past`, `refunded` (or cancelled), or `transferred`: tickets
    that the caller bought and transferred, without their codes and new holders.
    """
    return await actions.list_my_tickets(tx, services.keyring, who, status, group, cursor, limit)


@get("/api/tickets/{ticket:str}", "tickets.read", also=("image/svg+xml", "application/pdf", calendar.MEDIA_TYPE))
async def get_ticket(tx: Tx, services: Services, who: Principal, ticket: TicketName) -> TicketView:
    """One ticket, with the text of its QR code.

    Append `.qr.svg`, `.pdf` or `.ics` to the id to get the ticket as such a file, or `.wallet.json` for the contents of
    an Apple Wallet pass, to be signed with your own certificate.
    """
    name, dot, suffix = ticket.partition(".")
    if dot and suffix not in FILE_FORMATS:
        raise TicketNotFound
    try:
        found = await actions.read_ticket(tx, services.keyring, who, UUID(name))
    except ValueError:
        raise TicketNotFound from None
    return await FILE_FORMATS[suffix](tx, services, found) if dot else found


async def _render_qr(tx: Tx, services: Services, ticket: TicketView) -> Any:
    svg = await asyncio.to_thread(render_qr_svg, _check_valid(ticket).qr or "")
    return Response(200, svg, (_PRIVATE,), "image/svg+xml")


async def _render_pdf(tx: Tx, services: Services, ticket: TicketView) -> Any:
    organization = await accounts.require_profile(tx)
    pdf = await asyncio.to_thread(
        documents.render_tickets, [_check_valid(ticket)], organization.name, _select_words(tx, organization)
    )
    disposition = ("content-disposition", f'inline; filename="{ticket.number}.pdf"')
    return Response(200, pdf, (_PRIVATE, disposition), "application/pdf")


async def _render_ics(tx: Tx, services: Services, ticket: TicketView) -> Any:
    """The event as a calendar entry, with the seat and the ticket number in its description."""
    event = (await events.require_public_event(services, ticket.event_id)).event
    organization = await accounts.require_profile(tx)
    t = _select_words(tx, organization)
    parts = documents.render_place(ticket, t), t("ticket_number", number=ticket.number), event.description
    annotated = msgspec.structs.replace(event, description=". ".join(filter(None, parts)))
    ics = calendar.render_event(
        annotated, lambda _: f"{services.public_url}/my/tickets/{ticket.id}?at={organization.slug}", t.code
    )
    return Response(200, ics, (_PRIVATE,), calendar.MEDIA_TYPE)


async def _render_wallet(tx: Tx, services: Services, ticket: TicketView) -> Any:
    organization = await accounts.require_profile(tx)
    contents = wallet.render_pass(
        _check_valid(ticket), organization.name, organization.accent_color, _select_words(tx, organization)
    )
    return Response(200, msgspec.json.encode(contents), (_PRIVATE,))


def _select_words(tx: Tx, organization: OrganizationProfile) -> Words:
    return WORDS.of(tx.actor.language or organization.locale)


def _check_valid(ticket: TicketView) -> TicketView:
    if ticket.qr is None:
        raise TicketNotValid(f"The ticket is {ticket.status}.")
    return ticket


FILE_FORMATS = {"qr.svg": _render_qr, "pdf": _render_pdf, "ics": _render_ics, "wallet.json": _render_wallet}


@post("/api/tickets/{ticket_id:uuid}/transfer", "tickets.transfer", status=200)
async def transfer_ticket(tx: Tx, services: Services, who: Principal, ticket_id: UUID, data: Transfer) -> Ticket:
    """Transfer a ticket. The new holder gets a new code, shown here to staff only; the previous code is void."""
    return await actions.transfer(tx, services.keyring, who, ticket_id, data)


@post("/api/tickets/{ticket_id:uuid}/cancel", "sales.write", status=200)
async def cancel_ticket(tx: Tx, ticket_id: UUID, data: CancelTicket) -> Ticket:
    """Void a ticket, with a reason, and put its seat back on sale. Does not refund the payment."""
    return await actions.cancel(tx, ticket_id, data.reason)


@get("/api/org/ticket-keys", "tickets.keys")
async def list_keys(tx: Tx) -> list[TicketKey]:
    """The public keys for verifying tickets."""
    return await signing_keys.list_keys(tx)


@post("/api/org/ticket-keys", "tickets.rotate", status=200)
async def rotate_key(tx: Tx, services: Services, data: RotateKey) -> list[TicketKey]:
    """Sign tickets with a new key. Codes signed with the old key stay valid, unless it is revoked."""
    return await signing_keys.rotate(tx, services.keyring, revoke=data.revoke)


handlers = [
    list_my_tickets, get_ticket, transfer_ticket, cancel_ticket, list_keys, rotate_key,
]  # fmt: skip
