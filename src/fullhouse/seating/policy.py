"""Seating decisions: the policy's fields and which level wins, an event's zones and their access, and when companion
seats are released.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.accounts.model import Role
from fullhouse.kit.errors import FieldError
from fullhouse.seating.model import AttachLayout, PolicyValue, Zone
from fullhouse.seating.plans.plan import RESERVED, VIP

Value = bool | int | None


class Field(NamedTuple):
    """A switch, or a number from `low` to `high`; some numbers may be absent, which means no limit."""

    default: Value
    meaning: str
    low: int = 0
    high: int = 0
    optional: bool = False


FIELDS: dict[str, Field] = {
    "allow_reserved_seating": Field(True, "Zones with numbered seats may be used."),
    "allow_ga_seating": Field(True, "Zones without seats, sitting or standing, may be used."),
    "allow_hybrid_ga_reserved": Field(True, "One event may combine zones with seats and zones without."),
    "allow_vip_zones": Field(False, "VIP zones may be used."),
    "enforce_accessibility_rules": Field(
        True, "Companion seats are reserved for the buyer of the wheelchair space beside them."
    ),
    "companion_release_occupancy_threshold": Field(
        85, "Percentage of a zone's seats sold at which its companion seats open to everybody, permanently.", 1, 100
    ),
    "max_wheelchair_seats_per_booking": Field(1, "Most wheelchair spaces in one booking.", 0, 50),
    "accessibility_audit_enabled": Field(True, "Bookings of wheelchair spaces are recorded in the audit log."),
    "max_seats_per_booking": Field(10, "Most seats and standing places in one booking.", 1, 100),
    "orphan_avoidance_strict": Field(True, "A choice that leaves a single empty seat is refused, not just flagged."),
    "group_adjacency_strict": Field(False, "A group that cannot sit together is refused instead of being split."),
    "max_group_split": Field(
        2, "Most rows between the parts of a split group, unless the buyer agrees to more.", 0, 20
    ),
    "prefer_clustering_over_selection": Field(
        False,
        "Buyers get the best available seats; only staff, and buyers of a whole table, choose on the map.",
    ),
    "default_hold_ttl_minutes": Field(5, "Minutes for which a seat is held.", 1, 30),
    "max_holds_per_user": Field(None, "Most holds of one person at a time, in one event.", 1, 1000, optional=True),
    "max_holds_per_ip": Field(
        None, "Most holds from one IP address at a time, in one event.", 1, 10_000, optional=True
    ),
    "holds_per_window": Field(10, "Most new holds of one person within five minutes.", 1, 10_000),
}


_DEFAULTS: dict[str, Value] = {name: field.default for name, field in FIELDS.items()}


def check_values(values: Mapping[str, Any], path: str) -> list[FieldError]:
    """Every field that is unknown, of the wrong kind or out of range."""
    wrong = []
    for name, value in values.items():
        field = FIELDS.get(name)
        if field is None:
            wrong.append(FieldError(f"{path}.{name}", "There is no such field."))
        elif isinstance(field.default, bool):
            if not isinstance(value, bool):
                wrong.append(FieldError(f"{path}.{name}", "True or false."))
        elif value is None:
            if not field.optional:
                wrong.append(FieldError(f"{path}.{name}", f"A number from {field.low} to {field.high}."))
        elif isinstance(value, bool) or not field.low <= value <= field.high:
            wrong.append(FieldError(f"{path}.{name}", f"A number from {field.low} to {field.high}."))
    return wrong


def check_overrides(values: Mapping[str, Any], mandatory: Iterable[str]) -> list[FieldError]:
    """Invalid values, and fields that an event may not set itself."""
    fixed = sorted(set(mandatory) & set(values))
    return check_values(values, "policy") + [
        FieldError(f"policy.{name}", "The platform has made this mandatory.") for name in fixed
    ]


def explain_policy(
    organization: Mapping[str, Value], mandatory: Iterable[str], event: Mapping[str, Value]
) -> list[PolicyValue]:
    """Each field's value and its source: event, else organisation, else platform."""
    required = set(mandatory)
    found = []
    for name, field in FIELDS.items():
        sources = (("event", event if name not in required else {}), ("organization", organization))
        source, value = next(
            ((s, values[name]) for s, values in sources if name in values), ("platform", field.default)
        )
        found.append(
            PolicyValue(
                name=name,
                value=value,
                source=source,  # type: ignore[arg-type]
                default=field.default,
                mandatory=name in required,
                meaning=field.meaning,
                low=field.low if field.high else None,
                high=field.high or None,
                optional=field.optional,
            )
        )
    return found


def merge_policy(
    organization: Mapping[str, Value], mandatory: Iterable[str], event: Mapping[str, Value]
) -> "EffectivePolicy":
    """The values of `effective` without their sources, for the hot path."""
    required = set(mandatory)
    own = {name: value for name, value in event.items() if name not in required}
    return EffectivePolicy({**_DEFAULTS, **organization, **own})


class EffectivePolicy(NamedTuple):
    """The effective values alone."""

    values: Mapping[str, Value]

    def is_on(self, name: str) -> bool:
        return bool(self.values[name])

    def number(self, name: str) -> int:
        return int(self.values[name] or 0)


def to_effective_policy(fields: Iterable[PolicyValue]) -> EffectivePolicy:
    return EffectivePolicy({field.name: field.value for field in fields})


def check_zones(zones: Iterable[Zone], policy: EffectivePolicy) -> list[FieldError]:
    """Which of an event's zones the policy does not allow."""
    types = {zone.zone_type for zone in zones}
    seated, counted = types & RESERVED, types - RESERVED
    rules = (
        (seated and not policy.is_on("allow_reserved_seating"), "Zones with seats are not allowed here."),
        (counted and not policy.is_on("allow_ga_seating"), "Zones without seats are not allowed here."),
        (
            seated and counted and not policy.is_on("allow_hybrid_ga_reserved"),
            "Zones with seats and zones without seats cannot be combined in one event.",
        ),
        (types & VIP and not policy.is_on("allow_vip_zones"), "VIP zones are not allowed here."),
    )
    return [FieldError("zones", sentence) for broken, sentence in rules if broken]


# --- an event's zones


def apply_overlay(zones: Iterable[Zone], request: AttachLayout) -> list[Zone]:
    """The layout's zones as the overlay has them, without the disabled ones."""
    return [_apply_override(zone, request) for zone in zones if zone.id not in request.disabled_zones]


def _apply_override(zone: Zone, request: AttachLayout) -> Zone:
    override = request.zone_overrides.get(zone.id)
    changes = {n: v for n, v in msgspec.structs.asdict(override).items() if v is not msgspec.UNSET} if override else {}
    if changes.get("access_mode", zone.access_mode) != zone.access_mode:
        changes = {"membership_tier": None, "allowed_roles": []} | changes  # those of the other mode do not apply
    price = request.pricing_zones.get(zone.id, zone.price_category)
    return msgspec.structs.replace(zone, **changes, price_category=price)


def check_overlay(
    known: Mapping[UUID, Zone], request: AttachLayout, venue_capacity: int, prices: Collection[str]
) -> list[FieldError]:
    """All mistakes of an overlay against its layout and the venue. `prices` are the layout's price categories."""
    mistakes = [
        FieldError(f"{name}.{zone_id}", "The layout has no such zone.")
        for name in ("disabled_zones", "zone_overrides", "pricing_zones")
        for zone_id in getattr(request, name)
        if zone_id not in known
    ]
    mistakes += [
        FieldError(f"pricing_zones.{zone_id}", "The layout has no such price category.")
        for zone_id, price in request.pricing_zones.items()
        if zone_id in known and price not in prices
    ]
    zones = apply_overlay(known.values(), request)
    mistakes += [mistake for zone in zones for mistake in _check_zone(zone, known[zone.id])]
    total = sum(zone.capacity for zone in zones)
    if not zones:
        mistakes.append(FieldError("disabled_zones", "At least one zone must stay enabled."))
    if 0 < venue_capacity < total:
        sentence = f"The zones add up to {total:,} places; the venue admits {venue_capacity:,}."
        mistakes.append(FieldError("zone_overrides", sentence))
    return mistakes


def _check_zone(zone: Zone, before: Zone) -> list[FieldError]:
    """The rules of the plan's own zones; an overlay cannot add seats."""
    path = f"zone_overrides.{zone.id}"
    had_seats, has_seats = before.zone_type in RESERVED, zone.zone_type in RESERVED
    tier, roles = zone.membership_tier is not None, bool(zone.allowed_roles)
    strangers = set(zone.allowed_roles) - set(Role)
    rules = (
        (has_seats and not had_seats, "zone_type", "The zone has no seats in the layout."),
        (
            has_seats and zone.capacity != before.capacity,
            "capacity",
            "The capacity of a zone with seats is its number of seats.",
        ),
        (
            tier != (zone.access_mode == "membership_tier"),
            "membership_tier",
            "Required with the access mode `membership_tier`, and only there.",
        ),
        (
            roles != (zone.access_mode == "role_based"),
            "allowed_roles",
            "Required with the access mode `role_based`, and only there.",
        ),
        (strangers, "allowed_roles", f"The roles are {', '.join(Role)}."),
        (
            zone.zone_type in VIP and zone.access_mode == "public",
            "access_mode",
            "A VIP zone cannot be open to everybody.",
        ),
    )
    return [FieldError(f"{path}.{field}", sentence) for broken, field, sentence in rules if broken]


# --- who may enter a zone


class Visitor(NamedTuple):
    """The person whom a ticket is for."""

    role: str | None
    tiers: frozenset[str] = frozenset()  # of the memberships that are valid now
    listed: frozenset[UUID] = frozenset()  # the zones with their address on the guest list


def explain_denial(zone: Zone, visitor: Visitor) -> str | None:
    """None if the zone is open to them; otherwise a sentence that says who may enter."""
    match zone.access_mode:
        case "public":
            return None
        case "membership_tier":
            member = zone.membership_tier in visitor.tiers or zone.id in visitor.listed
            return None if member else f"“{zone.name}” is for members ({zone.membership_tier})."
        case "role_based":
            roles = zone.allowed_roles
            return None if visitor.role in roles else f"“{zone.name}” is for {', '.join(roles)}."
        case _:
            return None if zone.id in visitor.listed else f"“{zone.name}” is for invited guests."


# --- companion seats


def should_release_companions(sold: int, capacity: int, policy: EffectivePolicy) -> bool:
    """Counts sold seats only: holds could force a release, which is permanent."""
    return sold * 100 >= capacity * policy.number("companion_release_occupancy_threshold")
