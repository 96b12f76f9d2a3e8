"""What comes in from the broker: decoded, checked, and handed to the same reactions as a fact of our own."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
from aio_pika.abc import AbstractIncomingMessage

from fullhouse.kit.broker import Topology
from fullhouse.kit.db import Database
from fullhouse.kit.dead import KEY
from fullhouse.kit.outbox import Fact, Message, Poison, Reaction
from fullhouse.kit.reactions import MESSENGER, react_once
from fullhouse.messaging import store
from fullhouse.messaging.catalogue import RECEIVED
from fullhouse.messaging.model import EXCHANGE


def topology(exchange: str = EXCHANGE) -> Topology:
    """Another name is for those who share a broker, such as tests."""
    return Topology(exchange, {f"{exchange}.joins": tuple(RECEIVED)}, f"{exchange}.dead")


class Joins:
    """Handles a delivery of the queue of joins."""

    def __init__(
        self, database: Database, to: Mapping[type[Fact], Sequence[Reaction]], to_all: Iterable[Reaction] = ()
    ) -> None:
        self._database, self._to, self._to_all = database, to, tuple(to_all)

    async def handle(self, incoming: AbstractIncomingMessage) -> None:
        message = decode(incoming)
        async with self._database.nobody() as tx:
            if not await store.organization_exists(tx, message.organization_id):
                raise Poison(f"there is no organisation {message.organization_id}")
        reactions = (*self._to[RECEIVED[message.name]], *self._to_all)
        async with self._database.tenant(message.organization_id, MESSENGER) as tx:
            await react_once(tx, ((message, reaction) for reaction in reactions))


def decode(incoming: AbstractIncomingMessage) -> Message:
    """A message of the contract in the AsyncAPI document, or the reason why it is none."""
    name = str(incoming.headers.get(KEY) or incoming.routing_key)  # one that was dead remembers its key
    kind = RECEIVED.get(name)
    if kind is None:
        raise Poison(f"nobody here understands “{name}”")
    payload = _payload(incoming.body)
    version = payload.get("version", 1)
    if version != kind.version:
        raise Poison(f"version {version!r} of {name} is not known; this house speaks {kind.version}")
    try:
        fact = msgspec.convert(payload, kind)
    except msgspec.ValidationError as error:
        raise Poison(f"the body is not a {name}: {error}") from None
    return Message(
        id=_uuid("message id", incoming.message_id),
        organization_id=_uuid("header “organization”", incoming.headers.get("organization")),
        name=name,
        subject_id=fact.subject_id,
        version=kind.version,
        payload=payload,
        created_at=incoming.timestamp or datetime.now(UTC),
    )


def _payload(body: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Poison(f"the body is not a JSON object: {error}") from None


def _uuid(what: str, value: Any) -> UUID:
    try:
        return UUID(value if isinstance(value, str) else "")
    except ValueError:
        raise Poison(f"the {what} is not a UUID: {value!r}") from None
