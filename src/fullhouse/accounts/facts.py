"""The facts that this domain announces."""

from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class OrganizationCreated(Fact, frozen=True, kw_only=True):
    """An organisation was created."""

    name: ClassVar[str] = "organization.created"
    slug: str


class OrganizationChanged(Fact, frozen=True, kw_only=True):
    """An organisation's name, time zone or another setting was changed."""

    name: ClassVar[str] = "organization.changed"


class OrganizationStatusChanged(Fact, frozen=True, kw_only=True):
    """An organisation was suspended or reactivated."""

    name: ClassVar[str] = "organization.status_changed"
    status: str


class GuestSignedIn(Fact, frozen=True, kw_only=True):
    """A guest signed in to an account. The guest's holds, open checkout and place in a waiting room belong to that user
    from then on."""

    name: ClassVar[str] = "guest.signed_in"
    guest_id: UUID


class MemberChanged(Fact, frozen=True, kw_only=True):
    """A person joined the team, changed role, or was disabled."""

    name: ClassVar[str] = "member.changed"
    role: str
    status: str


class MembershipChanged(Fact, frozen=True, kw_only=True):
    """A membership was granted, changed or revoked: what it gives access to must be checked again."""

    name: ClassVar[str] = "membership.changed"
    tier: str
    status: str
