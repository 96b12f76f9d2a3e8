"""Messages in RabbitMQ's dead-letter queue: how they are put there, read by an operator, and put back.

Most were put there by this program, with the reason in their headers. Others the broker itself removed from a queue, by
a limit that an operator has set: it adds headers of its own. A message without either came from another program.
"""

import struct
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

import aio_pika
from aio_pika.abc import AbstractIncomingMessage
from pamqp.encode import encode_table_value

from fullhouse.kit.ids import new_id

# Headers of a dead letter. The key stays when it is put back: it is then published directly to a queue.
REASON, QUEUE, KEY, DIED_AT = "x-reason", "x-queue", "x-routing-key", "x-died-at"
FORMER_ID = "x-former-id"
_DEAD_LETTER_HEADERS = (REASON, QUEUE, DIED_AT, "x-death", "x-first-death-", "x-last-death-")


class DeadLetterOrigin(NamedTuple):
    """Where a dead letter came from, and why. Without a queue it cannot be put back."""

    queue: str | None
    key: str
    reason: str
    died_at: str


def to_dead_letter(message: AbstractIncomingMessage, queue: str, reason: str) -> aio_pika.Message:
    """The message as a dead letter, with a UUID by which an operator can name it."""
    headers: dict[str, Any] = {**message.headers, REASON: reason[:1000], QUEUE: queue}
    headers |= {KEY: message.headers.get(KEY, message.routing_key), DIED_AT: datetime.now(UTC).isoformat()}
    if parse_id(message):
        return _copy(message, headers, message.message_id)
    return _copy(message, headers | {FORMER_ID: message.message_id}, str(new_id()))


def parse_origin(letter: AbstractIncomingMessage) -> DeadLetterOrigin:
    headers = letter.headers
    if QUEUE in headers:
        return DeadLetterOrigin(
            str(headers[QUEUE]), str(headers.get(KEY)), str(headers.get(REASON)), str(headers.get(DIED_AT))
        )
    match headers.get("x-death"):
        case [{"queue": str(queue), "reason": str(why), "routing-keys": [str(key), *_], "time": datetime() as at}, *_]:
            return DeadLetterOrigin(queue, str(headers.get(KEY, key)), f"the broker removed it: {why}", at.isoformat())
    return DeadLetterOrigin(
        None, str(letter.routing_key), "its headers have neither a reason nor a queue", "an unknown time"
    )


def restore_message(letter: AbstractIncomingMessage, death: DeadLetterOrigin) -> aio_pika.Message:
    """The message as it was before it was dead-lettered."""
    headers = {name: value for name, value in letter.headers.items() if not name.startswith(_DEAD_LETTER_HEADERS)}
    return _copy(letter, headers | {KEY: death.key}, letter.message_id)


def _copy(message: AbstractIncomingMessage, headers: dict[str, Any], message_id: str | None) -> aio_pika.Message:
    return aio_pika.Message(
        message.body,
        headers={name: _to_sendable(value) for name, value in headers.items()},
        content_type=message.content_type,
        delivery_mode=aio_pika.DeliveryMode.PERSISTENT,
        message_id=message_id,
        timestamp=message.timestamp,
        type=message.type,
        app_id=message.app_id,
    )


def _to_sendable(value: Any) -> Any:
    """Foreign headers may have values that the library reads but cannot write: large numbers, invalid text."""
    try:
        encode_table_value(value)
    except (TypeError, ValueError, OverflowError, struct.error):
        return repr(value)
    return value


def parse_id(message: AbstractIncomingMessage) -> UUID | None:
    """The id in any spelling of a UUID; None if it is not a UUID."""
    try:
        return UUID(message.message_id or "")
    except ValueError:
        return None
