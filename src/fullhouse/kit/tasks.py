"""Stops tasks, including those in which a cancellation gets lost.

A library loses a cancellation that arrives together with a result: `asyncio.wait_for` does so up to Python 3.11. The
task then goes on, and `await task` never returns.
"""

import asyncio
from typing import Any

RETRY_S = 5.0  # longer than a task needs to clean up


async def stop(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancels, repeatedly if need be, until all have ended. Their results and exceptions are discarded."""
    left = {task for task in tasks if task is not None}
    while left:
        for task in left:
            task.cancel()
        ended, left = await asyncio.wait(left, timeout=RETRY_S)
        for task in ended:
            if not task.cancelled():
                task.exception()  # retrieved, so that asyncio does not log it
