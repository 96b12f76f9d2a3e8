"""A show as the public sees it, in the words of the event service (`/event/v1`)."""

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
from fullhouse.kit.text import folded

# Where a show stands in the feed that was postponed without a date: after all that have one. Nobody is shown this.
UNDATED = datetime(9000, 1, 1, tzinfo=UTC)


class Picture(msgspec.Struct, frozen=True):
    """Where a cover picture is found, by the longest side of each size: 400, 800 and 1600 pixels. An event without one
    has a poster that is `generated`, under its own id, until a picture is uploaded.
    """

    id: UUID
    small: str
    medium: str
    large: str
    generated: bool = False


class SalePeriod(msgspec.Struct, frozen=True):
    """Both ends belong to it."""

    start_at: datetime
    end_at: datetime


class PublicEvent(msgspec.Struct, frozen=True, kw_only=True):
    """`status` knows three words here: a show that is live or postponed is `published` too; `phase` says which. Its
    sale lasts from the first ticket type's start to the last one's end; without any (`has_tickets`) it is to come.
    `sale_periods` say when there is something to buy, in order, if that is not all of that time."""

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
    def place_in_feed(self) -> datetime:
        """What it is ordered by; `start_time` is what people read, the first date where there is no new one yet."""
        return UNDATED if self.phase == "postponed" and self.rescheduled_at is None else self.start_time


def is_online(show: PublicEvent) -> bool:
    """A venue without an address is virtual. One that is named like its city only says that the place is not known."""
    return show.address is None and folded(show.venue_name) != folded(show.city)


class OwnEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A show as its maker sees it, whatever its status. One that was put away is called what it was before:
    `canceled` if it was cancelled, `published` if it was ever announced, otherwise `draft`.
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


class House(msgspec.Struct, frozen=True):
    """An organisation, as its shows name it."""

    is_open: bool
    slug: str
    name: str


class CitySuggestion(msgspec.Struct, frozen=True):
    city: str
    country: str
    events: int


class NewPublicEvent(Request, frozen=True, kw_only=True):
    """Without a venue, the show is in a city: a virtual venue stands for it."""

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
    """Either `city` or `venue_id` moves the show: once it is announced with a `reason`, once something is sold with a
    `consent_note` too. Another start takes the end along, unless that is named.
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
    """There is no such show, or the public cannot see it."""

    code, title = "event_not_found", "No such show"


# What is recorded where a client of the event service cancels without a word: its own document has no body there.
CANCEL_REASON = "canceled through the event service"

SearchText = Annotated[str, Meta(min_length=1, max_length=200)]

# Three words outside for seven inside; what `archived` is, its past says.
WORDS = {
    "draft": "draft",
    "published": "published",
    "live": "published",
    "postponed": "published",
    "ended": "published",
    "cancelled": "canceled",
}


def word(status: str, published_at: datetime | None, cancelled_at: datetime | None) -> str:
    if status in WORDS:
        return WORDS[status]
    return "canceled" if cancelled_at else "published" if published_at else "draft"
