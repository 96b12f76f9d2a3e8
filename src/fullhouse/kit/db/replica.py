"""Routes public reads: to the replica if there is one, and to the primary for some seconds after a change.

So a client that has just written, or was notified of a change, reads what was written although the replica lags by some
seconds. It may lag further: what it returns is cached briefly. A replica that is unavailable is avoided for the same
time.
"""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from fullhouse.kit.cache.cache import TOPIC, limit_ttl
from fullhouse.kit.db.database import DATABASE_ERRORS, Database, Tx
from fullhouse.kit.live.bus import RESYNC, Bus

BEHIND_S = 5.0
CACHED_S = 15.0
log = structlog.get_logger()


class ReadRouter:
    def __init__(self, primary: Database, replica: Database | None, bus: Bus, *, behind_s: float = BEHIND_S) -> None:
        self._primary, self._replica, self._behind_s = primary, replica, behind_s
        self._primary_until = float("-inf")
        if replica is not None:
            bus.subscribe(TOPIC, lambda _topic, _keys: self._avoid_replica())
            bus.subscribe(RESYNC, lambda _topic, _none: self._avoid_replica())

    @asynccontextmanager
    async def without_tenant(self) -> AsyncIterator[Tx]:
        """A transaction outside every organisation."""
        async with AsyncExitStack() as opened:
            tx: Tx | None = None
            if self._replica is not None and time.monotonic() >= self._primary_until:
                try:
                    tx = await opened.enter_async_context(self._replica.without_tenant())
                    limit_ttl(CACHED_S)
                except DATABASE_ERRORS as error:
                    log.warning("replica.unavailable", detail="reading from the primary", error=repr(error))
                    self._avoid_replica()
            if tx is None:
                tx = await opened.enter_async_context(self._primary.without_tenant())
            yield tx

    def _avoid_replica(self) -> None:
        self._primary_until = time.monotonic() + self._behind_s
