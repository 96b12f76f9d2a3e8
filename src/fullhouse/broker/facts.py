"""What others tell us, and this room passes on: who takes part in a show."""

from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

from msgspec import Meta

from fullhouse.kit.messages.outbox import Fact


class JoinFact(Fact, frozen=True, kw_only=True):
    """`subject_id` is the participation: one person's place at one show. `at` says when it was so: the latest counts,
    in whichever order they come.
    """

    event_id: UUID
    at: Annotated[datetime, Meta(tz=True)]


class JoinConfirmed(JoinFact, frozen=True, kw_only=True):
    """Somebody takes part in a show. Received: whoever keeps the participations publishes it."""

    name: ClassVar[str] = "join.confirmed"


class JoinCanceled(JoinFact, frozen=True, kw_only=True):
    """Somebody takes part no longer. Received, like `join.confirmed`."""

    name: ClassVar[str] = "join.canceled"
