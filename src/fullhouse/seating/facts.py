"""What this room announces."""

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
    """A show's seating was set or taken away; its seats exist anew."""

    name: ClassVar[str] = "event.layout_changed"
    layout_id: UUID | None


class EventPolicyChanged(Fact, frozen=True, kw_only=True):
    """A show's own seating rules were changed. Its seats are what they were."""

    name: ClassVar[str] = "event.policy_changed"


class SeatsBlocked(Fact, frozen=True, kw_only=True):
    """Staff blocked seats of a show, or opened them again. Holds on blocked ones end."""

    name: ClassVar[str] = "seats.blocked"
    seat_ids: list[UUID]
    blocked: bool
    reason: str


class SeatsReleased(Fact, frozen=True, kw_only=True):
    """Seats of a show were set free by hand. Holds on them end."""

    name: ClassVar[str] = "seats.released"
    seat_ids: list[UUID]
    reason: str


class CompanionsReleased(Fact, frozen=True, kw_only=True):
    """A zone is nearly sold out: its companion seats are open to all, for good."""

    name: ClassVar[str] = "companions.released"
    zone_id: UUID


class LayoutMigrating(Fact, frozen=True, kw_only=True):
    """A sold show is about to stand on another layout version: what was only offered to somebody is taken back. Nothing
    of this has happened if seats are still held then."""

    name: ClassVar[str] = "event.layout_migrating"
    migration_id: UUID


class LayoutMigrated(Fact, frozen=True, kw_only=True):
    """A sold show stands on another layout version: tickets are issued again, their holders are told."""

    name: ClassVar[str] = "event.layout_migrated"
    migration_id: UUID
    from_layout_id: UUID
    to_layout_id: UUID


class SeatingPolicyChanged(Fact, frozen=True, kw_only=True):
    """An organisation's rules for choosing and holding seats were changed."""

    name: ClassVar[str] = "seating_policy.changed"
