"""Events as the public sees them, with the field names of the event service (`/event/v1`)."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from fullhouse.events.model import (
    Category,
    City,
    Consent,
    Count,
    CoverImages,
    Description,
    EventName,
    Reason,
    Request,
)
from fullhouse.kit.errors import NotFound
from fullhouse.kit.text import fold

# Sorts an event that was postponed without a new date after all others in the feed. It is never displayed.
UNDATED = datetime(9000, 1, 1, tzinfo=UTC)


class Picture(msgspec.Struct, frozen=True):
    """The URLs of a cover picture; the longest side is 400, 800 or 1600 pixels. An event without a picture has a
    `generated` poster, under the event's id, until one is uploaded.
    """

    id: UUID
    small: str
    medium: str
    large: str
    generated: bool = False


class SalePeriod(msgspec.Struct, frozen=True):
    """Both ends are inclusive."""

    start_at: datetime
    end_at: datetime


class PublicEvent(msgspec.Struct, frozen=True, kw_only=True):
    """`status` has three values here: a live or postponed event is `published` too; `phase` is the exact status. The
    sale lasts from the first ticket type's start to the last one's end; without ticket types (`has_tickets`) it is
    `upcoming`. `sale_periods` are the periods with tickets to buy, in order, if they do not cover the whole sale."""

    id: UUID
    organization_id: UUID
    organization: str
    organization_name: str
    slug: str
    title: str
    description: str
    category: str
    status: str
    phase: str
    sale_status: str
    sold_out: bool
    venue_name: str
    city: str
    country: str
    address: str | None
    timezone: str
    start_time: datetime
    end_time: datetime
    first_start_time: datetime
    rescheduled_at: datetime | None
    sale_start_at: datetime
    sale_end_at: datetime
    sale_periods: list[SalePeriod] | None
    has_tickets: bool
    capacity: int
    cover_image_ids: list[UUID]
    cover_images: list[Picture]
    owner_id: UUID | None
    active_participants: int
    published_at: datetime
    created_at: datetime
    changed_at: datetime

    @property
    def feed_position(self) -> datetime:
        """The sort key of the feed. `start_time` is for display: the original date if there is no new one yet."""
        return UNDATED if self.phase == "postponed" and self.rescheduled_at is None else self.start_time


def is_online(event: PublicEvent) -> bool:
    """A venue without an address is virtual. One with the name of its city stands for an unknown venue in that city."""
    return event.address is None and fold(event.venue_name) != fold(event.city)


class OwnEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event as its creator sees it, in every status. An archived one has its earlier status: `canceled` if it was
    cancelled, `published` if it was ever published, otherwise `draft`.
    """

    id: UUID
    owner_id: UUID | None
    title: str
    description: str
    city: str
    category: str
    start_time: datetime
    end_time: datetime
    capacity: int
    cover_image_ids: list[UUID]
    status: str
    active_participants: int
    published_at: datetime | None
    canceled_at: datetime | None
    created_at: datetime
    updated_at: datetime


class PublicOrganization(msgspec.Struct, frozen=True):
    """The fields of an organisation that its public events carry."""

    is_open: bool
    slug: str
    name: str


class CitySuggestion(msgspec.Struct, frozen=True):
    city: str
    country: str
    events: int


class NewPublicEvent(Request, frozen=True, kw_only=True):
    """Without a `venue_id`, a `city` is required: a virtual venue is used for the whole city."""

    title: EventName
    description: Description
    category: Category
    start_time: datetime
    end_time: datetime
    city: City | None = None
    venue_id: UUID | None = None
    capacity: Count = 0
    cover_image_ids: CoverImages = []  # noqa: RUF012  (msgspec copies it)


class ChangePublicEvent(Request, frozen=True, kw_only=True):
    """Either `city` or `venue_id` moves the event: once it is announced with a `reason`, and once tickets are sold with
    a `consent_note` too. A new start shifts the end, unless that is given.
    """

    title: EventName | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    category: Category | UnsetType = UNSET
    start_time: datetime | UnsetType = UNSET
    end_time: datetime | UnsetType = UNSET
    capacity: Count | UnsetType = UNSET
    cover_image_ids: CoverImages | UnsetType = UNSET
    city: City | UnsetType = UNSET
    venue_id: UUID | UnsetType = UNSET
    reason: Reason | None = None
    consent_note: Consent | None = None


class EventNotFound(NotFound):
    """There is no such event, or it is not public."""

    code, title = "event_not_found", "Event not found"


# The reason that is recorded when a client of the event service gives none: its specification has no body there.
CANCEL_REASON = "canceled through the event service"

SearchText = Annotated[str, Meta(min_length=1, max_length=200)]

# Seven statuses as the three of `/event/v1`; `archived` depends on the event's past (see `to_public_status`).
PUBLIC_STATUSES = {
    "draft": "draft",
    "published": "published",
    "live": "published",
    "postponed": "published",
    "ended": "published",
    "cancelled": "canceled",
}


def to_public_status(status: str, published_at: datetime | None, cancelled_at: datetime | None) -> str:
    if status in PUBLIC_STATUSES:
        return PUBLIC_STATUSES[status]
    return "canceled" if cancelled_at else "published" if published_at else "draft"
