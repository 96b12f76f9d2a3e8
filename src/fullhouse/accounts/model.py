"""The entities of this domain as stored and returned, its request bodies, and its refusals."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from fullhouse.kit.errors import Conflict, Forbidden, Invalid, NotFound, Refusal, Unauthenticated
from fullhouse.kit.mail.email import EmailData
from fullhouse.kit.money import PRICE_MAX, Currency


class Role(StrEnum):
    OWNER = "owner"
    ADMIN = "admin"
    STAFF = "staff"
    SCANNER = "scanner"
    CUSTOMER = "customer"


class PlatformRole(StrEnum):
    SUPER_ADMIN = "super_admin"
    TENANT_MANAGER = "tenant_manager"


TeamRole = Literal["owner", "admin", "staff", "scanner"]
# `$` alone also matches before a trailing line break: hence `(?!\n)`.
Slug = Annotated[str, Meta(pattern=r"^[a-z0-9](-?[a-z0-9]){1,62}$(?!\n)", max_length=63, examples=["harbour-theatre"])]
# An origin as in a Content-Security-Policy header: no path, no user; a wildcard only as the first label before at least
# two others. It becomes part of a header, so nothing else is accepted. CSP cannot express IPv6 addresses.
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
Origin = Annotated[
    str,
    Meta(
        pattern=rf"^https?://({_LABEL}(\.{_LABEL})*|\*\.{_LABEL}(\.{_LABEL})+)(:[1-9][0-9]{{0,4}})?$(?!\n)",
        max_length=260,
        examples=["https://www.harbour.example"],
    ),
]
Name = Annotated[str, Meta(min_length=1, max_length=120, pattern=r"\S")]
Email = Annotated[
    str,
    Meta(
        min_length=3,
        max_length=254,
        pattern=r"^[^@\s<>,;:\"()\[\]\\]+@[^@\s<>,;:\"()\[\]\\]+$(?!\n)",
        examples=["ana@example.org"],
    ),
]
Password = Annotated[str, Meta(min_length=10, max_length=200)]
Token = Annotated[str, Meta(min_length=1, max_length=200)]
Tier = Annotated[str, Meta(pattern=r"^[a-z0-9](_?[a-z0-9]){0,62}$(?!\n)", max_length=63, examples=["friends"])]
Reason = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"\S")]


# --- rows


class Organization(msgspec.Struct, frozen=True):
    id: UUID
    slug: str
    name: str
    status: Literal["active", "suspended"]
    created_at: datetime


class OrganizationProfile(msgspec.Struct, frozen=True):
    """An organisation as its team sees it."""

    id: UUID
    slug: str
    name: str
    status: str
    currency: str
    locale: str
    timezone: str
    contact_email: str | None
    accent_color: str
    mail_sender_name: str | None
    mail_reply_to: str | None
    staff_may_edit_venues: bool
    event_capacity_max: int
    ticket_price_max: int | None  # in minor units of the organisation's currency; null: the currency's default
    embed_origins: list[str]  # sites that may embed the box office in a frame; empty: any
    created_at: datetime


class User(msgspec.Struct, frozen=True):
    id: UUID
    email: str | None
    name: str
    role: str
    status: str
    created_at: datetime


class Me(msgspec.Struct, frozen=True):
    """The signed-in caller, with all actions that they may perform."""

    id: UUID
    type: str
    name: str | None
    email: str | None
    role: str
    organization: Organization
    actions: list[str]


class Session(msgspec.Struct, frozen=True):
    """A new session. The token is returned only once; browsers also get it as a cookie."""

    token: str
    user: User
    organization: Organization
    expires_at: datetime
    expires_at_unix_ms: int


class OpenSession(msgspec.Struct, frozen=True):
    """An organisation that the browser is signed in to, and the user."""

    id: UUID
    slug: str
    name: str
    user_name: str
    email: str | None
    role: str


class ApiKey(msgspec.Struct, frozen=True):
    id: UUID
    name: str
    scopes: list[str]
    hint: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class NewApiKey(ApiKey, frozen=True, kw_only=True):
    """As `ApiKey`, with the secret, which is returned only once."""

    token: str


class Scope(msgspec.Struct, frozen=True):
    """A scope for API keys, and the actions that it allows."""

    name: str
    actions: list[str]


class Invitation(msgspec.Struct, frozen=True):
    id: UUID
    email: str
    role: str
    created_at: datetime
    expires_at: datetime


class Membership(msgspec.Struct, frozen=True):
    id: UUID
    user_id: UUID
    email: str | None
    name: str
    tier: str
    number: str
    status: Literal["active", "suspended", "revoked"]
    valid_from: datetime
    valid_until: datetime | None
    created_at: datetime


class AuditEntry(msgspec.Struct, frozen=True):
    id: UUID
    created_at: datetime
    actor_type: str
    actor_id: UUID | None
    actor_name: str | None
    action: str
    entity_type: str
    entity_id: UUID | None
    before: dict[str, object] | None
    after: dict[str, object] | None
    reason: str | None
    approval_reference: str | None
    ip: str | None
    user_agent: str | None
    request_id: str | None


class PlatformUser(msgspec.Struct, frozen=True):
    id: UUID
    email: str
    name: str
    role: str


class PlatformMe(PlatformUser, frozen=True):
    """The signed-in platform user, with all actions that they may perform."""

    actions: list[str]


class PlatformSession(msgspec.Struct, frozen=True):
    token: str
    user: PlatformUser
    expires_at: datetime


# --- requests


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of request bodies: unknown fields are refused."""


class SignInAsGuest(Request, frozen=True):
    organization: Slug
    name: Name = "Guest"


class SignIn(Request, frozen=True):
    organization: Slug
    email: Email
    password: Annotated[str, Meta(min_length=1, max_length=200)]


class SignInToPlatform(Request, frozen=True):
    email: Email
    password: Annotated[str, Meta(min_length=1, max_length=200)]


class RequestMagicLink(Request, frozen=True):
    organization: Slug
    email: Email


class RedeemToken(Request, frozen=True):
    token: Token


class AcceptInvitation(Request, frozen=True):
    token: Token
    name: Name
    password: Password


class ChangeMe(Request, frozen=True):
    name: Name | UnsetType = UNSET


class ChangePassword(Request, frozen=True):
    new_password: Password
    current_password: str | None = None


class ChangeOrganization(Request, frozen=True):
    name: Name | UnsetType = UNSET
    currency: Currency | UnsetType = UNSET
    locale: Annotated[str, Meta(pattern=r"^[a-z]{2}(-[A-Z]{2})?$(?!\n)")] | UnsetType = UNSET
    timezone: Annotated[str, Meta(max_length=64, examples=["Africa/Johannesburg"])] | UnsetType = UNSET
    contact_email: Email | UnsetType | None = UNSET
    accent_color: Annotated[str, Meta(pattern=r"^#[0-9A-Fa-f]{6}$(?!\n)")] | UnsetType = UNSET
    mail_sender_name: Name | UnsetType | None = UNSET
    mail_reply_to: Email | UnsetType | None = UNSET
    staff_may_edit_venues: bool | UnsetType = UNSET
    event_capacity_max: Annotated[int, Meta(ge=1, le=1_000_000)] | UnsetType = UNSET
    ticket_price_max: (
        Annotated[int, Meta(ge=1, le=PRICE_MAX, description="Minor units of the organisation's currency.")]
        | UnsetType
        | None
    ) = UNSET
    embed_origins: Annotated[list[Origin], Meta(max_length=20)] | UnsetType = UNSET


class ChangeMember(Request, frozen=True):
    role: TeamRole | UnsetType = UNSET
    status: Literal["active", "disabled"] | UnsetType = UNSET


class Invite(Request, frozen=True):
    email: Email
    role: TeamRole


class CreateApiKey(Request, frozen=True):
    name: Name
    scopes: Annotated[list[str], Meta(min_length=1, max_length=50)]
    expires_at: datetime | None = None


class GrantMembership(Request, frozen=True):
    email: Email
    name: Name
    tier: Tier
    number: Annotated[str, Meta(min_length=1, max_length=40, pattern=r"\S")]
    valid_from: datetime | None = None
    valid_until: datetime | None = None


class ChangeMembership(Request, frozen=True):
    tier: Tier | UnsetType = UNSET
    status: Literal["active", "suspended", "revoked"] | UnsetType = UNSET
    valid_from: datetime | UnsetType = UNSET
    valid_until: datetime | UnsetType | None = UNSET


class CreateOrganization(Request, frozen=True):
    slug: Slug
    name: Name
    owner_email: Email


class ChangeOrganizationStatus(Request, frozen=True):
    status: Literal["active", "suspended"]
    reason: Reason


# --- emails


class SignInLink(EmailData, frozen=True, kw_only=True):
    """Sent when somebody requests a sign-in link."""

    template: ClassVar[str] = "sign_in_link"
    path: str
    minutes: int


class TeamInvitation(EmailData, frozen=True, kw_only=True):
    """Sent when somebody is invited to the team."""

    template: ClassVar[str] = "team_invitation"
    role: str
    path: str
    days: int


class PasswordChanged(EmailData, frozen=True, kw_only=True):
    """Sent when a password was changed, by its user or by the operator."""

    template: ClassVar[str] = "password_changed"
    email: str


# --- refusals


class WrongPassword(Unauthenticated):
    """The email address or the password is wrong. The response does not reveal which."""

    code, title = "invalid_credentials", "The email address or the password is wrong"


class LinkInvalid(Refusal):
    """The link was already used, has expired, or is not valid. Request a new one."""

    code, status, title = "link_invalid", 410, "This link no longer works"


class OrganizationNotFound(NotFound):
    """There is no organisation with that name."""

    code, title = "organization_not_found", "No such organisation"


class OrganizationSuspended(Forbidden):
    """The platform has suspended the organisation; nobody can sign in."""

    code, title = "organization_suspended", "The organisation is suspended"


class RoleAboveYours(Forbidden):
    """The person's role, or the role to assign, is above your own."""

    code, title = "role_above_yours", "That role is above yours"


class LastOwner(Conflict):
    """An organisation must have at least one owner. Make somebody else an owner first."""

    code, title = "last_owner", "The last owner cannot be removed"


class AlreadyExists(Conflict):
    """The address, name or number is already in use."""

    code, title = "already_exists", "It already exists"


class ScopeNotAvailable(Invalid):
    """The scope does not exist, or allows more than you may do yourself."""

    code, title = "invalid_scope", "A scope is not available to you"
