"""Runs `guest_queries.sql`, row to model."""

from uuid import UUID

from fullhouse.checkout import guest_queries
from fullhouse.checkout.model import StoredSession
from fullhouse.kit import sql

lock_shows = sql.value(guest_queries.lock_shows, list[UUID])
lock_checkouts = sql.many(guest_queries.lock_checkouts, StoredSession)
lock_new_checkouts = sql.many(guest_queries.lock_new_checkouts, StoredSession)
shows_with_checkouts = sql.value(guest_queries.shows_with_checkouts, list[UUID])
hand_over_checkout = sql.count(guest_queries.hand_over_checkout)
