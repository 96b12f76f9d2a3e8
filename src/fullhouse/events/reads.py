"""Events as their organisation sees them: with sales figures and the allowed transitions."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from fullhouse.events import policy, store
from fullhouse.events.model import Event, EventView
from fullhouse.events.sale.policy import Stock, sale_status
from fullhouse.events.store import Sales
from fullhouse.kit.db.database import Tx


async def to_views(tx: Tx, events: Sequence[Event]) -> list[EventView]:
    rows = await store.list_sales(tx, [event.id for event in events])
    sales = {row.event_id: row for row in rows}
    now = await tx.now()
    return [_to_view(event, now, sales[event.id]) for event in events]


def _to_view(event: Event, now: datetime, sales: Sales) -> EventView:
    opens_at, closes_at = sales.opens_at or event.sale_start_at, sales.closes_at or event.sale_end_at
    stock = Stock(opens_at, closes_at, sales.has_tickets, sales.sold_out, sales.periods)
    limits = [limit for limit in (event.capacity, sales.places) if limit]
    return EventView(
        **msgspec.structs.asdict(event),
        sale_status=sale_status(event, now, stock),
        sold=sales.sold,
        places=min(limits, default=None),
        can_sell=policy.can_sell(event, now),
        scanning=policy.can_scan(event, now).name.lower(),
        visible=policy.is_visible(event.status),
        moves=policy.moves_from(event.status),
        start_at_unix_ms=int(event.start_at.timestamp() * 1000),
        server_time_unix_ms=int(now.timestamp() * 1000),
    )
