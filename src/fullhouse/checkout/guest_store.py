"""Runs `guest_queries.sql`, row to model."""

from uuid import UUID

from fullhouse.checkout.model import StoredSession
from fullhouse.kit import sql

statements = sql.load(__file__)

lock_shows = statements.value("lock_shows", list[UUID])
lock_checkouts = statements.many("lock_checkouts", StoredSession)
lock_new_checkouts = statements.many("lock_new_checkouts", StoredSession)
shows_with_checkouts = statements.value("shows_with_checkouts", list[UUID])
hand_over_checkout = statements.count("hand_over_checkout")
