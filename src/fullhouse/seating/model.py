"""Layouts, event overlays and the seating policy: what is stored and returned, the request bodies and the refusals."""

from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from fullhouse.accounts.model import Tier
from fullhouse.kit.errors import Conflict, Forbidden, Invalid, NotFound
from fullhouse.seating.plans.plan import AccessMode, Capacity, ZoneType

Reason = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"\S")]
LIST_MAX_BYTES = 2**20  # the longest list of seats or guests that may be sent at once
AVAILABLE, HELD, SOLD, BLOCKED, RESERVED = range(5)  # a seat's state; RESERVED is shown as blocked to everybody else
GroupKey = Annotated[str, Meta(min_length=1, max_length=64)]
PriceKey = Annotated[str, Meta(min_length=1, max_length=64)]


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a layout. All versions of one layout share `family_id`."""

    id: UUID
    venue_id: UUID | None
    family_id: UUID
    version: int
    name: str
    description: str
    status: Literal["draft", "active", "archived"]
    total_capacity: int
    seat_count: int
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime


class Zone(msgspec.Struct, frozen=True, kw_only=True):
    """A zone, as the layout defines it or as the event has changed it."""

    id: UUID
    position: int
    key: str
    name: str
    zone_type: str
    capacity: int
    access_mode: str
    membership_tier: str | None
    allowed_roles: list[str]
    price_category: str | None


class EventZone(Zone, frozen=True, kw_only=True):
    """`held` and `sold` are counters for a zone without seats; for the others they follow from the seats. `priced_as`
    is the price category that the event sets for the whole zone, instead of those of the layout."""

    priced_as: str | None
    companions_released: bool
    held: int
    sold: int


class LayoutView(Layout, frozen=True, kw_only=True):
    zones: list[Zone]


class EventLayout(msgspec.Struct, frozen=True, kw_only=True):
    """An event's seating: the layout version and what differs from it. Prices and policy by their names."""

    event_id: UUID
    layout_id: UUID
    disabled_zones: list[UUID]
    zone_overrides: dict[str, Any]
    pricing_zones: dict[str, Any]
    policy: dict[str, Any]
    version: int


class EventLayoutView(EventLayout, frozen=True, kw_only=True):
    zone_overrides: dict[str, "ZoneOverride"]
    pricing_zones: dict[str, str]
    policy: dict[str, bool | int | None]
    layout_version: int
    zones: list[EventZone]
    blocked_seat_ids: list[UUID]


class Released(msgspec.Struct, frozen=True, kw_only=True):
    """How many seats were released."""

    released: int


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """A seat in an event. `status` is what the public sees: a companion seat kept for another buyer is `blocked`."""

    id: UUID
    seat_key: str
    ordinal: int
    zone_id: UUID
    section: str
    row: str
    number: str
    category: str
    price_category: str | None
    companion_of: UUID | None
    status: str


class SeatChange(NamedTuple):
    """The bus message about an event's seats: their present states. The higher version is the newer message.

    `counts` has id, held, sold and version of zones without seats, and of ticket types that are nearly sold out. With
    `kept` the seats were in these states already: their holds got another end or another owner.
    """

    ordinals: list[int]
    states: list[int]
    versions: list[int]
    counts: list[tuple[str, int, int, int]]
    organization_id: Any
    kept: bool = False

    def add(self, ordinal: int, state: int, version: int) -> None:
        self.ordinals.append(ordinal)
        self.states.append(state)
        self.versions.append(version)


class ZoneOccupancy(msgspec.Struct, frozen=True, kw_only=True):
    """`key` is the zone's key on the map. `name` and `priced_as` are the event's own."""

    zone_id: UUID
    key: str
    name: str
    priced_as: str | None
    zone_type: str
    capacity: int
    available: int
    held: int
    sold: int
    blocked: int


class Occupancy(msgspec.Struct, frozen=True, kw_only=True):
    capacity: int
    available: int
    held: int
    sold: int
    blocked: int
    zones: list[ZoneOccupancy]
    version: str


class Seating(msgspec.Struct, frozen=True, kw_only=True):
    """Both are null for an event without a layout."""

    layout_id: UUID | None
    occupancy: Occupancy | None


class PolicyValue(msgspec.Struct, frozen=True, kw_only=True):
    """One field of the effective policy, and which level sets it: the event, the organisation or the platform."""

    name: str
    value: bool | int | None
    source: Literal["event", "organization", "platform"]
    default: bool | int | None
    mandatory: bool
    meaning: str
    low: int | None = None  # of a number; a switch has neither
    high: int | None = None
    optional: bool = False  # may be null, which means no limit


class Guest(msgspec.Struct, frozen=True):
    """A person on a zone's guest list."""

    email: str
    name: str
    created_at: datetime


class LayoutMigration(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    event_id: UUID
    from_layout_id: UUID
    to_layout_id: UUID
    status: Literal["planned", "applied", "discarded"]
    respond_by: datetime
    planned_by: UUID | None
    approved_by: UUID | None
    created_at: datetime
    applied_at: datetime | None


class SeatMove(msgspec.Struct, frozen=True, kw_only=True):
    """The new seat of a ticket; `to_seat_id` is null if there is no equal or better one."""

    ticket_id: UUID
    from_seat_id: UUID
    from_seat_key: str
    to_seat_id: UUID | None
    to_seat_key: str | None
    kind: str
    reason: str


class LayoutMigrationView(LayoutMigration, frozen=True, kw_only=True):
    same: int
    moved: int
    unplaced: int
    moves: list[SeatMove]


# --- requests


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all request bodies: unknown fields are refused."""


class ZoneOverride(Request, frozen=True, kw_only=True, omit_defaults=True):
    """What differs in a zone for this event only."""

    name: Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S")] | UnsetType = UNSET
    zone_type: ZoneType | UnsetType = UNSET
    capacity: Capacity | UnsetType = UNSET
    access_mode: AccessMode | UnsetType = UNSET
    membership_tier: Tier | UnsetType = UNSET
    allowed_roles: Annotated[list[str], Meta(max_length=10)] | UnsetType = UNSET


class AttachLayout(Request, frozen=True, kw_only=True):
    """The whole overlay: fields that are left out are as in the layout."""

    layout_id: UUID
    disabled_zones: Annotated[list[UUID], Meta(max_length=500)] = []
    zone_overrides: Annotated[dict[UUID, ZoneOverride], Meta(max_length=500)] = {}
    pricing_zones: Annotated[dict[UUID, PriceKey], Meta(max_length=500)] = {}
    blocked_seat_ids: Annotated[list[UUID], Meta(max_length=200_000)] = []
    policy: dict[str, bool | int | None] = {}


class SeatChoice(Request, frozen=True, kw_only=True):
    """Seats, one by one or as groups of the layout: an allotment, a table."""

    seat_ids: Annotated[list[UUID], Meta(max_length=10_000)] = []
    groups: Annotated[list[GroupKey], Meta(max_length=1000)] = []
    reason: Reason


class SetPolicy(Request, frozen=True, kw_only=True):
    """The organisation's policy: fields that differ from the defaults, and those that no event may override."""

    values: dict[str, bool | int | None]
    mandatory: Annotated[list[str], Meta(max_length=50)] = []


class SetEventPolicy(Request, frozen=True, kw_only=True):
    """The event's policy: all fields in which it differs from its organisation."""

    policy: dict[str, bool | int | None]


class AddGuests(Request, frozen=True, kw_only=True):
    guests: Annotated[list["NewGuest"], Meta(min_length=1, max_length=1000)]


class NewGuest(Request, frozen=True, kw_only=True):
    email: Annotated[str, Meta(min_length=3, max_length=254, pattern=r"^[^@\s]+@[^@\s]+$(?!\n)")]
    name: Annotated[str, Meta(max_length=120)] = ""


class PlanMigration(Request, frozen=True, kw_only=True):
    to_layout_id: UUID
    respond_by: datetime


# --- refusals


class LayoutNotFound(NotFound):
    """There is no such layout in this organisation."""

    code, title = "layout_not_found", "No such layout"


class NoLayout(NotFound):
    """The event has no layout: it sells general admission only."""

    code, title = "event_has_no_layout", "The event has no seating layout"


class ZoneNotFound(NotFound):
    """The event has no such zone, or the zone is disabled."""

    code, title = "zone_not_found", "No such zone"


class SeatNotFound(NotFound):
    """The event has no such seat."""

    code, title = "seat_not_found", "No such seat"


class GroupNotFound(NotFound):
    """The event's layout has no such group of seats."""

    code, title = "seat_group_not_found", "No such group of seats"


class LayoutFixed(Conflict):
    """Only a draft is changed in place. Make a new version instead."""

    code, title = "layout_fixed", "The layout is no longer a draft"


class LayoutNotActive(Conflict):
    """Only an active layout can be attached to an event. Activate it first."""

    code, title = "layout_not_active", "The layout is not active"


class LayoutInUse(Conflict):
    """Seats of this event are held or sold, so its layout cannot be replaced or removed. A migration moves ticket
    holders to another version. `held` and `sold` are the numbers."""

    code, title = "layout_in_use", "Seats are held or sold already"


class LayoutLeftBehind(Conflict):
    """The event uses a seating plan of its present venue. Send `drop_layout` to change the venue and drop the plan."""

    code, title = "layout_left_behind", "The event would lose its seating plan"


class OtherVenue(Invalid):
    """The layout belongs to another venue than the event."""

    code, title = "layout_of_another_venue", "The layout belongs to another venue"


class OverlayInvalid(Invalid):
    """The event's overlay does not fit its layout or the policy. `fields` lists all mistakes."""

    code, title = "overlay_invalid", "The overlay does not fit"


class PolicyInvalid(Invalid):
    """A field of the seating policy is unknown, out of range, or may not be overridden. `fields` lists all mistakes."""

    code, title = "seating_policy_invalid", "The seating policy does not allow this"


class ZoneAccessDenied(Forbidden):
    """The zone is for members, for certain roles or for listed guests only. `detail` says for whom."""

    code, title = "zone_access_denied", "This zone is not open to you"


class SeatSold(Conflict):
    """Only a refund, a cancellation or a migration frees a sold seat."""

    code, title = "seat_sold", "The seat is sold"


class MigrationOpen(Conflict):
    """The event has a planned migration already. Approve or discard that first."""

    code, title = "migration_open", "Another migration is planned"


class MigrationStale(Conflict):
    """Seats were sold, refunded or moved since the migration was planned. Plan it again."""

    code, title = "migration_stale", "The plan is out of date"
