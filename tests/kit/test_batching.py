"""Those who wait together are served together; nobody waits for a timer, and nobody is forgotten."""

import asyncio
from collections.abc import Callable, Hashable, Sequence

import pytest

from fullhouse.kit.batching import RETRY, Batcher, Retry

Batch = tuple[Hashable, list[int]]


class Kitchen:
    """Answers each number with itself times ten, once the door is open. Remembers what came together."""

    def __init__(self, again: Callable[[int, bool], bool] = lambda number, last: False) -> None:
        self.batches: list[Batch] = []
        self.door = asyncio.Event()
        self.door.set()
        self.failing: Exception | None = None
        self._again = again

    async def cook(self, key: Hashable, requests: Sequence[int], last: Sequence[bool]) -> Sequence[int | Retry]:
        self.batches.append((key, list(requests)))
        await self.door.wait()
        if self.failing:
            raise self.failing
        return [RETRY if self._again(n, final) else n * 10 for n, final in zip(requests, last, strict=True)]


def served_by(kitchen: Kitchen, **more: int) -> Batcher[int, int]:
    return Batcher("test", kitchen.cook, **more)


async def turns(count: int = 5) -> None:
    """So many turns of the loop: enough for what needs no answer from outside."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_one_is_served_at_once() -> None:
    kitchen = Kitchen()
    assert await served_by(kitchen).submit("org", 7) == 70
    assert kitchen.batches == [("org", [7])]


async def test_those_who_come_in_one_turn_are_one_batch() -> None:
    kitchen = Kitchen()
    desk = served_by(kitchen)
    assert await asyncio.gather(*(desk.submit("org", n) for n in range(5))) == [0, 10, 20, 30, 40]
    assert kitchen.batches == [("org", [0, 1, 2, 3, 4])]


async def test_whoever_comes_while_all_lines_are_busy_waits_with_the_others() -> None:
    kitchen = Kitchen()
    kitchen.door.clear()
    desk = served_by(kitchen, lines=1)
    first = asyncio.create_task(desk.submit("org", 0))
    await turns()
    rest = []
    for n in range(1, 6):  # one after the other, not together
        rest.append(asyncio.create_task(desk.submit("org", n)))
        await turns()
    assert kitchen.batches == [("org", [0])]
    kitchen.door.set()
    assert await asyncio.gather(first, *rest) == [0, 10, 20, 30, 40, 50]
    assert kitchen.batches[1:] == [("org", [1, 2, 3, 4, 5])]


async def test_a_batch_is_of_one_key_and_of_so_many_at_most() -> None:
    kitchen = Kitchen()
    desk = served_by(kitchen, most=2)
    await asyncio.gather(*(desk.submit(key, n) for n, key in enumerate("aabaa")))
    assert sorted(kitchen.batches) == [("a", [0, 1]), ("a", [3, 4]), ("b", [2])]


async def test_so_many_batches_of_one_key_are_in_flight_at_most() -> None:
    kitchen = Kitchen()
    kitchen.door.clear()
    desk = served_by(kitchen, lines=3, each=1)
    tasks = []
    for n, key in enumerate("aaabab"):
        tasks.append(asyncio.create_task(desk.submit(key, n)))
        await turns()
    assert kitchen.batches == [("a", [0]), ("b", [3])]  # a line is free, and those of `a` wait for each other
    kitchen.door.set()
    assert await asyncio.gather(*tasks) == [0, 10, 20, 30, 40, 50]
    assert sorted(kitchen.batches[2:]) == [("a", [1, 2, 4]), ("b", [5])]
    assert not desk._busy


async def test_a_busy_organisation_does_not_hold_up_the_others() -> None:
    kitchen = Kitchen()
    desk = served_by(kitchen, lines=1, most=2)
    many = [asyncio.create_task(desk.submit("busy", n)) for n in range(20)]
    one = asyncio.create_task(desk.submit("quiet", 99))
    await asyncio.gather(one, *many)
    assert [key for key, _ in kitchen.batches].index("quiet") == 1  # after one batch of the other, not after ten


async def test_lines_are_used_side_by_side_and_no_more_of_them() -> None:
    kitchen = Kitchen()
    kitchen.door.clear()
    desk = served_by(kitchen, lines=3, most=1)
    callers = [asyncio.create_task(desk.submit("org", n)) for n in range(5)]
    await turns()
    assert len(kitchen.batches) == 3
    kitchen.door.set()
    assert await asyncio.gather(*callers) == [0, 10, 20, 30, 40]


async def test_one_person_is_in_a_batch_once_and_in_order() -> None:
    kitchen = Kitchen()
    desk = served_by(kitchen, lines=1)
    wishes = [(0, "ana"), (1, "ben"), (2, "ana"), (3, "ana"), (4, "cyd"), (5, "ben")]
    await asyncio.gather(*(desk.submit("org", n, [who]) for n, who in wishes))
    assert kitchen.batches == [("org", [0, 1, 4]), ("org", [2, 5]), ("org", [3])]


async def test_whoever_waits_behind_two_is_kept_apart_from_both() -> None:
    """The second may not go before the first of any of its names, even while that one is put off itself."""
    kitchen = Kitchen()
    desk = served_by(kitchen, lines=1)
    wishes: list[tuple[int, list[str]]] = [(0, ["ana"]), (1, ["ana", "net"]), (2, ["net"])]
    await asyncio.gather(*(desk.submit("org", n, apart) for n, apart in wishes))
    assert kitchen.batches == [("org", [0]), ("org", [1]), ("org", [2])]


async def test_again_comes_before_those_who_wait_and_not_for_ever() -> None:
    kitchen = Kitchen(again=lambda n, last: n == 1 and not last)
    desk = served_by(kitchen, lines=1, most=2, tries=3)
    assert await asyncio.gather(*(desk.submit("org", n) for n in range(1, 6))) == [10, 20, 30, 40, 50]
    assert kitchen.batches == [("org", [1, 2]), ("org", [1, 3]), ("org", [1, 4]), ("org", [5])]


async def test_a_batch_that_fails_fails_alone() -> None:
    kitchen = Kitchen()
    desk = served_by(kitchen, lines=1)
    kitchen.failing = ConnectionError("lost")
    lost = await asyncio.gather(*(desk.submit("org", n) for n in range(3)), return_exceptions=True)
    assert [type(error) for error in lost] == [ConnectionError] * 3
    kitchen.failing = None
    assert await desk.submit("org", 4) == 40
    assert len(kitchen.batches) == 2


async def test_whoever_leaves_while_waiting_is_not_served() -> None:
    kitchen = Kitchen()
    kitchen.door.clear()
    desk = served_by(kitchen, lines=1)
    callers = [asyncio.create_task(desk.submit("org", 0))]
    await turns()
    callers += [asyncio.create_task(desk.submit("org", n, ["ana"])) for n in (1, 2)]
    await turns()
    callers[1].cancel()
    await turns()
    kitchen.door.set()
    answers = await asyncio.gather(*callers, return_exceptions=True)
    assert [answers[0], answers[2]] == [0, 20]
    assert isinstance(answers[1], asyncio.CancelledError)
    assert kitchen.batches == [("org", [0]), ("org", [2])]


async def test_a_queue_that_everybody_left_holds_up_nobody() -> None:
    kitchen = Kitchen()
    kitchen.door.clear()
    desk = served_by(kitchen, lines=1)
    first = asyncio.create_task(desk.submit("a", 0))
    await turns()
    gone = [asyncio.create_task(desk.submit("b", n)) for n in range(3)]
    await turns()
    for task in gone:
        task.cancel()
    last = asyncio.create_task(desk.submit("c", 5))
    await turns()
    kitchen.door.set()
    assert [await first, await last] == [0, 50]
    assert kitchen.batches == [("a", [0]), ("c", [5])]


async def test_whoever_leaves_while_being_served_disturbs_nobody() -> None:
    kitchen = Kitchen()
    kitchen.door.clear()
    desk = served_by(kitchen)
    callers = [asyncio.create_task(desk.submit("org", n)) for n in range(3)]
    await turns()
    callers[1].cancel()
    await turns()
    kitchen.door.set()
    answers = await asyncio.gather(*callers, return_exceptions=True)
    assert [answers[0], answers[2]] == [0, 20]


async def test_closing_answers_everybody_first() -> None:
    kitchen = Kitchen(again=lambda n, last: not last)
    kitchen.door.clear()
    desk = served_by(kitchen, lines=1, most=2, tries=2)
    callers = [asyncio.create_task(desk.submit(key, n)) for n, key in enumerate("aabbb")]
    await turns()
    closing = asyncio.create_task(desk.close())
    await turns()
    assert not closing.done()
    kitchen.door.set()
    async with asyncio.timeout(10):
        await closing
    assert all(caller.done() for caller in callers)
    assert await asyncio.gather(*callers) == [0, 10, 20, 30, 40]


async def test_closing_what_nobody_used() -> None:
    await served_by(Kitchen()).close()


@pytest.mark.parametrize("answers", [[], [1]])
async def test_a_batch_with_too_few_answers_leaves_nobody_waiting(answers: list[int]) -> None:
    async def run(key: Hashable, requests: Sequence[int], last: Sequence[bool]) -> Sequence[int | Retry]:
        return answers

    desk: Batcher[int, int] = Batcher("test", run)
    async with asyncio.timeout(10):
        got = await asyncio.gather(*(desk.submit("org", n) for n in (1, 2)), return_exceptions=True)
    assert any(isinstance(answer, ValueError) for answer in got)


async def test_the_next_batch_waits_for_company_while_one_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    kitchen = Kitchen()
    kitchen.door.clear()
    desk = served_by(kitchen, lines=3, most=16)
    callers = []
    for n in range(4):
        callers.append(asyncio.create_task(desk.submit("org", n)))
        await turns()
    assert kitchen.batches == [("org", [0])]  # two lines are free
    callers.append(asyncio.create_task(desk.submit("org", 4)))
    await turns()
    assert kitchen.batches[1:] == [("org", [1, 2, 3, 4])]  # a quarter of a full one goes
    monkeypatch.setattr("fullhouse.kit.batching.LONG_BATCH_S", -1)
    callers.append(asyncio.create_task(desk.submit("org", 5)))
    await turns()
    assert kitchen.batches[2:] == [("org", [5])]  # those before it take long
    kitchen.door.set()
    assert await asyncio.gather(*callers) == [0, 10, 20, 30, 40, 50]
    assert not desk._started_at


async def test_whoever_waits_behind_one_that_hangs_goes_without_another_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fullhouse.kit.batching.LONG_BATCH_S", 0.01)
    kitchen = Kitchen()
    kitchen.door.clear()
    desk = served_by(kitchen, lines=2)
    callers = [asyncio.create_task(desk.submit("org", 0))]
    await turns()
    callers.append(asyncio.create_task(desk.submit("org", 1)))
    async with asyncio.timeout(10):
        while len(kitchen.batches) < 2:
            await asyncio.sleep(0.01)
    kitchen.door.set()
    assert await asyncio.gather(*callers) == [0, 10]
