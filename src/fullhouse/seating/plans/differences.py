"""The differences between two versions of a layout. Seats are matched by key."""

from typing import Literal

import msgspec

from fullhouse.seating.plans.plan import Place, Plan, Point, Zone, price_of, seats_in, walk


class Moved(msgspec.Struct, frozen=True):
    seat: str
    was: Point
    now: Point


class SeatTerms(msgspec.Struct, frozen=True):
    """The terms on which a seat is sold."""

    zone: str
    category: str
    price_category: str | None


class Recategorised(msgspec.Struct, frozen=True):
    seat: str
    was: SeatTerms
    now: SeatTerms


class SeatName(msgspec.Struct, frozen=True):
    """The seat's name on a ticket."""

    section: str
    row: str
    number: str


class Renumbered(msgspec.Struct, frozen=True):
    seat: str
    was: SeatName
    now: SeatName


class ZoneChange(msgspec.Struct, frozen=True):
    """`fields` names what differs in a zone that both versions have; `seats` means the number of seats."""

    zone: str
    change: Literal["added", "removed", "changed"]
    fields: tuple[str, ...] = ()


class PlanDifference(msgspec.Struct, frozen=True):
    added: tuple[str, ...]
    removed: tuple[str, ...]
    moved: tuple[Moved, ...]
    recategorised: tuple[Recategorised, ...]
    renumbered: tuple[Renumbered, ...]
    zones: tuple[ZoneChange, ...]

    @property
    def is_empty(self) -> bool:
        return not any(msgspec.structs.astuple(self))


def compare_plans(old: Plan, new: Plan) -> PlanDifference:
    """In the order of the documents. Seats that only one version has are in `added` or `removed` and nowhere else."""
    before = {place.seat.key: place for place in walk(old)}
    after = {place.seat.key: place for place in walk(new)}
    both = [(key, before[key], place) for key, place in after.items() if key in before]
    return PlanDifference(
        added=tuple(key for key in after if key not in before),
        removed=tuple(key for key in before if key not in after),
        moved=tuple(
            Moved(k, _to_point(a), _to_point(b)) for k, a, b in both if (a.seat.x, a.seat.y) != (b.seat.x, b.seat.y)
        ),
        recategorised=tuple(
            Recategorised(k, _to_terms(a), _to_terms(b)) for k, a, b in both if _to_terms(a) != _to_terms(b)
        ),
        renumbered=tuple(Renumbered(k, _to_name(a), _to_name(b)) for k, a, b in both if _to_name(a) != _to_name(b)),
        zones=tuple(_zone_changes(old, new)),
    )


def _to_point(place: Place) -> Point:
    return Point(place.seat.x, place.seat.y)


def _to_terms(place: Place) -> SeatTerms:
    return SeatTerms(place.zone.key, place.seat.category, price_of(place.zone, place.row, place.seat))


def _to_name(place: Place) -> SeatName:
    return SeatName(place.section.name, place.row.label, place.seat.number)


_COMPARED_FIELDS = (
    "name",
    "zone_type",
    "access_mode",
    "membership_tier",
    "allowed_roles",
    "capacity",
    "area",
    "metadata",
)


def _zone_changes(old: Plan, new: Plan) -> list[ZoneChange]:
    before, after = ({zone.key: zone for zone in plan.zones} for plan in (old, new))
    changes = [ZoneChange(key, "removed") for key in before if key not in after]
    for key, zone in after.items():
        if key not in before:
            changes.append(ZoneChange(key, "added"))
        elif fields := _changed_fields(before[key], zone):
            changes.append(ZoneChange(key, "changed", fields))
    return changes


def _changed_fields(old: Zone, new: Zone) -> tuple[str, ...]:
    fields = [name for name in _COMPARED_FIELDS if getattr(old, name) != getattr(new, name)]
    if seats_in(old) != seats_in(new):
        fields.append("seats")
    return tuple(fields)
