"""From a fact to a receiver: each message signed, to those who asked for it, and to nobody else's."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from fullhouse import wiring
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.http.safe_http import SafeHttpClient
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.async_handlers import AsyncHandlers
from fullhouse.kit.services import Services
from fullhouse.webhooks import actions
from tests.accounts.helpers import data
from tests.fixtures import Client, Tenant
from tests.kit.receiver import Receiver
from tests.messaging.webhook_helpers import House, at_home, house, receiver, verified_by

__all__ = ["at_home", "house", "receiver"]  # fixtures

pytestmark = pytest.mark.req("MSG-5")


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
        reactions = AsyncHandlers(finder, house.services.database, wiring.ASYNC, wiring.ASYNC_ALL)
        while await reactions.process_batch():  # what other tests announced, too
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
            await actions.enqueue_deliveries(tx, msgspec.structs.replace(message, id=new_id()))
            raise ZeroDivisionError
    assert await house.waiting() == []
    assert len(await house.log(webhook)) == 1


@pytest.mark.req("TEN-1")
async def test_nobody_hears_of_another_organisation(
    house: House, receiver: Receiver, services: Services, other_tenant: Tenant, owner: Any, at_home: SafeHttpClient
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
