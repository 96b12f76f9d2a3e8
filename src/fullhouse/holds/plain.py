"""The common requests: an ordinary seat, or spots in a zone, of an event whose zones are all public and whose waiting
room is closed. They need no database access before the engine's, so they are batched without a task of their own.

Nothing is written here. All other requests get None, and go through actions.py. Malformed items are refused here, too.
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
    """A request to the engine, and its event's sale context."""

    sale: Desk
    request: Ask


def seat(services: Services, who: Principal, event_id: UUID, seat: UUID, request: Reserve) -> Plain | None:
    sale = _desk(services, who, event_id)
    if sale is None or not sale.is_picked or (ordinal := sale.ordinal(seat)) is None or ordinal in sale.special:
        return None
    item = Want(new_id(), seat)
    return Plain(sale, asking(sale, who, (item,), request.source, BasketId(item.hold_id), request.promo_code))


def places(services: Services, who: Principal, event_id: UUID, request: HoldItems) -> Plain | None:
    sale = _desk(services, who, event_id)
    if sale is None or request.best_available or any(item.seat_id for item in request.items):
        return None
    policy.check_items(request.items)
    policy.check_size(sum(item.quantity for item in request.items), 0, sale.terms.policy)
    items = tuple([wish(sale, item) for item in request.items])
    return Plain(sale, asking(sale, who, items, request.source, BasketId(new_id()), request.promo_code))


def _desk(services: Services, who: Principal, event_id: UUID) -> Desk | None:
    """From memory; None unless all zones are public and the waiting room is closed."""
    sale: Desk | None = services.parts[Desks].at_hand(who.organization_id, event_id)
    return sale if sale and not sale.closed and queue.is_open_to_all(services, event_id) else None
