"""Failed deliveries sent again together: by the organisation over HTTP, and by the operator."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from fullhouse.webhooks import policy
from fullhouse.webhooks.model import Delivery, Webhook
from tests.accounts.helpers import data, refused
from tests.fixtures import Client, Tenant
from tests.kit.receiver import Receiver
from tests.messaging.webhook_helpers import House, at_home, house, receiver
from tests.test_operators import Run, run

__all__ = ["at_home", "house", "receiver", "run"]  # fixtures
pytestmark = pytest.mark.req("MSG-5", "OPS-3")
PATH = "/api/org/webhooks"
LONG_AGO = "2000-01-01T00:00:00Z"


@pytest.fixture
def mine(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


async def failed(house: House, made: Webhook, count: int) -> list[Delivery]:
    """Deliveries whose last try is over, oldest first; nothing waits."""
    for _ in range(count):
        await house.tell()
    await house.take()
    await house.owner.execute(
        "UPDATE webhook_deliveries SET status = 'failed', next_try_at = NULL, attempts = 11, failures = 11"
        " WHERE webhook_id = $1 AND status = 'pending'",
        made.id,
    )
    return sorted((await house.log(made))[:count], key=lambda one: (one.created_at, one.id))


async def test_all_that_failed_go_again_once_each_under_their_ids(
    mine: Client, house: House, receiver: Receiver
) -> None:
    made, another = await house.webhook(receiver.url), await house.webhook(receiver.url)
    deliveries = await failed(house, made, 3)
    assert data(await mine.post(f"{PATH}/{made.id}/redeliver", json={"since": LONG_AGO}), 202) == {
        "redelivered": 3,
        "more": False,
    }
    assert {one.status for one in await house.log(made)} == {"pending"}
    pauses = [job.pause for job in await house.waiting() if job.payload["webhook_id"] == str(made.id)]
    assert [late - early for early, late in pairwise(pauses)] == [policy.REDELIVER_INTERVAL] * 2
    # Asked for again at once, nothing is sent twice.
    again = data(await mine.post(f"{PATH}/{made.id}/redeliver", json={"since": LONG_AGO}), 202)
    assert again == {"redelivered": 0, "more": False}
    await house.work()
    posted = [one.headers["webhook-id"] for one in receiver.posted]
    assert sorted(posted) == sorted(str(one.message_id) for one in deliveries)
    assert {(one.status, one.attempts) for one in await house.log(made)} == {("delivered", 12)}
    assert await house.audited("webhook.failed_redelivered", made.id) == 1
    assert await house.log(another)


async def test_only_those_since_then_and_only_of_that_webhook(mine: Client, house: House, receiver: Receiver) -> None:
    made, another = await house.webhook(receiver.url), await house.webhook(receiver.url)
    before, at_the_edge = await failed(house, made, 2)
    await failed(house, another, 0)
    edge = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
    for one, when in ((before, edge - timedelta(microseconds=1)), (at_the_edge, edge)):
        await house.owner.execute("UPDATE webhook_deliveries SET created_at = $2 WHERE id = $1", one.id, when)
    told = data(await mine.post(f"{PATH}/{made.id}/redeliver", json={"since": edge.isoformat()}), 202)
    assert told == {"redelivered": 1, "more": False}
    assert {one.id: one.status for one in await house.log(made)} == {before.id: "failed", at_the_edge.id: "pending"}
    assert [one.status for one in await house.log(another)] == ["failed", "failed"]


async def test_many_go_in_parts(
    mine: Client, house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "REDELIVER_MAX", 2)
    made = await house.webhook(receiver.url)
    deliveries = await failed(house, made, 3)
    said = [data(await mine.post(f"{PATH}/{made.id}/redeliver", json={"since": LONG_AGO}), 202) for _ in range(2)]
    assert said == [{"redelivered": 2, "more": True}, {"redelivered": 1, "more": False}]
    asked = [job.payload["delivery_id"] for job in await house.waiting()]
    assert sorted(asked) == sorted(str(one.id) for one in deliveries)
    assert asked[-1] == str(deliveries[-1].id), "the oldest first"


async def test_a_disabled_one_a_wrong_time_and_a_test_message(mine: Client, house: House, receiver: Receiver) -> None:
    made = await house.webhook(receiver.url)
    await failed(house, made, 1)
    await house.owner.execute("UPDATE webhook_deliveries SET type = 'webhook.test' WHERE webhook_id = $1", made.id)
    assert data(await mine.post(f"{PATH}/{made.id}/redeliver", json={"since": LONG_AGO}), 202)["redelivered"] == 0
    for body in ({}, {"since": "yesterday"}, {"since": "2026-01-01T00:00:00"}):
        assert (await mine.post(f"{PATH}/{made.id}/redeliver", json=body)).status_code == 422
    data(await mine.patch(f"{PATH}/{made.id}", json={"enabled": False}))
    answer = await mine.post(f"{PATH}/{made.id}/redeliver", json={"since": LONG_AGO})
    assert refused(answer) == (409, "webhook_disabled")


async def test_the_operator_sends_them_again_for_an_organisation(
    run: Run,
    house: House,
    receiver: Receiver,
    tenant: Tenant,
    monkeypatch: Any,
) -> None:
    monkeypatch.setattr(policy, "REDELIVER_MAX", 2)
    made = await house.webhook(receiver.url)
    await failed(house, made, 3)
    slug = tenant.organization.slug
    told = await run("messages", "redeliver", "--org", slug, "--webhook", str(made.id))
    assert told.err == f"fullhouse: {receiver.url}: 3 deliveries will be sent again\n"
    pauses = sorted(one.next_try_at for one in await house.log(made) if one.next_try_at)
    assert len(pauses) == 3
    told = await run("messages", "redeliver", "--org", slug)
    assert told.err == f"fullhouse: {receiver.url}: 0 deliveries will be sent again\n"
    assert (await run("messages", "redeliver", "--org", slug, "--webhook", str(tenant.id))).code == 1
