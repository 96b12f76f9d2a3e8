"""Venues, gates and events: rows, API structs, request bodies and refusals."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from fullhouse.events.sale.states import Move as Move
from fullhouse.events.sale.states import Status as Status
from fullhouse.kit.errors import Conflict, Forbidden, Invalid

Name = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S")]
# `$` alone would let a line break through at the very end: hence `(?!\n)`.
Slug = Annotated[str, Meta(pattern=r"^[a-z0-9](-?[a-z0-9]){0,99}$(?!\n)", max_length=100, examples=["main-hall"])]
City = Annotated[str, Meta(min_length=1, max_length=50, pattern=r"\S")]
Country = Annotated[str, Meta(min_length=2, max_length=56, pattern=r"\S", description="ISO code or name.")]
Address = Annotated[str, Meta(min_length=5, max_length=500, description="Postal address, as used on an envelope.")]
Timezone = Annotated[str, Meta(min_length=1, max_length=64, examples=["Europe/Amsterdam"])]
Latitude = Annotated[float, Meta(ge=-90, le=90)]
Longitude = Annotated[float, Meta(ge=-180, le=180)]
Count = Annotated[int, Meta(ge=0, le=1_000_000)]
Places = Annotated[int, Meta(ge=1, le=1_000_000)]
GateCode = Annotated[str, Meta(pattern=r"^[A-Z0-9][A-Z0-9_-]{0,39}$(?!\n)", max_length=40, examples=["GATE_A"])]
Settings = Annotated[dict[str, Any], Meta(max_length=50)]

EventName = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
Description = Annotated[str, Meta(min_length=1, max_length=2000, pattern=r"\S")]
Category = Annotated[str, Meta(pattern=r"^[a-z0-9](_?[a-z0-9]){0,39}$(?!\n)", max_length=40, examples=["theatre"])]
CoverImages = Annotated[list[UUID], Meta(max_length=10, description="Uploaded pictures; the first is the poster.")]
Reason = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"\S")]
Consent = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"\S", description="Who agreed to it, and how.")]


class AddressParts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The address in separate fields, for printing."""

    street: Annotated[str, Meta(max_length=200)] | None = None
    postal_code: Annotated[str, Meta(max_length=20)] | None = None
    region: Annotated[str, Meta(max_length=100)] | None = None


class Venue(msgspec.Struct, frozen=True):
    id: UUID
    slug: str
    name: str
    kind: str
    timezone: str
    address: str | None
    address_parts: AddressParts
    city: str
    country: str
    latitude: float | None
    longitude: float | None
    max_capacity: int
    settings: dict[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime


class Gate(msgspec.Struct, frozen=True):
    id: UUID
    venue_id: UUID
    gate_code: str
    name: str
    status: Literal["open", "closed"]
    capacity: int | None
    settings: dict[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """An event, as it is stored. Times are UTC; they are displayed in `timezone`, the venue's."""

    id: UUID
    venue_id: UUID | None
    slug: str
    name: str
    description: str
    category: str
    status: str
    start_at: datetime
    end_at: datetime
    doors_at: datetime
    sale_start_at: datetime
    sale_end_at: datetime
    rescheduled_at: datetime | None
    capacity: int
    settings: dict[str, Any]
    venue_name: str
    city: str
    country: str
    address: str | None
    timezone: str
    cover_image_ids: list[UUID]
    recurrence_group_id: UUID | None
    replaced_by_event_id: UUID | None
    postponement_reason: str | None
    cancellation_reason: str | None
    created_by: UUID | None
    version: int
    published_at: datetime | None
    cancelled_at: datetime | None
    created_at: datetime
    updated_at: datetime


class EventView(Event, frozen=True, kw_only=True):
    """An event, the fields derived from its status and the current time, and its allowed status transitions (`moves`).
    `sold` of its `places` are sold or blocked; an event without a limit has no `places`. Except in lists it has
    `active_participants`: people who joined and did not leave, counted from `join.confirmed` and `join.canceled`."""

    status: Status
    sale_status: str
    sold: int
    places: int | None
    can_sell: bool
    scanning: str
    visible: bool
    moves: list[Move]
    start_at_unix_ms: int
    server_time_unix_ms: int
    active_participants: int | None = None


class EventSummary(msgspec.Struct, frozen=True, kw_only=True):
    """An event in short, cached: for dashboards, drop-downs and other domains."""

    id: UUID
    org_id: UUID
    name: str
    slug: str
    status: Status
    start_at: datetime
    end_at: datetime
    sale_start_at: datetime
    sale_end_at: datetime
    rescheduled_at: datetime | None
    venue_id: UUID | None
    timezone: str
    capacity: int
    replaced_by_event_id: UUID | None


# --- requests


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all request bodies: unknown fields are refused."""


class NewVenue(Request, frozen=True, kw_only=True):
    name: Name
    city: City
    country: Country
    timezone: Timezone
    kind: Literal["physical", "virtual"] = "physical"
    slug: Slug | None = None
    address: Address | None = None
    address_parts: AddressParts = AddressParts()
    latitude: Latitude | None = None
    longitude: Longitude | None = None
    max_capacity: Count = 0
    settings: Settings = {}


class ChangeVenue(Request, frozen=True, kw_only=True):
    name: Name | UnsetType = UNSET
    city: City | UnsetType = UNSET
    country: Country | UnsetType = UNSET
    timezone: Timezone | UnsetType = UNSET
    kind: Literal["physical", "virtual"] | UnsetType = UNSET
    slug: Slug | UnsetType = UNSET
    address: Address | UnsetType | None = UNSET
    address_parts: AddressParts | UnsetType = UNSET
    latitude: Latitude | UnsetType | None = UNSET
    longitude: Longitude | UnsetType | None = UNSET
    max_capacity: Count | UnsetType = UNSET
    settings: Settings | UnsetType = UNSET


class NewGate(Request, frozen=True, kw_only=True):
    gate_code: GateCode
    name: Name
    status: Literal["open", "closed"] = "open"
    capacity: Places | None = None
    settings: Settings = {}


class ChangeGate(Request, frozen=True, kw_only=True):
    gate_code: GateCode | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    status: Literal["open", "closed"] | UnsetType = UNSET
    capacity: Places | UnsetType | None = UNSET
    settings: Settings | UnsetType = UNSET


class NewEvent(Request, frozen=True, kw_only=True):
    venue_id: UUID
    name: EventName
    description: Description
    category: Category
    start_at: datetime
    end_at: datetime
    slug: Slug | None = None
    doors_at: datetime | None = None
    sale_start_at: datetime | None = None
    sale_end_at: datetime | None = None
    capacity: Count = 0
    settings: Settings = {}
    cover_image_ids: CoverImages = []


class ChangeEvent(Request, frozen=True, kw_only=True):
    """`reason` is required to move an announced event to another venue, and `consent_note` too once tickets are sold.
    A seating plan belongs to its venue: moving the event to another venue requires `drop_layout`.

    A new `start_at` shifts `end_at`, `doors_at` and `sale_end_at` by the same amount, unless they are given.
    """

    venue_id: UUID | UnsetType = UNSET
    name: EventName | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    category: Category | UnsetType = UNSET
    start_at: datetime | UnsetType = UNSET
    end_at: datetime | UnsetType = UNSET
    slug: Slug | UnsetType = UNSET
    doors_at: datetime | UnsetType = UNSET
    sale_start_at: datetime | UnsetType = UNSET
    sale_end_at: datetime | UnsetType = UNSET
    capacity: Count | UnsetType = UNSET
    settings: Settings | UnsetType = UNSET
    cover_image_ids: CoverImages | UnsetType = UNSET
    replaced_by_event_id: UUID | UnsetType | None = UNSET
    reason: Reason | None = None
    consent_note: Consent | None = None
    drop_layout: bool = False


class WithReason(Request, frozen=True):
    reason: Reason | None = None


class Cancel(Request, frozen=True):
    """The reason is required: it is stored with the event and in its audit."""

    reason: Reason


class Postpone(Request, frozen=True, kw_only=True):
    reason: Reason
    rescheduled_at: datetime | None = None


class Reschedule(Request, frozen=True, kw_only=True):
    rescheduled_at: datetime
    sale_end_at: datetime | None = None
    reason: Reason | None = None


class StopRequest(Request, frozen=True, kw_only=True):
    """A reason is always required; a tenant_manager also needs a reference to the tenant's consent."""

    reason: Reason
    tenant_approval_reference: Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")] | None = None


class Duplicate(Request, frozen=True, kw_only=True):
    start_at: datetime
    name: EventName | None = None


# --- refusals


class MoveNotAllowed(Conflict):
    """The event's status does not allow this. The response names the status and the allowed transitions."""

    code, title = "transition_not_allowed", "The event's status does not allow this"


class NoNewDate(Conflict):
    """A postponed event can be published or started only once it has a new date. Reschedule it first."""

    code, title = "no_new_date", "The event has no new date yet"


class EventIsOver(Conflict):
    """An event that has ended, was cancelled or is archived cannot be changed. Duplicate it instead."""

    code, title = "event_is_over", "The event can no longer be changed"


class ReplacedByItself(Invalid):
    """An event can only be replaced by another event."""

    code, title = "replaced_by_itself", "An event cannot replace itself"


class ReplacementCycle(Conflict):
    """The replacement is itself replaced by this event, directly or through others."""

    code, title = "replacement_cycle", "The events would replace each other"


class DateNotEditable(Conflict):
    """The date of a live or postponed event is not edited: postpone the first, reschedule the second."""

    code, title = "date_not_editable", "Postpone or reschedule the event instead"


class EventExists(Conflict):
    """The same person has already created an event with this name, venue and start."""

    code, title = "event_exists", "This event exists already"


class StartInThePast(Invalid):
    """An event must start in the future."""

    code, title = "start_in_the_past", "The start is in the past"


class InvalidTimes(Invalid):
    """Doors, start, end and sale window do not fit together."""

    code, title = "invalid_times", "The times do not fit together"


class AboveVenueCapacity(Invalid):
    """The event's capacity is above its venue's, or above the maximum for one event."""

    code, title = "capacity_above_venue", "The capacity is too high"


class VenueNotFound(Invalid):
    """There is no such venue in this organisation."""

    code, title = "venue_not_found", "Venue not found"


class TimesAreFixed(Forbidden):
    """Staff cannot change the times of an event that is not a draft; an admin can."""

    code, title = "times_are_fixed", "Only an admin can change the times of this event"


class VenueIsFixed(Forbidden):
    """Only an owner or admin can move an announced event to another venue."""

    code, title = "venue_is_fixed", "Only an admin can change the venue of this event"


class VenueChangeNeedsReason(Conflict):
    """Moving an announced event to another venue requires a `reason`."""

    code, title = "venue_change_needs_reason", "Enter a reason for the change of venue"


class VenueTooSmall(Conflict):
    """Announced events at this venue have a higher capacity than the venue would have. The response names them."""

    code, title = "venue_too_small", "Announced events need a larger venue"


class NotDeletable(Conflict):
    """Only drafts can be deleted. Archive the event instead."""

    code, title = "event_not_deletable", "Only drafts can be deleted: archive the event instead"


class ApprovalMissing(Forbidden):
    """A tenant_manager needs the tenant's documented consent (`tenant_approval_reference`)."""

    code, title = "tenant_approval_missing", "The tenant's approval is missing"


class SlugTaken(Conflict):
    """The organisation uses this slug already. Choose another one."""

    code, title = "slug_taken", "The slug is taken"


class GateCodeTaken(Conflict):
    """Another gate of this venue has this code."""

    code, title = "gate_code_taken", "The gate code is taken"


class NotGrantedToStaff(Forbidden):
    """The organisation's settings do not let staff create or change venues (`staff_may_edit_venues`)."""

    code, title = "not_granted_to_staff", "Staff may not do this here"
