"""A ticket to show, to print and to keep: the QR as a drawing, the sheets as a PDF. Pure."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from fullhouse.events import policy
from fullhouse.kit import paper
from fullhouse.kit.money import Money
from fullhouse.kit.qr import qr_svg
from fullhouse.tickets.model import TicketRow, TicketView

_TEMPLATE = Path(__file__).with_name("ticket.typ").read_bytes()
BRAND, ON_BRAND = "#0F5C4D", "#FFFFFF"
NOTES = {
    "wheelchair": "Wheelchair place. Staff at the gate will show you the step-free way.",
    "companion": "Companion seat, beside the wheelchair place that it belongs to.",
    "restricted_view": "The view from this seat is partly blocked.",
}


def view(row: TicketRow, qr: str | None) -> TicketView:
    fields = {name: getattr(row, name) for name in TicketView.__struct_fields__ if hasattr(row, name)}
    fields |= policy.times_of(row)._asdict() | {"first_start_at": row.start_at}
    fields["is_undated"] = policy.is_undated(row.event_status, row.rescheduled_at)
    price = None if row.unit is None else Money(row.unit, row.currency)
    return TicketView(**fields, qr=qr, price=price, accessibility=NOTES.get(row.category or ""))


def passed_on(row: TicketRow) -> TicketView:
    """For whoever gave it away: that it is gone, and nothing that opens a gate or names who has it by now."""
    hidden = {"code": "", "holder_name": "", "holder_email": "", "holder_user_id": None, "membership_id": None}
    return view(msgspec.structs.replace(row, **hidden), None)


def sheets(tickets: Sequence[TicketView], organization: str, brand: str = BRAND, on_brand: str = ON_BRAND) -> bytes:
    """One page for each ticket that lets somebody in."""
    first = tickets[0]
    data = {
        "organization": organization,
        "brand": brand,
        "on_brand": on_brand,
        "title": first.event_name,
        "news": news(first),
        "date": None if first.is_undated else _day(first.start_at, first.timezone),
        "time": None if first.is_undated else f"{_hour(first.start_at, first.timezone)} ({_zone(first.timezone)})",
        "doors": None if first.is_undated else _hour(first.doors_at, first.timezone),
        "venue": first.venue_name,
        "address": first.address or first.city,
        "order": first.order_code,
        "tickets": [_sheet(ticket) for ticket in tickets],
    }
    return paper.pdf(_TEMPLATE, data)


def _sheet(ticket: TicketView) -> dict[str, Any]:
    assert ticket.qr
    return {
        "type": ticket.type_name,
        "zone": ticket.zone_name,
        "row": ticket.row,
        "seat": ticket.seat,
        "note": ticket.accessibility,
        "holder": ticket.holder_name,
        "number": ticket.number,
        "price": str(ticket.price) if ticket.price and ticket.price.amount else None,
        "code": f"{ticket.code[:4]} {ticket.code[4:]}",
        "qr": qr_svg(ticket.qr, border=0).decode(),
    }


def place(ticket: TicketView) -> str:
    """Where to sit or stand, in words."""
    parts = [ticket.zone_name, ticket.row and f"row {ticket.row}", ticket.seat and f"seat {ticket.seat}"]
    return ", ".join(part for part in parts if part)


def news(ticket: TicketView) -> str | None:
    """What has become of the show since the date that its holder may remember."""
    first = ticket.first_start_at, ticket.timezone
    was = f"It was to be on {_day(*first)}, {_hour(*first)}."
    if ticket.event_status == "cancelled":
        return "This show is cancelled."
    if ticket.is_undated:
        return f"Postponed: the new date is not known yet. {was} This ticket is good for the new one."
    return f"New date. {was}" if ticket.event_status == "postponed" else None


def _zone(name: str) -> str:
    return name.replace("_", " ")


def _day(moment: datetime, zone: str) -> str:
    local = moment.astimezone(ZoneInfo(zone))
    return f"{local:%A} {local.day} {local:%B %Y}"


def _hour(moment: datetime, zone: str) -> str:
    return f"{moment.astimezone(ZoneInfo(zone)):%H:%M}"
