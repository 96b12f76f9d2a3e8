"""Reactions: once in effect, in the order of their subject, and none at the mercy of another."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, ClassVar
from uuid import UUID

import pytest

from fullhouse import wiring
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import WORKER, Database, Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages import async_handlers
from fullhouse.kit.messages.async_handlers import AsyncHandlers, run_handlers_once
from fullhouse.kit.messages.outbox import AsyncHandler, Fact, Message
from fullhouse.kit.messages.relay import ATTEMPTS_MAX
from fullhouse.kit.services import Services
from tests.fixtures import Tenant
from tests.messaging.helpers import clear_outbox, put, until

pytestmark = pytest.mark.req("MSG-3", "MSG-4")
broken: set[str] = set()
seen: list[tuple[str, UUID, int]] = []


class LampLit(Fact, frozen=True, kw_only=True):
    """For these tests only."""

    name: ClassVar[str] = "lamp.lit"


async def write_down(tx: Tx, message: Message) -> None:
    seen.append(("write_down", message.subject_id, message.payload.get("n", 0)))
    await audit.write(tx, "lamp.noted", "lamp", message.subject_id, after={"n": message.payload.get("n")})
    if "write_down" in broken:
        raise ZeroDivisionError("no pen")


async def admire(tx: Tx, message: Message) -> None:
    seen.append(("admire", message.subject_id, message.payload.get("n", 0)))
    await audit.write(tx, "lamp.admired", "lamp", message.subject_id)
    if "admire" in broken:
        raise ZeroDivisionError("no eyes")


async def hear_all(tx: Tx, message: Message) -> None:
    await audit.write(tx, "heard", message.name, message.subject_id)


async def but_not_out(_tx: Tx, names: Sequence[str]) -> set[str]:
    return {*names} - {"lamp.out"}


WRITE_DOWN = AsyncHandler("lamps.write_down", write_down, ("earlier.module.write_down",))
ADMIRE = AsyncHandler("lamps.admire", admire)
HEAR_ALL = AsyncHandler("lamps.hear_all", hear_all)


@pytest.fixture(autouse=True)
def whole() -> None:
    broken.clear()
    seen.clear()


@pytest.fixture
async def finder(server_url: str, owner: Any, tenant: Tenant) -> AsyncIterator[Database]:
    await clear_outbox(owner)
    database = await Database.open(server_url, WORKER, size=4)
    yield database
    await database.close()


@pytest.fixture
def house(finder: Database, services: Services) -> AsyncHandlers:
    return AsyncHandlers(finder, services.database, {LampLit: (WRITE_DOWN, ADMIRE)})


async def effects(owner: Any, lamp: UUID) -> list[str]:
    rows = await owner.fetch("SELECT action FROM audit_log WHERE entity_id = $1 ORDER BY created_at, action", lamp)
    return [row["action"] for row in rows]


async def owed(owner: Any) -> list[tuple[str, int, bool]]:
    rows = await owner.fetch(
        "SELECT consumer, attempts, parked_at IS NOT NULL AS parked FROM owed_reactions ORDER BY consumer, seq"
    )
    return [(row["consumer"].rpartition(".")[2], row["attempts"], row["parked"]) for row in rows]


async def due(owner: Any) -> None:
    await owner.execute("UPDATE owed_reactions SET due_at = now()")


async def test_every_reaction_runs_once_in_the_facts_own_tenant(
    owner: Any, tenant: Tenant, house: AsyncHandlers
) -> None:
    lamp = new_id()
    fact = await put(owner, tenant.id, "lamp.lit", lamp)
    assert [await house.process_batch(), await house.process_batch()] == [1, 0]
    assert sorted(await effects(owner, lamp)) == ["lamp.admired", "lamp.noted"]
    rows = await owner.fetch("SELECT * FROM processed_messages WHERE message_id = $1 ORDER BY consumer", fact)
    assert [(r["organization_id"], r["consumer"]) for r in rows] == [
        (tenant.id, "lamps.admire"),
        (tenant.id, "lamps.write_down"),
    ]
    assert await owner.fetchval("SELECT handled_at IS NOT NULL AND sent_at IS NULL FROM outbox WHERE id = $1", fact)


async def test_facts_that_nobody_reacts_to_are_done_with(owner: Any, tenant: Tenant, house: AsyncHandlers) -> None:
    fact = await put(owner, tenant.id, "lamp.out", new_id())
    assert await house.process_batch() == 1
    assert await owner.fetchval("SELECT handled_at IS NOT NULL FROM outbox WHERE id = $1", fact)


async def test_some_reactions_see_every_fact_of_every_house_that_they_pick(
    owner: Any, tenant: Tenant, other_tenant: Tenant, finder: Database, services: Services
) -> None:
    everything = AsyncHandlers(finder, services.database, {}, {HEAR_ALL: but_not_out})
    await clear_outbox(owner)
    here, there, nowhere = new_id(), new_id(), new_id()
    await put(owner, tenant.id, "lamp.lit", here)
    await put(owner, other_tenant.id, "lamp.moved", there)
    unwanted = await put(owner, other_tenant.id, "lamp.out", nowhere)
    assert await everything.process_batch() == 3
    rows = await owner.fetch("SELECT organization_id FROM audit_log WHERE entity_id = ANY ($1)", [here, there, nowhere])
    assert sorted(row["organization_id"] for row in rows) == sorted([tenant.id, other_tenant.id])
    assert not await owner.fetchval("SELECT count(*) FROM processed_messages WHERE message_id = $1", unwanted)


async def test_a_house_that_died_before_the_mark_does_nothing_twice(
    owner: Any, tenant: Tenant, house: AsyncHandlers
) -> None:
    """Mutant: without the dedupe row the effects are there twice."""
    lamp = new_id()
    fact = await put(owner, tenant.id, "lamp.lit", lamp)
    await house.process_batch()
    await owner.execute("UPDATE outbox SET handled_at = NULL WHERE id = $1", fact)  # as if it had never been marked
    assert await house.process_batch() == 1
    assert len(await effects(owner, lamp)) == 2
    assert await owner.fetchval("SELECT handled_at IS NOT NULL FROM outbox WHERE id = $1", fact)


async def test_the_dedupe_row_is_the_effects_own(owner: Any, tenant: Tenant, services: Services) -> None:
    """An effect that is taken back takes its dedupe row with it."""
    message = Message(
        id=new_id(),
        organization_id=tenant.id,
        name="lamp.lit",
        subject_id=new_id(),
        version=1,
        payload={},
        created_at=await owner.fetchval("SELECT now()"),
    )
    broken.add("write_down")
    with pytest.raises(ZeroDivisionError):
        async with services.database.tenant(tenant.id) as tx:
            await run_handlers_once(tx, [(message, WRITE_DOWN)])
    assert not await owner.fetchval("SELECT count(*) FROM processed_messages WHERE message_id = $1", message.id)
    broken.clear()

    async def once() -> int:
        async with services.database.tenant(tenant.id) as tx:
            return await run_handlers_once(tx, [(message, WRITE_DOWN)])

    assert sum(await asyncio.gather(*(once() for _ in range(5)))) == 1
    assert await effects(owner, message.subject_id) == ["lamp.noted"]


async def test_one_that_fails_hinders_no_other_and_is_owed(owner: Any, tenant: Tenant, house: AsyncHandlers) -> None:
    lamp, other = new_id(), new_id()
    broken.add("write_down")
    await put(owner, tenant.id, "lamp.lit", lamp)
    await put(owner, tenant.id, "lamp.lit", other)
    assert await house.process_batch() == 2
    assert await effects(owner, lamp) == await effects(owner, other) == ["lamp.admired"]
    assert await owed(owner) == [("write_down", 1, False)] * 2
    assert not await owner.fetchval("SELECT count(*) FROM outbox WHERE handled_at IS NULL")
    assert await house.retry_due() == 0  # not yet
    broken.clear()
    await due(owner)
    assert await house.retry_due() == 2
    assert await owed(owner) == []
    assert sorted(await effects(owner, lamp)) == ["lamp.admired", "lamp.noted"]


async def test_what_follows_an_owed_reaction_waits_behind_it(owner: Any, tenant: Tenant, house: AsyncHandlers) -> None:
    """Mutant: without the look at what is owed, 2 comes before 1."""
    lamp = new_id()
    broken.add("write_down")
    await put(owner, tenant.id, "lamp.lit", lamp, n=1)
    await house.process_batch()
    broken.clear()
    seen.clear()
    await put(owner, tenant.id, "lamp.lit", lamp, n=2)
    await put(owner, tenant.id, "lamp.lit", new_id(), n=7)
    await house.process_batch()
    assert [n for who, _, n in seen if who == "write_down"] == [7]
    assert [n for who, _, n in seen if who == "admire"] == [2, 7]
    await due(owner)
    while await house.retry_due():
        pass
    assert [n for who, _, n in seen if who == "write_down"] == [7, 1, 2]


async def test_two_facts_of_one_batch_keep_their_order_though_the_first_fails(
    owner: Any, tenant: Tenant, house: AsyncHandlers
) -> None:
    lamp = new_id()
    broken.add("write_down")
    await put(owner, tenant.id, "lamp.lit", lamp, n=1)
    await put(owner, tenant.id, "lamp.lit", lamp, n=2)
    await house.process_batch()
    assert await owed(owner) == [("write_down", 1, False), ("write_down", 0, False)]
    broken.clear()
    seen.clear()
    await due(owner)
    while await house.retry_due():
        pass
    assert [n for _, _, n in seen] == [1, 2]


async def test_after_the_last_attempt_it_is_parked_and_others_go_on(
    owner: Any, tenant: Tenant, house: AsyncHandlers
) -> None:
    lamp = new_id()
    broken.add("write_down")
    await put(owner, tenant.id, "lamp.lit", lamp, n=1)
    await house.process_batch()
    for _ in range(ATTEMPTS_MAX - 1):
        await due(owner)
        await house.retry_due()
    assert await owed(owner) == [("write_down", ATTEMPTS_MAX, True)]
    assert "no pen" in await owner.fetchval("SELECT last_error FROM owed_reactions")
    broken.clear()
    await due(owner)
    assert await house.retry_due() == 0
    await put(owner, tenant.id, "lamp.lit", lamp, n=2)
    await house.process_batch()
    assert (await effects(owner, lamp)).count("lamp.noted") == 1


async def test_a_reaction_that_is_no_longer_known_stays_owed_and_says_so(
    owner: Any, tenant: Tenant, house: AsyncHandlers, finder: Database, services: Services
) -> None:
    broken.add("write_down")
    await put(owner, tenant.id, "lamp.lit", new_id())
    await house.process_batch()
    await due(owner)
    await AsyncHandlers(finder, services.database, {}).retry_due()
    assert await owner.fetchval("SELECT last_error FROM owed_reactions") == "no handler has this name any more"


async def test_any_number_run_at_once(owner: Any, tenant: Tenant, finder: Database, services: Services) -> None:
    lamps = [new_id() for _ in range(30)]
    for n in range(6):
        for lamp in lamps:
            await put(owner, tenant.id, "lamp.lit", lamp, n=n)
    several = [AsyncHandlers(finder, services.database, {LampLit: (WRITE_DOWN,)}) for _ in range(3)]
    running = [asyncio.create_task(each.run()) for each in several]

    async def done() -> bool:
        return not await owner.fetchval("SELECT count(*) FROM outbox WHERE handled_at IS NULL")

    await until(done, "all facts are handled")
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    assert await owner.fetchval("SELECT count(*) FROM audit_log WHERE entity_id = ANY ($1)", lamps) == 180
    for lamp in lamps:
        assert [n for _, subject, n in seen if subject == lamp] == list(range(6))


async def test_a_fact_in_the_relays_hands_holds_back_what_follows_it(
    owner: Any, owner_url: str, tenant: Tenant, house: AsyncHandlers
) -> None:
    lamp = new_id()
    first = await put(owner, tenant.id, "lamp.lit", lamp, n=1)
    await put(owner, tenant.id, "lamp.lit", lamp, n=2)
    await put(owner, tenant.id, "lamp.lit", new_id(), n=3)
    async with owner.transaction():
        await owner.execute("SELECT FROM outbox WHERE id = $1 FOR UPDATE", first)
        assert await house.process_batch() == 1
    assert await house.process_batch() == 2
    assert [n for who, _, n in seen if who == "admire"] == [3, 1, 2]


async def test_a_mistake_of_ours_ends_nobody(
    owner: Any, tenant: Tenant, house: AsyncHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(async_handlers, "RECONNECT_S_MAX", 0.01)
    mistakes: list[Exception] = [ValueError("no number"), KeyError("payload")]
    real = house.process_batch

    async def clumsy() -> int:
        if mistakes:
            raise mistakes.pop()
        return await real()

    monkeypatch.setattr(house, "process_batch", clumsy)
    lamp = new_id()
    await put(owner, tenant.id, "lamp.lit", lamp)
    running = asyncio.create_task(house.run())
    await until(lambda: effects(owner, lamp), "the house reacts all the same", 10)
    assert not running.done()
    running.cancel()


async def test_what_was_processed_under_a_former_name_is_not_processed_again(
    owner: Any, tenant: Tenant, house: AsyncHandlers
) -> None:
    """Mutant: a dedupe that asks for today's name alone runs it again."""
    lamp = new_id()
    fact = await put(owner, tenant.id, "lamp.lit", lamp)
    await owner.execute(
        "INSERT INTO processed_messages (organization_id, consumer, message_id) VALUES ($1, $2, $3)",
        tenant.id,
        WRITE_DOWN.former[0],
        fact,
    )
    assert await house.process_batch() == 1
    assert await effects(owner, lamp) == ["lamp.admired"]


async def test_what_is_owed_under_a_former_name_is_retried_in_its_order(
    owner: Any, tenant: Tenant, house: AsyncHandlers
) -> None:
    """A worker of an earlier version owes; facts that come later wait behind, though owed under today's name."""
    lamp = new_id()
    broken.add("write_down")
    await put(owner, tenant.id, "lamp.lit", lamp, n=1)
    await house.process_batch()
    await owner.execute("UPDATE owed_reactions SET consumer = $1", WRITE_DOWN.former[0])
    broken.clear()
    await put(owner, tenant.id, "lamp.lit", lamp, n=2)
    await house.process_batch()
    assert await owed(owner) == [("write_down", 1, False), ("write_down", 0, False)]
    seen.clear()
    await owner.execute("UPDATE owed_reactions SET due_at = now() - make_interval(secs => 9 - attempts)")  # later first
    while await house.retry_due():
        pass
    assert [n for who, _, n in seen if who == "write_down"] == [1, 2]
    assert await owed(owner) == []


async def test_what_is_owed_under_both_names_is_processed_once(
    owner: Any, tenant: Tenant, house: AsyncHandlers
) -> None:
    """As when a worker of an earlier version died between owing and its mark."""
    lamp = new_id()
    broken.add("write_down")
    fact = await put(owner, tenant.id, "lamp.lit", lamp)
    await house.process_batch()
    await owner.execute("UPDATE owed_reactions SET consumer = $1", WRITE_DOWN.former[0])
    await owner.execute("UPDATE outbox SET handled_at = NULL WHERE id = $1", fact)
    await house.process_batch()
    assert len(await owed(owner)) == 2
    broken.clear()
    seen.clear()
    await due(owner)
    while await house.retry_due():
        pass
    assert [who for who, _, _ in seen] == ["write_down"]
    assert await owed(owner) == []


async def test_no_two_handlers_share_a_name(services: Services) -> None:
    """A name is stored: two handlers of one name would each pass for having run when the other has."""
    wired = {handler for handlers in wiring.async_handlers(services).values() for handler in handlers}
    wired |= {*wiring.ASYNC_ALL}
    names = [name for handler in wired for name in (handler.name, *handler.former)]
    assert len(names) == len({*names})
    assert {handler.name for handler in wired} == NAMES, "a name that was stored must stay; a new one is added here"
    assert async_handlers.MESSENGER.type == "system"


NAMES = {
    "notices.email_ticket_holders", "notices.email_waitlist", "orders.email_cancelled", "orders.email_other_seats",
    "orders.email_paid_twice", "orders.follow_sale", "orders.follow_void", "participants.count", "refunds.email",
    "tickets.email", "tickets.email_moved_seats", "tickets.email_transfer", "waitlist.email_joined",
    "waitlist.email_lapsed", "waitlist.email_offered", "waitlist.offer_returned_places", "webhooks.deliver",
}  # fmt: skip
