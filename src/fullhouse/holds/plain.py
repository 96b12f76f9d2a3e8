"""What nearly everybody asks for: a seat like all others, or places in a zone, of a show that is open to all and has no
line. Nobody has to be asked about that before the engine is, so nobody waits in a task for it.

Here nothing is refused and nothing is changed: whatever is not plain takes the long way (actions.py), which decides.
"""

from typing import NamedTuple
from uuid import UUID

from fullhouse.holds import policy
from fullhouse.holds.desk import BasketId, Desk, Desks, asking, wish
from fullhouse.holds.engine import Ask, Want
from fullhouse.holds.model import HoldItems, Reserve
from fullhouse.kit.actors import Principal
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.waiting_room import entry_actions as queue


class Plain(NamedTuple):
    """What the engine is asked, and for which show."""

    at: Desk
    ask: Ask


def seat(services: Services, who: Principal, event_id: UUID, seat: UUID, wish: Reserve) -> Plain | None:
    at = _desk(services, who, event_id)
    if at is None or not at.is_picked or (ordinal := at.ordinal(seat)) is None or ordinal in at.special:
        return None
    want = Want(new_id(), seat)
    return Plain(at, asking(at, who, (want,), wish.source, BasketId(want.hold_id), wish.promo_code))


def places(services: Services, who: Principal, event_id: UUID, order: HoldItems) -> Plain | None:
    at = _desk(services, who, event_id)
    if at is None or order.best_available or any(item.seat_id for item in order.items):
        return None
    policy.check_items(order.items)
    policy.check_size(sum(item.quantity for item in order.items), 0, at.terms.policy)
    wants = tuple([wish(at, item) for item in order.items])
    return Plain(at, asking(at, who, wants, order.source, BasketId(new_id()), order.promo_code))


def _desk(services: Services, who: Principal, event_id: UUID) -> Desk | None:
    """Of a show that is open to all, and has no line."""
    at: Desk | None = services.parts[Desks].at_hand(who.organization_id, event_id)
    return at if at and not at.closed and queue.is_open_to_all(services, event_id) else None
