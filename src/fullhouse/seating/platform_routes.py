"""The platform's word about an organisation's seating."""

from uuid import UUID

from fullhouse.accounts import actions as accounts
from fullhouse.kit.actors import Principal
from fullhouse.kit.http.endpoints import put
from fullhouse.kit.services import Services
from fullhouse.seating import overlay_actions as actions
from fullhouse.seating.model import PolicyValue, SetPolicy


@put("/api/platform/organizations/{organization_id:uuid}/seating-policy", "platform.seating.policy")
async def set_seating_policy(
    who: Principal, services: Services, organization_id: UUID, data: SetPolicy
) -> list[PolicyValue]:
    """Set an organisation's seating policy, and what none of its shows may override."""
    async with services.database.tenant(organization_id, who.actor) as tx:
        await accounts.get_profile(tx)
        return await actions.set_policy(tx, data)


handlers = [set_seating_policy]
