"""What a fact looks like in RabbitMQ, and what becomes of one that nobody wants or the broker does not take."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from fullhouse.config import ConfigError, load
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.rabbitmq import Broker
from fullhouse.kit.messages.relay import UNROUTED, Relay
from tests.fixtures import Tenant
from tests.messaging.helpers import bound, channel, clear_outbox, drained, names, put

pytestmark = pytest.mark.req("MSG-2")


@pytest.fixture
async def broker(amqp_url: str) -> AsyncIterator[Broker]:
    opened = Broker(amqp_url, names())
    yield opened
    await opened.stop()


@pytest.fixture
async def relay(server_url: str, owner: Any, broker: Broker, tenant: Tenant) -> AsyncIterator[Relay]:
    """After the tenant was made: that announces facts too."""
    await clear_outbox(owner)
    finder = await Database.open(server_url, WORKER, size=2)
    yield Relay(finder, broker)
    await finder.close()


async def test_a_fact_in_the_broker(relay: Relay, broker: Broker, amqp_url: str, owner: Any, tenant: Tenant) -> None:
    show = new_id()
    async with channel(amqp_url) as stranger:
        queue = await bound(stranger, broker.topology.exchange, "event.*")
        fact = await put(owner, tenant.id, "event.published", show, old_status="draft", new_status="published")
        await put(owner, tenant.id, "hold.placed", new_id())
        assert await relay.process_batch() == (2, None)
        [message] = await drained(queue)
    assert msgspec.json.decode(message.body) == {
        "version": 1,
        "subject_id": str(show),
        "old_status": "draft",
        "new_status": "published",
    }
    assert (message.message_id, message.routing_key, message.type) == (str(fact), "event.published", "event.published")
    assert (message.content_type, message.app_id, message.delivery_mode) == ("application/json", "fullhouse", 2)
    assert message.headers == {"organization": str(tenant.id), "subject": str(show), "version": 1}
    assert message.timestamp == await owner.fetchval("SELECT date_trunc('second', created_at) FROM outbox WHERE id = $1", fact)  # fmt: skip # noqa: E501


async def test_a_fact_that_no_queue_wants_is_sent_all_the_same_and_counted(
    relay: Relay, amqp_url: str, owner: Any, tenant: Tenant
) -> None:
    before = UNROUTED._value.get()
    fact = await put(owner, tenant.id, "hold.placed", new_id())
    assert await relay.process_batch() == (1, None)
    assert UNROUTED._value.get() == before + 1
    assert await owner.fetchval("SELECT sent_at IS NOT NULL FROM outbox WHERE id = $1", fact)


async def test_facts_of_one_subject_in_one_batch_arrive_in_their_order(
    relay: Relay, broker: Broker, amqp_url: str, owner: Any, tenant: Tenant
) -> None:
    show = new_id()
    async with channel(amqp_url) as stranger:
        queue = await bound(stranger, broker.topology.exchange, "#")
        facts = [await put(owner, tenant.id, "event.updated", show, n=n) for n in range(20)]
        assert await relay.process_batch() == (20, None)
        assert [message.message_id for message in await drained(queue)] == [str(fact) for fact in facts]


async def test_what_the_broker_refuses_rests_and_holds_back_only_its_own_subject(
    relay: Relay, broker: Broker, amqp_url: str, owner: Any, tenant: Tenant
) -> None:
    """A full queue that rejects is the broker's no to one message, while it takes others."""
    show = new_id()
    async with channel(amqp_url) as stranger:
        await bound(stranger, broker.topology.exchange, "event.canceled")
        full = await stranger.declare_queue(
            f"{broker.topology.exchange}.full", arguments={"x-max-length": 1, "x-overflow": "reject-publish"}
        )
        await full.bind(broker.topology.exchange, "event.updated")
        facts = [await put(owner, tenant.id, name, show) for name in ["event.updated"] * 3 + ["event.canceled"]]
        await put(owner, tenant.id, "event.canceled", new_id())
        taken, away = await relay.process_batch()
        assert (taken, away) == (5, None)
    rows = await owner.fetch(
        "SELECT id, sent_at IS NOT NULL AS sent, attempts, last_error FROM outbox WHERE id = ANY ($1) ORDER BY seq",
        facts,
    )
    sent = [row["sent"] for row in rows]
    refused = sent.index(False)
    assert refused in (1, 2)  # such a queue may take one more than it should
    assert not any(sent[refused:])
    assert "refused" in rows[refused]["last_error"]
    assert [row["attempts"] for row in rows[refused:]] == [1] + [0] * (3 - refused)
    assert await owner.fetchval("SELECT count(*) FROM outbox WHERE sent_at IS NULL") == 4 - refused


async def test_one_that_fits_into_no_frame_is_refused_and_the_others_go(
    relay: Relay, owner: Any, tenant: Tenant
) -> None:
    bad = await put(owner, tenant.id, "x" * 300, new_id())
    good = await put(owner, tenant.id, "event.updated", new_id())
    assert await relay.process_batch() == (2, None)
    rows = {row["id"]: row for row in await owner.fetch("SELECT * FROM outbox WHERE id = ANY ($1)", [bad, good])}
    assert rows[good]["sent_at"]
    assert (rows[bad]["sent_at"], rows[bad]["attempts"]) == (None, 1)
    assert "255 bytes" in rows[bad]["last_error"]


async def test_a_large_fact_goes_in_several_frames(
    relay: Relay, broker: Broker, amqp_url: str, owner: Any, tenant: Tenant
) -> None:
    async with channel(amqp_url) as stranger:
        queue = await bound(stranger, broker.topology.exchange, "#")
        ids = [str(new_id()) for _ in range(20_000)]
        await put(owner, tenant.id, "seats.blocked", new_id(), seat_ids=ids)
        assert await relay.process_batch() == (1, None)
        [message] = await drained(queue)
    assert msgspec.json.decode(message.body)["seat_ids"] == ids


async def test_an_exchange_that_was_deleted_is_made_anew(
    relay: Relay, broker: Broker, amqp_url: str, owner: Any, tenant: Tenant
) -> None:
    await put(owner, tenant.id, "event.updated", new_id())
    assert await relay.process_batch() == (1, None)
    async with channel(amqp_url) as stranger:
        await stranger.exchange_delete(broker.topology.exchange)
    await put(owner, tenant.id, "event.updated", new_id())
    assert (await relay.process_batch())[1] is not None
    assert (await relay.process_batch())[1] is None
    assert not await owner.fetchval("SELECT count(*) FROM outbox WHERE sent_at IS NULL")


@pytest.mark.parametrize("name", ["AMQP_URL", "SMTP_URL"])
@pytest.mark.parametrize("address", ["u:hid/den@host", "u:12/hidden@host", "u:hid#den@host", "u:hid?den@host",
                                     "u:hidden@host:many", "u:hidden@host:99999", "u:hidden@[::1", ""])  # fmt: skip
def test_an_address_that_cannot_be_read_is_found_at_the_start(name: str, address: str) -> None:
    scheme = name.partition("_")[0].lower()
    with pytest.raises(ConfigError, match=f"{name} must look like {scheme}://") as refused:
        load({name: f"{scheme}://{address}"})
    assert "hid" not in str(refused.value)
    assert refused.value.__context__ is None


@pytest.mark.parametrize("address", ["host", "u:p%2F%23@host:5672/our%2Fhost", "[::1]:5672", "u:p@ss@host/?name=us"])
def test_an_address_that_can_be_read_stays_as_it_is(address: str) -> None:
    assert load({"AMQP_URL": f"amqps://{address}"}).amqp_url == f"amqps://{address}"


async def test_a_broker_that_is_not_there_is_said_to_be_away(server_url: str, owner: Any, tenant: Tenant) -> None:
    await put(owner, tenant.id, "event.updated", new_id())
    nowhere = Broker("amqp://guest:guest@127.0.0.1:1/", names())
    finder = await Database.open(server_url, WORKER, size=1)
    taken, away = await Relay(finder, nowhere).process_batch()
    assert (taken, isinstance(away, OSError)) == (0, True)
    await nowhere.stop()
    await finder.close()
