"""Where public reads go: to the replica if there is one, and to the primary for a while after something was changed.

So whoever has just written, or was told of a change, reads what was written: a replica may be some seconds behind. It
may also be further behind than that: what it says is not cached for long. A replica that does not answer is left alone
for a while.
"""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from fullhouse.kit.cache.cache import TOPIC, keep_at_most
from fullhouse.kit.db.database import LOST, Database, Tx
from fullhouse.kit.live.bus import RESYNC, Bus

BEHIND_S = 5.0
CACHED_S = 15.0
log = structlog.get_logger()


class Reads:
    def __init__(self, primary: Database, replica: Database | None, bus: Bus, *, behind_s: float = BEHIND_S) -> None:
        self._primary, self._replica, self._behind_s = primary, replica, behind_s
        self._primary_until = float("-inf")
        if replica is not None:
            bus.subscribe(TOPIC, lambda _topic, _keys: self._avoid_replica())
            bus.subscribe(RESYNC, lambda _topic, _none: self._avoid_replica())

    @asynccontextmanager
    async def nobody(self) -> AsyncIterator[Tx]:
        """A transaction outside every organisation."""
        async with AsyncExitStack() as opened:
            tx: Tx | None = None
            if self._replica is not None and time.monotonic() >= self._primary_until:
                try:
                    tx = await opened.enter_async_context(self._replica.nobody())
                    keep_at_most(CACHED_S)
                except LOST as error:
                    log.warning("the read replica is away; reading from the primary", error=repr(error))
                    self._avoid_replica()
            if tx is None:
                tx = await opened.enter_async_context(self._primary.nobody())
            yield tx

    def _avoid_replica(self) -> None:
        self._primary_until = time.monotonic() + self._behind_s
