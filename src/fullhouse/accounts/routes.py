"""The team's side of accounts over HTTP: organisation, members, invitations, keys, memberships."""

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
    """Who am I, and what may I do here."""
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
    return await actions.get_profile(tx)


@patch("/api/org", "org.update")
async def change_organization(tx: Tx, data: ChangeOrganization) -> OrganizationProfile:
    """Change name, currency, language, time zone, contact, colour, or how mail is signed."""
    return await actions.change_organization(tx, data)


@get("/api/org/members", "members.read")
async def list_members(tx: Tx, services: Services, limit: PageSize = LIMIT, cursor: After = None) -> Page[User]:
    """The team, oldest first."""
    return await page_by_age(tx, services.keyring, "members", store.list_members, cursor, limit)


@patch("/api/org/members/{user_id:uuid}", "members.update")
async def change_member(tx: Tx, who: Principal, user_id: UUID, data: ChangeMember) -> User:
    """Change a role, or disable somebody. Nobody manages a role above their own."""
    return await actions.change_member(tx, who, user_id, data)


@get("/api/org/invitations", "invitations.read")
async def list_invitations(
    tx: Tx, services: Services, limit: PageSize = LIMIT, cursor: After = None
) -> Page[Invitation]:
    """Invitations that are still open."""
    return await page_by_age(tx, services.keyring, "invitations", store.list_invitations, cursor, limit)


@post("/api/org/invitations", "invitations.create", location="/api/org/invitations/{id}")
async def invite(tx: Tx, who: Principal, data: Invite) -> Invitation:
    """Invite somebody into the team by mail."""
    return await actions.invite(tx, who, data)


@delete("/api/org/invitations/{invitation_id:uuid}", "invitations.revoke")
async def revoke_invitation(tx: Tx, invitation_id: UUID) -> None:
    """Take an invitation back."""
    await actions.revoke_invitation(tx, invitation_id)


@get("/api/org/api-keys", "keys.read")
async def list_api_keys(tx: Tx, services: Services, limit: PageSize = LIMIT, cursor: After = None) -> Page[ApiKey]:
    """The organisation's API keys, without their secrets."""
    return await page_by_age(tx, services.keyring, "api_keys", store.list_api_keys, cursor, limit)


@post("/api/org/api-keys", "keys.create", location="/api/org/api-keys/{id}")
async def create_api_key(tx: Tx, who: Principal, data: CreateApiKey) -> NewApiKey:
    """Make an API key. Its secret is in this answer and never again."""
    return await actions.create_api_key(tx, who, data)


@get("/api/org/api-keys/scopes", "keys.create")
async def list_scopes(who: Principal) -> list[Scope]:
    """What a key of mine may be given, and what each scope opens."""
    return [Scope(name, sorted(policy.SCOPE_ACTIONS[name])) for name in sorted(policy.scopes_open_to(who.role))]


@delete("/api/org/api-keys/{key_id:uuid}", "keys.revoke")
async def revoke_api_key(tx: Tx, key_id: UUID) -> None:
    """End an API key at once."""
    await actions.revoke_api_key(tx, key_id)


@get("/api/org/memberships", "memberships.read")
async def list_memberships(
    tx: Tx, services: Services, tier: str | None = None, limit: PageSize = LIMIT, cursor: After = None
) -> Page[Membership]:
    """Memberships, oldest first."""
    return await page_by_age(tx, services.keyring, "memberships", store.list_memberships, cursor, limit, tier=tier)


@post("/api/org/memberships", "memberships.write", location="/api/org/memberships/{id}")
async def grant_membership(tx: Tx, data: GrantMembership) -> Membership:
    """Make somebody a member of a tier."""
    return await actions.grant_membership(tx, data)


@get("/api/org/memberships/{membership_id:uuid}", "memberships.read")
async def get_membership(tx: Tx, membership_id: UUID) -> Membership:
    """One membership."""
    return await actions.get_membership(tx, membership_id)


@patch("/api/org/memberships/{membership_id:uuid}", "memberships.write")
async def change_membership(tx: Tx, membership_id: UUID, data: ChangeMembership) -> Membership:
    """Suspend, revoke, restore, or move the validity of a membership."""
    return await actions.change_membership(tx, membership_id, data)


handlers = [
    get_me, change_me, change_password,
    get_organization, change_organization,
    list_members, change_member,
    list_invitations, invite, revoke_invitation,
    list_api_keys, create_api_key, list_scopes, revoke_api_key,
    list_memberships, grant_membership, get_membership, change_membership,
]  # fmt: skip
