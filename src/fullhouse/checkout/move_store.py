"""Runs `move_queries.sql`, row to model."""

from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.checkout.move_model import MovedTicket, TicketMove
from fullhouse.kit import sql

statements = sql.load(__file__)


class Due(NamedTuple):
    organization_id: UUID
    ticket_id: UUID


def _move(**row: Any) -> TicketMove:
    return msgspec.convert(row, TicketMove)


def _moved(**row: Any) -> MovedTicket:
    return msgspec.convert(row, MovedTicket)


reissue = statements.many("reissue", _move)
moves_of_migration = statements.many("moves_of_migration", _moved)
newest_move = statements.one("newest_move", _move)
open_moves_of = statements.many("open_moves_of", _move)
answer_move = statements.one("answer_move", _move)
due_moves = statements.many("due_moves", Due)
