"""Coroutines that start without a task."""

import asyncio
from contextvars import ContextVar
from typing import Any

import pytest

from fullhouse.kit.tasks import enter_task, start_eagerly

whose: ContextVar[str] = ContextVar("whose", default="nobody's")


async def started(coroutine: Any) -> asyncio.Task[None] | None:
    """Started as by a callback of the event loop: outside any task."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[asyncio.Task[None] | None] = loop.create_future()
    loop.call_soon(lambda: done.set_result(start_eagerly(coroutine, loop)))
    return await done


async def test_without_a_task_as_long_as_nothing_is_waited_for() -> None:
    steps: list[object] = []

    async def work() -> None:
        await asyncio.sleep(-1) if steps else steps.append(asyncio.current_task())

    assert await started(work()) is None
    assert steps == [None]


async def test_the_rest_is_a_task_in_the_same_context() -> None:
    steps: list[Any] = []

    async def work() -> None:
        token = whose.set("mine")
        await asyncio.sleep(0.01)
        steps.append((whose.get(), asyncio.current_task()))
        whose.reset(token)  # only its own context may
        await asyncio.sleep(0)
        steps.append(whose.get())

    task = await started(work())
    assert task is not None
    await task
    assert steps == [("mine", task), "nobody's"]
    assert whose.get() == "nobody's"


async def test_what_is_waited_for_may_be_there_before_the_task_begins() -> None:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[int] = loop.create_future()
    got: list[int] = []

    async def work() -> None:
        got.append(await future)

    def begin() -> None:
        tasks.append(start_eagerly(work(), loop))
        future.set_result(7)

    tasks: list[Any] = []
    loop.call_soon(begin)
    await asyncio.sleep(0.01)
    await tasks[0]
    assert got == [7]


async def test_it_can_be_cancelled_while_it_waits_and_clean_up() -> None:
    steps: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            steps.append("cleaned up")
            raise

    task = await started(work())
    assert task
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert steps == ["cleaned up"]


async def test_an_error_is_the_tasks() -> None:
    async def work() -> None:
        await asyncio.sleep(0)
        raise ValueError("no")

    task = await started(work())
    assert task
    with pytest.raises(ValueError, match="no"):
        await task


async def test_who_needs_a_task_gets_one() -> None:
    async def work() -> None:
        with pytest.raises(RuntimeError):
            async with asyncio.timeout(1):
                await asyncio.sleep(0)
        await enter_task()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.sleep(10)

    task = await started(work())
    assert task
    await task


async def test_inside_a_task_all_of_it_is_a_task() -> None:
    async def work() -> None:
        assert asyncio.current_task() is task

    task = start_eagerly(work(), asyncio.get_running_loop())
    assert task
    await task
