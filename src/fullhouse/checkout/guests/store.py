"""Runs `queries.sql`, row to model."""

from uuid import UUID

from fullhouse.checkout.guests import queries
from fullhouse.checkout.model import StoredSession
from fullhouse.kit.db import sql

lock_events_of_guest = sql.value(queries.lock_events_of_guest, list[UUID])
lock_checkouts = sql.many(queries.lock_checkouts, StoredSession)
lock_new_checkouts = sql.many(queries.lock_new_checkouts, StoredSession)
events_with_checkouts = sql.value(queries.events_with_checkouts, list[UUID])
hand_over_checkout = sql.count(queries.hand_over_checkout)
