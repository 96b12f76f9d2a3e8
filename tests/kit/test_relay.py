"""The relay against a publisher of the test's: what is taken, in which order, and when it is marked."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages import relay as relay_module
from fullhouse.kit.messages.relay import ATTEMPTS_MAX, BATCH, Hint, Outcome, Outgoing, Relay
from tests.fixtures import Tenant

pytestmark = pytest.mark.req("MSG-1")


class Scripted:
    """A publisher that does what it is told, and remembers what it was given."""

    def __init__(self, say: Callable[[Sequence[Outgoing]], Outcome] | None = None) -> None:
        self.batches: list[list[Outgoing]] = []
        self.say = say or (lambda batch: Outcome(confirmed=[fact.id for fact in batch]))
        self.gate: asyncio.Event | None = None
        self.entered = asyncio.Event()
        self.away: Exception | None = None

    async def ready(self) -> Exception | None:
        return self.away

    async def publish(self, batch: Sequence[Outgoing]) -> Outcome:
        self.batches.append(list(batch))
        self.entered.set()
        if self.gate:
            await self.gate.wait()
        return self.say(batch)

    @property
    def sent(self) -> list[UUID]:
        return [fact.id for batch in self.batches for fact in batch]


@pytest.fixture
async def finder(server_url: str, owner: Any, tenant: Tenant) -> AsyncIterator[Database]:
    """The outbox has nothing of other tests that a relay could take."""
    await owner.execute("UPDATE outbox SET sent_at = now(), parked_at = NULL, handled_at = now()")
    database = await Database.open(server_url, WORKER, size=4)
    yield database
    await database.close()


async def put(owner: Any, tenant: Tenant, *subjects: UUID) -> list[UUID]:
    ids = [new_id() for _ in subjects]
    await owner.executemany(
        "INSERT INTO outbox (id, organization_id, name, subject_id, payload)"
        """ VALUES ($1, $2, 'box.opened', $3, '{"version": 1}')""",
        [(each, tenant.id, subject) for each, subject in zip(ids, subjects, strict=True)],
    )
    return ids


async def row(owner: Any, fact: UUID) -> Any:
    return await owner.fetchrow("SELECT *, due_at > now() AS rests FROM outbox WHERE id = $1", fact)


async def test_a_confirmed_fact_is_marked_and_not_taken_again(owner: Any, tenant: Tenant, finder: Database) -> None:
    [fact] = await put(owner, tenant, new_id())
    publisher = Scripted()
    relay = Relay(finder, publisher)
    assert await relay.process_batch() == (1, None)
    assert await relay.process_batch() == (0, None)
    [[sent]] = publisher.batches
    assert (sent.id, sent.name, sent.organization_id, sent.version) == (fact, "box.opened", tenant.id, 1)
    found = await row(owner, fact)
    assert (found["sent_at"] is not None, found["attempts"], found["last_error"]) == (True, 1, None)
    assert found["handled_at"] is None  # the house's own reactions are another matter


async def test_batches_are_of_fifty_in_order(owner: Any, tenant: Tenant, finder: Database) -> None:
    facts = await put(owner, tenant, *(new_id() for _ in range(BATCH + 5)))
    publisher = Scripted()
    relay = Relay(finder, publisher)
    assert [(await relay.process_batch())[0] for _ in range(3)] == [50, 5, 0]
    assert publisher.sent == facts


async def test_a_relay_that_dies_before_the_mark_publishes_again(owner: Any, tenant: Tenant, finder: Database) -> None:
    [fact] = await put(owner, tenant, new_id())

    def die(_batch: Sequence[Outgoing]) -> Outcome:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await Relay(finder, Scripted(die)).process_batch()
    assert (await row(owner, fact))["sent_at"] is None
    publisher = Scripted()
    await Relay(finder, publisher).process_batch()
    assert publisher.sent == [fact]


async def test_two_relays_share_and_never_take_the_same(owner: Any, tenant: Tenant, finder: Database) -> None:
    facts = await put(owner, tenant, *(new_id() for _ in range(80)))
    first, second = Scripted(), Scripted()
    first.gate = asyncio.Event()
    slow = asyncio.create_task(Relay(finder, first).process_batch())
    await first.entered.wait()
    await Relay(finder, second).process_batch()
    first.gate.set()
    await slow
    assert (first.sent, second.sent) == (facts[:50], facts[50:])


async def test_a_subjects_later_fact_waits_for_the_one_in_anothers_hands(
    owner: Any, tenant: Tenant, finder: Database
) -> None:
    """Mutant: without `ahead` in the claim the second relay takes the later fact at once."""
    show, other = new_id(), new_id()
    [early] = await put(owner, tenant, show)
    first, second = Scripted(), Scripted()
    first.gate = asyncio.Event()
    slow = asyncio.create_task(Relay(finder, first).process_batch())
    await first.entered.wait()
    late, elsewhere = await put(owner, tenant, show, other)
    await Relay(finder, second).process_batch()
    assert second.sent == [elsewhere]
    first.gate.set()
    await slow
    await Relay(finder, second).process_batch()
    assert (first.sent, second.sent) == ([early], [elsewhere, late])


async def test_a_refused_fact_rests_and_its_subject_waits_behind_it(
    owner: Any, tenant: Tenant, finder: Database
) -> None:
    show, other = new_id(), new_id()
    bad, later, elsewhere = await put(owner, tenant, show, show, other)
    picky = Scripted(
        lambda batch: Outcome(
            confirmed=[fact.id for fact in batch if fact.subject_id != show],
            rejected={fact.id: "too large" for fact in batch if fact.id == bad},
        )
    )
    relay = Relay(finder, picky)
    assert await relay.process_batch() == (3, None)
    found = await row(owner, bad)
    assert (found["sent_at"], found["attempts"], found["last_error"], found["rests"]) == (None, 1, "too large", True)
    assert (await row(owner, later))["attempts"] == 0  # unknown, and nobody's fault
    assert await relay.process_batch() == (0, None)  # it rests, and what is behind it waits
    await owner.execute("UPDATE outbox SET due_at = now() WHERE id = $1", bad)
    willing = Scripted()
    while (await Relay(finder, willing).process_batch())[0]:
        pass
    assert willing.sent == [bad, later]
    assert (await row(owner, elsewhere))["sent_at"]


async def test_many_facts_behind_a_resting_one_do_not_starve_the_others(
    owner: Any, tenant: Tenant, finder: Database
) -> None:
    show = new_id()
    [bad] = await put(owner, tenant, show)
    await owner.execute("UPDATE outbox SET attempts = 1, due_at = now() + interval '1 hour' WHERE id = $1", bad)
    await put(owner, tenant, *([show] * 200))
    [elsewhere] = await put(owner, tenant, new_id())
    publisher = Scripted()
    await Relay(finder, publisher).process_batch()
    assert publisher.sent == [elsewhere]


async def test_after_the_last_attempt_a_fact_is_parked_and_stands_in_nobodys_way(
    owner: Any, tenant: Tenant, finder: Database
) -> None:
    show = new_id()
    bad, later = await put(owner, tenant, show, show)
    picky = Scripted(
        lambda batch: Outcome([f.id for f in batch if f.id != bad], [], {f.id: "no" for f in batch if f.id == bad})
    )
    relay = Relay(finder, picky)
    pauses = []
    await owner.execute("UPDATE outbox SET due_at = now() + interval '1 day' WHERE id = $1", later)
    for attempt in range(1, ATTEMPTS_MAX + 1):
        await owner.execute("UPDATE outbox SET due_at = now() WHERE id = $1", bad)
        before = await owner.fetchval("SELECT now()")
        await relay.process_batch()
        after = await owner.fetchval("SELECT now()")
        found = await row(owner, bad)
        assert (found["attempts"], found["parked_at"] is None) == (attempt, attempt < ATTEMPTS_MAX)
        shortest = timedelta(seconds=2 ** (attempt - 1))
        assert before + shortest <= found["due_at"] <= after + 2 * shortest  # twice as long each time,
        pauses.append((found["due_at"] - before) / shortest)
    assert len({round(pause, 2) for pause in pauses}) > 5  # with jitter
    await owner.execute("UPDATE outbox SET due_at = now() WHERE id = $1", later)
    assert await relay.process_batch() == (1, None)
    assert (await row(owner, later))["sent_at"]


async def test_a_broker_that_is_away_costs_no_fact_an_attempt(owner: Any, tenant: Tenant, finder: Database) -> None:
    facts = await put(owner, tenant, *(new_id() for _ in range(3)))
    half = Scripted(lambda batch: Outcome(confirmed=[batch[0].id], unavailable=ConnectionError("gone")))
    taken, away = await Relay(finder, half).process_batch()
    assert (taken, repr(away)) == (3, "ConnectionError('gone')")
    rows = [await row(owner, fact) for fact in facts]
    assert [r["sent_at"] is not None for r in rows] == [True, False, False]
    assert [r["attempts"] for r in rows] == [1, 0, 0]
    assert not any(r["rests"] for r in rows)


async def test_while_the_broker_is_away_nothing_is_locked(owner: Any, tenant: Tenant, finder: Database) -> None:
    [_fact] = await put(owner, tenant, new_id())
    gone = Scripted()
    gone.away = ConnectionError("refused")
    assert await Relay(finder, gone).process_batch() == (0, gone.away)
    assert gone.batches == []


async def test_it_runs_through_failures_and_tries_with_one_fact_first(
    owner: Any, tenant: Tenant, finder: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay_module, "RECONNECT_S_MAX", 0.01)
    await put(owner, tenant, *(new_id() for _ in range(10)))
    answers = [Outcome(unavailable=ConnectionError("blocked")), Outcome(unavailable=ConnectionError("blocked"))]

    def say(batch: Sequence[Outgoing]) -> Outcome:
        return answers.pop() if answers else Outcome(confirmed=[fact.id for fact in batch])

    publisher = Scripted(say)
    running = asyncio.create_task(Relay(finder, publisher).run())
    async with asyncio.timeout(10):
        while await owner.fetchval("SELECT count(*) FROM outbox WHERE sent_at IS NULL"):
            await asyncio.sleep(0.01)
    running.cancel()
    assert [len(batch) for batch in publisher.batches] == [10, 1, 1, 9]


async def test_a_mistake_of_ours_ends_nobody(
    owner: Any, tenant: Tenant, finder: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay_module, "RECONNECT_S_MAX", 0.01)
    [fact] = await put(owner, tenant, new_id())
    mistakes: list[Exception] = [ValueError("an address that cannot be read"), KeyError("payload")]

    def say(batch: Sequence[Outgoing]) -> Outcome:
        if mistakes:
            raise mistakes.pop()
        return Outcome(confirmed=[fact.id for fact in batch])

    running = asyncio.create_task(Relay(finder, Scripted(say)).run())
    async with asyncio.timeout(10):
        while (await row(owner, fact))["sent_at"] is None:
            assert not running.done()
            await asyncio.sleep(0.01)
    running.cancel()


@pytest.mark.parametrize(("age_s", "rests"), [(0, True), (60, False)])
async def test_in_a_rush_it_rests_until_facts_are_late(
    owner: Any, tenant: Tenant, finder: Database, monkeypatch: pytest.MonkeyPatch, age_s: int, rests: bool
) -> None:
    facts = await put(owner, tenant, *(new_id() for _ in range(4 * BATCH)))
    await owner.execute(f"UPDATE outbox SET created_at = now() - interval '{age_s} s' WHERE id = ANY ($1)", facts)
    naps: list[float] = []
    sleep = asyncio.sleep

    async def nap(seconds: float) -> None:
        naps.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", nap)
    publisher = Scripted()
    running = asyncio.create_task(Relay(finder, publisher).run())
    async with asyncio.timeout(30):
        while len(publisher.sent) < len(facts):
            await sleep(0.01)
    running.cancel()
    assert (len(naps) >= 3) is rests


async def test_a_hint_wakes_an_idle_relay(
    owner: Any, tenant: Tenant, finder: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    hint = Hint()
    waiting = asyncio.create_task(hint.wait(60))
    await asyncio.sleep(0)
    assert not waiting.done()
    hint.set("topic", None)
    async with asyncio.timeout(5):
        await waiting
        await hint.wait(0.01)  # used up: now only the time ends it


async def test_an_idle_relay_is_a_second_behind_by_polling_alone(owner: Any, tenant: Tenant, finder: Database) -> None:
    """Nobody gives a hint: whoever commits by other means tells nobody."""
    publisher = Scripted()
    running = asyncio.create_task(Relay(finder, publisher).run())
    try:
        for _ in range(3):
            publisher.entered.clear()
            await put(owner, tenant, new_id())
            async with asyncio.timeout(3):  # two of these seconds are the machine's, which may be busy
                await publisher.entered.wait()
            await asyncio.sleep(0.2)  # until it is idle again
    finally:
        running.cancel()
