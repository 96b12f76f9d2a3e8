"""A delivery happens once in effect, whoever else is at it, comes late or dies."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from fullhouse.webhooks import deliveries, policy
from fullhouse.webhooks.jobs import Sender
from tests.kit.helpers import until
from tests.kit.receiver import Receiver, answer
from tests.messaging.webhook_helpers import House, at_home, house, receiver

__all__ = ["at_home", "house", "receiver"]  # fixtures

pytestmark = pytest.mark.req("MSG-5")


async def test_two_workers_send_a_delivery_once(house: House, receiver: Receiver) -> None:
    webhook = await house.webhook(receiver.url)
    go = asyncio.Event()

    async def slowly(writer: asyncio.StreamWriter) -> None:
        await go.wait()
        writer.write(answer(204))

    receiver.script = [slowly]
    await house.tell()
    [job] = await house.take()
    another = Sender(house.services.keyring, house.at_home)
    first = asyncio.create_task(house.run(job))
    await until(lambda: receiver.posted)
    with pytest.raises(deliveries.StillClaimed):
        await house.run(job, another)
    go.set()
    await first
    await house.run(job, another)
    assert len(receiver.posted) == 1
    assert (await house.only(webhook)).attempts == 1


async def test_many_workers_at_the_same_moment_send_it_once(house: House, receiver: Receiver, owner: Any) -> None:
    """They are all let go at once, when whoever has the row gives it back."""
    await house.webhook(receiver.url)
    await house.tell()
    [job] = await house.take()
    waiting = (
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        " AND datname = current_database() AND query LIKE '%webhook_deliveries%'"
    )

    async def all_wait() -> bool:
        await owner.execute("SELECT pg_stat_clear_snapshot()")  # a transaction looks only once by itself
        return bool(await owner.fetchval(waiting) == 5)

    running = []
    async with owner.transaction():
        lock = "SELECT FROM webhook_deliveries WHERE id = $1::text::uuid FOR UPDATE"
        await owner.execute(lock, job.payload["delivery_id"])
        for _ in range(5):
            sender = Sender(house.services.keyring, house.at_home)
            running.append(asyncio.create_task(house.run(job, sender)))
        await until(all_wait)
    ends = await asyncio.gather(*running, return_exceptions=True)
    assert len(receiver.posted) == 1
    assert {type(end) for end in ends} <= {type(None), deliveries.StillClaimed}


async def test_who_comes_back_after_the_claim_ran_out_changes_nothing(
    house: House, receiver: Receiver, clock: Callable[..., Any]
) -> None:
    webhook = await house.webhook(receiver.url)
    go = asyncio.Event()

    async def too_late(writer: asyncio.StreamWriter) -> None:
        await go.wait()
        writer.write(answer(500))

    receiver.script = [too_late]
    await house.tell()
    [job] = await house.take()
    slow = asyncio.create_task(house.run(job))
    await until(lambda: receiver.posted)
    await clock(policy.CLAIM + timedelta(seconds=1))
    await house.run(job, Sender(house.services.keyring, house.at_home))
    go.set()
    await slow
    delivery = await house.only(webhook)
    assert (delivery.status, delivery.attempts, delivery.response_status) == ("delivered", 1, 204)
    assert await house.waiting() == []


async def test_who_dies_after_sending_leaves_it_to_the_next_under_the_same_id(
    house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, clock: Callable[..., Any]
) -> None:
    webhook = await house.webhook(receiver.url)
    await house.tell()
    [job] = await house.take()

    async def die(*_: Any) -> None:
        raise ConnectionAbortedError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(deliveries, "_record_outcome", die)
        with pytest.raises(ConnectionAbortedError):
            await house.run(job)
    assert (await house.only(webhook)).status == "pending"
    with pytest.raises(deliveries.StillClaimed):  # the queue keeps such a job, and comes back with it
        await house.run(job)
    await clock(policy.CLAIM + timedelta(seconds=1))
    await house.run(job)
    assert (await house.only(webhook)).status == "delivered"
    first, second = receiver.posted
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
