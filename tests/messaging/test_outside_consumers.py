"""What services of others read, from an exchange that their queue is bound to: every message is as the document says
that anybody may read."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Any

import msgspec
import pytest

from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.messages.rabbitmq import Broker
from fullhouse.kit.messages.relay import Relay
from tests.accounts.helpers import data
from tests.events.helpers import draft, move
from tests.events.test_event_service import SERVICE, body
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall, on_sale
from tests.messaging.helpers import bound, channel, clear_outbox, drained, names
from tests.messaging.test_catalogue import found

pytestmark = pytest.mark.req("MSG-2")
Read = Callable[[], Awaitable[list[Any]]]
# The reserve workflow's own list of what its domain event says.
SEAT_RESERVED = {"hold_id", "seat_id", "event_id", "user_id", "organization_id", "held_until", "timestamp"}


@pytest.fixture
def staff(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.fixture
async def consumer(
    request: pytest.FixtureRequest, amqp_url: str, server_url: str, owner: Any, tenant: Tenant
) -> AsyncIterator[Read]:
    """A service of somebody else's, whose queue is bound by the routing key that the test names."""
    topology = names()
    broker, finder = Broker(amqp_url, topology), await Database.open(server_url, WORKER, size=2)
    relay = Relay(finder, broker)
    await clear_outbox(owner)
    async with channel(amqp_url) as stranger:
        queue = await bound(stranger, topology.exchange, request.param)

        async def read() -> list[Any]:
            while (await relay.process_batch())[0]:
                pass
            return await drained(queue)

        yield read
    await finder.close()
    await broker.stop()


async def documented(client: Client, message: Any) -> Any:
    """The payload, which has all that its document asks for, and nothing that it does not know."""
    document = (await client.get("/api/asyncapi.json")).json()
    described = document["components"]["messages"][message.routing_key]
    schema = found(document, described["payload"]["$ref"])
    said = msgspec.json.decode(message.body)
    assert set(schema["required"]) <= said.keys() <= set(schema["properties"])
    assert document["channels"][message.routing_key]["address"] == message.routing_key == message.type
    return said


@pytest.mark.parametrize("consumer", ["event.*"], indirect=True)
@pytest.mark.parametrize("capacity", [30, 0], ids=["capacity", "unlimited"])
async def test_a_published_event_says_all_that_a_join_or_a_feed_service_needs(
    consumer: Read, capacity: int, client: Client, tenant: Tenant
) -> None:
    organiser = client.as_(tenant.tokens["admin"])
    wish = body(tenant, capacity=capacity)
    path = f"{SERVICE}/{data(await organiser.post(SERVICE, json=wish), 201)['id']}"
    event = data(await organiser.post(f"{path}/publish"))
    created, published = await consumer()
    assert (created.routing_key, published.routing_key) == ("event.created", "event.published")
    assert published.headers == {"organization": str(tenant.id), "subject": event["id"], "version": 1}
    said = await documented(client, published)
    listed = data(await client.get(path))
    told = [*wish, "owner_id", "cover_image_ids", "published_at"]
    assert {name: said[name] for name in told} == {name: listed[name] for name in told}
    assert (said["subject_id"], said["capacity"], said["new_status"]) == (event["id"], capacity, "published")
    data(await organiser.patch(path, json={"title": "Picnic in the park", "capacity": 40}))
    [updated] = await consumer()
    assert updated.routing_key == "event.updated"
    again = await documented(client, updated)
    assert (again["title"], again["capacity"]) == ("Picnic in the park", 40)
    data(await organiser.post(f"{path}/cancel"))
    [canceled] = await consumer()
    assert (canceled.routing_key, (await documented(client, canceled))["new_status"]) == ("event.canceled", "cancelled")


@pytest.mark.parametrize("consumer", ["event.published"], indirect=True)
async def test_so_does_one_that_was_made_for_sale(consumer: Read, client: Client, staff: Client) -> None:
    made = await draft(staff, name="Ubu", capacity=120)
    data(await move(staff, made, "publish"))
    [published] = await consumer()
    said = await documented(client, published)
    listed = data(await client.get(f"{SERVICE}/{made['id']}"))
    assert (said["title"], said["capacity"], said["subject_id"]) == ("Ubu", 120, made["id"])
    assert {name: said[name] for name in ("city", "start_time", "end_time", "category")} == {
        name: listed[name] for name in ("city", "start_time", "end_time", "category")
    }


@pytest.mark.req("HOLD-1", "WIRE-1")
@pytest.mark.parametrize("consumer", ["hold.placed"], indirect=True)
async def test_a_reserved_seat_is_told_under_the_reserve_workflows_own_name(
    consumer: Read, client: Client, tenant: Tenant, staff: Client
) -> None:
    buyer = client.as_(tenant.tokens["customer"])
    sale = await on_sale(staff, hall(pit=20))
    held = data(await buyer.post(sale.path(f"seats/{sale.seat(3)}/reserve"), json={}), 201)
    [message] = await consumer()
    said = await documented(client, message)
    assert said.keys() >= SEAT_RESERVED
    assert said["type"] == "SeatReserved"
    assert {name: said[name] for name in ("hold_id", "seat_id", "event_id")} == {
        name: held[name] for name in ("hold_id", "seat_id", "event_id")
    }
    assert (said["user_id"], said["organization_id"]) == (str(tenant.people["customer"].id), str(tenant.id))
    times = [datetime.fromisoformat(said[name]) for name in ("held_until", "timestamp")]
    assert times == [datetime.fromisoformat(held[name]) for name in ("held_until", "locked_at")]
    basket = {"items": [{"zone_id": sale.zones["pit"], "quantity": 2}]}
    data(await buyer.post(sale.path("holds"), json=basket), 201)
    [places] = await consumer()
    assert "type" not in await documented(client, places), "places have no seat that was reserved"
