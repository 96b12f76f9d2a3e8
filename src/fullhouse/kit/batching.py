"""Group commit in the application: requests that wait are served together by the next batch.

A batch starts as soon as a connection is free: an idle system answers immediately, and batches grow with the load.
Requests of one batch share a key (their organisation). Requests that share a conflict key (the same person twice) never
run in one batch, and keep their order. While a batch of a key runs, the next one of that key waits to grow: it starts
beside the first when it is large enough, or after a while. Three small batches are twice the work of one large one; but
with one batch at a time, this process would idle while the database works, and the database while this process answers.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

from prometheus_client import Histogram

R = TypeVar("R")
A = TypeVar("A")
SIZES = Histogram(
    "fullhouse_batch_size", "Requests served by one batch", ["batch"], buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
)
CONCURRENT_SHARE = 4  # a batch of at least 1/4 of the full size may run beside another of its key
LONG_BATCH_S = 0.1  # a batch that has run this long is blocked elsewhere (a lock): the next one may start, of any size


class Retry:
    """A batch's result for a request that has to run again, in the next batch."""


RETRY = Retry()


class _QueuedRequest(NamedTuple, Generic[R, A]):
    request: R
    waiter: "asyncio.Future[A]"
    conflict_keys: Sequence[Hashable]
    tries: int


class Batcher(Generic[R, A]):
    """`run(key, requests, last)` serves a batch and returns a result or a retry for each request. On a request's last
    of `tries` attempts (`last` is true) it must decide. `lines` is how many batches run at once; `each` how many of one
    key, where more would only wait for each other's locks."""

    def __init__(
        self,
        name: str,
        run: Callable[[Hashable, Sequence[R], Sequence[bool]], Awaitable[Sequence[A | Retry]]],
        *,
        lines: int = 3,
        most: int = 256,
        tries: int = 4,
        each: int | None = None,
    ) -> None:
        self._run, self._free, self._most, self._tries = run, lines, most, tries
        self._each, self._busy = each or lines, Counter[Hashable]()
        self._started_at: dict[Hashable, float] = {}  # when the key's latest running batch started
        self._queues: OrderedDict[Hashable, deque[_QueuedRequest[R, A]]] = OrderedDict()
        self._sizes = SIZES.labels(name)
        self._scheduled = False
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def submit(self, key: Hashable, request: R, conflict_keys: Sequence[Hashable] = ()) -> A:
        """The result of the request, once its batch is back."""
        waiter: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = deque()
        queue.append(_QueuedRequest(request, waiter, conflict_keys, 1))
        if self._free and not self._scheduled:
            self._schedule_flush()
        return await waiter

    async def close(self) -> None:
        """Serves every waiting request first."""
        while self._queues or self._tasks:
            await asyncio.wait(self._tasks, timeout=1) if self._tasks else await asyncio.sleep(0)

    def _schedule_flush(self) -> None:
        if self._free and self._queues and not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._flush)  # the rest of this loop turn joins the batch

    def _flush(self) -> None:
        self._scheduled = False
        while self._free and (key := self._next_key()) is not None:
            batch = self._next_batch(key)
            self._free -= 1
            self._busy[key] += 1
            self._started_at[key] = asyncio.get_running_loop().time()
            task = asyncio.create_task(self._serve(key, batch))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if self._free and self._queues and self._timer is None:  # a batch waits to grow, but only for a while
            self._timer = asyncio.get_running_loop().call_later(LONG_BATCH_S, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._schedule_flush()

    def _next_key(self) -> Hashable | None:
        """The key whose batch starts next. A busy organisation does not delay the others."""
        return next((key for key, queue in self._queues.items() if self._may_start(key, len(queue))), None)

    def _may_start(self, key: Hashable, waiting: int) -> bool:
        busy = self._busy[key]
        if not busy:
            return True
        is_late = asyncio.get_running_loop().time() - self._started_at[key] > LONG_BATCH_S
        return busy < self._each and (waiting * CONCURRENT_SHARE >= self._most or is_late)

    def _next_batch(self, key: Hashable) -> list[_QueuedRequest[R, A]]:
        queue = self._queues.pop(key)
        batch: list[_QueuedRequest[R, A]] = []
        later: deque[_QueuedRequest[R, A]] = deque()
        conflicts: set[Hashable] = set()
        while queue and len(batch) < self._most:
            waiting = queue.popleft()
            if waiting.waiter.done():  # the caller has gone
                continue
            if conflicts.isdisjoint(waiting.conflict_keys):
                batch.append(waiting)
            else:
                later.append(waiting)
            conflicts.update(waiting.conflict_keys)
        later.extend(queue)
        if later:
            self._queues[key] = later
        return batch

    async def _serve(self, key: Hashable, batch: list[_QueuedRequest[R, A]]) -> None:
        try:
            if batch:
                self._sizes.observe(len(batch))
                last = [waiting.tries >= self._tries for waiting in batch]
                answers = await self._run(key, [waiting.request for waiting in batch], last)
                self._deliver(key, batch, answers)
        except BaseException as error:
            for waiting in batch:
                if not waiting.waiter.done():
                    waiting.waiter.set_exception(error)
            if not isinstance(error, Exception):
                raise
        finally:
            self._free += 1
            self._busy[key] -= 1
            if not self._busy[key]:
                del self._busy[key], self._started_at[key]
            self._schedule_flush()

    def _deliver(self, key: Hashable, batch: list[_QueuedRequest[R, A]], answers: Sequence[A | Retry]) -> None:
        retries = []
        for waiting, answer in zip(batch, answers, strict=True):
            if isinstance(answer, Retry):
                retries.append(waiting._replace(tries=waiting.tries + 1))
            elif not waiting.waiter.done():
                waiting.waiter.set_result(answer)
        if retries:  # they arrived before the requests that wait now
            self._queues.setdefault(key, deque()).extendleft(reversed(retries))
