"""What this room announces."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class VenueChanged(Fact, frozen=True, kw_only=True):
    """A venue was made, changed or deleted. `changed` names the fields."""

    name: ClassVar[str] = "venue.changed"
    changed: tuple[str, ...] = ()
    deleted: bool = False


class GateChanged(Fact, frozen=True, kw_only=True):
    """A gate was made, opened, closed, changed or deleted: scanners look again."""

    name: ClassVar[str] = "gate.changed"
    venue_id: UUID
    status: str


class LimitsJudged(Fact, frozen=True, kw_only=True):
    """An edit is about to be judged by what is held and sold of the event: what is overdue ends first, whether it was
    swept or not. It stays inside of the transaction (`outbox.follow`). The event is locked."""

    name: ClassVar[str] = "event.limits_judged"


class EventFact(Fact, frozen=True, kw_only=True):
    """What every fact about a show says: the status before and after, and the dates that count."""

    old_status: str
    new_status: str
    rescheduled_at: datetime | None = None
    replaced_by_event_id: UUID | None = None
    reason: str | None = None


class DatedFact(EventFact, frozen=True, kw_only=True):
    """By how many days the whole show was moved with it: what is valid on certain days moves along."""

    moved_days: int = 0


class ListedFact(DatedFact, frozen=True, kw_only=True):
    """The event itself in the words of `/event/v1`, so that a join or feed service need not ask: how many may take part
    (`capacity`, 0 is unlimited), what it is, where and when. Messages of earlier versions have none of these.
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
    """A show was made: a draft that nobody sees yet. `copy_of` is the show that it repeats, if it does."""

    name: ClassVar[str] = "event.created"
    copy_of: UUID | None = None


class EventPublished(ListedFact, frozen=True, kw_only=True):
    """The public can see a show, and buy when its sale is open."""

    name: ClassVar[str] = "event.published"


class EventUnpublished(EventFact, frozen=True, kw_only=True):
    """A show is a draft again. Nothing was sold or held."""

    name: ClassVar[str] = "event.unpublished"


class EventStarted(DatedFact, frozen=True, kw_only=True):
    """A show is live: its doors are open."""

    name: ClassVar[str] = "event.started"


class EventEnded(EventFact, frozen=True, kw_only=True):
    """A show is over."""

    name: ClassVar[str] = "event.ended"


class EventPostponed(EventFact, frozen=True, kw_only=True):
    """A show does not take place when it should have; `rescheduled_at` is the new date, if there is one."""

    name: ClassVar[str] = "event.postponed"


class EventRescheduled(EventFact, frozen=True, kw_only=True):
    """A postponed show has a new date."""

    name: ClassVar[str] = "event.rescheduled"


class EventCanceled(EventFact, frozen=True, kw_only=True):
    """A show does not take place. What was held is released, what was sold is refunded."""

    name: ClassVar[str] = "event.canceled"


class EventArchived(EventFact, frozen=True, kw_only=True):
    """A show is put away. Nothing about it changes any more."""

    name: ClassVar[str] = "event.archived"


class EventUpdated(ListedFact, frozen=True, kw_only=True):
    """A show was changed. `changed` names the fields: those who sold for the old time or place look for theirs."""

    name: ClassVar[str] = "event.updated"
    changed: list[str]
    consent_note: str | None = None
    drop_layout: bool = False  # whoever moved it to another venue said that its seating plan may go


class EventDeleted(EventFact, frozen=True, kw_only=True):
    """A show that never sold a ticket is gone."""

    name: ClassVar[str] = "event.deleted"


ABOUT_A_SHOW: tuple[type[EventFact], ...] = (
    EventCreated, EventPublished, EventUnpublished, EventStarted, EventEnded, EventPostponed, EventRescheduled,
    EventCanceled, EventArchived, EventUpdated, EventDeleted,
)  # fmt: skip
