"""What this room announces."""

from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class OrganizationCreated(Fact, frozen=True, kw_only=True):
    """An organisation was opened."""

    name: ClassVar[str] = "organization.created"
    slug: str


class OrganizationChanged(Fact, frozen=True, kw_only=True):
    """Its name, time zone or another setting."""

    name: ClassVar[str] = "organization.changed"


class OrganizationStatusChanged(Fact, frozen=True, kw_only=True):
    """An organisation was suspended, or restored."""

    name: ClassVar[str] = "organization.status_changed"
    status: str


class GuestSignedIn(Fact, frozen=True, kw_only=True):
    """A guest turned out to be somebody with an account. What the guest held, was about to buy or stood in line for is
    that person's from then on."""

    name: ClassVar[str] = "guest.signed_in"
    guest_id: UUID


class MemberChanged(Fact, frozen=True, kw_only=True):
    """Somebody joined the team, changed role, or left."""

    name: ClassVar[str] = "member.changed"
    role: str
    status: str


class MembershipChanged(Fact, frozen=True, kw_only=True):
    """A membership was granted, changed or taken away: doors that it opens look again."""

    name: ClassVar[str] = "membership.changed"
    tier: str
    status: str
