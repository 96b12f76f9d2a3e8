"""The seating plan as one document, format `fullhouse/1`: zones, sections, rows, seats, and which seats are neighbours.

Consecutive seats of a row are neighbours, unless `gap_before` says that an aisle or a missing seat lies between them.
Seat numbers never decide it. Rows are listed front to back. This module defines the shape only; `plan_checks.check`
finds mistakes in a plan.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from fullhouse.accounts.model import Tier
from fullhouse.kit.errors import Invalid

FORMAT = "fullhouse/1"
SEATS_MAX = 200_000
EXTENT_MAX = 100_000

ZoneType = Literal["reserved_seating", "ga_seated", "ga_standing", "vip_reserved", "vip_standing"]
AccessMode = Literal["public", "membership_tier", "role_based", "whitelist"]
Category = Literal["standard", "wheelchair", "companion", "restricted_view", "aisle"]
GroupType = Literal["wheelchair_pair", "family_block", "vip_table", "reserved_block"]
SoldAs = Literal["whole", "seats"]

CATEGORIES: tuple[Category, ...] = ("standard", "wheelchair", "companion", "restricted_view", "aisle")
RESERVED: frozenset[ZoneType] = frozenset({"reserved_seating", "vip_reserved"})  # these have seats, the others a count
VIP: frozenset[ZoneType] = frozenset({"vip_reserved", "vip_standing"})

# For price categories without a colour: four that everybody can tell apart, then their tints.
COLORS = ("#14213D", "#2A6FDB", "#E07A1F", "#8C2F6B", "#858B96", "#90B2E5", "#EBB787", "#C192AD")

# `$` alone would accept a line break at the very end: hence `(?!\n)`.
Key = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$(?!\n)", max_length=64, examples=["A-1"])]
Name = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S")]
Description = Annotated[str, Meta(max_length=2000)]
RowLabel = Annotated[str, Meta(min_length=1, max_length=24, pattern=r"\S", examples=["A"])]
SeatNumber = Annotated[str, Meta(min_length=1, max_length=16, pattern=r"\S", examples=["12"])]
Color = Annotated[str, Meta(pattern=r"^#[0-9A-Fa-f]{6}$(?!\n)", max_length=7, examples=["#2A6FDB"])]
Coordinate = Annotated[float, Meta(ge=0, le=EXTENT_MAX)]
Extent = Annotated[float, Meta(gt=0, le=EXTENT_MAX)]
Capacity = Annotated[int, Meta(ge=1, le=1_000_000)]
Metadata = Annotated[dict[str, Any], Meta(max_length=50)]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of everything in the document: unknown fields are refused."""


class Point(Part, frozen=True):
    x: Coordinate
    y: Coordinate


class Seat(Part, frozen=True, kw_only=True, gc=False):  # gc=False: 100,000 of them, without cycles
    """`key` names the seat in every version of the layout; `number` is what people read."""

    key: Key
    number: SeatNumber
    x: Coordinate
    y: Coordinate
    category: Category = "standard"
    price_category: Key | None = None
    gap_before: bool = False
    companions: Annotated[tuple[Key, ...], Meta(max_length=10)] = ()


class Row(Part, frozen=True, kw_only=True):
    """A row, or the seats around a table. Its price category applies to its seats that have none."""

    label: RowLabel
    seats: Annotated[tuple[Seat, ...], Meta(max_length=5_000)]
    table: bool = False
    price_category: Key | None = None


class Section(Part, frozen=True, kw_only=True):
    key: Key
    name: Name
    rows: Annotated[tuple[Row, ...], Meta(max_length=5_000)]


class Zone(Part, frozen=True, kw_only=True):
    """An area with its own capacity and access. Reserved types list their seats, the others have `capacity`."""

    key: Key
    name: Name
    zone_type: ZoneType = "reserved_seating"
    access_mode: AccessMode = "public"
    membership_tier: Tier | None = None
    allowed_roles: Annotated[tuple[str, ...], Meta(max_length=10)] = ()
    capacity: Capacity | None = None
    price_category: Key | None = None
    area: Annotated[tuple[Point, ...], Meta(max_length=500)] = ()
    sections: Annotated[tuple[Section, ...], Meta(max_length=2_000)] = ()
    metadata: Metadata = {}


class Group(Part, frozen=True, kw_only=True):
    """Seats that belong together: sold only as a whole, or one by one."""

    key: Key
    group_type: GroupType
    seats: Annotated[tuple[Key, ...], Meta(max_length=1_000)]
    sold_as: SoldAs = "seats"
    metadata: Metadata = {}


class PriceCategory(Part, frozen=True, kw_only=True):
    key: Key
    name: Name
    color: Color | None = None


class Plan(Part, frozen=True, kw_only=True, tag_field="format", tag=FORMAT):
    """A whole layout version. Coordinates grow to the right and downwards, from the corner of `width` × `height`."""

    name: Name
    width: Extent
    height: Extent
    zones: Annotated[tuple[Zone, ...], Meta(max_length=500)]
    description: Description = ""
    focal_point: Point | None = None
    price_categories: Annotated[tuple[PriceCategory, ...], Meta(max_length=200)] = ()
    groups: Annotated[tuple[Group, ...], Meta(max_length=50_000)] = ()
    total_capacity: Capacity | None = None


class Place(NamedTuple):
    """A seat with its zone, section and row. Its ordinal is its position in `walk`."""

    zone_index: int
    section_index: int  # counted through the whole plan, like the row's
    row_index: int
    zone: Zone
    section: Section
    row: Row
    seat: Seat


class PlanInvalid(Invalid):
    """The seating plan has mistakes. `fields` lists all of them, each with its path and a sentence."""

    code, title = "seating_plan_invalid", "The seating plan has mistakes"


def walk(plan: Plan) -> Iterator[Place]:
    """Every seat by ordinal, which is the order of the document."""
    section_index = row_index = -1
    for zone_index, zone in enumerate(plan.zones):
        for section in zone.sections:
            section_index += 1
            for row in section.rows:
                row_index += 1
                for seat in row.seats:
                    yield Place(zone_index, section_index, row_index, zone, section, row, seat)


def price_of(zone: Zone, row: Row, seat: Seat | None = None) -> str | None:
    """The price category of a seat: its own, else its row's, else its zone's. Without `seat`: of seats without
    their own."""
    return (seat and seat.price_category) or row.price_category or zone.price_category


def seats_in(zone: Zone) -> int:
    return sum(len(row.seats) for section in zone.sections for row in section.rows)


def capacity_of(zone: Zone) -> int:
    """Places in the zone: its seats, or the count of a zone without seats."""
    return seats_in(zone) if zone.zone_type in RESERVED else zone.capacity or 0


def total_capacity(plan: Plan) -> int:
    return sum(capacity_of(zone) for zone in plan.zones)


def encode(plan: Plan) -> bytes:
    """The document as JSON; default values are left out."""
    return msgspec.json.encode(plan)
