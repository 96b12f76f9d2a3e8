"""What the tests of messages share: facts in the outbox, queues of the test's own, and waiting for something."""

import asyncio
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import aio_pika
import aiormq
import msgspec

from fullhouse.broker.consumers import build_topology
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.rabbitmq import Topology

WAIT_S = 60


def names() -> Topology:
    """An exchange and queues that no other test has."""
    return build_topology(f"t-{new_id().hex}")


async def until(true: Callable[[], Awaitable[Any]], what: str, at_most_s: float = WAIT_S) -> None:
    try:
        async with asyncio.timeout(at_most_s):
            while not await true():
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"not within {at_most_s} s: {what}") from None


async def put(owner: Any, organization_id: UUID, name: str, subject_id: UUID, **payload: Any) -> UUID:
    """A fact as `announce` would write it, without its consequences."""
    message_id = new_id()
    body = msgspec.json.encode({"version": 1, "subject_id": subject_id, **payload}).decode()
    await owner.execute(
        "INSERT INTO outbox (id, organization_id, name, subject_id, payload) VALUES ($1, $2, $3, $4, $5)",
        message_id,
        organization_id,
        name,
        subject_id,
        body,
    )
    return message_id


async def clear_outbox(owner: Any) -> None:
    """Nothing of other tests is left to take."""
    await owner.execute("UPDATE outbox SET sent_at = now(), parked_at = NULL, handled_at = now()")
    await owner.execute("DELETE FROM owed_reactions")


@asynccontextmanager
async def channel(url: str) -> AsyncIterator[Any]:
    connection = await aio_pika.connect(url)
    try:
        yield await connection.channel()
    finally:
        await connection.close()


async def bound(channel: Any, exchange: str, *keys: str) -> Any:
    """A durable queue of a stranger's, bound to an exchange of ours."""
    await channel.declare_exchange(exchange, "topic", durable=True)
    queue = await channel.declare_queue(f"{exchange}.stranger", durable=True)
    for key in keys:
        await queue.bind(exchange, key)
    return queue


async def publish_raw(exchange: Any, key: str, flags: int, properties: bytes, body: bytes) -> None:
    """A message whose properties are these very bytes: what another library would write, and ours would not."""
    channel = await exchange.channel.get_underlay_channel()
    method = aiormq.abc.ChannelFrame.marshall(
        channel_number=channel.number, frames=[aiormq.spec.Basic.Publish(exchange=exchange.name, routing_key=key)]
    ).payload
    header = struct.pack(">HHQH", 60, 0, len(body), flags) + properties
    frames = [struct.pack(">BHI", kind, channel.number, len(x)) + x + b"\xce" for kind, x in ((2, header), (3, body))]
    channel.delivery_tag += 1
    confirmed = channel.confirmations[channel.delivery_tag] = channel.create_future()
    await channel.write_queue.put(aiormq.abc.ChannelFrame(method + b"".join(frames), should_close=False))
    await asyncio.wait_for(confirmed, WAIT_S)


async def drained(queue: Any) -> list[Any]:
    """Everything that is in a queue now."""
    found = []
    while (message := await queue.get(fail=False)) is not None:
        await message.ack()
        found.append(message)
    return found
