"""Tickets that a layout migration moved to another seat after they were sold."""

from datetime import datetime
from uuid import UUID

import msgspec

from fullhouse.kit.errors import Conflict, NotFound
from fullhouse.tickets.model import TicketPlace


class TicketMove(msgspec.Struct, frozen=True, kw_only=True):
    """The old and the new seat, and until when the holder may choose a refund instead. `to_seat` is null if there was
    no equal or better seat.

    `from_place` and `to_place` are `from_seat` and `to_seat` in English words.
    """

    ticket_id: UUID
    migration_id: UUID
    event_id: UUID
    from_place: str
    to_place: str | None
    from_seat: TicketPlace
    to_seat: TicketPlace | None
    respond_by: datetime
    answer: str | None
    answered_at: datetime | None


class MovedTicket(TicketMove, frozen=True, kw_only=True):
    email: str


class AnswerMove(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether the holder takes the new seat. Otherwise the ticket is refunded, fees included."""

    accept: bool


class TicketNotMoved(NotFound):
    """The ticket has the seat that it was sold for."""

    code, title = "ticket_not_moved", "The ticket was not moved"


class MoveAnswered(Conflict):
    """The move was answered already, or the time to answer is over."""

    code, title = "move_answered", "The move was answered already"


class NoSeatToAccept(Conflict):
    """The ticket has no new seat to accept: it can only be refunded."""

    code, title = "no_seat_to_accept", "There is no seat to accept"
