"""A sample of every email, for previews. All people and events are invented."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from fullhouse.accounts.model import PasswordChanged, SignInLink, TeamInvitation
from fullhouse.kit.mail.email import EmailData
from fullhouse.kit.money import Money
from fullhouse.mail.model import (
    EventCancelled,
    EventDetails,
    EventPostponed,
    EventRescheduled,
    HeldSpots,
    OrderCalledOff,
    OrderConfirmed,
    OrderRefunded,
    OtherSeats,
    PaidTwice,
    QueueOpens,
    QueueTurn,
    SeatsMoved,
    TicketLine,
    TicketReceived,
    TicketSent,
    TimeChanged,
    VenueChanged,
    WaitlistClosed,
    WaitlistJoined,
    WaitlistLapsed,
    WaitlistOffer,
    WebhookDisabled,
)
from fullhouse.tickets.model import TicketPlace

_START = datetime(2027, 3, 13, 18, 30, tzinfo=UTC)
_NEW = _START + timedelta(days=35)
_EVENT = EventDetails(
    name="The Tempest",
    path="/o/harbour-theatre/the-tempest",
    starts_at=_START,
    doors_at=_START - timedelta(hours=1),
    timezone="Europe/Amsterdam",
    venue="Harbour Theatre",
    address="Pier 4, 1011 AB Amsterdam",
)
_ORDER = "/orders/example"
_MESSAGE = "Our Prospero has lost his voice. We thank you for your patience."


def _seat(row: str, number: int) -> TicketPlace:
    return TicketPlace(zone_name="Stalls", row=row, seat=str(number))


_ALL: tuple[EmailData, ...] = (
    OrderConfirmed(
        show=_EVENT,
        order_code="K7M2QX",
        order_path=_ORDER,
        tickets=(
            TicketLine(kind="Adult", place=_seat("C", 12), code="7F4KQ2MX", price=Money(4250, "EUR")),
            TicketLine(kind="Adult", place=_seat("C", 13), code="9XW3TR5B", price=Money(4250, "EUR")),
            TicketLine(kind="Student", place=_seat("C", 14), code="2MNP8VHD", price=Money(2500, "EUR")),
        ),
        fees=Money(300, "EUR"),
        total=Money(11300, "EUR"),
    ),
    OrderRefunded(
        show=_EVENT,
        order_code="K7M2QX",
        order_path=_ORDER,
        amount=Money(2500, "EUR"),
        paid=Money(11300, "EUR"),
        message="You returned one student ticket.",
    ),
    OtherSeats(
        show=_EVENT,
        order_code="K7M2QX",
        order_path=_ORDER,
        places=tuple(HeldSpots(zone_name="Stalls", row="B", seat=seat, quantity=1) for seat in ("8", "9")),
        paid=Money(8500, "EUR"),
        answer_by=_START - timedelta(days=20),
    ),
    OrderCalledOff(
        show=_EVENT,
        order_code="K7M2QX",
        order_path=_ORDER,
        amount=Money(8500, "EUR"),
        because="the places were gone when the money came",
    ),
    PaidTwice(show=_EVENT, order_code="K7M2QX", order_path=_ORDER, amount=Money(8500, "EUR")),
    EventCancelled(show=_EVENT, message=_MESSAGE, order_path=_ORDER),
    EventPostponed(show=replace(_EVENT, is_undated=True), message=_MESSAGE, order_path=_ORDER),
    EventRescheduled(
        show=replace(_EVENT, starts_at=_NEW, was_at=_START), message=_MESSAGE, order_path=_ORDER, new_date=_NEW
    ),
    TimeChanged(show=_EVENT, message="The last ferry leaves earlier.", ends_at=_START + timedelta(hours=3)),
    VenueChanged(show=_EVENT, message="The roof is being repaired.", order_path=_ORDER),
    SeatsMoved(
        show=_EVENT,
        moves=((_seat("C", 12), _seat("B", 8)), (_seat("C", 13), None)),
        answer_by=_START - timedelta(days=14),
        answer_path="/my?at=harbour-theatre",
    ),
    TicketSent(show=_EVENT, place=_seat("C", 14), to_name="Ada Okafor"),
    TicketReceived(
        show=_EVENT,
        place=_seat("C", 14),
        from_name="Ben Visser",
        ticket_path=_ORDER,
        message="See you at the bar!",
    ),
    WaitlistJoined(show=_EVENT, quantity=2, list_path="/waiting-list#example"),
    WaitlistOffer(
        show=_EVENT,
        quantity=2,
        places=(TicketPlace(zone_name="Stalls"),),
        offer_path="/waiting-list#example",
        answer_by=_START - timedelta(days=2),
    ),
    WaitlistLapsed(show=_EVENT, quantity=2),
    WaitlistClosed(show=_EVENT),
    QueueOpens(show=_EVENT, opens_at=_START - timedelta(days=60), queue_path=f"{_EVENT.path}/queue"),
    QueueTurn(show=_EVENT, queue_path=f"{_EVENT.path}/queue", until=_START - timedelta(days=60, minutes=-25)),
    SignInLink(path="/sign-in#example", minutes=20),
    TeamInvitation(role="staff", path="/join#example", days=7),
    PasswordChanged(email="ada@example.org"),
    WebhookDisabled(
        url="https://hooks.example.org/fullhouse",
        failing_since=_START - timedelta(days=3),
        last_error="503 Service Unavailable",
        timezone="Europe/Amsterdam",
    ),
)
SAMPLES = {sample.template: sample for sample in _ALL}
