"""The operator's commands: what waits, what was given up, what is dead; and trying all that again."""

import re
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import aio_pika
import msgspec
import pytest

from fullhouse.broker import consumers, jobs
from fullhouse.cli import messages
from fullhouse.events.model import Event
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.events.helpers import make_show
from tests.fixtures import Tenant
from tests.messaging.helpers import channel, clear_outbox, drained, names, put, until
from tests.messaging.joins import has_consumer, working
from tests.test_operators import Run, run  # noqa: F401 (a fixture)

pytestmark = pytest.mark.req("MSG-1", "MSG-3")


async def park(owner: Any, fact: UUID, error: str) -> None:
    await owner.execute(
        "UPDATE outbox SET parked_at = now(), attempts = 12, last_error = $2 WHERE id = $1", fact, error
    )


async def owe(owner: Any, tenant: Tenant, fact: UUID, consumer: str, error: str) -> None:
    await owner.execute(
        "INSERT INTO owed_reactions SELECT $1, $2, id, subject_id, seq, 12, now(), $3, now() FROM outbox WHERE id = $4",
        tenant.id,
        consumer,
        error,
        fact,
    )


async def test_what_is_parked_is_shown_with_its_reason_and_tried_again(run: Run, owner: Any, tenant: Tenant) -> None:  # noqa: F811
    await clear_outbox(owner)
    fact, other = [await put(owner, tenant.id, "event.updated", new_id()) for _ in range(2)]
    assert (await run("messages", "dead-lettered")).err == "fullhouse: nothing is dead-lettered\n"
    await park(owner, fact, "too large")
    await owe(owner, tenant, other, "house.react", "ZeroDivisionError()")
    told = await run("messages", "dead-lettered")
    assert told.err == "fullhouse: 2 are dead-lettered\n"
    assert f"{fact}  event.updated of " in told.out
    assert "given up by broker after 12 attempts" in told.out
    assert "    too large\n" in told.out
    assert "given up by house.react after 12 attempts" in told.out
    assert "    ZeroDivisionError()\n" in told.out

    assert (
        await run("messages", "retry", str(new_id()))
    ).err == "fullhouse: 0 facts and 0 handler runs will be retried\n"
    assert (await run("messages", "retry", str(fact))).err == "fullhouse: 1 facts and 0 handler runs will be retried\n"
    row = await owner.fetchrow("SELECT parked_at, attempts, sent_at FROM outbox WHERE id = $1", fact)
    assert tuple(row) == (None, 0, None)
    assert (await run("messages", "retry")).err == "fullhouse: 0 facts and 1 handler runs will be retried\n"
    assert await owner.fetchval("SELECT parked_at IS NULL AND attempts = 0 FROM owed_reactions")


async def test_what_is_given_up_for_good_waits_no_longer(run: Run, owner: Any, tenant: Tenant) -> None:  # noqa: F811
    await clear_outbox(owner)
    fact, other = [await put(owner, tenant.id, "event.updated", new_id()) for _ in range(2)]
    await park(owner, fact, "too large")
    await owe(owner, tenant, other, "house.react", "no")
    told = await run("messages", "drop", str(fact), str(other))
    assert told.err == "fullhouse: 1 facts, 1 handler runs and 0 dead letters were discarded\n"
    assert await owner.fetchval("SELECT sent_at IS NOT NULL FROM outbox WHERE id = $1", fact)
    assert await owner.fetchval("SELECT sent_at IS NULL FROM outbox WHERE id = $1", other)
    assert not await owner.fetchval("SELECT count(*) FROM owed_reactions")
    assert (await run("messages", "drop")).code == 2


async def test_how_much_waits(run: Run, owner: Any, tenant: Tenant) -> None:  # noqa: F811
    await clear_outbox(owner)
    first = await put(owner, tenant.id, "event.updated", new_id())
    await put(owner, tenant.id, "event.updated", new_id())
    await owner.execute("UPDATE outbox SET created_at = now() - interval '75 minutes' WHERE id = $1", first)
    told = (await run("messages", "status")).out
    assert re.search(r"^2 +facts to be handled +1:15:0\d$", told, re.M), told
    assert re.search(r"^2 +facts to be sent \(AMQP_URL is not set\) +1:15:0\d$", told, re.M), told
    assert re.search(r"^0 +handler runs to be retried$", told, re.M), told


async def test_kept_facts_are_sent_again(run: Run, owner: Any, tenant: Tenant) -> None:  # noqa: F811
    await clear_outbox(owner)
    facts = [await put(owner, tenant.id, name, new_id()) for name in ("event.updated", "event.canceled", "hold.placed")]
    await owner.execute("UPDATE outbox SET sent_at = now() WHERE id = ANY ($1)", facts)
    await owner.execute("UPDATE outbox SET created_at = now() - interval '2 days' WHERE id = $1", facts[1])
    told = await run("messages", "resend", "--name", "event.*")
    assert re.fullmatch(r"fullhouse: \d+ facts will be sent again, with their original ids\n", told.err)
    sent = {row["id"]: row["sent_at"] for row in await owner.fetch("SELECT * FROM outbox WHERE id = ANY ($1)", facts)}
    assert [sent[fact] is None for fact in facts] == [True, False, False]
    await run("messages", "resend", "--hours", "72", "--name", "event.canceled")
    assert await owner.fetchval("SELECT sent_at IS NULL FROM outbox WHERE id = $1", facts[1])
    assert (await run("messages", "resend", "--hours", "169")).code == 2


async def test_facts_of_a_whole_day_are_sent_again_each_once(run: Run, owner: Any, tenant: Tenant) -> None:  # noqa: F811
    """In several statements, none of which runs into its time-out."""
    await clear_outbox(owner)
    await owner.execute("DELETE FROM outbox")
    ages = [0, 14, 15, 16, 29, 30, 31, 600, 24 * 60 - 1, 24 * 60 + 1]
    for age in ages:
        fact = await put(owner, tenant.id, "event.updated", new_id())
        await owner.execute(
            "UPDATE outbox SET created_at = now() - $2 * interval '1 minute', sent_at = now() WHERE id = $1", fact, age
        )
    told = await run("messages", "resend")
    assert told.err == f"fullhouse: {len(ages) - 1} facts will be sent again, with their original ids\n"
    assert await owner.fetchval("SELECT count(*) FROM outbox WHERE sent_at IS NULL") == len(ages) - 1


async def test_counting_anew(run: Run, owner: Any, services: Services, tenant: Tenant) -> None:  # noqa: F811
    show = await make_show(services, tenant)
    await owner.execute(
        "INSERT INTO event_stats (organization_id, event_id, heat, active_participants) VALUES ($1, $2, 0, 3)",
        tenant.id,
        show.id,
    )
    told = await run("messages", "recount")
    assert re.fullmatch(
        r"fullhouse: \d+ events had a wrong participant count, now corrected\n", told.err.splitlines(True)[-1]
    )
    assert not await owner.fetchval("SELECT active_participants FROM event_stats WHERE event_id = $1", show.id)
    assert (await run("messages", "recount")).err == "fullhouse: the participant counts are correct\n"


async def test_without_a_broker_there_are_no_dead_letters(run: Run) -> None:  # noqa: F811
    for verb in ("dead", "replay"):
        told = await run("messages", verb)
        assert (told.code, told.err) == (1, "fullhouse: AMQP_URL is not set, so there is no dead-letter queue.\n")
    told = await run("messages", "dead", AMQP_URL="amqp://guest:guest@127.0.0.1:1/")
    assert told.code == 1
    assert told.err.startswith("fullhouse: RabbitMQ is unavailable: ")


async def test_dead_letters_are_shown_put_back_and_dropped(
    run: Run,  # noqa: F811
    services: Services,
    tenant: Tenant,
    owner: Any,
    amqp_url: str,
) -> None:
    """The only test that uses the names of an installation in the broker that all tests share."""
    show, own = await make_show(services, tenant), consumers.build_topology()
    await clear_outbox(owner)
    join, gone, bad = new_id(), new_id(), new_id()
    async with channel(amqp_url) as stranger, working(services, amqp_url):
        exchange = await stranger.declare_exchange(own.exchange, "topic", durable=True)
        dead = await stranger.declare_queue(own.dead_letter_queue, durable=True)

        async def deaths(count: int) -> None:
            async def enough() -> bool:
                return bool((await stranger.get_queue(own.dead_letter_queue)).declaration_result.message_count == count)

            await until(enough, f"{count} dead letters")

        await until(lambda: has_consumer(stranger, own), "the queue is there")
        await drained(dead)
        await exchange.publish(aio_pika.Message(b"{", message_id=str(bad), headers={}), "join.confirmed")
        await exchange.publish(_join(tenant, show, join, gone), "join.confirmed")
        await deaths(2)  # the show is in another organisation, as far as anybody knows
        told = await run("messages", "dead", AMQP_URL=amqp_url)
        assert told.err == "fullhouse: 2 dead letters\n"
        assert f"{bad}  join.confirmed, dead-lettered 20" in told.out
        assert "    the body is not a JSON object: Input data was truncated\n    {\n" in told.out
        assert f"    organisation {tenant.id} has no event {gone}\n" in told.out
        await deaths(2)  # looking takes nothing away

        told = await run("messages", "drop", bad.hex.upper(), AMQP_URL=amqp_url)  # however it is spelled
        assert told.err.endswith("and 1 dead letters were discarded\n")
        await deaths(1)
        told = await run("messages", "replay", AMQP_URL=amqp_url)
        assert told.err == "fullhouse: 1 dead letters were put back into their queues\n"
        await deaths(1)  # it died again: nothing has changed

        [letter] = await drained(dead)
        mended = msgspec.json.decode(letter.body) | {"event_id": str(show.id)}
        again = aio_pika.Message(msgspec.json.encode(mended), message_id=letter.message_id, headers=letter.headers)
        await stranger.default_exchange.publish(again, own.dead_letter_queue)
        await deaths(1)
        assert (await run("messages", "replay", str(join), AMQP_URL=amqp_url)).code == 0
        await until(lambda: counted(owner, show), "the replayed message has its effect")
        await deaths(0)


async def test_what_the_broker_drove_out_comes_back_and_what_came_from_nowhere_stays(
    run: Run,  # noqa: F811
    services: Services,
    tenant: Tenant,
    owner: Any,
    amqp_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A limit that an operator has set puts messages among the dead without a word of ours."""
    show, own = await make_show(services, tenant), names()
    monkeypatch.setattr(consumers, "build_topology", lambda: own)
    monkeypatch.setattr(messages, "OUR_QUEUES", own.queues)
    await clear_outbox(owner)
    [queue] = own.queues
    async with channel(amqp_url) as stranger:
        async with working(services, amqp_url, names=own):
            await until(lambda: has_consumer(stranger, own), "the queues are there")
        exchange = await stranger.declare_exchange(own.exchange, "topic", durable=True)
        kept = _join(tenant, show, new_id(), show.id)
        await stranger.default_exchange.publish(aio_pika.Message(b"?", message_id="seven"), own.dead_letter_queue)
        await exchange.publish(kept, "join.confirmed")
        [message] = await drained_but_refused(await stranger.get_queue(queue))
        assert message.message_id == kept.message_id

        async def both() -> bool:
            return bool((await stranger.get_queue(own.dead_letter_queue)).declaration_result.message_count == 2)

        await until(both, "both are dead")
        told = await run("messages", "dead", AMQP_URL=amqp_url)
        assert f"{kept.message_id}  join.confirmed, dead-lettered 20" in told.out
        assert "    the broker removed it: rejected\n" in told.out
        assert "without an id" in told.out
        monkeypatch.setattr(messages, "SHOWN_MAX", 1)
        told = await run("messages", "dead", AMQP_URL=amqp_url)
        assert told.err == "fullhouse: 2 dead letters\nfullhouse: only the first 1 are shown\n"
        told = await run("messages", "replay", AMQP_URL=amqp_url)
        assert told.err.splitlines() == [
            "fullhouse: 1 dead letters were put back into their queues",
            "fullhouse: 1 remain: they did not come from a queue of fullhouse",
        ]
        async with working(services, amqp_url, names=own):
            await until(lambda: counted(owner, show), "it has its effect")
        [stays] = await drained(await stranger.get_queue(own.dead_letter_queue))
        assert stays.body == b"?"


async def drained_but_refused(queue: Any) -> list[Any]:
    """As a limit of the queue would: the broker itself writes down why."""
    found = []
    while (message := await queue.get(fail=False)) is not None:
        await message.reject(requeue=False)
        found.append(message)
    return found


async def counted(owner: Any, show: Event) -> bool:
    return bool(await owner.fetchval("SELECT active_participants FROM event_stats WHERE event_id = $1", show.id))


def _join(tenant: Tenant, _show: Event, message_id: UUID, event_id: UUID) -> aio_pika.Message:
    body = {"version": 1, "subject_id": new_id(), "event_id": event_id, "at": datetime.now(UTC)}
    headers: Any = {"organization": str(tenant.id)}
    return aio_pika.Message(msgspec.json.encode(body), message_id=str(message_id), headers=headers)


# --- what becomes of old messages


async def test_old_messages_are_forgotten_but_for_what_somebody_waits_for(
    owner: Any, tenant: Tenant, server_url: str
) -> None:
    await clear_outbox(owner)
    await owner.execute("DELETE FROM outbox")
    finder = await Database.open(server_url, WORKER, size=1)
    kinds = ("done", "young", "unsent", "parked", "owed", "unhandled")
    facts = {kind: await put(owner, tenant.id, "event.updated", new_id()) for kind in kinds}
    old = "now() - interval '8 days'"
    await owner.execute(f"UPDATE outbox SET created_at = {old}, sent_at = {old}, handled_at = {old}")
    await owner.execute("UPDATE outbox SET handled_at = now() WHERE id = $1", facts["young"])
    await owner.execute("UPDATE outbox SET sent_at = NULL WHERE id = ANY ($1)", [facts["unsent"], facts["parked"]])
    await owner.execute("UPDATE outbox SET handled_at = NULL WHERE id = $1", facts["unhandled"])
    await park(owner, facts["parked"], "no")
    await owe(owner, tenant, facts["owed"], "x", "no")
    await owner.execute(
        f"INSERT INTO processed_messages VALUES ($1, 'a', $2, {old}), ($1, 'b', $2, now() - interval '31 days')",
        tenant.id,
        new_id(),
    )

    async def left() -> set[str]:
        ids = {row["id"] for row in await owner.fetch("SELECT id FROM outbox")}
        return {kind for kind, fact in facts.items() if fact in ids}

    await jobs.delete_old_messages(finder, broker=True)
    assert await left() == set(kinds) - {"done"}
    assert await owner.fetchval(
        "SELECT array_agg(consumer) FROM processed_messages WHERE organization_id = $1", tenant.id
    ) == ["a"]
    await jobs.delete_old_messages(finder, broker=False)
    assert await left() == set(kinds) - {"done", "unsent"}
    await finder.close()


async def test_what_waits_is_measured(owner: Any, tenant: Tenant, server_url: str) -> None:
    await clear_outbox(owner)
    fact = await put(owner, tenant.id, "event.updated", new_id())
    await owner.execute("UPDATE outbox SET created_at = now() - interval '100 seconds' WHERE id = $1", fact)
    finder = await Database.open(server_url, WORKER, size=1)
    for broker, waiting in ((True, 1), (False, 0)):
        await jobs.update_gauges(finder, broker=broker)
        assert jobs.WAITING.labels("broker")._value.get() == waiting
        assert jobs.AGE.labels("broker")._value.get() // 100 == waiting
        assert jobs.WAITING.labels("reactions")._value.get() == 1
    await finder.close()
