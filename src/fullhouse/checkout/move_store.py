"""Runs `move_queries.sql`, row to model."""

from typing import NamedTuple
from uuid import UUID

from fullhouse.checkout.move_model import MovedTicket, TicketMove
from fullhouse.kit import sql

statements = sql.load(__file__)


class Due(NamedTuple):
    organization_id: UUID
    ticket_id: UUID


reissue = statements.many("reissue", TicketMove)
moves_of_migration = statements.many("moves_of_migration", MovedTicket)
newest_move = statements.one("newest_move", TicketMove)
open_moves_of = statements.many("open_moves_of", TicketMove)
answer_move = statements.one("answer_move", TicketMove)
due_moves = statements.many("due_moves", Due)
