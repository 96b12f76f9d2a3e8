"""Moved seats over HTTP: where to, and whether that will do."""

from uuid import UUID

from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import get, post
from fullhouse.kit.services import Services
from fullhouse.relocations import actions
from fullhouse.relocations.model import AnswerMove, TicketMove


@get("/api/me/moves", "tickets.read")
async def list_my_moves(tx: Tx, who: Principal) -> list[TicketMove]:
    """Your tickets whose seats were moved, and which you may still answer for; the most urgent first."""
    return await actions.open_moves(tx, who)


@get("/api/tickets/{ticket_id:uuid}/move", "tickets.read")
async def get_move(tx: Tx, services: Services, who: Principal, ticket_id: UUID) -> TicketMove:
    """Where a ticket was moved to, if its show's layout was changed after it was sold."""
    return await actions.see(tx, services.keyring, who, ticket_id)


@post("/api/tickets/{ticket_id:uuid}/move", "tickets.transfer", status=200)
async def answer_move(tx: Tx, services: Services, who: Principal, ticket_id: UUID, data: AnswerMove) -> TicketMove:
    """Take the other seat, or have the money back, fees included. Who says nothing keeps an equal or better seat."""
    return await actions.answer(tx, services.keyring, who, ticket_id, accept=data.accept)


handlers = [list_my_moves, get_move, answer_move]
