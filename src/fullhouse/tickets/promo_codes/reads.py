"""What a promo code does, told to whoever has it before they choose."""

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

GUESSES = Limit(60, 60)  # codes that are not valid, from one network: a code is a word that somebody made up


async def find(services: Services, actor: Actor, tx: Tx, event_id: UUID, code: str) -> PromoCode:
    """A code that is good now. Only those that are not are counted: what a good one shows is asked for often."""
    key = "promo codes", network_of(actor.ip)
    services.limiter.check_full(key, GUESSES)
    try:
        return await promos.find(tx, event_id, code)
    except (PromoUnknown, PromoNotStarted, PromoExpired):
        await services.limiter.check(key, GUESSES)
        raise


async def look_up(services: Services, actor: Actor, tx: Tx, event_id: UUID, code: str) -> PromoEffect:
    """Judged as checkout would judge it at this moment; no use of it is taken."""
    promo = await find(services, actor, tx, event_id, code)
    if policy.is_used_up(promo):
        raise PromoUsedUp()
    kinds = await store.types_of_event(tx, event_id)
    return policy.effect(promo, {kind.id for kind in kinds if kind.hidden})
