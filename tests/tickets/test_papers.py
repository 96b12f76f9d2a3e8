"""Tickets on paper: whatever is in the names, it is text."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from fullhouse.kit.media import pdf
from fullhouse.kit.media.qr import render_qr_svg
from fullhouse.kit.money import Money
from fullhouse.tickets import documents
from fullhouse.tickets.model import TicketView
from fullhouse.tickets.signing import signature
from fullhouse.tickets.words import WORDS

MOMENT = datetime(2030, 3, 6, 19, 30, tzinfo=UTC)


def ticket(**said: Any) -> TicketView:
    qr = signature.sign(signature.Claim(1, UUID(int=5), UUID(int=7), b"12345678"), bytes(32))
    usual: dict[str, Any] = {
        "id": UUID(int=7), "event_id": UUID(int=5), "order_id": UUID(int=8), "ticket_type_id": UUID(int=9),
        "seat_id": None, "zone_id": None, "number": "K7Q2MX-00012", "code": "ABCD2345", "holder_name": "Ada",
        "holder_email": "ada@example.org", "holder_user_id": None, "membership_id": None, "status": "valid",
        "reason": None, "version": 1, "issued_at": MOMENT, "transferred_at": None, "order_code": "XYZW2345",
        "type_name": "Adult", "entitlement": "single", "price": Money(4500, "EUR"), "event_name": "The Tempest",
        "event_slug": "the-tempest", "event_status": "published", "start_at": MOMENT, "end_at": MOMENT,
        "doors_at": MOMENT, "first_start_at": MOMENT, "rescheduled_at": None, "is_undated": False,
        "timezone": "Europe/Brussels", "venue_name": "Grande Salle", "address": None,
        "city": "Liège", "zone_name": "Stalls", "section": "A", "row": "F", "seat": "12",
        "category": "standard", "accessibility": None,
        "qr": qr,
    }  # fmt: skip
    return TicketView(**usual | said)


@pytest.mark.req("BUY-5")
def test_an_order_is_a_page_for_each_ticket() -> None:
    made = documents.render_tickets(
        [ticket(), ticket(row=None, seat=None, zone_name="Pit")], "Théâtre du Nord", WORDS.en
    )
    assert made.startswith(b"%PDF-")
    assert b"/Count 2" in made


@pytest.mark.parametrize(
    "name",
    [
        '#read("/etc/passwd")',
        '"; #panic(1) //',
        "$x^2$ *bold* _it_ `code`",
        "<b>&amp;",
        "\\",
        "名前 😀 مرحبا",
        "a" * 500,
    ],
)
def test_names_are_text_and_nothing_else(name: str) -> None:
    made = documents.render_tickets([ticket(holder_name=name, event_name=name, venue_name=name)], name, WORDS.en)
    assert made.startswith(b"%PDF-")


def test_the_drawn_code_is_an_svg_without_anything_active() -> None:
    drawn = render_qr_svg(ticket().qr or "")
    assert drawn.startswith(b"<svg ")
    assert b"script" not in drawn
    assert b"viewBox" in drawn


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, "Stalls, row F, seat 12"),
        ({"row": None, "seat": None}, "Stalls"),
        ({"row": None, "seat": None, "zone_name": None}, ""),
    ],
)
def test_where_to_go_in_words(said: dict[str, Any], words: str) -> None:
    assert documents.render_place(ticket(**said), WORDS.en) == words


@pytest.mark.req("EV-7", "EV-8")
@pytest.mark.parametrize(
    ("said", "date", "news"),
    [
        ({}, "Wednesday 6 March 2030", None),
        ({"event_status": "cancelled"}, "Wednesday 6 March 2030", "This event is cancelled."),
        (
            {"event_status": "postponed", "is_undated": True},
            None,
            "Postponed: no new date yet. It was originally planned for Wednesday 6 March 2030, 20:30."
            " This ticket is valid for the new date.",
        ),
        (
            {"event_status": "postponed", "start_at": MOMENT.replace(day=8), "rescheduled_at": MOMENT.replace(day=8)},
            "Friday 8 March 2030",
            "New date. It was originally planned for Wednesday 6 March 2030, 20:30.",
        ),
    ],
)
def test_paper_says_which_date_counts(
    said: dict[str, Any], date: str | None, news: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert documents.render_tickets([ticket(**said)], "Théâtre du Nord", WORDS.en).startswith(b"%PDF-")
    monkeypatch.setattr(pdf, "render_pdf", lambda template, data: data)
    printed: Any = documents.render_tickets([ticket(**said)], "Théâtre du Nord", WORDS.en)
    assert (printed["date"], printed["news"], printed["doors"] is None) == (date, news, date is None)


def test_a_ticket_in_afrikaans(monkeypatch: pytest.MonkeyPatch) -> None:
    seat = ticket(category="wheelchair", event_status="postponed", rescheduled_at=MOMENT)
    assert documents.render_tickets([seat], "Teater", WORDS.af).startswith(b"%PDF-")
    monkeypatch.setattr(pdf, "render_pdf", lambda template, data: data)
    printed: Any = documents.render_tickets([seat], "Teater", WORDS.af)
    assert (printed["language"], printed["date"]) == ("af", "Woensdag 6 Maart 2030")
    assert printed["news"] == "Nuwe datum. Dit was oorspronklik vir Woensdag 6 Maart 2030, 20:30 beplan."
    assert printed["words"] == {name: WORDS.af(name) for name in documents.LABELS}
    [sheet] = printed["tickets"]
    assert sheet["note"].startswith("Rolstoelplek.")
    assert sheet["price"] == "€45,00"
    assert "Kaartjie 1 van 1." in sheet["fine_print"]
    assert documents.render_place(seat, WORDS.af) == "Stalls, ry F, sitplek 12"
