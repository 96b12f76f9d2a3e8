"""What this room announces."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from fullhouse.kit.outbox import Fact


class VenueChanged(Fact, frozen=True, kw_only=True):
    """A venue was made, changed or deleted."""

    name: ClassVar[str] = "venue.changed"
    deleted: bool = False


class GateChanged(Fact, frozen=True, kw_only=True):
    """A gate was made, opened, closed, changed or deleted: scanners look again."""

    name: ClassVar[str] = "gate.changed"
    venue_id: UUID
    status: str


class EventFact(Fact, frozen=True, kw_only=True):
    """What every fact about a show says: the status before and after, and the dates that count."""

    old_status: str
    new_status: str
    rescheduled_at: datetime | None = None
    replaced_by_event_id: UUID | None = None
    reason: str | None = None


class EventCreated(EventFact, frozen=True, kw_only=True):
    name: ClassVar[str] = "event.created"


class EventPublished(EventFact, frozen=True, kw_only=True):
    name: ClassVar[str] = "event.published"


class EventUnpublished(EventFact, frozen=True, kw_only=True):
    name: ClassVar[str] = "event.unpublished"


class EventStarted(EventFact, frozen=True, kw_only=True):
    name: ClassVar[str] = "event.started"


class EventEnded(EventFact, frozen=True, kw_only=True):
    name: ClassVar[str] = "event.ended"


class EventPostponed(EventFact, frozen=True, kw_only=True):
    name: ClassVar[str] = "event.postponed"


class EventRescheduled(EventFact, frozen=True, kw_only=True):
    name: ClassVar[str] = "event.rescheduled"


class EventCanceled(EventFact, frozen=True, kw_only=True):
    name: ClassVar[str] = "event.canceled"


class EventArchived(EventFact, frozen=True, kw_only=True):
    name: ClassVar[str] = "event.archived"


class EventUpdated(EventFact, frozen=True, kw_only=True):
    """`changed` names the fields; those who sold for the old time or place look for theirs in it."""

    name: ClassVar[str] = "event.updated"
    changed: list[str]
    consent_note: str | None = None


class EventDeleted(EventFact, frozen=True, kw_only=True):
    name: ClassVar[str] = "event.deleted"


ABOUT_A_SHOW: tuple[type[EventFact], ...] = (
    EventCreated, EventPublished, EventUnpublished, EventStarted, EventEnded, EventPostponed, EventRescheduled,
    EventCanceled, EventArchived, EventUpdated, EventDeleted,
)  # fmt: skip
