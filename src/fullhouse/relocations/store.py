"""Runs `queries.sql`, row to model."""

from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.kit.db import sql
from fullhouse.relocations import queries
from fullhouse.relocations.model import MovedTicket, TicketMove


class Due(NamedTuple):
    organization_id: UUID
    ticket_id: UUID


def _move(**row: Any) -> TicketMove:
    return msgspec.convert(row, TicketMove)


def _moved(**row: Any) -> MovedTicket:
    return msgspec.convert(row, MovedTicket)


reissue = sql.many(queries.reissue, _move)
moves_of_migration = sql.many(queries.moves_of_migration, _moved)
newest_move = sql.one(queries.newest_move, _move)
open_moves_of = sql.many(queries.open_moves_of, _move)
answer_move = sql.one(queries.answer_move, _move)
due_moves = sql.many(queries.due_moves, Due)
