"""Records refused schedules (impossible times, a start in the past) for operators."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar
from uuid import UUID

from fullhouse.events import monitoring, store
from fullhouse.events.model import InvalidTimes, NewEvent, NoNewDate, StartInThePast
from fullhouse.kit.db.database import Tx

P = ParamSpec("P")
T = TypeVar("T")


def record_anomalies(verb: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Decorates an action: a refused schedule is recorded (`monitoring.record_anomaly`), then raised again."""

    @wraps(verb)
    async def watched(*args: P.args, **more: P.kwargs) -> T:
        try:
            return await verb(*args, **more)
        except (InvalidTimes, StartInThePast, NoNewDate) as refusal:
            tx = args[0]
            assert isinstance(tx, Tx)
            event_id = next((it for it in args if isinstance(it, UUID)), None)
            event = await store.event_by_id(tx, event_id) if event_id else None
            new = next((it for it in args if isinstance(it, NewEvent)), None)
            monitoring.record_anomaly(refusal.code, refusal.detail, tx.organization_id, event or new)
            raise

    return watched
