"""A layout as `config`: zones with their seats in one list each, named by `zone_id` and `seat_id`.

    {"zones": [{"zone_id": …, "zone_type": …, "name": …, "capacity": …, "access_mode": …,
                "seats": [{"seat_id": …, "row": …, "number": …, "category": …, "coordinates": {"x": …, "y": …}}]}],
     "seat_groups": [{"group_id": …, "group_type": …, "seat_ids": […]}]}

It may also be the field `config` of a layout that has `name`, `description` and `total_capacity`. Further, optional
fields hold what a `fullhouse/1` plan has in addition. A plan converts to it and back.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from fullhouse.accounts.model import Tier
from fullhouse.seating.plans.plan import (
    EXTENT_MAX,
    AccessMode,
    Capacity,
    Category,
    Description,
    Extent,
    GroupType,
    Key,
    Metadata,
    Name,
    Point,
    PriceCategory,
    RowLabel,
    SeatNumber,
    SoldAs,
    ZoneType,
)

Number = Annotated[float, Meta(ge=-EXTENT_MAX / 2, le=EXTENT_MAX)]
WholeNumber = Annotated[int, Meta(ge=0, le=10**15)]


class Coordinates(msgspec.Struct, frozen=True, gc=False):
    x: Number
    y: Number


class Seat(msgspec.Struct, kw_only=True, gc=False, omit_defaults=True):
    """`companion_seat_id` of a wheelchair space names its companion seat; of a companion seat, its wheelchair space."""

    seat_id: Key
    row: RowLabel
    number: WholeNumber | SeatNumber
    coordinates: Coordinates
    category: Category | None = None  # standard
    companion_seat_id: Key | None = None
    companion_of_seat_id: Key | None = None
    section: Key | None = None
    price_category: Key | None = None
    gap_before: bool = False
    table: bool = False


class Section(msgspec.Struct, kw_only=True):
    key: Key
    name: Name


class Zone(msgspec.Struct, kw_only=True, omit_defaults=True):
    zone_id: Key
    zone_type: ZoneType
    name: Name
    capacity: Capacity | None = None
    access_mode: AccessMode | None = None  # public
    membership_tier: Tier | None = None
    allowed_roles: Annotated[list[str], Meta(max_length=10)] | None = None
    metadata: Metadata = {}
    seats: list[Seat] = []
    price_category: Key | None = None
    area: Annotated[list[Coordinates], Meta(max_length=500)] = []
    sections: Annotated[list[Section], Meta(max_length=2_000)] = []


class SeatGroup(msgspec.Struct, kw_only=True, omit_defaults=True):
    group_id: Key
    group_type: GroupType
    seat_ids: Annotated[list[Key], Meta(max_length=1_000)]
    sold_as: SoldAs = "seats"
    metadata: Metadata = {}


class Config(msgspec.Struct, kw_only=True, omit_defaults=True):
    """`adjacency` says how neighbours are found: `by_distance` from the coordinates, `listed` from the order of the
    seats and their `gap_before`."""

    zones: Annotated[list[Zone], Meta(max_length=500)]
    seat_groups: Annotated[list[SeatGroup], Meta(max_length=50_000)] = []
    name: Name | None = None
    description: Description | None = None
    total_capacity: Capacity | None = None
    adjacency: Literal["by_distance", "listed"] = "by_distance"
    width: Extent | None = None
    height: Extent | None = None
    focal_point: Point | None = None
    price_categories: Annotated[list[PriceCategory], Meta(max_length=200)] = []


class Layout(msgspec.Struct, kw_only=True):
    """A layout around its config."""

    config: Config
    name: Name | None = None
    description: Description | None = None
    total_capacity: Capacity | None = None
