"""A show as the public sees it, in the words of the event service (`/event/v1`)."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from fullhouse.events.model import Category, City, Count, Description, EventName, Request


class PublicEvent(msgspec.Struct, frozen=True, kw_only=True):
    """`status` knows three words here: a show that is live or postponed is `published` too; `phase` says which."""

    id: UUID
    organization: str
    organization_name: str
    slug: str
    title: str
    description: str
    category: str
    status: str
    phase: str
    sale_status: str
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
    capacity: int
    published_at: datetime


class OwnEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A show as its maker sees it, whatever its status."""

    id: UUID
    owner_id: UUID | None
    title: str
    description: str
    city: str
    category: str
    start_time: datetime
    end_time: datetime
    capacity: int
    status: str
    published_at: datetime | None
    canceled_at: datetime | None
    created_at: datetime
    updated_at: datetime


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


class ChangePublicEvent(Request, frozen=True, kw_only=True):
    title: EventName | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    category: Category | UnsetType = UNSET
    start_time: datetime | UnsetType = UNSET
    end_time: datetime | UnsetType = UNSET
    capacity: Count | UnsetType = UNSET


SearchText = Annotated[str, Meta(min_length=1, max_length=200)]

# Three words outside for seven inside.
WORDS = {
    "draft": "draft",
    "published": "published",
    "live": "published",
    "postponed": "published",
    "ended": "published",
    "cancelled": "canceled",
    "archived": "canceled",
}
