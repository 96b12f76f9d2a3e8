"""Messages from the broker: decoded, checked, and passed to the same async handlers as our own facts."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from aio_pika.abc import AbstractIncomingMessage

from fullhouse.broker import store
from fullhouse.broker.catalogue import RECEIVED
from fullhouse.broker.facts import JoinFact
from fullhouse.broker.model import EXCHANGE
from fullhouse.events.live import reads as events
from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.messages.async_handlers import MESSENGER, run_handlers_once
from fullhouse.kit.messages.dead_letters import KEY
from fullhouse.kit.messages.outbox import AsyncHandler, Fact, Message, PoisonMessage
from fullhouse.kit.messages.rabbitmq import Topology


def build_topology(exchange: str = EXCHANGE) -> Topology:
    """Another exchange name is for installations that share a broker, such as tests."""
    return Topology(exchange, {f"{exchange}.joins": tuple(RECEIVED)}, f"{exchange}.dead")


class JoinsConsumer:
    """Handles messages of the queue of joins."""

    def __init__(
        self, database: Database, to: Mapping[type[Fact], Sequence[AsyncHandler]], to_all: Iterable[AsyncHandler] = ()
    ) -> None:
        self._database, self._to, self._to_all = database, to, tuple(to_all)

    async def handle(self, incoming: AbstractIncomingMessage) -> None:
        decoded = decode(incoming)
        async with self._database.without_tenant() as tx:
            message = decoded.to_message(await _require_organization(tx, incoming, decoded.fact))
        handlers = (*self._to[RECEIVED[message.name]], *self._to_all)
        async with self._database.tenant(message.organization_id, MESSENGER) as tx:
            await run_handlers_once(tx, ((message, handler) for handler in handlers))


async def _require_organization(tx: Tx, incoming: AbstractIncomingMessage, join: JoinFact) -> UUID:
    """The organisation of a message: the one in its header, or else the event's in the directory of all events."""
    if (header := incoming.headers.get("organization")) is None:
        found = await events.organization_of(tx, join.event_id)
        if found is None:
            raise PoisonMessage(f"there is no event {join.event_id}")
        return found
    organization_id = _parse_uuid("header “organization”", header)
    if not await store.organization_exists(tx, organization_id):
        raise PoisonMessage(f"there is no organisation {organization_id}")
    return organization_id


class DecodedJoin(NamedTuple):
    """A decoded message, before its organisation is known."""

    id: UUID
    name: str
    fact: JoinFact
    payload: dict[str, Any]
    created_at: datetime

    def to_message(self, organization_id: UUID) -> Message:
        return Message(
            id=self.id,
            organization_id=organization_id,
            name=self.name,
            subject_id=self.fact.subject_id,
            version=self.fact.version,
            payload=self.payload,
            created_at=self.created_at,
        )


def decode(incoming: AbstractIncomingMessage) -> DecodedJoin:
    """Decodes a message according to the AsyncAPI document, or raises PoisonMessage with the reason."""
    name = str(incoming.headers.get(KEY) or incoming.routing_key)  # one that was dead-lettered has its key in a header
    kind = RECEIVED.get(name)
    if kind is None:
        raise PoisonMessage(f"no handler for the routing key “{name}”")
    payload = _parse_payload(incoming.body)
    version = payload.get("version", 1)
    if version != kind.version:
        raise PoisonMessage(f"version {version!r} of {name} is not supported; this program supports {kind.version}")
    try:
        fact = msgspec.convert(payload, kind)
    except msgspec.ValidationError as error:
        raise PoisonMessage(f"the body is not a {name}: {error}") from None
    message_id = _parse_uuid("message id", incoming.message_id)
    return DecodedJoin(message_id, name, fact, payload, incoming.timestamp or datetime.now(UTC))


def _parse_payload(body: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PoisonMessage(f"the body is not a JSON object: {error}") from None


def _parse_uuid(what: str, value: Any) -> UUID:
    try:
        return UUID(value if isinstance(value, str) else "")
    except ValueError:
        raise PoisonMessage(f"the {what} is not a UUID: {value!r}") from None
