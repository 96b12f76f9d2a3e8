"""A ticket as a telephone's wallet takes it: the contents of an Apple pass (`pass.json`, an event ticket). Pure.

Whoever has a certificate adds `passTypeIdentifier` and `teamIdentifier` and signs it; others read the same words.
"""

from datetime import timedelta
from typing import Any

from fullhouse.tickets import papers
from fullhouse.tickets.model import TicketView

LATE = timedelta(hours=6)  # so long after its show a ticket stays on top


Field = tuple[str, str, str | None, dict[str, str]]  # key, label, value, how a wallet shows it


def contents(ticket: TicketView, organization: str, colour: str) -> dict[str, Any]:
    seated = {"seatSection": ticket.section, "seatRow": ticket.row, "seatNumber": ticket.seat}
    fields: dict[str, list[Field]] = {
        "headerFields": [("doors", "Doors", ticket.doors_at.isoformat(), {"timeStyle": "PKDateStyleShort"})],
        "primaryFields": [("show", "Show", ticket.event_name, {})],
        "secondaryFields": [
            ("start", "Begins", ticket.start_at.isoformat(), _DAY_AND_HOUR),
            ("venue", "Where", ticket.venue_name, {}),
        ],
        "auxiliaryFields": [
            ("zone", "Zone", ticket.zone_name, {}),
            ("row", "Row", ticket.row, {}),
            ("seat", "Seat", ticket.seat, {}),
            ("type", "Ticket", ticket.type_name, {}),
        ],
        "backFields": [
            ("holder", "Holder", ticket.holder_name, {}),
            ("number", "Number", ticket.number, {}),
            ("code", "If the code cannot be read", ticket.code, {}),
            ("order", "Order", ticket.order_code, {}),
            ("address", "Address", ticket.address or ticket.city, {}),
            ("note", "Please note", ticket.accessibility, {}),
        ],
    }
    return {
        "formatVersion": 1,
        "serialNumber": f"{ticket.id}.{ticket.version}",  # passed on, it is another pass
        "organizationName": organization,
        "description": f"{ticket.event_name}: {papers.place(ticket) or ticket.type_name}",
        "groupingIdentifier": str(ticket.order_id),
        "backgroundColor": _rgb(colour),
        "relevantDate": ticket.doors_at.isoformat(),
        "expirationDate": (ticket.end_at + LATE).isoformat(),
        "barcodes": [
            {
                "format": "PKBarcodeFormatQR",
                "message": ticket.qr,
                "messageEncoding": "iso-8859-1",
                "altText": ticket.code,
            }
        ],
        "eventTicket": {
            place: [{"key": key, "label": label, "value": value, **style} for key, label, value, style in each if value]
            for place, each in fields.items()
        },
        "semantics": {
            "eventName": ticket.event_name,
            "venueName": ticket.venue_name,
            "eventStartDate": ticket.start_at.isoformat(),
            "eventEndDate": ticket.end_at.isoformat(),
            "seats": [{name: value for name, value in seated.items() if value}] if ticket.seat else [],
        },
    }


_DAY_AND_HOUR = {"dateStyle": "PKDateStyleMedium", "timeStyle": "PKDateStyleShort"}


def _rgb(colour: str) -> str:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return f"rgb({red}, {green}, {blue})"
