"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from fullhouse.kit.db import sql
from fullhouse.mail.turns import queries


class WaitingRoom(NamedTuple):
    organization_id: UUID
    id: UUID


class EarlyVisitor(NamedTuple):
    email: str


class AbsentVisitor(NamedTuple):
    about: UUID
    email: str
    until: datetime


list_rooms_to_email = sql.many(queries.list_rooms_to_email, WaitingRoom)
find_opening = sql.value(queries.find_opening, datetime)
list_early_visitors = sql.many(queries.list_early_visitors, EarlyVisitor)
list_absent_visitors = sql.many(queries.list_absent_visitors, AbsentVisitor)
