"""Platform routes for seating: an organisation's policy, and the release of stranded seats."""

from uuid import UUID

from fullhouse.accounts import actions as accounts
from fullhouse.events.public import reads as events
from fullhouse.kit.actors import Principal
from fullhouse.kit.http.endpoints import get, post, put
from fullhouse.kit.services import Services
from fullhouse.seating import policy_actions as policies
from fullhouse.seating.model import LIST_MAX_BYTES, PolicyValue, Released, SeatChoice, SetPolicy
from fullhouse.seating.overlay import seat_actions


@put("/api/platform/organizations/{organization_id:uuid}/seating-policy", "platform.seating.policy")
async def set_seating_policy(
    who: Principal, services: Services, organization_id: UUID, data: SetPolicy
) -> list[PolicyValue]:
    """Set an organisation's seating policy, and the fields that none of its events may override."""
    async with services.database.tenant(organization_id, who.actor) as tx:
        await accounts.require_profile(tx)
        return await policies.set_policy(tx, data)


@get("/api/platform/organizations/{organization_id:uuid}/seating-policy", "platform.orgs.read")
async def get_any_seating_policy(who: Principal, services: Services, organization_id: UUID) -> list[PolicyValue]:
    """An organisation's seating policy, and which fields are mandatory."""
    async with services.database.tenant(organization_id, who.actor) as tx:
        await accounts.require_profile(tx)
        return await policies.load_effective_policy(tx)


@post("/api/events/{event_id:uuid}/seats/release", "platform.seating.release", status=200, body_limit=LIST_MAX_BYTES)
async def release_seats(who: Principal, services: Services, event_id: UUID, data: SeatChoice) -> Released:
    """Release stranded seats of any event, with a reason: seats that are held, suspended or reserved as companions.

    For a super_admin. Sold seats stay sold and blocked seats blocked. A seat whose payment is under way stays held.
    """
    organization_id = await events.require_organization(services, event_id)
    async with services.database.tenant(organization_id, who.actor) as tx:
        return Released(released=await seat_actions.release(tx, event_id, data))


handlers = [get_any_seating_policy, set_seating_policy, release_seats]
