"""The verbs of organisations, teams and memberships. Each takes a transaction: load, decide, write, announce."""

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
    AboveYou,
    BadScope,
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
    Taken,
    TeamInvitation,
    User,
)
from fullhouse.kit import secrets
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.cache import Cache
from fullhouse.kit.db import audit
from fullhouse.kit.db.changes import audit_difference, changed
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid, NotFound
from fullhouse.kit.ids import new_id
from fullhouse.kit.mail import mails
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.times import timezone, utc

# --- organisations


async def create_organization(tx: Tx, organization_id: UUID, slug: str, name: str) -> Organization:
    """`tx` is already the new organisation's own: nobody writes into a tenant from outside."""
    try:
        organization = await store.insert_organization(tx, id=organization_id, slug=slug, name=name)
    except asyncpg.UniqueViolationError:
        raise Taken(f"There is an organisation named “{slug}” already.", name=slug) from None
    assert organization
    await store.insert_settings(tx)
    await audit.write(tx, "organization.created", "organization", organization_id, after={"slug": slug, "name": name})
    await announce(tx, OrganizationCreated(subject_id=organization_id, slug=slug))
    return organization


async def change_organization(tx: Tx, change: ChangeOrganization) -> OrganizationProfile:
    await store.lock_organization(tx)
    before = await get_profile(tx)
    after = changed(before, change)
    after = msgspec.structs.replace(after, embed_origins=policy.origins(after.embed_origins))
    if after.timezone != before.timezone:
        timezone(after.timezone)
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
    """Under which the pages that may be framed keep by whom."""
    return f"public:embed-origins:{organization_id}"


def locale_key(organization_id: UUID) -> str:
    """Under which pages keep the language that an organisation speaks."""
    return f"public:locale:{organization_id}"


async def check_open(tx: Tx) -> None:
    """Nobody does anything in a house that is suspended, whatever link they have."""
    assert tx.organization_id
    organization = await store.organization_by_id(tx, tx.organization_id)
    if organization is None or organization.status == "suspended":
        raise OrganizationSuspended()


async def get_profile(tx: Tx) -> OrganizationProfile:
    profile = await store.profile(tx)
    if profile is None:
        raise NotFound
    return profile


async def change_organization_status(tx: Tx, status: str, reason: str) -> Organization:
    """The platform suspends an organisation, or lets it back in."""
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
        raise Taken(f"Somebody has the address {email} already.", name=email) from None
    assert user
    await audit.write(tx, "user.created", "user", user.id, after={"email": email, "name": name, "role": role})
    if role != Role.CUSTOMER:
        await announce(tx, MemberChanged(subject_id=user.id, role=role, status="active"))
    return user


async def customer(tx: Tx, email: str, name: str) -> User:
    """Whoever has this address here; otherwise a new buyer, who proves it with the first sign-in link."""
    known = await store.user_by_email(tx, email)
    return known or await create_user(tx, email=email, name=name, role=Role.CUSTOMER)


async def change_me(tx: Tx, who: Principal, change: ChangeMe) -> User:
    before = await store.lock_user(tx, who.id)
    if before is None:
        raise NotFound
    after = changed(before, change)
    if after != before:
        await store.update_user(tx, user_id=who.id, name=after.name, role=after.role, status=after.status)
        await audit_difference(tx, "user.updated", "user", before, after)
    return after


async def change_status(tx: Tx, email: str, status: str) -> User:
    """By an operator, of anybody."""
    user = await store.user_by_email(tx, email)
    if user is None:
        raise NotFound(f"Nobody here has the address {email}.")
    return await _save_member(tx, user, msgspec.structs.replace(user, status=status))


async def change_member(tx: Tx, who: Principal, user_id: UUID, change: ChangeMember) -> User:
    before = await store.lock_user(tx, user_id)
    if before is None or before.role == Role.CUSTOMER:
        raise NotFound
    after = changed(before, change)
    if not (policy.may_manage(who.role, before.role) and policy.may_manage(who.role, after.role)):
        raise AboveYou()
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
        await store.revoke_sessions_of(tx, user_id=saved.id, except_id=None)
    await audit_difference(tx, "member.updated", "user", before, saved)
    await announce(tx, MemberChanged(subject_id=saved.id, role=saved.role, status=saved.status))
    return saved


async def reset_password(tx: Tx, email: str, password_hash: str) -> User:
    """By an operator. Ends every session of the person."""
    user = await store.user_by_email(tx, email)
    if user is None:
        raise NotFound(f"Nobody here has the address {email}.")
    await store.update_password(tx, user_id=user.id, password_hash=password_hash)
    await store.revoke_sessions_of(tx, user_id=user.id, except_id=None)
    await audit.write(tx, "user.password_reset", "user", user.id)
    await mails.post(tx, email, PasswordChanged(email=email))
    return user


async def invite(tx: Tx, who: Principal, wish: Invite) -> Invitation:
    """Mails a link to join the team. Asking again replaces the earlier link."""
    if not policy.may_manage(who.role, wish.role):
        raise AboveYou()
    known = await store.user_by_email(tx, wish.email)
    if known and known.role != Role.CUSTOMER:
        raise Taken(f"{wish.email} is in the team already.", name=wish.email)
    # One at a time: of two that go to the same address, the later replaces the earlier.
    organization = await store.lock_organization(tx)
    assert organization
    await store.revoke_open_invitation(tx, wish.email)
    assert tx.organization_id
    token = secrets.mint(secrets.Kind.INVITATION, tx.organization_id)
    invitation = await store.insert_invitation(
        tx,
        id=new_id(),
        email=wish.email,
        role=wish.role,
        token_hash=secrets.digest(token),
        invited_by=who.id,
        ttl=policy.INVITATION_TTL,
    )
    assert invitation
    letter = TeamInvitation(role=wish.role, path=f"/join#{token}", days=policy.INVITATION_TTL.days)
    await mails.post(tx, wish.email, letter)
    await audit.write(tx, "member.invited", "invitation", invitation.id, after={"email": wish.email, "role": wish.role})
    return invitation


async def revoke_invitation(tx: Tx, invitation_id: UUID) -> None:
    if not await store.revoke_invitation(tx, invitation_id):
        raise NotFound
    await audit.write(tx, "invitation.revoked", "invitation", invitation_id)


# --- API keys


async def create_api_key(tx: Tx, who: Principal, wish: CreateApiKey, secret: bytes | None = None) -> NewApiKey:
    open_to_them = policy.scopes_open_to(who.role)
    bad = [
        FieldError(f"scopes[{i}]", f"“{scope}” is not open to you; these are: {', '.join(sorted(open_to_them))}.")
        for i, scope in enumerate(wish.scopes)
        if scope not in open_to_them
    ]
    if bad:
        raise BadScope(fields=bad)
    expires_at = utc(wish.expires_at) if wish.expires_at else None
    if expires_at is not None and expires_at <= await tx.now():
        raise Invalid("The key would have expired already.", fields=[FieldError("expires_at", "Lies in the past.")])
    assert tx.organization_id
    token = secrets.mint(secrets.Kind.API_KEY, tx.organization_id, secret)
    scopes = sorted(set(wish.scopes))
    key = await store.insert_api_key(
        tx,
        id=new_id(),
        name=wish.name,
        scopes=scopes,
        token_hash=secrets.digest(token),
        hint=token[-4:],
        created_by=who.actor.id,
        expires_at=expires_at,
    )
    assert key
    await audit.write(tx, "api_key.created", "api_key", key.id, after={"name": wish.name, "scopes": scopes})
    return NewApiKey(**msgspec.structs.asdict(key), token=token)


async def revoke_api_key(tx: Tx, key_id: UUID) -> None:
    if not await store.revoke_api_key(tx, key_id):
        raise NotFound
    await audit.write(tx, "api_key.revoked", "api_key", key_id)


def forget(tx: Tx, caller_id: UUID) -> None:
    """For rooms with callers of their own, such as devices: one is not what it was, and every process asks anew."""
    tx.tell(store.SESSIONS, str(caller_id))


# --- memberships


async def grant_membership(tx: Tx, wish: GrantMembership) -> Membership:
    """A tier for a person, who is made a customer here if nobody knows the address yet."""
    user = await store.user_by_email(tx, wish.email)
    if user is None:
        user = await create_user(tx, email=wish.email, name=wish.name, role=Role.CUSTOMER)
    valid_from = utc(wish.valid_from) if wish.valid_from else await tx.now()
    valid_until = utc(wish.valid_until) if wish.valid_until else None
    _check_validity(valid_from, valid_until)
    try:
        membership = await store.insert_membership(
            tx,
            id=new_id(),
            user_id=user.id,
            tier=wish.tier,
            number=wish.number,
            valid_from=valid_from,
            valid_until=valid_until,
        )
    except asyncpg.UniqueViolationError:
        raise Taken("The number is taken, or the person has this tier already.") from None
    assert membership
    await audit.write(
        tx, "membership.granted", "membership", membership.id, after={"tier": wish.tier, "number": wish.number}
    )
    await announce(tx, MembershipChanged(subject_id=membership.id, tier=membership.tier, status=membership.status))
    return membership


async def get_membership(tx: Tx, membership_id: UUID) -> Membership:
    found = await store.membership_by_id(tx, membership_id)
    if found is None:
        raise NotFound
    return found


async def standing(tx: Tx, user_id: UUID) -> tuple[frozenset[str], str | None]:
    """The tiers whose doors are open to somebody now, and their address."""
    now = await tx.now()
    memberships = await store.memberships_of(tx, user_id)
    user = await store.user_by_id(tx, user_id)
    return frozenset(m.tier for m in memberships if policy.is_member(m, m.tier, now)), user.email if user else None


async def note_reader(tx: Tx, who: Principal, email: str) -> None:
    """Of an address that a buyer names. It may be anybody's, unless it is their own; the team names those of others."""
    if who.role == Role.CUSTOMER and tx.actor.language:
        user = await store.user_by_id(tx, who.id)
        await mails.note_reader(tx, email, sure=bool(user and user.email and user.email.lower() == email.lower()))


async def change_membership(tx: Tx, membership_id: UUID, change: ChangeMembership) -> Membership:
    before = await store.lock_membership(tx, membership_id)
    if before is None:
        raise NotFound
    after = changed(before, change)
    valid_from, valid_until = utc(after.valid_from), utc(after.valid_until) if after.valid_until else None
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
        raise Taken("The person has this tier already.") from None
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
