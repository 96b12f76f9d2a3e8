"""Public look-up of a promo code's effect, before a buyer chooses seats."""

from uuid import UUID

from fullhouse.kit.actors import Actor
from fullhouse.kit.cache.limits import Limit, network_of
from fullhouse.kit.db.database import Tx
from fullhouse.kit.services import Services
from fullhouse.tickets import policy, store
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types.model import (
    PromoCode,
    PromoEffect,
    PromoExpired,
    PromoNotStarted,
    PromoUnknown,
    PromoUsedUp,
)

INVALID_CODES_LIMIT = Limit(60, 60)  # invalid codes from one network, because codes are guessable words


async def require_valid(services: Services, actor: Actor, tx: Tx, event_id: UUID, code: str) -> PromoCode:
    """A code that is valid now. Only invalid codes count against the rate limit: valid ones are looked up often."""
    key = "promo codes", network_of(actor.ip)
    services.limiter.check_full(key, INVALID_CODES_LIMIT)
    try:
        return await promos.require_valid(tx, event_id, code)
    except (PromoUnknown, PromoNotStarted, PromoExpired):
        await services.limiter.check(key, INVALID_CODES_LIMIT)
        raise


async def load_effect(services: Services, actor: Actor, tx: Tx, event_id: UUID, code: str) -> PromoEffect:
    """The effect of a code, checked as at checkout; does not count as a use."""
    promo = await require_valid(services, actor, tx, event_id, code)
    if policy.is_used_up(promo):
        raise PromoUsedUp()
    kinds = await store.types_of_event(tx, event_id)
    return policy.to_effect(promo, {kind.id for kind in kinds if kind.hidden})
