"""A ticket as a telephone's wallet takes it: the contents of an Apple pass (`pass.json`, an event ticket). Pure.

Whoever has a certificate adds `passTypeIdentifier` and `teamIdentifier` and signs it; others read the same words.
"""

from datetime import timedelta
from typing import Any

from fullhouse.kit.languages import Words
from fullhouse.tickets import papers
from fullhouse.tickets.model import TicketView

LATE = timedelta(hours=6)  # so long after its show a ticket stays on top


Field = tuple[str, str, str | None, dict[str, str]]  # key, label, value, how a wallet shows it


def contents(ticket: TicketView, organization: str, colour: str, t: Words) -> dict[str, Any]:
    # Without a date that counts a wallet is told none: it would put the pass away when the old one is over.
    starts, doors, ends, late = [
        None if ticket.is_undated else moment.isoformat()
        for moment in (ticket.start_at, ticket.doors_at, ticket.end_at, ticket.end_at + LATE)
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
            ("news", t("news"), papers.news(ticket, t), {}),
            ("holder", t("holder"), ticket.holder_name, {}),
            ("number", t("number"), ticket.number, {}),
            ("code", t("unread"), ticket.code, {}),
            ("order", t("order"), ticket.order_code, {}),
            ("address", t("address"), ticket.address or ticket.city, {}),
            ("note", t("note"), papers.note(ticket.category, t), {}),
        ],
    }
    return {
        "formatVersion": 1,
        "serialNumber": f"{ticket.id}.{ticket.version}",  # passed on, it is another pass
        "organizationName": organization,
        "description": f"{ticket.event_name}: {papers.place(ticket, t) or ticket.type_name}",
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
