"""What cannot be understood or keeps failing is dead, with its reason, and holds up nobody."""

import asyncio
import struct
from typing import Any
from uuid import UUID

import aio_pika
import asyncpg
import pytest

from fullhouse.broker import store
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages import consumer
from tests.fixtures import Tenant
from tests.messaging.helpers import drained, publish_raw
from tests.messaging.joins import Stage, stage

__all__ = ["stage"]  # fixtures

pytestmark = pytest.mark.req("MSG-3")


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
        "version 2 of join.confirmed is not supported; this program supports 1",
        "the message id is not a UUID: 'seven'",
        "the header “organization” is not a UUID: 'us'",
        f"there is no organisation {nobody}",
        f"organisation {other_tenant.id} has no event {stage.show.id}",
        f"organisation {stage.tenant.id} has no event {nobody}",
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

    async def fail(*_: Any, **__: Any) -> None:
        tries.append(1)
        raise ZeroDivisionError("on a Monday")

    monkeypatch.setattr(consumer, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(store, "record_join", fail)
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
    working, left = store.record_join, [1] * 20

    async def away(*given: Any, **named: Any) -> Any:
        if left:
            left.pop()
            raise trouble("the database is away")
        return await working(*given, **named)

    monkeypatch.setattr(store, "record_join", away)
    await stage.all_processed(await stage.say("join.confirmed", new_id()))
    assert (await stage.joined(), await drained(stage.dead)) == (1, [])
