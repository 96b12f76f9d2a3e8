"""Moved tickets over HTTP: the new seat, and the holder's answer."""

from uuid import UUID

from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import get, post
from fullhouse.kit.services import Services
from fullhouse.relocations import actions
from fullhouse.relocations.model import AnswerMove, TicketMove


@get("/api/me/moves", "tickets.read")
async def list_my_moves(tx: Tx, who: Principal) -> list[TicketMove]:
    """Your moved tickets that still wait for an answer; the earliest deadline first."""
    return await actions.list_open_moves(tx, who)


@get("/api/tickets/{ticket_id:uuid}/move", "tickets.read")
async def get_move(tx: Tx, services: Services, who: Principal, ticket_id: UUID) -> TicketMove:
    """A ticket's new seat, if its event's layout was migrated after the sale."""
    return await actions.get_move(tx, services.keyring, who, ticket_id)


@post("/api/tickets/{ticket_id:uuid}/move", "tickets.transfer", status=200)
async def answer_move(tx: Tx, services: Services, who: Principal, ticket_id: UUID, data: AnswerMove) -> TicketMove:
    """Take the new seat, or get a refund, fees included. Without an answer the ticket keeps its new seat, if any."""
    return await actions.answer_move(tx, services.keyring, who, ticket_id, accept=data.accept)


handlers = [list_my_moves, get_move, answer_move]
