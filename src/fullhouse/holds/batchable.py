"""The common requests: an ordinary seat, or spots in a zone, of an event whose zones are all public and whose waiting
room is closed. They need no database access before the engine's, so they are batched without a task of their own.

Nothing is written here. All other requests get None, and go through actions.py. Malformed items are refused here, too.
"""

from typing import NamedTuple
from uuid import UUID

from fullhouse.holds import policy
from fullhouse.holds.engine import HoldRequest, RequestItem
from fullhouse.holds.model import HoldItems, Reserve
from fullhouse.holds.sale_context import BasketId, SaleContext, SaleContexts, build_item, build_request
from fullhouse.kit.actors import Principal
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.waiting_room import entry_actions as queue


class Prepared(NamedTuple):
    """A request to the engine, and its event's sale context."""

    sale: SaleContext
    request: HoldRequest


def prepare_seat(services: Services, who: Principal, event_id: UUID, seat: UUID, request: Reserve) -> Prepared | None:
    sale = _peek_context(services, who, event_id)
    if (
        sale is None
        or not sale.may_pick_seats
        or (ordinal := sale.ordinal(seat)) is None
        or ordinal in sale.special_seats
    ):
        return None
    item = RequestItem(new_id(), seat)
    return Prepared(sale, build_request(sale, who, (item,), request.source, BasketId(item.hold_id), request.promo_code))


def prepare_spots(services: Services, who: Principal, event_id: UUID, request: HoldItems) -> Prepared | None:
    sale = _peek_context(services, who, event_id)
    if sale is None or request.best_available or any(item.seat_id for item in request.items):
        return None
    policy.check_items(request.items)
    policy.check_size(sum(item.quantity for item in request.items), 0, sale.rules.policy)
    items = tuple([build_item(sale, item) for item in request.items])
    return Prepared(sale, build_request(sale, who, items, request.source, BasketId(new_id()), request.promo_code))


def _peek_context(services: Services, who: Principal, event_id: UUID) -> SaleContext | None:
    """From memory; None unless all zones are public and the waiting room is closed."""
    sale: SaleContext | None = services.parts[SaleContexts].peek(who.organization_id, event_id)
    return sale if sale and not sale.restricted_zones and queue.is_open_to_all(services, event_id) else None
