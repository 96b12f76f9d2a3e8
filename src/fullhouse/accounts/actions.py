"""Actions on organisations, teams and memberships. Each takes a transaction: load, decide, write, announce."""

from datetime import datetime
from uuid import UUID

import asyncpg
import msgspec

from fullhouse.accounts import policy, store
from fullhouse.accounts.facts import (
    MemberChanged,
    MembershipChanged,
    OrganizationChanged,
    OrganizationCreated,
    OrganizationStatusChanged,
)
from fullhouse.accounts.model import (
    AlreadyExists,
    ChangeMe,
    ChangeMember,
    ChangeMembership,
    ChangeOrganization,
    CreateApiKey,
    GrantMembership,
    Invitation,
    Invite,
    LastOwner,
    Membership,
    NewApiKey,
    Organization,
    OrganizationProfile,
    OrganizationSuspended,
    PasswordChanged,
    Role,
    RoleAboveYours,
    ScopeNotAvailable,
    TeamInvitation,
    User,
)
from fullhouse.kit import secrets
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.cache import Cache
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.db.partial_updates import audit_difference, with_changes
from fullhouse.kit.errors import FieldError, Invalid, NotFound
from fullhouse.kit.ids import new_id
from fullhouse.kit.mail import mailbox
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.times import parse_timezone, to_utc

# --- organisations


async def create_organization(tx: Tx, organization_id: UUID, slug: str, name: str) -> Organization:
    """`tx` is a transaction of the new organisation: a tenant's rows are only written in its own transactions."""
    try:
        organization = await store.insert_organization(tx, id=organization_id, slug=slug, name=name)
    except asyncpg.UniqueViolationError:
        raise AlreadyExists(
            f"The slug “{slug}” is taken by another organisation. Choose another one.", name=slug
        ) from None
    assert organization
    await store.insert_settings(tx)
    await audit.write(tx, "organization.created", "organization", organization_id, after={"slug": slug, "name": name})
    await announce(tx, OrganizationCreated(subject_id=organization_id, slug=slug))
    return organization


async def change_organization(tx: Tx, change: ChangeOrganization) -> OrganizationProfile:
    await store.lock_organization(tx)
    before = await require_profile(tx)
    after = with_changes(before, change)
    after = msgspec.structs.replace(after, embed_origins=policy.normalise_origins(after.embed_origins))
    if after.timezone != before.timezone:
        parse_timezone(after.timezone)
    if after == before:
        return before
    await store.update_organization(tx, after.name)
    await store.update_settings(
        tx,
        currency=after.currency,
        locale=after.locale,
        timezone=after.timezone,
        contact_email=after.contact_email,
        accent_color=after.accent_color,
        mail_sender_name=after.mail_sender_name,
        mail_reply_to=after.mail_reply_to,
        staff_may_edit_venues=after.staff_may_edit_venues,
        event_capacity_max=after.event_capacity_max,
        embed_origins=after.embed_origins,
        ticket_price_max=after.ticket_price_max,
    )
    await audit_difference(tx, "organization.updated", "organization", before, after)
    Cache.invalidate(tx, embed_origins_key(after.id), locale_key(after.id))
    await announce(tx, OrganizationChanged(subject_id=after.id))
    return after


def embed_origins_key(organization_id: UUID) -> str:
    """Cache key of the sites that may embed the organisation's pages."""
    return f"public:embed-origins:{organization_id}"


def locale_key(organization_id: UUID) -> str:
    """Cache key of the organisation's language."""
    return f"public:locale:{organization_id}"


async def check_not_suspended(tx: Tx) -> None:
    """Refuses every action in a suspended organisation, whatever link was used."""
    assert tx.organization_id
    organization = await store.organization_by_id(tx, tx.organization_id)
    if organization is None or organization.status == "suspended":
        raise OrganizationSuspended()


async def require_profile(tx: Tx) -> OrganizationProfile:
    profile = await store.find_profile(tx)
    if profile is None:
        raise NotFound
    return profile


async def change_organization_status(tx: Tx, status: str, reason: str) -> Organization:
    """Platform staff suspend an organisation, or reactivate it."""
    before = await store.lock_organization(tx)
    if before is None:
        raise NotFound
    if before.status == status:
        return before
    after = await store.update_organization_status(tx, status)
    assert after
    await audit_difference(tx, f"organization.{status}", "organization", before, after, reason=reason)
    await announce(tx, OrganizationStatusChanged(subject_id=before.id, status=status))
    return after


# --- people


async def create_user(tx: Tx, *, email: str | None, name: str, role: str, password_hash: str | None = None) -> User:
    try:
        user = await store.insert_user(tx, id=new_id(), email=email, name=name, role=role, password_hash=password_hash)
    except asyncpg.UniqueViolationError:
        raise AlreadyExists(f"The email address {email} is already in use.", name=email) from None
    assert user
    await audit.write(tx, "user.created", "user", user.id, after={"email": email, "name": name, "role": role})
    if role != Role.CUSTOMER:
        await announce(tx, MemberChanged(subject_id=user.id, role=role, status="active"))
    return user


async def find_or_create_customer(tx: Tx, email: str, name: str) -> User:
    """The user with this address; otherwise a new customer, who proves the address with the first sign-in link."""
    known = await store.user_by_email(tx, email)
    return known or await create_user(tx, email=email, name=name, role=Role.CUSTOMER)


async def change_me(tx: Tx, who: Principal, change: ChangeMe) -> User:
    before = await store.lock_user(tx, who.id)
    if before is None:
        raise NotFound
    after = with_changes(before, change)
    if after != before:
        await store.update_user(tx, user_id=who.id, name=after.name, role=after.role, status=after.status)
        await audit_difference(tx, "user.updated", "user", before, after)
    return after


async def change_user_status(tx: Tx, email: str, status: str) -> User:
    """Called by an operator; works for any user."""
    user = await store.user_by_email(tx, email)
    if user is None:
        raise NotFound(f"No user of this organisation has the email address {email}.")
    return await _save_member(tx, user, msgspec.structs.replace(user, status=status))


async def change_member(tx: Tx, who: Principal, user_id: UUID, change: ChangeMember) -> User:
    before = await store.lock_user(tx, user_id)
    if before is None or before.role == Role.CUSTOMER:
        raise NotFound
    after = with_changes(before, change)
    if not (policy.may_manage(who.role, before.role) and policy.may_manage(who.role, after.role)):
        raise RoleAboveYours()
    return await _save_member(tx, before, after)


async def _save_member(tx: Tx, before: User, after: User) -> User:
    if after == before:
        return before
    try:
        saved = await store.update_user(tx, user_id=before.id, name=after.name, role=after.role, status=after.status)
    except asyncpg.CheckViolationError as error:
        if error.constraint_name != "last_owner":
            raise
        raise LastOwner() from None
    assert saved
    if saved.status == "disabled":
        await store.revoke_user_sessions(tx, user_id=saved.id, except_id=None)
    await audit_difference(tx, "member.updated", "user", before, saved)
    await announce(tx, MemberChanged(subject_id=saved.id, role=saved.role, status=saved.status))
    return saved


async def reset_password(tx: Tx, email: str, password_hash: str) -> User:
    """Called by an operator. Ends every session of the user."""
    user = await store.user_by_email(tx, email)
    if user is None:
        raise NotFound(f"No user of this organisation has the email address {email}.")
    await store.update_password(tx, user_id=user.id, password_hash=password_hash)
    await store.revoke_user_sessions(tx, user_id=user.id, except_id=None)
    await audit.write(tx, "user.password_reset", "user", user.id)
    await mailbox.enqueue_email(tx, email, PasswordChanged(email=email))
    return user


async def invite(tx: Tx, who: Principal, request: Invite) -> Invitation:
    """Emails a link to join the team. Inviting again replaces the earlier link."""
    if not policy.may_manage(who.role, request.role):
        raise RoleAboveYours()
    known = await store.user_by_email(tx, request.email)
    if known and known.role != Role.CUSTOMER:
        raise AlreadyExists(f"{request.email} is already in the team.", name=request.email)
    # Serialises invitations: of two to the same address, the later replaces the earlier.
    organization = await store.lock_organization(tx)
    assert organization
    await store.revoke_open_invitation(tx, request.email)
    assert tx.organization_id
    token = secrets.mint(secrets.TokenKind.INVITATION, tx.organization_id)
    invitation = await store.insert_invitation(
        tx,
        id=new_id(),
        email=request.email,
        role=request.role,
        token_hash=secrets.digest_token(token),
        invited_by=who.id,
        ttl=policy.INVITATION_TTL,
    )
    assert invitation
    email = TeamInvitation(role=request.role, path=f"/join#{token}", days=policy.INVITATION_TTL.days)
    await mailbox.enqueue_email(tx, request.email, email)
    after = {"email": request.email, "role": request.role}
    await audit.write(tx, "member.invited", "invitation", invitation.id, after=after)
    return invitation


async def revoke_invitation(tx: Tx, invitation_id: UUID) -> None:
    if not await store.revoke_invitation(tx, invitation_id):
        raise NotFound
    await audit.write(tx, "invitation.revoked", "invitation", invitation_id)


# --- API keys


async def create_api_key(tx: Tx, who: Principal, request: CreateApiKey, secret: bytes | None = None) -> NewApiKey:
    allowed = policy.available_scopes(who.role)
    bad = [
        FieldError(f"scopes[{i}]", f"“{scope}” is not available to you. Choose from: {', '.join(sorted(allowed))}.")
        for i, scope in enumerate(request.scopes)
        if scope not in allowed
    ]
    if bad:
        raise ScopeNotAvailable(fields=bad)
    expires_at = to_utc(request.expires_at) if request.expires_at else None
    if expires_at is not None and expires_at <= await tx.now():
        raise Invalid("The key would already be expired.", fields=[FieldError("expires_at", "Must be in the future.")])
    assert tx.organization_id
    token = secrets.mint(secrets.TokenKind.API_KEY, tx.organization_id, secret)
    scopes = sorted(set(request.scopes))
    key = await store.insert_api_key(
        tx,
        id=new_id(),
        name=request.name,
        scopes=scopes,
        token_hash=secrets.digest_token(token),
        hint=token[-4:],
        created_by=who.actor.id,
        expires_at=expires_at,
    )
    assert key
    await audit.write(tx, "api_key.created", "api_key", key.id, after={"name": request.name, "scopes": scopes})
    return NewApiKey(**msgspec.structs.asdict(key), token=token)


async def revoke_api_key(tx: Tx, key_id: UUID) -> None:
    if not await store.revoke_api_key(tx, key_id):
        raise NotFound
    await audit.write(tx, "api_key.revoked", "api_key", key_id)


def evict_caller(tx: Tx, caller_id: UUID) -> None:
    """Evicts a caller from every process's cache. For domains with callers of their own, such as devices."""
    tx.publish(store.STALE_SESSIONS, str(caller_id))


# --- memberships


async def grant_membership(tx: Tx, request: GrantMembership) -> Membership:
    """Grants a tier to a person, who becomes a customer if the address is not known yet."""
    user = await store.user_by_email(tx, request.email)
    if user is None:
        user = await create_user(tx, email=request.email, name=request.name, role=Role.CUSTOMER)
    valid_from = to_utc(request.valid_from) if request.valid_from else await tx.now()
    valid_until = to_utc(request.valid_until) if request.valid_until else None
    _check_validity(valid_from, valid_until)
    try:
        membership = await store.insert_membership(
            tx,
            id=new_id(),
            user_id=user.id,
            tier=request.tier,
            number=request.number,
            valid_from=valid_from,
            valid_until=valid_until,
        )
    except asyncpg.UniqueViolationError:
        raise AlreadyExists("The membership number is taken, or the person already has this tier.") from None
    assert membership
    after = {"tier": request.tier, "number": request.number}
    await audit.write(tx, "membership.granted", "membership", membership.id, after=after)
    await announce(tx, MembershipChanged(subject_id=membership.id, tier=membership.tier, status=membership.status))
    return membership


async def require_membership(tx: Tx, membership_id: UUID) -> Membership:
    found = await store.membership_by_id(tx, membership_id)
    if found is None:
        raise NotFound
    return found


async def get_tiers_and_email(tx: Tx, user_id: UUID) -> tuple[frozenset[str], str | None]:
    """A user's currently valid tiers, and their email address."""
    now = await tx.now()
    memberships = await store.list_memberships_of_user(tx, user_id)
    user = await store.user_by_id(tx, user_id)
    return frozenset(m.tier for m in memberships if policy.is_member(m, m.tier, now)), user.email if user else None


async def record_language(tx: Tx, who: Principal, email: str) -> None:
    """Notes the caller's language for an address that a buyer entered: for certain only if it is the buyer's own. The
    team enters other people's addresses, so nothing is noted then."""
    if who.role == Role.CUSTOMER and tx.actor.language:
        user = await store.user_by_id(tx, who.id)
        await mailbox.record_language(tx, email, sure=bool(user and user.email and user.email.lower() == email.lower()))


async def change_membership(tx: Tx, membership_id: UUID, change: ChangeMembership) -> Membership:
    before = await store.lock_membership(tx, membership_id)
    if before is None:
        raise NotFound
    after = with_changes(before, change)
    valid_from, valid_until = to_utc(after.valid_from), to_utc(after.valid_until) if after.valid_until else None
    _check_validity(valid_from, valid_until)
    if after == before:
        return before
    try:
        saved = await store.update_membership(
            tx,
            membership_id=membership_id,
            tier=after.tier,
            status=after.status,
            valid_from=valid_from,
            valid_until=valid_until,
        )
    except asyncpg.UniqueViolationError:
        raise AlreadyExists("The person already has this tier.") from None
    assert saved
    await audit_difference(tx, "membership.updated", "membership", before, saved)
    await announce(tx, MembershipChanged(subject_id=membership_id, tier=saved.tier, status=saved.status))
    return saved


def _check_validity(valid_from: datetime, valid_until: datetime | None) -> None:
    if valid_until is not None and valid_until <= valid_from:
        raise Invalid(
            "A membership must end after it begins.",
            fields=[FieldError("valid_until", "Must be later than valid_from.")],
        )
