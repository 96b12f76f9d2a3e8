"""Who takes part in a show, by what a broker or the house tells: counted once, in any order, and countable anew."""

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import aio_pika
import asyncpg
import msgspec
import pytest

from fullhouse import prove, wiring
from fullhouse.events.model import Event
from fullhouse.kit import consumer
from fullhouse.kit.db import WORKER, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.outbox import announce
from fullhouse.kit.outward import Outward
from fullhouse.kit.relay import Hint
from fullhouse.kit.services import Services
from fullhouse.messaging import jobs, post, store, webhook_actions
from fullhouse.messaging.facts import JoinCanceled, JoinConfirmed
from fullhouse.messaging.post import open_post
from fullhouse.messaging.webhook_model import NewWebhook
from tests.events.helpers import make_show
from tests.fixtures import Client, Tenant
from tests.messaging.helpers import channel, clear_outbox, drained, names, publish_raw, until

pytestmark = pytest.mark.req("MSG-3")
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
CONSUMER = "fullhouse.messaging.actions.follow_join"


class Stage(NamedTuple):
    tenant: Tenant
    show: Event
    owner: Any
    exchange: Any
    dead: Any

    async def say(self, name: str, join: UUID, *, minute: int = 0, **other: Any) -> UUID:
        """A message as whoever keeps the participations sends it; `other` makes it another."""
        told = {"version": 1, "subject_id": join, "event_id": self.show.id, "at": NOON + timedelta(minutes=minute)}
        message_id: UUID = other.pop("message_id", new_id())
        headers: dict[str, Any] = {"organization": str(other.pop("organization", self.tenant.id))}
        body = other.pop("body", None) or msgspec.json.encode(told | other)
        message = aio_pika.Message(body, message_id=str(message_id), headers=headers, delivery_mode=2)
        await self.exchange.publish(message, name)
        return message_id

    async def joined(self) -> int:
        found = await self.owner.fetchval(
            "SELECT active_participants FROM event_stats WHERE event_id = $1", self.show.id
        )
        return found or 0

    async def processed(self, *messages: UUID) -> int:
        found: int = await self.owner.fetchval(
            "SELECT count(*) FROM processed_messages WHERE consumer = $1 AND message_id = ANY ($2)", CONSUMER, messages
        )
        return found

    async def all_processed(self, *messages: UUID) -> None:
        async def done() -> bool:
            return await self.processed(*messages) == len(messages)

        await until(done, "all messages are processed")

    async def letters(self, count: int) -> list[Any]:
        found: list[Any] = []

        async def enough() -> bool:
            found.extend(await drained(self.dead))
            return len(found) >= count

        await until(enough, f"{count} dead letters")
        return found


@asynccontextmanager
async def working(services: Services, amqp_url: str | None, **more: Any) -> AsyncIterator[None]:
    """What a worker runs for messages."""
    async with open_post(services, amqp_url, wiring.ASYNC, wiring.ASYNC_ALL, **more) as work:
        running = [asyncio.create_task(run()) for run in work.values()]
        try:
            yield
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)


@pytest.fixture
async def stage(services: Services, tenant: Tenant, owner: Any, amqp_url: str) -> AsyncIterator[Stage]:
    """A show, and a worker that listens."""
    show, own = await make_show(services, tenant), names()
    await clear_outbox(owner)
    async with channel(amqp_url) as stranger, working(services, amqp_url, names=own):
        exchange = await stranger.declare_exchange(own.exchange, "topic", durable=True)

        async def listening() -> bool:
            return await has_consumer(stranger, own)

        await until(listening, "the consumer listens")
        yield Stage(tenant, show, owner, exchange, await stranger.declare_queue(own.dead, durable=True))


async def test_joins_are_counted_and_cancellations_taken_back(stage: Stage) -> None:
    ann, bob = new_id(), new_id()
    first = [await stage.say("join.confirmed", ann), await stage.say("join.confirmed", bob)]
    await stage.all_processed(*first)
    assert await stage.joined() == 2
    await stage.all_processed(await stage.say("join.canceled", ann, minute=1))
    assert await stage.joined() == 1
    trail = await stage.owner.fetch("SELECT action FROM audit_log WHERE entity_id = $1 ORDER BY created_at", ann)
    assert [row["action"] for row in trail] == ["participation.confirmed", "participation.canceled"]


async def test_a_message_that_comes_again_counts_once(stage: Stage) -> None:
    ann = new_id()
    message = await stage.say("join.confirmed", ann)
    for _ in range(5):
        await stage.say("join.confirmed", ann, message_id=message)
    last = await stage.say("join.confirmed", new_id())
    await stage.all_processed(message, last)
    assert await stage.joined() == 2


async def test_the_same_word_under_another_id_changes_nothing(stage: Stage) -> None:
    ann = new_id()
    await stage.all_processed(*[await stage.say("join.confirmed", ann, minute=n) for n in range(3)])
    assert await stage.joined() == 1


@pytest.mark.req("MSG-5")
async def test_a_webhook_hears_of_joins_that_came_from_the_broker(stage: Stage, services: Services) -> None:
    """A filter that may be chosen must be one that something passes."""
    at_home = Outward(private=True)
    async with services.database.tenant(stage.tenant.id) as tx:
        wish = NewWebhook(url="http://127.0.0.1:9/", events=["join.confirmed"])
        await webhook_actions.create_webhook(tx, services.keyring, at_home, wish)
    await at_home.close()
    heard = await stage.say("join.confirmed", new_id())
    for _ in range(2):
        await stage.say("join.confirmed", new_id(), message_id=heard)
    await stage.all_processed(heard, await stage.say("join.canceled", new_id()))
    rows = await stage.owner.fetch(
        "SELECT message_id, type FROM webhook_deliveries WHERE organization_id = $1", stage.tenant.id
    )
    assert [tuple(row) for row in rows] == [(heard, "join.confirmed")]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
async def test_the_last_word_counts_in_whichever_order_they_come(stage: Stage, order: tuple[int, ...]) -> None:
    """Ann joins, leaves and joins again; Bob joins and leaves."""
    ann, bob = new_id(), new_id()
    told = ["join.confirmed", "join.canceled", "join.confirmed"]
    sent = [await stage.say(told[n], ann, minute=n) for n in order]
    sent += [await stage.say(told[n], bob, minute=n) for n in order if n < 2]
    await stage.all_processed(*sent)
    assert await stage.joined() == 1


async def test_of_two_words_at_one_time_the_cancellation_counts(stage: Stage) -> None:
    ann, bob = new_id(), new_id()
    sent = [await stage.say("join.confirmed", ann), await stage.say("join.canceled", ann)]
    sent += [await stage.say("join.canceled", bob), await stage.say("join.confirmed", bob)]
    await stage.all_processed(*sent)
    assert await stage.joined() == 0


async def test_what_cannot_be_understood_is_dead_with_its_reason(stage: Stage, other_tenant: Tenant) -> None:
    """And nothing else waits for it."""
    ann, nobody = new_id(), new_id()
    await stage.say("join.confirmed", ann, body=b"{nonsense")
    await stage.say("join.confirmed", ann, body=b"[]")
    await stage.say("join.confirmed", ann, event_id="x")
    await stage.say("join.confirmed", ann, at="2030-01-01T12:00:00")
    await stage.say("join.confirmed", ann, version=2)
    await stage.say("join.confirmed", ann, message_id="seven")
    await stage.say("join.confirmed", ann, organization="us")
    await stage.say("join.confirmed", ann, organization=nobody)
    await stage.say("join.confirmed", ann, organization=other_tenant.id)
    await stage.say("join.confirmed", ann, event_id=nobody)
    good = await stage.say("join.confirmed", ann)
    await stage.all_processed(good)
    reasons = [(letter.headers["x-reason"], letter.headers["x-routing-key"]) for letter in await stage.letters(10)]
    assert [reason for reason, _ in reasons] == [
        "the body is not a JSON object: JSON is malformed: object keys must be strings (byte 1)",
        "the body is not a JSON object: Expected `object`, got `array`",
        "the body is not a join.confirmed: Invalid UUID - at `$.event_id`",
        "the body is not a join.confirmed: Expected `datetime` with a timezone component - at `$.at`",
        "version 2 of join.confirmed is not known; this house speaks 1",
        "the message id is not a UUID: 'seven'",
        "the header “organization” is not a UUID: 'us'",
        f"there is no organisation {nobody}",
        f"organisation {other_tenant.id} has no show {stage.show.id}",
        f"organisation {stage.tenant.id} has no show {nobody}",
    ]
    assert {key for _, key in reasons} == {"join.confirmed"}
    assert await stage.joined() == 1


_HEADERS, _MESSAGE_ID, _TIMESTAMP = 1 << 13, 1 << 7, 1 << 6


def _table(kind: bytes, value: bytes) -> bytes:
    """One header, called x."""
    return struct.pack(">I", 3 + len(value)) + b"\x01x" + kind + value


# What other libraries can write and RabbitMQ passes on. Each once stopped the queue, or the worker, for good.
STRANGE = {
    "a number that we can read and not write": (_HEADERS, _table(b"d", struct.pack(">d", 1e300)), "the body is not a"),
    "a header that is no text": (_HEADERS, _table(b"S", struct.pack(">I", 2) + b"\xff\xfe"), "the body is not a JSON"),
    "an id that is no text": (_MESSAGE_ID, b"\x02\xff\xfe", "its properties cannot be read: "),
    "a time after the last year": (_TIMESTAMP, struct.pack(">Q", 1 << 62), "its properties cannot be read: "),
}


@pytest.mark.parametrize("what", STRANGE)
async def test_a_message_of_the_strangest_make_is_dead_and_holds_up_nobody(stage: Stage, what: str) -> None:
    flags, properties, reason = STRANGE[what]
    await publish_raw(stage.exchange, "join.confirmed", flags, properties, b"{")
    await stage.all_processed(await stage.say("join.confirmed", new_id()))
    [letter] = await stage.letters(1)
    assert letter.headers["x-reason"].startswith(reason)
    assert (letter.headers["x-routing-key"], letter.body) == ("join.confirmed", b"{")
    assert UUID(letter.message_id)  # by which an operator can name it


async def test_a_library_that_cancels_whoever_waits_does_not_end_the_worker(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it does with an acknowledgement when the connection ends. The message comes again, and counts once."""
    acknowledge = aio_pika.IncomingMessage.ack
    cancelled: list[Any] = []

    async def cancel_once(self: Any, multiple: bool = False) -> None:
        if not cancelled:
            cancelled.append(self)
            raise asyncio.CancelledError
        await acknowledge(self, multiple)

    monkeypatch.setattr(aio_pika.IncomingMessage, "ack", cancel_once)
    await stage.all_processed(await stage.say("join.confirmed", new_id()))
    await stage.all_processed(await stage.say("join.confirmed", new_id()))
    assert cancelled
    assert await stage.joined() == 2


async def test_a_message_that_keeps_failing_is_dead_after_a_few_tries(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    async def fail(*_: Any) -> None:
        tries.append(1)
        raise ZeroDivisionError("on a Monday")

    monkeypatch.setattr(consumer, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(store, "note_join", fail)
    message = await stage.say("join.confirmed", new_id())
    [letter] = await stage.letters(1)
    assert letter.headers["x-reason"] == "it failed 4 times: ZeroDivisionError('on a Monday')"
    assert (letter.message_id, len(tries)) == (str(message), 4)
    assert await stage.processed(message) == 0  # taken back with the effect


@pytest.mark.parametrize(
    "trouble",
    [
        ConnectionError, TimeoutError, asyncpg.TooManyConnectionsError, asyncpg.DiskFullError,
        asyncpg.ReadOnlySQLTransactionError, asyncpg.DeadlockDetectedError, asyncpg.LockNotAvailableError,
    ],
)  # fmt: skip
async def test_a_database_that_is_away_is_no_fault_of_a_message(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, trouble: type[Exception]
) -> None:
    monkeypatch.setattr(consumer, "FIRST_PAUSE_S", 0.001)
    working, left = store.note_join, [1] * 20

    async def away(*arguments: Any) -> Any:
        if left:
            left.pop()
            raise trouble("the database is away")
        return await working(*arguments)

    monkeypatch.setattr(store, "note_join", away)
    await stage.all_processed(await stage.say("join.confirmed", new_id()))
    assert (await stage.joined(), await drained(stage.dead)) == (1, [])


# --- without a broker, and switching


async def announce_join(services: Services, tenant: Tenant, show: Event, join: UUID) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        return await announce(tx, JoinConfirmed(subject_id=join, event_id=show.id, at=NOON))


@pytest.mark.req("MSG-4")
async def test_without_a_broker_the_house_counts_its_own_facts(services: Services, tenant: Tenant, owner: Any) -> None:
    show = await make_show(services, tenant)
    await clear_outbox(owner)
    here = Stage(tenant, show, owner, None, None)
    async with working(services, None):
        message = await announce_join(services, tenant, show, new_id())
        await here.all_processed(message)
        assert await here.joined() == 1
        async with services.database.tenant(tenant.id) as tx:
            gone = await announce(tx, JoinCanceled(subject_id=new_id(), event_id=show.id, at=NOON))
        await here.all_processed(gone)
    assert await here.joined() == 1
    assert await owner.fetchval("SELECT sent_at IS NULL FROM outbox WHERE id = $1", message)


@pytest.mark.req("MSG-4")
async def test_a_broker_switched_on_later_gets_everything_and_nothing_counts_twice(
    services: Services, tenant: Tenant, owner: Any, amqp_url: str
) -> None:
    """The facts come back to our own queue, under the ids that the house has processed already."""
    show, own = await make_show(services, tenant), names()
    await clear_outbox(owner)
    here = Stage(tenant, show, owner, None, None)
    async with working(services, None):
        before = [await announce_join(services, tenant, show, new_id()) for _ in range(5)]
        await here.all_processed(*before)
    async with channel(amqp_url) as stranger:
        await stranger.declare_exchange(own.exchange, "topic", durable=True)
        mirror = await stranger.declare_queue(f"{own.exchange}.mirror", durable=True)
        await mirror.bind(own.exchange, "join.*")
        async with working(services, amqp_url, names=own):
            after = await announce_join(services, tenant, show, new_id())
            await here.all_processed(*before, after)
            await unsent_is_empty(owner)
            await until(lambda: idle(stranger, own), "our own queue is empty")
        received = [UUID(message.message_id) for message in await drained(mirror)]
    assert received == [*before, after]
    assert (await here.joined(), await here.processed(*before, after)) == (6, 6)


@pytest.mark.req("MSG-4")
async def test_a_broker_switched_off_leaves_nothing_behind(
    services: Services, tenant: Tenant, owner: Any, amqp_url: str
) -> None:
    """What was in its queue is counted when it is back; what was announced meanwhile is counted at once."""
    show, own = await make_show(services, tenant), names()
    await clear_outbox(owner)
    here = Stage(tenant, show, owner, None, None)
    async with working(services, amqp_url, names=own):
        first = await announce_join(services, tenant, show, new_id())
        await here.all_processed(first)
        await unsent_is_empty(owner)
    async with channel(amqp_url) as stranger:  # somebody speaks while no worker listens
        exchange = await stranger.declare_exchange(own.exchange, "topic", durable=True)
        kept = await Stage(tenant, show, owner, exchange, None).say("join.confirmed", new_id())
    async with working(services, None):
        meanwhile = await announce_join(services, tenant, show, new_id())
        await here.all_processed(meanwhile)
        assert (await here.joined(), await here.processed(kept)) == (2, 0)
    async with working(services, amqp_url, names=own):
        await here.all_processed(first, kept, meanwhile)
        await unsent_is_empty(owner)
    assert await here.joined() == 3


async def unsent_is_empty(owner: Any) -> None:
    async def empty() -> bool:
        return not await owner.fetchval("SELECT count(*) FROM outbox WHERE sent_at IS NULL")

    await until(empty, "everything is sent")


async def has_consumer(stranger: Any, own: Any) -> bool:
    try:
        queue = await stranger.get_queue(next(iter(own.queues)))
    except aio_pika.exceptions.ChannelClosed:
        await stranger.reopen()
        return False
    return bool(queue.declaration_result.consumer_count)


async def idle(stranger: Any, own: Any) -> bool:
    queue = await stranger.get_queue(next(iter(own.queues)))
    return not queue.declaration_result.message_count


@pytest.mark.req("MSG-1")
async def test_an_idle_house_is_woken_by_whoever_commits(
    services: Services, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would look by itself only after an hour. Relays hear the same hint; what is in another's hands at that moment,
    they find by polling.
    """

    class Sleeper(Hint):
        async def wait(self, at_most_s: float = 3600) -> None:
            await super().wait(at_most_s)

    async def idle() -> bool:
        return not await owner.fetchval("SELECT count(*) FROM outbox WHERE handled_at IS NULL")

    monkeypatch.setattr(post, "Hint", Sleeper)
    await clear_outbox(owner)
    async with working(services, None):
        for _ in range(3):
            await make_show(services, tenant)
            await until(idle, "facts are handled", 10)
            await asyncio.sleep(0.3)  # until everybody sleeps


# --- counting anew


async def test_a_wrong_count_is_found_corrected_and_said(
    services: Services, tenant: Tenant, owner: Any, server_url: str
) -> None:
    show = await make_show(services, tenant)
    await clear_outbox(owner)
    here = Stage(tenant, show, owner, None, None)
    finder = await Database.open(server_url, WORKER, size=1)
    async with working(services, None):
        await here.all_processed(*[await announce_join(services, tenant, show, new_id()) for _ in range(3)])
    assert not await wrong_counts(server_url, show)
    await owner.execute("UPDATE event_stats SET active_participants = 7 WHERE event_id = $1", show.id)
    assert await wrong_counts(server_url, show) == [f"show {show.id} counts 7 participants where 3 take part"]
    assert await jobs.recount(finder, services.database) >= 1
    assert await here.joined() == 3
    row = await owner.fetchrow(
        "SELECT before, after FROM audit_log WHERE entity_id = $1 AND action = 'participants.recounted'", show.id
    )
    assert (msgspec.json.decode(row["before"]), msgspec.json.decode(row["after"])) == (
        {"active_participants": 7},
        {"active_participants": 3},
    )
    assert await jobs.recount(finder, services.database) == 0
    await finder.close()


async def test_the_organiser_sees_how_many_take_part(
    services: Services, tenant: Tenant, owner: Any, client: Client
) -> None:
    show = await make_show(services, tenant)
    await clear_outbox(owner)
    staff, path = client.as_(tenant.tokens["staff"]), f"/api/events/{show.id}"
    assert (await staff.get(path)).json()["data"]["active_participants"] == 0
    async with working(services, None):
        here = Stage(tenant, show, owner, None, None)
        await here.all_processed(*[await announce_join(services, tenant, show, new_id()) for _ in range(2)])
    assert (await staff.get(path)).json()["data"]["active_participants"] == 2


async def wrong_counts(url: str, show: Event) -> list[str]:
    [found] = [wrong for check, wrong in (await prove.run(url)).items() if check.name == "participants"]
    return [sentence for sentence in found if str(show.id) in sentence]
