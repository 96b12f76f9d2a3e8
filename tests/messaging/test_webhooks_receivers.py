"""Receivers that do not behave: each is tried as the table says, logged, and holds up nobody else."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from fullhouse.kit.http.safe_http import RESPONSE_BYTES_MAX, SafeHttpClient
from fullhouse.kit.messages.job_worker import JobWorker
from fullhouse.kit.services import Services
from fullhouse.webhooks import actions, deliveries, policy
from fullhouse.webhooks import jobs as webhook_jobs
from fullhouse.webhooks.jobs import AT_ONCE, Sender
from tests.fixtures import Tenant
from tests.kit.helpers import until
from tests.kit.receiver import Receiver, answer, receiving
from tests.messaging.webhook_helpers import House, at_home, hasty, house, receiver, verified_by

__all__ = ["at_home", "hasty", "house", "receiver"]  # fixtures

pytestmark = pytest.mark.req("MSG-5")
AWAY = {
    "hang": "no answer within 2 seconds",
    "drip_head": "no answer within 2 seconds",
    "close_early": "RemoteProtocolError: Server disconnected without sending a response.",
}


@pytest.mark.parametrize("how", AWAY)
async def test_no_answer_is_tried_again(house: House, receiver: Receiver, hasty: Sender, how: str) -> None:
    webhook = await house.webhook(receiver.url)
    receiver.script = [getattr(receiver, how)]
    await house.tell()
    await house.work(hasty)
    delivery = await house.only(webhook)
    assert (delivery.status, delivery.attempts, delivery.response_status) == ("pending", 1, None)
    assert delivery.error == AWAY[how]
    assert delivery.next_try_at
    assert (await house.see(webhook)).failures == 1
    await house.work()
    delivery = await house.only(webhook)
    assert (delivery.status, delivery.attempts, delivery.error) == ("delivered", 2, None)
    first, second = receiver.posted
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    assert verified_by(second, webhook.secret)
    assert (await house.see(webhook)).failures == 0


async def test_a_redirect_is_a_failure_and_is_not_followed(house: House, receiver: Receiver) -> None:
    webhook = await house.webhook(receiver.url)
    async with receiving() as forbidden:
        receiver.script = [answer(307, location=forbidden.url)]
        await house.tell()
        await house.work()
        assert forbidden.connections == 0
    delivery = await house.only(webhook)
    assert (delivery.status, delivery.response_status) == ("pending", 307)


@pytest.mark.parametrize("how", ["drip_body", "half_a_body", "flood"])
async def test_who_said_200_has_it_whatever_follows(house: House, receiver: Receiver, hasty: Sender, how: str) -> None:
    webhook = await house.webhook(receiver.url)
    receiver.script = [getattr(receiver, how)]
    await house.tell()
    await house.work(hasty)
    delivery = await house.only(webhook)
    assert (delivery.status, delivery.response_status) == ("delivered", 200)
    assert len(delivery.response_body or "") <= policy.EXCERPT < RESPONSE_BYTES_MAX


async def test_an_answer_is_kept_in_part_and_as_text(house: House, receiver: Receiver) -> None:
    webhook = await house.webhook(receiver.url)
    receiver.script = [answer(500, b"oh \0 no " + b"x" * 5000)]
    await house.tell()
    await house.work()
    delivery = await house.only(webhook)
    assert delivery.response_status == 500
    assert (delivery.response_body or "").startswith("oh \ufffd no xxx")
    assert len(delivery.response_body or "") == 2048


async def test_it_is_tried_as_the_table_says_and_then_left(house: House, receiver: Receiver) -> None:
    webhook = await house.webhook(receiver.url)
    receiver.otherwise = answer(500)
    await house.tell()
    pauses = []
    for _ in range(len(policy.PAUSES)):
        await house.work()
        [job] = await house.waiting()
        pauses.append(job.pause)
        assert (await house.only(webhook)).status == "pending"
    for pause, asked in zip(pauses, policy.PAUSES, strict=True):
        assert asked * 0.9 <= pause <= asked * 1.1
    assert len({pause / asked for pause, asked in zip(pauses, policy.PAUSES, strict=True)}) > 1
    await house.work()
    delivery = await house.only(webhook)
    assert (delivery.status, delivery.attempts, delivery.next_try_at) == ("failed", 11, None)
    assert await house.waiting() == []
    assert len(receiver.posted) == 11
    assert len({posted.headers["webhook-id"] for posted in receiver.posted}) == 1
    assert (await house.see(webhook)).enabled  # one delivery is not a reason


async def test_a_receiver_that_hangs_holds_up_nobody_else(
    house: House, receiver: Receiver, services: Services, tenant: Tenant, server_url: str, owner: Any
) -> None:
    patient = SafeHttpClient(private=True, deadline_s=60)
    async with receiving() as hung:
        hung.otherwise = hung.hang
        await owner.execute("DELETE FROM jobs.queue WHERE entrypoint = $1", actions.JOB)  # what other tests left
        await house.webhook(hung.url)
        for _ in range(3 * AT_ONCE):
            await house.tell()
        await house.webhook(receiver.url)
        await house.tell()
        handlers = {actions.JOB: Sender(services.keyring, patient).deliver}
        running = asyncio.create_task(JobWorker(server_url, services.database, handlers).run())
        try:
            await until(lambda: len(receiver.posted) == 1)
            await house.tell()  # by the time it arrives, all that waited longer was begun
            await until(lambda: len(receiver.posted) == 2)
            assert hung.connections == AT_ONCE
            hung.otherwise = answer(204)
            hung.released.set()
            await until(lambda: hung.connections == 3 * AT_ONCE + 2)
        finally:
            running.cancel()
            await asyncio.wait((running,))
            await patient.close()
    await house.take()


async def test_few_wait_for_a_receiver_that_hangs_and_the_others_come_back(
    house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What hangs may be the receiver of a whole sale: a worker's memory is not where it waits."""
    monkeypatch.setattr(webhook_jobs, "WAITING_MAX", AT_ONCE + 2)
    webhook = await house.webhook(receiver.url)
    receiver.otherwise = receiver.hang
    told = [await house.tell() for _ in range(AT_ONCE + 6)]
    jobs = await house.take()
    in_line = [asyncio.create_task(house.run(job)) for job in jobs[: AT_ONCE + 2]]
    await until(lambda: receiver.connections == AT_ONCE)
    *crowd, last = jobs[AT_ONCE + 2 :]
    await house.owner.execute(
        "UPDATE webhook_deliveries SET failures = 10 WHERE id = $1", UUID(last.payload["delivery_id"])
    )
    for job in crowd:
        await house.run(job)  # without waiting for anybody
    in_line.append(asyncio.create_task(house.run(last)))  # who has no other try is not sent away
    later = await house.waiting()
    assert [job.payload["attempt"] for job in later] == [1] * len(crowd)
    assert all(timedelta(seconds=8) < job.pause < timedelta(seconds=12) for job in later)
    put_off = [delivery for delivery in await house.log(webhook) if delivery.attempts]
    assert {(each.status, each.error) for each in put_off} == {("pending", deliveries.TOO_MANY_WAITING)}
    assert (receiver.connections, (await house.see(webhook)).failures) == (AT_ONCE, 0)
    receiver.otherwise = answer(204)
    receiver.released.set()
    await asyncio.gather(*in_line)
    await house.work()
    heard = [posted.headers["webhook-id"] for posted in receiver.posted]
    assert set(heard) == {str(message.id) for message in told}
    assert not await house.waiting()


async def test_what_turned_private_is_not_sent_to(house: House, receiver: Receiver) -> None:
    webhook = await house.webhook(receiver.url.replace("http:", "https:"))  # fine while it was made
    guarded = SafeHttpClient()
    await house.tell()
    await house.work(Sender(house.services.keyring, guarded))
    await guarded.close()
    assert receiver.connections == 0
    delivery = await house.only(webhook)
    assert (delivery.status, delivery.error) == ("pending", "The host name does not resolve to public addresses.")
