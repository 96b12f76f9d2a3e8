"""The facts that this domain announces."""

from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class LayoutChanged(Fact, frozen=True, kw_only=True):
    """A layout version was made, changed, activated, archived or deleted."""

    name: ClassVar[str] = "layout.changed"
    family_id: UUID
    layout_version: int
    status: str


class EventLayoutChanged(Fact, frozen=True, kw_only=True):
    """An event's layout was attached or removed; its seats were created anew."""

    name: ClassVar[str] = "event.layout_changed"
    layout_id: UUID | None


class EventPolicyChanged(Fact, frozen=True, kw_only=True):
    """An event's own seating rules were changed. Its seats did not change."""

    name: ClassVar[str] = "event.policy_changed"


class SeatsBlocked(Fact, frozen=True, kw_only=True):
    """Staff blocked seats of an event, or unblocked them. Holds on blocked seats end."""

    name: ClassVar[str] = "seats.blocked"
    seat_ids: list[UUID]
    blocked: bool
    reason: str


class SeatsReleased(Fact, frozen=True, kw_only=True):
    """Staff released seats of an event. Holds on them end."""

    name: ClassVar[str] = "seats.released"
    seat_ids: list[UUID]
    reason: str


class CompanionsReleased(Fact, frozen=True, kw_only=True):
    """A zone is nearly sold out: its companion seats are open to everybody, permanently."""

    name: ClassVar[str] = "companions.released"
    zone_id: UUID


class LayoutMigrating(Fact, frozen=True, kw_only=True):
    """An event with sales is about to move to another layout version: open offers are withdrawn. The transaction fails
    if seats are still held then."""

    name: ClassVar[str] = "event.layout_migrating"
    migration_id: UUID


class LayoutMigrated(Fact, frozen=True, kw_only=True):
    """An event with sales moved to another layout version: tickets are reissued and their holders notified."""

    name: ClassVar[str] = "event.layout_migrated"
    migration_id: UUID
    from_layout_id: UUID
    to_layout_id: UUID


class SeatingPolicyChanged(Fact, frozen=True, kw_only=True):
    """An organisation's rules for choosing and holding seats were changed."""

    name: ClassVar[str] = "seating_policy.changed"
