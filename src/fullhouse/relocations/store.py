"""Runs `queries.sql`, row to model."""

from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.kit.db import sql
from fullhouse.relocations import queries
from fullhouse.relocations.model import MovedTicket, TicketMove


class DueMove(NamedTuple):
    organization_id: UUID
    ticket_id: UUID


def _to_ticket_move(**row: Any) -> TicketMove:
    return msgspec.convert(row, TicketMove)


def _to_moved_ticket(**row: Any) -> MovedTicket:
    return msgspec.convert(row, MovedTicket)


reissue_tickets = sql.many(queries.reissue_tickets, _to_ticket_move)
list_moves = sql.many(queries.list_moves, _to_moved_ticket)
find_newest_move = sql.one(queries.find_newest_move, _to_ticket_move)
list_open_moves = sql.many(queries.list_open_moves, _to_ticket_move)
answer_move = sql.one(queries.answer_move, _to_ticket_move)
list_due_moves = sql.many(queries.list_due_moves, DueMove)
