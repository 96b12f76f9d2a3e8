"""A show that people join, whoever tells of it, and a worker that listens."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import aio_pika
import msgspec
import pytest

from fullhouse import wiring
from fullhouse.broker.facts import JoinConfirmed
from fullhouse.broker.message_tasks import open_message_tasks
from fullhouse.events.model import Event
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.services import Services
from tests.events.helpers import make_show
from tests.fixtures import Tenant
from tests.messaging.helpers import channel, clear_outbox, drained, names, until

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
CONSUMER = "participants.count"


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
        whose = other.pop("organization", self.tenant.id)
        headers: dict[str, Any] = {"organization": str(whose)} if whose else {}
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
    async with open_message_tasks(services, amqp_url, wiring.ASYNC, wiring.ASYNC_ALL, **more) as work:
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
        yield Stage(tenant, show, owner, exchange, await stranger.declare_queue(own.dead_letter_queue, durable=True))


async def announce_join(services: Services, tenant: Tenant, show: Event, join: UUID) -> UUID:
    async with services.database.tenant(tenant.id) as tx:
        return await announce(tx, JoinConfirmed(subject_id=join, event_id=show.id, at=NOON))


async def has_consumer(stranger: Any, own: Any) -> bool:
    try:
        queue = await stranger.get_queue(next(iter(own.queues)))
    except aio_pika.exceptions.ChannelClosed:
        await stranger.reopen()
        return False
    return bool(queue.declaration_result.consumer_count)
