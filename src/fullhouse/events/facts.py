"""The facts of venues, gates and events."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class VenueChanged(Fact, frozen=True, kw_only=True):
    """A venue was created, changed or deleted. `changed` names the fields."""

    name: ClassVar[str] = "venue.changed"
    changed: tuple[str, ...] = ()
    deleted: bool = False


class GateChanged(Fact, frozen=True, kw_only=True):
    """A gate was created, opened, closed, changed or deleted. Scanners reload it."""

    name: ClassVar[str] = "gate.changed"
    venue_id: UUID
    status: str


class LimitsJudged(Fact, frozen=True, kw_only=True):
    """A change of limits is about to be checked against the event's holds and sales: overdue holds and checkouts end
    first, even if the sweep has not run. Has sync handlers only (`outbox.run_sync_handlers`). The event is locked."""

    name: ClassVar[str] = "event.limits_judged"


class EventFact(Fact, frozen=True, kw_only=True):
    """Base of all facts about an event: the status before and after, and the effective dates."""

    old_status: str
    new_status: str
    rescheduled_at: datetime | None = None
    replaced_by_event_id: UUID | None = None
    reason: str | None = None


class DatedFact(EventFact, frozen=True, kw_only=True):
    """`moved_days`: by how many days the event was moved. Tickets that are valid on certain days move by as many."""

    moved_days: int = 0


class ListedFact(DatedFact, frozen=True, kw_only=True):
    """The event with the field names of `/event/v1`, so that a join or feed service need not fetch it. `capacity` 0 is
    unlimited. Messages of earlier versions have none of these fields.
    """

    title: str | None = None
    description: str | None = None
    category: str | None = None
    city: str | None = None
    start_time: datetime | None = None
    end_time: datetime | None = None
    capacity: int | None = None
    owner_id: UUID | None = None
    cover_image_ids: list[UUID] | None = None
    published_at: datetime | None = None


class EventCreated(EventFact, frozen=True, kw_only=True):
    """An event was created as a draft; the public does not see it yet. `copy_of` is the event that was duplicated."""

    name: ClassVar[str] = "event.created"
    copy_of: UUID | None = None


class EventPublished(ListedFact, frozen=True, kw_only=True):
    """An event is public, and tickets can be bought while its sale is open."""

    name: ClassVar[str] = "event.published"


class EventUnpublished(EventFact, frozen=True, kw_only=True):
    """An event is a draft again. No ticket was sold or held."""

    name: ClassVar[str] = "event.unpublished"


class EventStarted(DatedFact, frozen=True, kw_only=True):
    """An event is live: its doors are open."""

    name: ClassVar[str] = "event.started"


class EventEnded(EventFact, frozen=True, kw_only=True):
    """An event is over."""

    name: ClassVar[str] = "event.ended"


class EventPostponed(EventFact, frozen=True, kw_only=True):
    """An event is postponed; `rescheduled_at` is the new date, if there is one."""

    name: ClassVar[str] = "event.postponed"


class EventRescheduled(EventFact, frozen=True, kw_only=True):
    """A postponed event has a new date."""

    name: ClassVar[str] = "event.rescheduled"


class EventCanceled(EventFact, frozen=True, kw_only=True):
    """An event is cancelled. Holds are released and paid orders are refunded."""

    name: ClassVar[str] = "event.canceled"


class EventArchived(EventFact, frozen=True, kw_only=True):
    """An event is archived. It does not change any more."""

    name: ClassVar[str] = "event.archived"


class EventUpdated(ListedFact, frozen=True, kw_only=True):
    """An event was changed. `changed` names the fields."""

    name: ClassVar[str] = "event.updated"
    changed: list[str]
    consent_note: str | None = None
    drop_layout: bool = False  # the request moved it to another venue and allowed its seating plan to be dropped


class EventDeleted(EventFact, frozen=True, kw_only=True):
    """A draft was deleted."""

    name: ClassVar[str] = "event.deleted"


EVENT_FACTS: tuple[type[EventFact], ...] = (
    EventCreated, EventPublished, EventUnpublished, EventStarted, EventEnded, EventPostponed, EventRescheduled,
    EventCanceled, EventArchived, EventUpdated, EventDeleted,
)  # fmt: skip
