"""The platform's word about an organisation's seating, and its hand where seats are stranded."""

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
    """Set an organisation's seating policy, and what none of its shows may override."""
    async with services.database.tenant(organization_id, who.actor) as tx:
        await accounts.get_profile(tx)
        return await policies.set_policy(tx, data)


@get("/api/platform/organizations/{organization_id:uuid}/seating-policy", "platform.orgs.read")
async def get_any_seating_policy(who: Principal, services: Services, organization_id: UUID) -> list[PolicyValue]:
    """An organisation's seating policy, and what is mandatory in it."""
    async with services.database.tenant(organization_id, who.actor) as tx:
        await accounts.get_profile(tx)
        return await policies.effective(tx)


@post("/api/events/{event_id:uuid}/seats/release", "platform.seating.release", status=200, body_limit=LIST_MAX_BYTES)
async def release_seats(who: Principal, services: Services, event_id: UUID, data: SeatChoice) -> Released:
    """Set stranded seats of any show free, with a reason: those that are held, suspended, or kept for somebody.

    For a super_admin. A sold seat stays sold, a blocked one blocked. One that is being paid for waits for its payment.
    """
    organization_id = await events.organization_of(services, event_id)
    async with services.database.tenant(organization_id, who.actor) as tx:
        return Released(released=await seat_actions.release(tx, event_id, data))


handlers = [get_any_seating_policy, set_seating_policy, release_seats]
