"""Shows as their own house sees them: with what may be done to each now."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from fullhouse.events import policy, store
from fullhouse.events.model import Event, EventView
from fullhouse.kit.db import Tx


async def views(tx: Tx, events: Sequence[Event]) -> list[EventView]:
    gone = await store.sold_out_among(tx, tx.organization_id, [event.id for event in events]) or ()
    now = await tx.now()
    return [_view(event, now, sold_out=event.id in gone) for event in events]


def _view(event: Event, now: datetime, *, sold_out: bool) -> EventView:
    return EventView(
        **msgspec.structs.asdict(event),
        sale_status=policy.sale_status(event, now, sold_out=sold_out),
        can_sell=policy.can_sell(event, now),
        scanning=policy.can_scan(event, now).name.lower(),
        visible=policy.is_visible(event.status),
        moves=policy.moves_from(event.status),
        start_at_unix_ms=int(event.start_at.timestamp() * 1000),
        server_time_unix_ms=int(now.timestamp() * 1000),
    )
