"""Ticket responses and printable tickets: texts of a ticket, and the PDF. Pure."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from fullhouse.events import policy
from fullhouse.kit.languages import Words
from fullhouse.kit.media import pdf
from fullhouse.kit.media.qr import render_qr_svg
from fullhouse.kit.money import Money
from fullhouse.kit.times import to_local
from fullhouse.tickets.model import TicketRow, TicketView
from fullhouse.tickets.words import WORDS

_TEMPLATE = Path(__file__).with_name("ticket.typ").read_bytes()
BRAND, ON_BRAND = "#0F5C4D", "#FFFFFF"


def to_view(row: TicketRow, qr: str | None) -> TicketView:
    fields = {name: getattr(row, name) for name in TicketView.__struct_fields__ if hasattr(row, name)}
    fields |= policy.times_of(row)._asdict() | {"first_start_at": row.start_at}
    fields["is_undated"] = policy.is_undated(row.event_status, row.rescheduled_at)
    price = None if row.unit is None else Money(row.unit, row.currency)
    return TicketView(**fields, qr=qr, price=price, accessibility=render_note(row.category, WORDS.en))


def to_transferred_view(row: TicketRow) -> TicketView:
    """A transferred ticket for its former holder: without its codes and without the new holder."""
    hidden = {"code": "", "holder_name": "", "holder_email": "", "holder_user_id": None, "membership_id": None}
    return to_view(msgspec.structs.replace(row, **hidden), None)


LABELS = ("zone", "row", "seat", "name", "ticket", "doors", "price", "unread")


def render_tickets(tickets: Sequence[TicketView], organization: str, t: Words) -> bytes:
    """The PDF of valid tickets, one page each."""
    first = tickets[0]
    starts, doors = (to_local(moment, first.timezone) for moment in (first.start_at, first.doors_at))
    data = {
        "organization": organization,
        "brand": BRAND,
        "on_brand": ON_BRAND,
        "language": t.code,
        "words": {name: t(name) for name in LABELS},
        "title": first.event_name,
        "news": render_notice(first, t),
        "date": None if first.is_undated else t.day(starts),
        "time": None if first.is_undated else f"{starts:%H:%M} ({_format_time_zone(first.timezone)})",
        "doors": None if first.is_undated else f"{doors:%H:%M}",
        "venue": first.venue_name,
        "address": first.address or first.city,
        "tickets": [
            _ticket_data(ticket, t) | {"fine_print": _render_fine_print(tickets, n, t)}
            for n, ticket in enumerate(tickets)
        ],
    }
    return pdf.render_pdf(_TEMPLATE, data)


def _ticket_data(ticket: TicketView, t: Words) -> dict[str, Any]:
    assert ticket.qr
    return {
        "type": ticket.type_name,
        "zone": ticket.zone_name,
        "row": ticket.row,
        "seat": ticket.seat,
        "note": render_note(ticket.category, t),
        "holder": ticket.holder_name,
        "number": ticket.number,
        "price": t.money(ticket.price) if ticket.price and ticket.price.amount else None,
        "code": f"{ticket.code[:4]} {ticket.code[4:]}",
        "qr": render_qr_svg(ticket.qr, border=0).decode(),
    }


def _render_fine_print(tickets: Sequence[TicketView], n: int, t: Words) -> str:
    return t("fine_print", order=tickets[0].order_code, n=n + 1, all=len(tickets))


class HasPlace(Protocol):
    """A row with a zone, and a seat if it has one."""

    @property
    def zone_name(self) -> str | None: ...
    @property
    def row(self) -> str | None: ...
    @property
    def seat(self) -> str | None: ...


def render_place(ticket: HasPlace, t: Words) -> str:
    """The zone, row and seat as text."""
    row = t("place_row", row=ticket.row) if ticket.row else None
    seat = t("place_seat", seat=ticket.seat) if ticket.seat else None
    return ", ".join(part for part in (ticket.zone_name, row, seat) if part)


def render_note(category: str | None, t: Words) -> str | None:
    """The note for a seat category; None for standard seats."""
    return t.texts.get(f"note_{category}")


def render_notice(ticket: TicketView, t: Words) -> str | None:
    """The notice of a cancelled, postponed or rescheduled event, with its original date."""
    first = to_local(ticket.first_start_at, ticket.timezone)
    was = t("was", day=t.day(first), hour=f"{first:%H:%M}")
    if ticket.event_status == "cancelled":
        return t("cancelled")
    if ticket.is_undated:
        return t("undated", was=was)
    return t("new_date", was=was) if ticket.event_status == "postponed" else None


def _format_time_zone(name: str) -> str:
    return name.replace("_", " ")
