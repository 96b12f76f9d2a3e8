"""Runs `move_queries.sql`, row to model."""

from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.checkout import move_queries
from fullhouse.checkout.move_model import MovedTicket, TicketMove
from fullhouse.kit import sql


class Due(NamedTuple):
    organization_id: UUID
    ticket_id: UUID


def _move(**row: Any) -> TicketMove:
    return msgspec.convert(row, TicketMove)


def _moved(**row: Any) -> MovedTicket:
    return msgspec.convert(row, MovedTicket)


reissue = sql.many(move_queries.reissue, _move)
moves_of_migration = sql.many(move_queries.moves_of_migration, _moved)
newest_move = sql.one(move_queries.newest_move, _move)
open_moves_of = sql.many(move_queries.open_moves_of, _move)
answer_move = sql.one(move_queries.answer_move, _move)
due_moves = sql.many(move_queries.due_moves, Due)
