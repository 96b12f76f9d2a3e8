"""A ticket that was moved to another seat, because its show's layout was changed after sales."""

from datetime import datetime
from uuid import UUID

import msgspec

from fullhouse.kit.errors import Conflict, NotFound
from fullhouse.tickets.model import TicketPlace


class TicketMove(msgspec.Struct, frozen=True, kw_only=True):
    """From where to where, and until when its holder may have the money back instead. No seat: none was equal.

    `from_place` and `to_place` say in English what `from_seat` and `to_seat` are.
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
    """Whether the other seat will do. Otherwise the money goes back, fees included."""

    accept: bool


class NotMoved(NotFound):
    """The ticket is where it always was."""

    code, title = "ticket_not_moved", "The ticket was not moved"


class MoveAnswered(Conflict):
    """It was answered already, or the time to answer is over."""

    code, title = "move_answered", "The move was answered already"


class NoSeatToAccept(Conflict):
    """There is no seat for this ticket: only the money can go back."""

    code, title = "no_seat_to_accept", "There is no seat to accept"
