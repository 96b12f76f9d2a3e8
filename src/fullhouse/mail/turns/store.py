"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from fullhouse.kit.db import sql
from fullhouse.mail.turns import queries


class Room(NamedTuple):
    organization_id: UUID
    id: UUID


class Gathering(NamedTuple):
    email: str


class Away(NamedTuple):
    about: UUID
    email: str
    until: datetime


rooms_to_tell = sql.many(queries.rooms_to_tell, Room)
opens_soon = sql.value(queries.opens_soon, datetime)
who_gathers = sql.many(queries.who_gathers, Gathering)
who_is_away = sql.many(queries.who_is_away, Away)
