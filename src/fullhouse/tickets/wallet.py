"""A ticket for a phone's wallet: the contents of an Apple pass (`pass.json`, an event ticket). Pure.

To make a pass of it, add `passTypeIdentifier` and `teamIdentifier` and sign it with your Apple certificate.
"""

from datetime import timedelta
from typing import Any

from fullhouse.kit.languages import Words
from fullhouse.tickets import documents
from fullhouse.tickets.model import TicketView

EXPIRES_AFTER = timedelta(hours=6)  # after the event's end, until the pass expires


Field = tuple[str, str, str | None, dict[str, str]]  # key, label, value, display style


def render_pass(ticket: TicketView, organization: str, colour: str, t: Words) -> dict[str, Any]:
    # An event without a current date has no dates in the pass: the wallet would expire it after the original date.
    starts, doors, ends, late = [
        None if ticket.is_undated else moment.isoformat()
        for moment in (ticket.start_at, ticket.doors_at, ticket.end_at, ticket.end_at + EXPIRES_AFTER)
    ]
    dates = {"relevantDate": doors, "expirationDate": late}
    semantic_dates = {"eventStartDate": starts, "eventEndDate": ends}
    seated = {"seatSection": ticket.section, "seatRow": ticket.row, "seatNumber": ticket.seat}
    fields: dict[str, list[Field]] = {
        "headerFields": [("doors", t("doors"), doors, {"timeStyle": "PKDateStyleShort"})],
        "primaryFields": [("show", t("show"), ticket.event_name, {})],
        "secondaryFields": [
            ("start", t("begins"), starts or t("new_date_to_come"), _DAY_AND_HOUR if starts else {}),
            ("venue", t("where"), ticket.venue_name, {}),
        ],
        "auxiliaryFields": [
            ("zone", t("zone"), ticket.zone_name, {}),
            ("row", t("row"), ticket.row, {}),
            ("seat", t("seat"), ticket.seat, {}),
            ("type", t("ticket"), ticket.type_name, {}),
        ],
        "backFields": [
            ("news", t("news"), documents.render_notice(ticket, t), {}),
            ("holder", t("holder"), ticket.holder_name, {}),
            ("number", t("number"), ticket.number, {}),
            ("code", t("unread"), ticket.code, {}),
            ("order", t("order"), ticket.order_code, {}),
            ("address", t("address"), ticket.address or ticket.city, {}),
            ("note", t("note"), documents.render_note(ticket.category, t), {}),
        ],
    }
    return {
        "formatVersion": 1,
        "serialNumber": f"{ticket.id}.{ticket.version}",  # a transferred ticket is another pass
        "organizationName": organization,
        "description": f"{ticket.event_name}: {documents.render_place(ticket, t) or ticket.type_name}",
        "groupingIdentifier": str(ticket.order_id),
        "backgroundColor": _rgb(colour),
        "voided": ticket.event_status == "cancelled",
        **{name: value for name, value in dates.items() if value},
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
            **{name: value for name, value in semantic_dates.items() if value},
            "seats": [{name: value for name, value in seated.items() if value}] if ticket.seat else [],
        },
    }


_DAY_AND_HOUR = {"dateStyle": "PKDateStyleMedium", "timeStyle": "PKDateStyleShort"}


def _rgb(colour: str) -> str:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return f"rgb({red}, {green}, {blue})"
