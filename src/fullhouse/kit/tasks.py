"""Ending tasks. One cancellation is not always enough: where it comes together with an answer, a library may lose it
(`asyncio.wait_for` does, up to Python 3.11), and whoever waits for the task then waits for good."""

import asyncio
from typing import Any

AGAIN_S = 5.0  # longer than an orderly end takes


async def stop(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancels these until they have ended. What they end with is nobody's any more."""
    left = {task for task in tasks if task is not None}
    while left:
        for task in left:
            task.cancel()
        ended, left = await asyncio.wait(left, timeout=AGAIN_S)
        for task in ended:
            if not task.cancelled():
                task.exception()  # read, so that nobody complains of it later
