"""Waiting for something to become true, and breaking connections on purpose."""

import asyncio
import inspect
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


async def until(check: Callable[[], Any], deadline_s: float = 60) -> Any:
    """Asks (or awaits) again and again until the answer is a yes, and returns it. A no for ever is an error."""
    async with asyncio.timeout(deadline_s):
        while True:
            answer = check()
            if inspect.isawaitable(answer):
                answer = await answer
            if answer:
                return answer
            await asyncio.sleep(0.02)


async def end_backends(owner: Any, which: str) -> int:
    """Ends the database's sessions that `which` (a condition on pg_stat_activity) names, as a restart would."""
    return int(
        await owner.fetchval(
            "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
            f" WHERE datname = current_database() AND pid <> pg_backend_pid() AND {which}"
        )
    )


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    """The process neither works nor answers, but its connections stay open: what a silent network looks like."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)
