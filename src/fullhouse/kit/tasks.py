"""Starts coroutines without a task until they wait, and stops tasks, including those that lose a cancellation."""

import asyncio
from collections.abc import Coroutine, Generator
from contextvars import copy_context
from typing import Any

RETRY_S = 5.0  # longer than a task needs to clean up


def start_eagerly(coroutine: Coroutine[Any, Any, None], loop: asyncio.AbstractEventLoop) -> asyncio.Task[None] | None:
    """Runs a coroutine here and now until it waits for something; the rest becomes a task. None if it has ended. Inside
    another task, all of it becomes a task.

    Python 3.12 has eager tasks of its own, in which `asyncio.current_task` is set; here it is None until the coroutine
    has waited once. Code that needs a task calls `enter_task` first; `timeout` does.
    """
    if asyncio.current_task() is not None:
        return loop.create_task(coroutine)
    context = copy_context()
    try:
        first = context.run(coroutine.send, None)
    except StopIteration:
        return None
    return loop.create_task(_finish(coroutine, first), context=context)


async def _finish(coroutine: Coroutine[Any, Any, None], first: Any) -> None:
    await _Rest(coroutine, first)


class _Rest:
    """Awaits what a coroutine has already yielded, then the rest of the coroutine."""

    __slots__ = ("_coroutine", "_first")

    def __init__(self, coroutine: Coroutine[Any, Any, None], first: Any) -> None:
        self._coroutine, self._first = coroutine, first

    def __await__(self) -> Generator[Any, Any, None]:
        waits_for = self._first
        while True:
            try:
                try:
                    sent = yield waits_for
                except BaseException as error:  # a cancellation, above all
                    waits_for = self._coroutine.throw(error)
                else:
                    waits_for = self._coroutine.send(sent)
            except StopIteration:
                return


async def enter_task() -> None:
    """Before code that needs the current task: a coroutine that was started without a task continues in one."""
    if asyncio.current_task() is None:
        await asyncio.sleep(0)


class timeout:  # noqa: N801
    """`asyncio.timeout`, also in a coroutine that was started without a task."""

    __slots__ = ("_delay_s", "_timeout")

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s

    async def __aenter__(self) -> None:
        await enter_task()
        self._timeout = asyncio.timeout(self._delay_s)  # noqa: TID251
        await self._timeout.__aenter__()

    async def __aexit__(self, *exc: Any) -> None:
        await self._timeout.__aexit__(*exc)


async def stop(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancels, repeatedly if need be, until all have ended. Their results and exceptions are discarded.

    A library loses a cancellation that arrives together with a result: `asyncio.wait_for` does so up to Python 3.11.
    The task then goes on, and `await task` never returns.
    """
    left = {task for task in tasks if task is not None}
    while left:
        for task in left:
            task.cancel()
        ended, left = await asyncio.wait(left, timeout=RETRY_S)
        for task in ended:
            if not task.cancelled():
                task.exception()  # retrieved, so that asyncio does not log it
