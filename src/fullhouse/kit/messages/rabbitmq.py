"""RabbitMQ: one durable topic exchange, persistent messages, publisher confirms. Used only if AMQP_URL is set.

Every call has a client-side deadline: a broker that hangs or has blocked the connection (its memory watermark) neither
responds nor closes it. If the state of a connection is in doubt, it is dropped and opened anew; what was unconfirmed is
published again.

A fact that no queue is bound for is confirmed and returned (the mandatory flag). It counts as sent: consumers bind
their queue first. A catch-all queue of our own would fill the broker's disk with messages that nobody reads.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple
from uuid import UUID

import aio_pika
import aiormq
import structlog
from aio_pika.abc import AbstractChannel, AbstractConnection, AbstractIncomingMessage
from aiormq.exceptions import AMQPError, ChannelPreconditionFailed, DeliveryError, PublishError
from pamqp.body import ContentBody
from pamqp.header import ContentHeader

from fullhouse.kit.messages.relay import Outcome, Outgoing
from fullhouse.kit.tasks import timeout

OPEN_S = 5.0
CONFIRM_S = 5.0
HEARTBEAT_S = 10
APP_ID = "fullhouse"
JSON = "application/json"
# An unavailable broker raises a different error depending on the moment at which it was lost.
BROKER_ERRORS = (OSError, EOFError, RuntimeError, AMQPError)
UNREADABLE = "x-unreadable"  # our header on a message whose properties cannot be decoded; its value is the reason
log = structlog.get_logger()


class Topology(NamedTuple):
    """Names in the broker. `queues` are our own, each with the routing keys that it is bound to."""

    exchange: str
    queues: Mapping[str, Sequence[str]]
    dead_letter_queue: str


class ConnectionLost(ConnectionError):
    """The connection ended while a call was waiting for it."""


class Broker:
    """A connection for publishing, opened when first needed and again whenever its state is in doubt."""

    def __init__(self, url: str, topology: Topology) -> None:
        self._url, self.topology = url, topology
        self._connection: AbstractConnection | None = None
        self._channel: aiormq.abc.AbstractChannel | None = None
        self._opening = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()
        self._unrouted_names: set[str] = set()

    # --- publishing

    async def ready(self) -> Exception | None:
        try:
            await self._open()
        except BROKER_ERRORS as error:
            self.drop()
            return error
        return None

    async def publish(self, batch: Sequence[Outgoing]) -> Outcome:
        """All at once, but facts of one subject one after the other: a rejected one stops those behind it."""
        outcome = await self._publish(batch)
        if isinstance(outcome.unavailable, ChannelPreconditionFailed):
            return await self._publish_one_by_one(batch, outcome)
        return outcome

    async def publish_to_queue(self, queue: str, message: aio_pika.Message) -> None:
        """Publishes directly to one queue and waits for the confirmation."""
        try:
            channel = await self._open()
            async with timeout(CONFIRM_S):
                await await_in_task(
                    channel.basic_publish(
                        message.body, routing_key=queue, properties=message.properties, mandatory=True
                    )
                )
        except BROKER_ERRORS:
            self.drop()
            raise

    async def _publish(self, batch: Sequence[Outgoing]) -> Outcome:
        chains: dict[UUID, list[Outgoing]] = {}
        for fact in batch:
            chains.setdefault(fact.subject_id, []).append(fact)
        outcome = Outcome()
        try:
            channel = await self._open()
            async with timeout(CONFIRM_S):
                while wave := [chain.pop(0) for chain in chains.values() if chain]:
                    for fact, end in zip(wave, await _send(channel, self.topology.exchange, wave), strict=True):
                        if not self._record_outcome(fact, end, outcome):
                            chains[fact.subject_id].clear()
        except BROKER_ERRORS as error:
            outcome.unavailable = error
        if outcome.unavailable:
            self.drop()
        return outcome

    def _record_outcome(self, fact: Outgoing, end: object, outcome: Outcome) -> bool:
        """Whether the next fact of its subject may follow."""
        match end:
            case PublishError():
                outcome.unrouted.append(fact.id)
                self._log_unrouted(fact.name)
            case DeliveryError() | ValueError():  # the broker's nack, or it does not fit into a frame
                outcome.rejected[fact.id] = f"refused: {end!r}"
                return False
            case BaseException():
                outcome.unavailable = end if isinstance(end, Exception) else ConnectionLost("the connection ended")
                return False
        outcome.confirmed.append(fact.id)
        return True

    async def _publish_one_by_one(self, batch: Sequence[Outgoing], outcome: Outcome) -> Outcome:
        """The broker closed the channel because of one message (too large, say). Publishes one by one to find it."""
        blocked = set()
        for fact in batch:
            if fact.id in outcome.confirmed or fact.id in outcome.rejected or fact.subject_id in blocked:
                continue
            alone = await self._publish([fact])
            outcome.confirmed.extend(alone.confirmed)
            outcome.unrouted.extend(alone.unrouted)
            if isinstance(alone.unavailable, ChannelPreconditionFailed):
                outcome.rejected[fact.id] = repr(alone.unavailable)
                blocked.add(fact.subject_id)
            elif alone.unavailable:
                outcome.unavailable = alone.unavailable
                return outcome
        outcome.unavailable = None
        return outcome

    def _log_unrouted(self, name: str) -> None:
        if name not in self._unrouted_names:
            self._unrouted_names.add(name)
            log.info("broker.fact_unrouted", detail="no queue is bound for these facts", fact=name)

    # --- the connection

    async def _open(self) -> Any:
        """The open channel, with the exchange and the queues declared."""
        async with self._opening, timeout(OPEN_S):
            if self._channel is None or self._channel.is_closed:
                self.drop()
                self._connection = await connect(self._url, "relay")
                channel = await await_in_task(_open_channel(self._connection, self.topology))
                self._channel = await channel.get_underlay_channel()
            return self._channel

    def drop(self) -> None:
        """Forgets the connection at once and closes it in the background, because a hung one closes slowly."""
        connection, self._connection, self._channel = self._connection, None, None
        if connection:
            closing = asyncio.create_task(close(connection))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def stop(self) -> None:
        self.drop()
        await asyncio.gather(*self._closing, return_exceptions=True)


async def _send(channel: Any, exchange: str, facts: Sequence[Outgoing]) -> list[object]:
    """Publishes all of them in one write and waits for the broker's confirmation of each: like the library's publish,
    without a system call and a task for each message. Failures are returned as exceptions.
    """
    waiting: list[Any] = []
    payloads: list[bytes] = []
    async with channel.lock:
        for fact in facts:
            try:
                payloads.append(_frames(channel, exchange, fact))
            except ValueError as error:
                waiting.append(error)
                continue
            channel.delivery_tag += 1
            confirmation = channel.create_future()
            channel.confirmations[channel.delivery_tag] = confirmation
            channel.message_id_delivery_tag[str(fact.id)] = channel.delivery_tag  # identifies a returned message
            waiting.append(confirmation)
        if payloads:
            await channel.write_queue.put(aiormq.abc.ChannelFrame(b"".join(payloads), should_close=False))
    try:
        confirmed = iter(await asyncio.gather(*filter(asyncio.isfuture, waiting), return_exceptions=True))
    finally:
        for fact in facts:
            channel.message_id_delivery_tag.pop(str(fact.id), None)
    return [next(confirmed) if asyncio.isfuture(each) else each for each in waiting]


def _frames(channel: Any, exchange: str, fact: Outgoing) -> bytes:
    if len(fact.name.encode()) > 255:
        raise ValueError("the routing key has more than 255 bytes")
    body, most = fact.body.encode(), channel.max_content_size
    whole: list[Any] = [
        aiormq.spec.Basic.Publish(exchange=exchange, routing_key=fact.name, mandatory=True),
        ContentHeader(properties=_properties(fact), body_size=len(body)),
        *(ContentBody(body[at : at + most]) for at in range(0, len(body), most)),
    ]
    return aiormq.abc.ChannelFrame.marshall(channel_number=channel.number, frames=whole).payload


def _properties(fact: Outgoing) -> Any:
    return aiormq.spec.Basic.Properties(
        content_type=JSON,
        delivery_mode=2,
        message_id=str(fact.id),
        timestamp=fact.created_at,
        message_type=fact.name,
        app_id=APP_ID,
        headers={
            "organization": str(fact.organization_id),
            "subject": str(fact.subject_id),
            "version": fact.version,
        },
    )


async def connect(url: str, name: str) -> AbstractConnection:
    properties: dict[str, Any] = {"connection_name": f"{APP_ID} {name}"}
    async with timeout(OPEN_S):
        connection: AbstractConnection = await await_in_task(
            aio_pika.connect(url, timeout=OPEN_S, heartbeat=HEARTBEAT_S, client_properties=properties)
        )
        return connection


async def close(connection: AbstractConnection) -> None:
    with suppress(*BROKER_ERRORS, asyncio.CancelledError):
        async with timeout(OPEN_S):
            await connection.close()


async def _open_channel(connection: AbstractConnection, topology: Topology) -> AbstractChannel:
    """Opens a channel and declares exchange and queues. Every process does so at every start; it is idempotent."""
    channel = connection.channel(on_return_raises=True)
    await channel.initialize()
    exchange = await channel.declare_exchange(topology.exchange, aio_pika.ExchangeType.TOPIC, durable=True)
    await channel.declare_queue(topology.dead_letter_queue, durable=True)
    # Messages that the broker itself removes from a queue (by a limit that an operator sets) are dead-lettered too.
    arguments: dict[str, Any] = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": topology.dead_letter_queue}
    for name, keys in topology.queues.items():
        queue = await channel.declare_queue(name, durable=True, arguments=arguments)
        for key in keys:
            await queue.bind(exchange, key)
    return channel


@asynccontextmanager
async def open_consumer(
    url: str, topology: Topology, queue: str, *, at_once: int
) -> AsyncIterator["asyncio.Queue[AbstractIncomingMessage | None]"]:
    """A queue's messages, to be acknowledged one by one. None means that the connection is lost."""
    inbox: asyncio.Queue[AbstractIncomingMessage | None] = asyncio.Queue()

    def ended(*_: Any) -> None:
        inbox.put_nowait(None)

    connection = await connect(url, queue)
    try:
        async with timeout(OPEN_S):
            channel = await await_in_task(_open_channel(connection, topology))
            underlay = await channel.get_underlay_channel()
            underlay.closing.add_done_callback(ended)
            underlay.on_consumer_cancel_callbacks.add(ended)
            await await_in_task(channel.set_qos(prefetch_count=at_once))
            await await_in_task(_consume(channel, queue, inbox))
        yield inbox
    finally:
        await close(connection)


async def _consume(channel: AbstractChannel, name: str, inbox: asyncio.Queue[Any]) -> None:
    queue = await channel.get_queue(name, ensure=False)
    await queue.consume(inbox.put)


@asynccontextmanager
async def open_operator_channel(url: str, topology: Topology) -> AsyncIterator[AbstractChannel]:
    """A channel for an operator's command. Messages that were received and not acknowledged return to their queue."""
    connection = await connect(url, "operator")
    try:
        async with timeout(OPEN_S):
            channel: AbstractChannel = await await_in_task(_open_channel(connection, topology))
        yield channel
    finally:
        await close(connection)


_read_properties = ContentHeader.unmarshal


def _read_properties_safely(self: ContentHeader, data: bytes) -> None:
    """RabbitMQ delivers properties as others wrote them: a time after the year 9999, an id that is not text. The
    library would close the connection because of it, receive the message again, and never get past it. So the message
    is delivered without properties, and dead-lettered.
    """
    try:
        _read_properties(self, data)
    except Exception as error:
        self.properties = aiormq.spec.Basic.Properties(headers={UNREADABLE: repr(error)[:1000]})


ContentHeader.unmarshal = _read_properties_safely  # type: ignore[method-assign]


async def await_in_task(work: Any) -> Any:
    """Awaits a call of the library in a task of its own: when a connection ends, the library cancels its waiters, and
    that must not be mistaken for a cancellation of our task.
    """
    end: Any = (await asyncio.gather(work, return_exceptions=True))[0]
    if isinstance(end, asyncio.CancelledError):
        raise ConnectionLost("the connection ended")
    if isinstance(end, BaseException):
        raise end
    return end
