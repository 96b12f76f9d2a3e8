"""Runs `turn_queries.sql`, row to model."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from fullhouse.kit import sql

statements = sql.load(__file__)


class Room(NamedTuple):
    organization_id: UUID
    id: UUID


class Gathering(NamedTuple):
    email: str


class Away(NamedTuple):
    about: UUID
    email: str
    until: datetime


rooms_to_tell = statements.many("rooms_to_tell", Room)
opens_soon = statements.value("opens_soon", datetime)
who_gathers = statements.many("who_gathers", Gathering)
who_is_away = statements.many("who_is_away", Away)
