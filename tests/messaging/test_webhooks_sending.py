"""From a fact to a receiver that behaves, or does not: each message once in effect, tried as the table says, logged."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse import wiring
from fullhouse.kit.db import WORKER, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.job_worker import Worker
from fullhouse.kit.outward import ANSWER_BYTES_MAX, Outward
from fullhouse.kit.reactions import Reactions
from fullhouse.kit.services import Services
from fullhouse.messaging import webhook_actions as actions
from fullhouse.messaging import webhook_delivery_actions as deliveries
from fullhouse.messaging import webhook_jobs, webhook_policy
from fullhouse.messaging.webhook_jobs import AT_ONCE, Sender
from tests.accounts.helpers import data
from tests.fixtures import Client, Tenant
from tests.kit.helpers import until
from tests.kit.receiver import Receiver, answer, receiving
from tests.messaging.webhook_helpers import House, at_home, hasty, house, receiver, verified_by

__all__ = ["at_home", "hasty", "house", "receiver"]  # fixtures

pytestmark = pytest.mark.req("MSG-5")


# --- one fact, one message


@pytest.mark.req("MSG-4")
async def test_a_fact_reaches_the_receiver_signed(house: House, receiver: Receiver) -> None:
    webhook = await house.webhook(receiver.url)
    message = await house.tell("event.published", old_status="draft", new_status="published")
    assert await house.work() == 1
    [posted] = receiver.posted
    assert posted.target == "/hook"
    assert posted.headers["content-type"] == "application/json"
    assert posted.headers["webhook-id"] == str(message.id)
    assert verified_by(posted, webhook.secret, "whsec_AAAA") == [webhook.secret]
    said = msgspec.json.decode(posted.body)
    assert {**said, "timestamp": None} == {
        "id": str(message.id),
        "type": "event.published",
        "version": 1,
        "timestamp": None,
        "data": {"subject_id": str(message.subject_id), "old_status": "draft", "new_status": "published"},
    }
    delivery = await house.only(webhook)
    assert (delivery.status, delivery.attempts, delivery.next_try_at) == ("delivered", 1, None)
    assert (delivery.response_status, delivery.response_body, delivery.error) == (204, "", None)
    assert delivery.request_body == posted.body.decode()
    assert delivery.duration_ms is not None
    assert await house.work() == 0


@pytest.mark.req("MSG-4")
async def test_from_a_change_to_the_receiver_without_a_broker(
    house: House, receiver: Receiver, client: Client, server_url: str
) -> None:
    webhook = await house.webhook(receiver.url, "venue.changed")
    hall = {"name": "Hall", "city": "Gent", "country": "BE", "timezone": "Europe/Brussels", "address": "Kouter 1"}
    venue = data(await client.as_(house.tenant.tokens["owner"]).post("/api/venues", json=hall), 201)
    finder = await Database.open(server_url, WORKER, size=2)
    try:
        reactions = Reactions(finder, house.services.database, wiring.ASYNC, wiring.ASYNC_ALL)
        while await reactions.round():  # what other tests announced, too
            pass
    finally:
        await finder.close()
    await house.work()
    [posted] = receiver.posted
    said = msgspec.json.decode(posted.body)
    assert (said["type"], said["data"]["subject_id"]) == ("venue.changed", venue["id"])
    assert verified_by(posted, webhook.secret)


async def test_the_example_in_the_paper_verifies_it(house: House, receiver: Receiver) -> None:
    paper = Path(__file__).parents[2] / "docs" / "webhooks.md"
    example: dict[str, Any] = {}
    exec(paper.read_text().split("```python")[1].split("```")[0], example)
    webhook = await house.webhook(receiver.url)
    await house.tell()
    await house.work()
    [posted] = receiver.posted
    is_genuine = example["is_genuine"]
    assert is_genuine(webhook.secret, posted.headers, posted.body)
    assert not is_genuine("whsec_AAAA", posted.headers, posted.body)
    assert not is_genuine(webhook.secret, posted.headers, posted.body + b" ")
    assert not is_genuine(webhook.secret, {**posted.headers, "webhook-id": "x"}, posted.body)
    assert not is_genuine(webhook.secret, {**posted.headers, "webhook-timestamp": "1777665600"}, posted.body)


async def test_filters_say_who_is_told(house: House, receiver: Receiver) -> None:
    told = {
        "everything": await house.webhook(receiver.url, "*"),
        "events": await house.webhook(receiver.url, "venue.changed", "event.*"),
        "one": await house.webhook(receiver.url, "event.canceled"),
        "disabled": await house.webhook(receiver.url, "*", enabled=False),
    }
    await house.tell("event.published")
    await house.tell("hold.placed")
    await house.tell("event.canceled")
    log = {name: {delivery.type for delivery in await house.log(webhook)} for name, webhook in told.items()}
    assert log == {
        "everything": {"event.published", "hold.placed", "event.canceled"},
        "events": {"event.published", "event.canceled"},
        "one": {"event.canceled"},
        "disabled": set(),
    }
    assert len(await house.waiting()) == 6


async def test_the_reaction_may_run_twice(house: House, receiver: Receiver) -> None:
    await house.webhook(receiver.url)
    message = await house.tell()
    await house.react(message)
    assert await house.work() == 1
    assert len(receiver.posted) == 1


async def test_a_change_that_fails_tells_nobody(house: House, receiver: Receiver) -> None:
    webhook = await house.webhook(receiver.url)
    message = await house.tell()
    await house.take()
    with pytest.raises(ZeroDivisionError):
        async with house.tx() as tx:
            await actions.deliver_later(tx, msgspec.structs.replace(message, id=new_id()))
            raise ZeroDivisionError
    assert await house.waiting() == []
    assert len(await house.log(webhook)) == 1


@pytest.mark.req("TEN-1")
async def test_nobody_hears_of_another_organisation(
    house: House, receiver: Receiver, services: Services, other_tenant: Tenant, owner: Any, at_home: Outward
) -> None:
    theirs = House(services, other_tenant, owner, at_home)
    webhook = await theirs.webhook(receiver.url)
    await house.tell()
    assert await house.waiting() == await theirs.waiting() == []
    await theirs.tell()
    [job] = await theirs.take()
    await house.run(job)  # a job that names the wrong organisation finds nothing
    assert receiver.posted == []
    assert (await theirs.only(webhook)).attempts == 0


# --- receivers that do not behave

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
    assert len(delivery.response_body or "") <= webhook_policy.EXCERPT < ANSWER_BYTES_MAX


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
    for _ in range(len(webhook_policy.PAUSES)):
        await house.work()
        [job] = await house.waiting()
        pauses.append(job.pause)
        assert (await house.only(webhook)).status == "pending"
    for pause, asked in zip(pauses, webhook_policy.PAUSES, strict=True):
        assert asked * 0.9 <= pause <= asked * 1.1
    assert len({pause / asked for pause, asked in zip(pauses, webhook_policy.PAUSES, strict=True)}) > 1
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
    patient = Outward(private=True, deadline_s=60)
    async with receiving() as hung:
        hung.otherwise = hung.hang
        await owner.execute("DELETE FROM jobs.queue WHERE entrypoint = $1", actions.JOB)  # what other tests left
        await house.webhook(hung.url)
        for _ in range(3 * AT_ONCE):
            await house.tell()
        await house.webhook(receiver.url)
        await house.tell()
        handlers = {actions.JOB: Sender(services.keyring, patient).deliver}
        running = asyncio.create_task(Worker(server_url, services.database, handlers).run())
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
    monkeypatch.setattr(webhook_jobs, "IN_LINE", AT_ONCE + 2)
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
    assert {(each.status, each.error) for each in put_off} == {("pending", deliveries.CROWDED)}
    assert (receiver.connections, (await house.see(webhook)).failures) == (AT_ONCE, 0)
    receiver.otherwise = answer(204)
    receiver.released.set()
    await asyncio.gather(*in_line)
    await house.work()
    heard = [posted.headers["webhook-id"] for posted in receiver.posted]
    assert set(heard) == {str(message.id) for message in told}
    assert not await house.waiting()


# --- once in effect


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
    await clock(webhook_policy.CLAIM + timedelta(seconds=1))
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
        patched.setattr(deliveries, "_settle", die)
        with pytest.raises(ConnectionAbortedError):
            await house.run(job)
    assert (await house.only(webhook)).status == "pending"
    with pytest.raises(deliveries.StillClaimed):  # the queue keeps such a job, and comes back with it
        await house.run(job)
    await clock(webhook_policy.CLAIM + timedelta(seconds=1))
    await house.run(job)
    assert (await house.only(webhook)).status == "delivered"
    first, second = receiver.posted
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body


# --- the address is looked at again


async def test_what_turned_private_is_not_sent_to(house: House, receiver: Receiver) -> None:
    webhook = await house.webhook(receiver.url.replace("http:", "https:"))  # fine while it was made
    guarded = Outward()
    await house.tell()
    await house.work(Sender(house.services.keyring, guarded))
    await guarded.close()
    assert receiver.connections == 0
    delivery = await house.only(webhook)
    assert (delivery.status, delivery.error) == ("pending", "The name does not lead to public addresses.")
