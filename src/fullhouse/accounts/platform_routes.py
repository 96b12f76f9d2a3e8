"""Routes for platform staff: they list organisations from outside, and act in one through a tenant transaction."""

from datetime import datetime
from uuid import UUID

import msgspec

from fullhouse.accounts import actions, store
from fullhouse.accounts.model import (
    ChangeOrganizationStatus,
    CreateOrganization,
    Invite,
    Organization,
    PlatformMe,
    PlatformSession,
    Role,
    SignInToPlatform,
)
from fullhouse.accounts.sign_in import actions as signing_in
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db.cursors import LIMIT, Cursors, Page
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http.endpoints import get, patch, post
from fullhouse.kit.http.parameters import After, PageSize
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services


@post("/api/platform/login", public=True, limit=Limit(20, 60))
async def sign_in_to_platform(services: Services, data: SignInToPlatform) -> PlatformSession:
    """Sign in as platform staff. The token goes into the Authorization header; there is no cookie."""
    await services.limiter.check(f"login:platform:{data.email.lower()}", Limit(10, 60))
    return await signing_in.sign_in_to_platform(services.database, data.email, data.password)


@post("/api/platform/logout", "platform.me", status=204)
async def sign_out_of_platform(who: Principal, services: Services) -> None:
    """End this session."""
    async with services.database.without_tenant() as tx:
        await store.revoke_platform_session(tx, who.session_id)


@get("/api/platform/me", "platform.me")
async def get_platform_me(who: Principal, services: Services) -> PlatformMe:
    """The signed-in platform user, and what they may do."""
    async with services.database.without_tenant() as tx:
        found = await store.platform_user_by_id(tx, who.id)
    assert found
    return PlatformMe(found.id, found.email, found.name, found.role, sorted(who.allowed))


@get("/api/platform/organizations", "platform.orgs.read")
async def list_organizations(services: Services, limit: PageSize = LIMIT, cursor: After = None) -> Page[Organization]:
    """All organisations, oldest first."""
    cursors = Cursors(services.keyring, "organizations")
    after_at, after_id = cursors.read(cursor, datetime, UUID) or (None, None)
    async with services.database.without_tenant() as tx:
        rows = await store.list_organizations(tx, after_at=after_at, after_id=after_id, limit=limit + 1)
    return cursors.page(rows, limit, "created_at", "id")


@get("/api/platform/organizations/{organization_id:uuid}", "platform.orgs.read")
async def get_any_organization(services: Services, organization_id: UUID) -> Organization:
    """One organisation."""
    async with services.database.without_tenant() as tx:
        found = await store.organization_by_id(tx, organization_id)
    if found is None:
        raise NotFound
    return found


@post("/api/platform/organizations", "platform.orgs.create", location="/api/platform/organizations/{id}")
async def create_organization(who: Principal, services: Services, data: CreateOrganization) -> Organization:
    """Create an organisation and email its owner an invitation. A repeated request is refused: the slug is taken."""
    organization_id = new_id()
    async with services.database.tenant(organization_id, who.actor) as tx:
        organization = await actions.create_organization(tx, organization_id, data.slug, data.name)
        as_owner = msgspec.structs.replace(who, organization_id=organization_id, role=Role.OWNER)
        await actions.invite(tx, as_owner, Invite(data.owner_email, "owner"))
    return organization


@patch("/api/platform/organizations/{organization_id:uuid}", "platform.orgs.update")
async def change_organization_status(
    who: Principal, services: Services, organization_id: UUID, data: ChangeOrganizationStatus
) -> Organization:
    """Suspend an organisation or reactivate it, with a reason."""
    async with services.database.tenant(organization_id, who.actor) as tx:
        return await actions.change_organization_status(tx, data.status, data.reason)


handlers = [
    sign_in_to_platform, sign_out_of_platform, get_platform_me,
    list_organizations, get_any_organization, create_organization, change_organization_status,
]  # fmt: skip
