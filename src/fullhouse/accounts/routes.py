"""Accounts over HTTP: the caller, organisation, members, invitations, API keys, memberships."""

from uuid import UUID

from fullhouse.accounts import actions, policy, store
from fullhouse.accounts.model import (
    ApiKey,
    ChangeMe,
    ChangeMember,
    ChangeMembership,
    ChangeOrganization,
    ChangePassword,
    CreateApiKey,
    GrantMembership,
    Invitation,
    Invite,
    Me,
    Membership,
    NewApiKey,
    OrganizationProfile,
    Scope,
    User,
)
from fullhouse.accounts.sign_in import actions as signing_in
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.cursors import LIMIT, Page, page_by_age
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import delete, get, patch, post, put
from fullhouse.kit.http.parameters import After, PageSize
from fullhouse.kit.services import Services


@get("/api/me", "me.read")
async def get_me(tx: Tx, who: Principal) -> Me:
    """The signed-in caller, and what they may do."""
    organization = await store.organization_by_id(tx, who.organization_id)
    user = await store.user_by_id(tx, who.id)
    assert organization
    email = user.email if user else None
    return Me(who.id, who.actor.type, who.actor.name, email, who.role, organization, sorted(who.allowed))


@patch("/api/me", "me.update")
async def change_me(tx: Tx, who: Principal, data: ChangeMe) -> User:
    """Change my name."""
    return await actions.change_me(tx, who, data)


@put("/api/me/password", "me.update")
async def change_password(who: Principal, services: Services, data: ChangePassword) -> None:
    """Set or change my password. All my other sessions end."""
    await signing_in.change_password(services.database, who, data)


@get("/api/org", "org.read")
async def get_organization(tx: Tx) -> OrganizationProfile:
    """My organisation."""
    return await actions.require_profile(tx)


@patch("/api/org", "org.update")
async def change_organization(tx: Tx, data: ChangeOrganization) -> OrganizationProfile:
    """Change the name, currency, language, time zone, contact, colour, email sender or other settings."""
    return await actions.change_organization(tx, data)


@get("/api/org/members", "members.read")
async def list_members(tx: Tx, services: Services, limit: PageSize = LIMIT, cursor: After = None) -> Page[User]:
    """The team, oldest first."""
    return await page_by_age(tx, services.keyring, "members", store.list_members, cursor, limit)


@patch("/api/org/members/{user_id:uuid}", "members.update")
async def change_member(tx: Tx, who: Principal, user_id: UUID, data: ChangeMember) -> User:
    """Change a member's role, or disable the member. Roles above your own cannot be managed."""
    return await actions.change_member(tx, who, user_id, data)


@get("/api/org/invitations", "invitations.read")
async def list_invitations(
    tx: Tx, services: Services, limit: PageSize = LIMIT, cursor: After = None
) -> Page[Invitation]:
    """Invitations that are still open."""
    return await page_by_age(tx, services.keyring, "invitations", store.list_invitations, cursor, limit)


@post("/api/org/invitations", "invitations.create", location="/api/org/invitations/{id}")
async def invite(tx: Tx, who: Principal, data: Invite) -> Invitation:
    """Invite somebody to the team by email."""
    return await actions.invite(tx, who, data)


@delete("/api/org/invitations/{invitation_id:uuid}", "invitations.revoke")
async def revoke_invitation(tx: Tx, invitation_id: UUID) -> None:
    """Revoke an invitation."""
    await actions.revoke_invitation(tx, invitation_id)


@get("/api/org/api-keys", "keys.read")
async def list_api_keys(tx: Tx, services: Services, limit: PageSize = LIMIT, cursor: After = None) -> Page[ApiKey]:
    """The organisation's API keys, without their secrets."""
    return await page_by_age(tx, services.keyring, "api_keys", store.list_api_keys, cursor, limit)


@post("/api/org/api-keys", "keys.create", location="/api/org/api-keys/{id}")
async def create_api_key(tx: Tx, who: Principal, data: CreateApiKey) -> NewApiKey:
    """Create an API key. Its secret is only in this response."""
    return await actions.create_api_key(tx, who, data)


@get("/api/org/api-keys/scopes", "keys.create")
async def list_scopes(who: Principal) -> list[Scope]:
    """The scopes that I may give to an API key, and the actions that each allows."""
    return [Scope(name, sorted(policy.SCOPE_ACTIONS[name])) for name in sorted(policy.available_scopes(who.role))]


@delete("/api/org/api-keys/{key_id:uuid}", "keys.revoke")
async def revoke_api_key(tx: Tx, key_id: UUID) -> None:
    """Revoke an API key. It stops working immediately."""
    await actions.revoke_api_key(tx, key_id)


@get("/api/org/memberships", "memberships.read")
async def list_memberships(
    tx: Tx, services: Services, tier: str | None = None, limit: PageSize = LIMIT, cursor: After = None
) -> Page[Membership]:
    """Memberships, oldest first."""
    return await page_by_age(tx, services.keyring, "memberships", store.list_memberships, cursor, limit, tier=tier)


@post("/api/org/memberships", "memberships.write", location="/api/org/memberships/{id}")
async def grant_membership(tx: Tx, data: GrantMembership) -> Membership:
    """Grant a membership in a tier."""
    return await actions.grant_membership(tx, data)


@get("/api/org/memberships/{membership_id:uuid}", "memberships.read")
async def get_membership(tx: Tx, membership_id: UUID) -> Membership:
    """One membership."""
    return await actions.require_membership(tx, membership_id)


@patch("/api/org/memberships/{membership_id:uuid}", "memberships.write")
async def change_membership(tx: Tx, membership_id: UUID, data: ChangeMembership) -> Membership:
    """Suspend, revoke or reactivate a membership, or change its tier or validity."""
    return await actions.change_membership(tx, membership_id, data)


handlers = [
    get_me, change_me, change_password,
    get_organization, change_organization,
    list_members, change_member,
    list_invitations, invite, revoke_invitation,
    list_api_keys, create_api_key, list_scopes, revoke_api_key,
    list_memberships, grant_membership, get_membership, change_membership,
]  # fmt: skip
