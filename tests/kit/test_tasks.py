"""Tasks end, also one that loses a cancellation."""

import asyncio

import pytest

from fullhouse.kit import tasks


async def _deaf(times: int) -> None:
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            times -= 1
            if times < 0:
                raise


async def _broken() -> None:
    raise ValueError


@pytest.mark.parametrize("times", [0, 1, 3])
async def test_a_task_that_loses_cancellations_ends(times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "RETRY_S", 0.001)
    task = asyncio.create_task(_deaf(times))
    await asyncio.sleep(0)
    async with asyncio.timeout(20):
        await tasks.stop(task)
    assert task.cancelled()


async def test_what_has_ended_or_never_was_is_no_trouble() -> None:
    failed = asyncio.create_task(_broken())
    done = asyncio.create_task(asyncio.sleep(0))
    await asyncio.wait([failed, done])
    await tasks.stop(failed, None, done)
    await tasks.stop()
