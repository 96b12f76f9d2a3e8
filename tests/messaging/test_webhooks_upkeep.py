"""Secrets that change, receivers that are given up, and a log that does not grow for ever."""

import base64
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from fullhouse.kit.db.database import WORKER, Database, delete_in_batches
from fullhouse.kit.secrets import Keyring
from fullhouse.webhooks import actions, policy
from fullhouse.webhooks import deliveries as delivery_actions
from fullhouse.webhooks import jobs as webhook_jobs
from fullhouse.webhooks.jobs import Sender
from fullhouse.webhooks.model import ChangeWebhook
from tests.kit.receiver import Receiver, answer
from tests.messaging.webhook_helpers import House, at_home, house, receiver, verified_by

__all__ = ["at_home", "house", "receiver"]  # fixtures
pytestmark = pytest.mark.req("MSG-5")


# --- secrets


async def test_both_secrets_sign_for_a_day(house: House, receiver: Receiver, clock: Callable[..., Any]) -> None:
    webhook = await house.webhook(receiver.url)
    async with house.tx() as tx:
        rotated = await actions.rotate_secret(tx, house.services.keyring, webhook.id)
    both = webhook.secret, rotated.secret
    assert both[0] != both[1]
    for shift, signers in (
        (timedelta(), set(both)),
        (timedelta(hours=23), set(both)),
        (timedelta(hours=25), {both[1]}),
    ):
        await clock(shift)
        await house.tell()
        await house.work()
        posted = receiver.posted[-1]
        assert set(verified_by(posted, *both)) == signers
        assert len(posted.headers["webhook-signature"].split(" ")) == len(signers)
    assert await house.audited("webhook.secret_rotated", webhook.id) == 1


async def test_secrets_are_sealed_and_for_their_own_webhook(house: House, receiver: Receiver, owner: Any) -> None:
    one, two = await house.webhook(receiver.url), await house.webhook(receiver.url)
    for row in await owner.fetch("SELECT secret FROM webhooks WHERE organization_id = $1", house.tenant.id):
        for webhook in (one, two):
            assert base64.b64decode(webhook.secret.removeprefix("whsec_")) not in row["secret"]
    await owner.execute(
        "UPDATE webhooks SET secret = (SELECT secret FROM webhooks WHERE id = $1) WHERE id = $2", one.id, two.id
    )
    await house.tell()
    await house.work()
    assert len(receiver.posted) == 1
    assert "rotate it" in ((await house.only(two)).error or "")


async def test_another_key_of_the_house_reads_no_secret_and_says_so(house: House, receiver: Receiver) -> None:
    webhook = await house.webhook(receiver.url)
    await house.tell()
    await house.work(Sender(Keyring("another key of the house, and long enough"), house.at_home))
    assert receiver.posted == []
    assert "FULLHOUSE_SECRET_KEY" in ((await house.only(webhook)).error or "")


# --- giving up


async def test_gone_disables_at_once_and_tells_the_owners(house: House, receiver: Receiver, owner: Any) -> None:
    webhook = await house.webhook(receiver.url, "event.*")
    for _ in range(2):
        await house.tell()
    receiver.otherwise = answer(410, b"bye")
    await house.work()
    assert len(receiver.posted) == 1  # the second found it disabled
    seen = await house.see(webhook)
    assert (seen.enabled, seen.disabled_because, seen.failures) == (False, "gone", 1)
    assert {delivery.status for delivery in await house.log(webhook)} == {"failed"}
    assert {delivery.error for delivery in await house.log(webhook)} == {None, "the webhook was disabled"}
    await _was_announced(house, owner, webhook.id, "gone")
    await house.tell()
    assert await house.waiting() == []


async def test_days_of_failures_disable_it(house: House, receiver: Receiver, owner: Any) -> None:
    webhook = await house.webhook(receiver.url)
    receiver.otherwise = answer(503)
    await house.tell()
    await house.work()
    await owner.execute(
        "UPDATE webhooks SET failures = $2, failing_since = now() - $3::interval WHERE id = $1",
        webhook.id,
        policy.GIVE_UP_FAILURES - 2,
        policy.GIVE_UP_AFTER + timedelta(hours=1),
    )
    await house.work()
    assert (await house.see(webhook)).enabled
    await house.work()
    seen = await house.see(webhook)
    assert (seen.enabled, seen.disabled_because) == (False, "failing")
    await _was_announced(house, owner, webhook.id, "failing")
    await house.work()
    assert len(receiver.posted) == 3
    await house.tell()
    async with house.tx() as tx:
        again = await actions.change_webhook(tx, house.at_home, webhook.id, ChangeWebhook(enabled=True), None)
    assert (again.enabled, again.disabled_because, again.failures, again.failing_since) == (True, None, 0, None)
    # As the letter says: what happened meanwhile is not sent, and what had failed is sent again when somebody asks.
    assert await house.waiting() == []
    (failed,) = await house.log(webhook)
    receiver.otherwise = answer(204)
    async with house.tx() as tx:
        await delivery_actions.redeliver(tx, webhook.id, failed.id)
    await house.work()
    assert (await house.only(webhook)).status == "delivered"


async def _was_announced(house: House, owner: Any, webhook_id: UUID, because: str) -> None:
    """One audit row, one fact, one mail to the owner and to nobody else."""
    assert await house.audited("webhook.given_up", webhook_id) == 1
    facts = await owner.fetch(
        "SELECT payload ->> 'because' AS because FROM outbox WHERE name = 'webhook.disabled' AND subject_id = $1",
        webhook_id,
    )
    assert [fact["because"] for fact in facts] == [because]
    mails = await owner.fetch("SELECT recipient FROM mails WHERE organization_id = $1", house.tenant.id)
    assert [mail["recipient"] for mail in mails] == ["owner@example.org"]


# --- the log


async def test_old_deliveries_are_forgotten_unless_they_wait(
    house: House, receiver: Receiver, owner: Any, server_url: str
) -> None:
    webhook = await house.webhook(receiver.url)
    for _ in range(3):
        await house.tell()
    jobs = await house.take()
    await house.run(jobs[0])
    await house.run(jobs[1])
    ids = [job.payload["delivery_id"] for job in jobs]
    old = "UPDATE webhook_deliveries SET created_at = app.clock() - interval '31 days' WHERE id = ANY ($1::uuid[])"
    await owner.execute(old, [ids[0], ids[2]])
    await owner.execute(  # their senders died; the second may still be at it
        "INSERT INTO webhook_deliveries"
        " (id, organization_id, webhook_id, message_id, type, body, next_try_at, created_at)"
        " SELECT gen_random_uuid(), $1, $2, gen_random_uuid(), 'webhook.test', '{}', now(), app.clock() - age"
        " FROM unnest(ARRAY[interval '25 hours', interval '1 minute']) age",
        house.tenant.id,
        webhook.id,
    )
    finder = await Database.open(server_url, WORKER, size=1)
    try:
        await delete_in_batches(finder, webhook_jobs.DELETE_OLD_DELIVERIES)
    finally:
        await finder.close()
    log = await house.log(webhook)
    assert {str(delivery.id) for delivery in log if delivery.type != "webhook.test"} == {ids[1], ids[2]}
    assert len(log) == 3
