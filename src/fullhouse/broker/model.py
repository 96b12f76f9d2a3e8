"""The outbox as an operator sees it, and our names in the broker."""

from datetime import datetime
from uuid import UUID

import msgspec

EXCHANGE = "fullhouse"
JOINS = f"{EXCHANGE}.joins"


class Backlog(msgspec.Struct, frozen=True):
    """How much waits, and for how long the oldest has."""

    unsent: int
    unhandled: int
    parked_facts: int
    owed: int
    parked_reactions: int
    failed_jobs: int
    unsent_s: float
    unhandled_s: float


class MailBacklog(msgspec.Struct, frozen=True):
    """Emails that were not sent: not tried yet, tried without success, or given up; and how old the oldest of the first
    two is."""

    waiting: int
    delayed: int
    given_up: int
    oldest_s: float


class DeadLettered(msgspec.Struct, frozen=True):
    """A dead-lettered fact or handler call. `consumer` is `broker`, or the async handler that failed."""

    consumer: str
    message_id: UUID
    organization_id: UUID
    name: str
    subject_id: UUID
    attempts: int
    parked_at: datetime
    last_error: str | None


class MiscountedEvent(msgspec.Struct, frozen=True):
    organization_id: UUID
    event_id: UUID
