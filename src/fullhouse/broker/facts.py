"""Facts that other services publish and this domain receives: who takes part in an event."""

from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

from msgspec import Meta

from fullhouse.kit.messages.outbox import Fact


class JoinFact(Fact, frozen=True, kw_only=True):
    """`subject_id` is the participation of one person in one event. `at` is the time of the change: the latest counts,
    in whichever order the messages arrive.
    """

    event_id: UUID
    at: Annotated[datetime, Meta(tz=True)]


class JoinConfirmed(JoinFact, frozen=True, kw_only=True):
    """A person takes part in an event. Received: the service that stores participations publishes it."""

    name: ClassVar[str] = "join.confirmed"


class JoinCanceled(JoinFact, frozen=True, kw_only=True):
    """A person no longer takes part. Received, like `join.confirmed`."""

    name: ClassVar[str] = "join.canceled"
