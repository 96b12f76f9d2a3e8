"""Facts on their way while relays and RabbitMQ are killed with -9: none missing, every effect once, order kept.

And a relay that marks before the broker has confirmed must be found out by the same check.
"""

import asyncio
import contextlib
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import aio_pika
import asyncpg
import msgspec
import pytest

from fullhouse.events.model import Event
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.rabbitmq import BROKER_ERRORS
from fullhouse.kit.services import Services
from tests.events.helpers import make_show
from tests.fixtures import Tenant, soaking
from tests.messaging.helpers import clear_outbox, until
from tests.messaging.joins import CONSUMER, NOON, Stage
from tests.messaging.rabbit import Rabbit
from tests.services.servers import spawn

pytestmark = [pytest.mark.fault, pytest.mark.soak, pytest.mark.req("MSG-1", "MSG-2", "MSG-3")]
FACTS, RABBIT_KILLS, RELAY_KILLS = (10_000, 12, 120) if soaking() else (1_000, 2, 12)
SENT = "SELECT count(*) FROM outbox WHERE sent_at IS NOT NULL"
JOINS = 40
INSERT = "INSERT INTO outbox (id, organization_id, name, subject_id, payload) VALUES ($1, $2, $3, $4, $5)"


class Said(NamedTuple):
    id: UUID
    join: UUID
    n: int


class Verdict(NamedTuple):
    missing: int
    out_of_order: int
    repeated: int


def judge(said: list[Said], heard: list[UUID]) -> Verdict:
    """What a consumer that dedupes by id makes of it."""
    known = {each.id: each for each in said}
    first = list(dict.fromkeys(heard))
    last: dict[UUID, int] = {}
    out_of_order = 0
    for message in first:
        fact = known[message]
        out_of_order += fact.n < last.get(fact.join, -1)
        last[fact.join] = max(fact.n, last.get(fact.join, -1))
    return Verdict(len(known.keys() - set(first)), out_of_order, len(heard) - len(first))


def test_the_judge_sees_what_is_wrong() -> None:
    ann = new_id()
    said = [Said(new_id(), ann, n) for n in range(3)]
    a, b, c = (each.id for each in said)
    assert judge(said, [a, b, c]) == Verdict(0, 0, 0)
    assert judge(said, [a, b, a, b, c]) == Verdict(0, 0, 2)
    assert judge(said, [a, c]) == Verdict(1, 0, 0)
    assert judge(said, [a, c, b]) == Verdict(0, 1, 0)


class Chaos:
    """A RabbitMQ, relays as processes, and a stranger who writes down what it hears."""

    def __init__(self, rabbit: Rabbit, url: str, home: Path, *mutant: str) -> None:
        self.rabbit, self.exchange = rabbit, f"t-{new_id().hex}"
        self._command = [sys.executable, "-m", "tests.messaging.relay_process", url, rabbit.url, self.exchange, *mutant]
        self._home, self._environment = home, {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2])])}
        self.heard: list[UUID] = []
        self.relays: list[subprocess.Popen[bytes]] = []
        self.killed: Counter[str] = Counter()

    def spawn(self) -> subprocess.Popen[bytes]:
        return spawn(self._command, self._home, self._environment)

    async def listen(self) -> None:
        """Acknowledged after it was written down, like an effect."""
        while True:
            try:
                connection = await aio_pika.connect(self.rabbit.url, timeout=3, heartbeat=4)
                try:
                    await self._listen(connection)
                finally:
                    connection.close_callbacks.clear()
                    async with asyncio.timeout(2):
                        await connection.close()
            except BROKER_ERRORS:
                await asyncio.sleep(0.1)

    async def _listen(self, connection: Any) -> None:
        channel = await connection.channel()
        await channel.set_qos(prefetch_count=100)
        exchange = await channel.declare_exchange(self.exchange, "topic", durable=True)
        queue = await channel.declare_queue(f"{self.exchange}.stranger", durable=True)
        await queue.bind(exchange, "#")
        lost = asyncio.Event()
        connection.close_callbacks.add(lambda *_: lost.set())

        async def take(message: Any) -> None:
            self.heard.append(UUID(message.message_id))
            await message.ack()

        await queue.consume(take)
        await lost.wait()

    async def kill_relays(self, owner: Any, dice: random.Random) -> None:
        """In the middle of their work: a moment after a batch was marked, the next one is on its way."""
        for _ in range(RELAY_KILLS):
            sent = await owner.fetchval(SENT)
            while await owner.fetchval(SENT) == sent:
                await asyncio.sleep(0.002)
            await asyncio.sleep(dice.uniform(0, 0.05))
            n = dice.randrange(len(self.relays))
            self.relays[n].kill()
            self.relays[n].wait()
            self.killed["relay"] += 1
            self.relays[n] = self.spawn()

    async def kill_rabbit(self, dice: random.Random, kills: int) -> None:
        """Hung for a moment first, so that facts are on their way when it dies."""
        for _ in range(kills):
            await asyncio.sleep(dice.uniform(1, 4))
            self.rabbit.hang()
            await asyncio.sleep(dice.uniform(0.5, 1.5))
            self.rabbit.kill()
            self.killed["rabbit"] += 1
            await self.rabbit.start()


@asynccontextmanager
async def chaos(home: Path, url: str, relays: int, *mutant: str) -> AsyncIterator[Chaos]:
    rabbit = Rabbit(home)
    made = Chaos(rabbit, url, home, *mutant)
    listening: asyncio.Task[None] | None = None
    try:
        await rabbit.start()
        listening = asyncio.create_task(made.listen())
        made.relays = [made.spawn() for _ in range(relays)]
        yield made
    finally:
        if listening:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
        for process in made.relays:
            process.kill()
            process.wait()
        rabbit.stop()


async def announce(owner: Any, tenant: Tenant, show: Event, facts: int, dice: random.Random) -> list[Said]:
    """Everybody joins and leaves again and again; a round at a time, so that something is always on its way."""
    joins, said = [new_id() for _ in range(JOINS)], list[Said]()
    for n in range(facts // JOINS):
        rows = []
        for join in joins:
            said.append(Said(new_id(), join, n))
            told = {"version": 1, "subject_id": join, "event_id": show.id, "at": NOON.replace(microsecond=n)}
            name = "join.canceled" if n % 2 else "join.confirmed"
            rows.append((said[-1].id, tenant.id, name, join, msgspec.json.encode(told).decode()))
        await owner.executemany(INSERT, rows)
        await asyncio.sleep(dice.uniform(0, 0.2))
    return said


async def all_sent(owner: Any) -> bool:
    return not await owner.fetchval("SELECT count(*) FROM outbox WHERE sent_at IS NULL")


@pytest.mark.parametrize("relays", [1, 2])
async def test_nothing_is_missing_doubled_or_out_of_order(
    relays: int, services: Services, tenant: Tenant, owner: Any, owner_url: str, server_url: str, server_home: Path
) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    show = await make_show(services, tenant)
    await clear_outbox(owner)
    here = Stage(tenant, show, owner, None, None)
    watcher = await asyncpg.connect(owner_url)
    async with chaos(server_home, server_url, relays) as scene:
        killing = asyncio.create_task(scene.kill_relays(watcher, dice))
        dying = asyncio.create_task(scene.kill_rabbit(dice, RABBIT_KILLS))
        said = await announce(owner, tenant, show, FACTS, dice)
        await dying
        # A relay that is killed in its first moments sends little: on a busy machine most of the facts are still there.
        # Each life has its time, not all of them together; and whoever has nothing left to do gets more.
        while (killed := scene.killed["relay"]) < RELAY_KILLS // 2:
            assert len(said) < 5 * FACTS, "relays are hardly ever at work"
            if await all_sent(owner):
                said += await announce(owner, tenant, show, 2 * JOINS, dice)  # who joins here leaves again
            await until(partial(_goes_on, scene, owner, killed), "a relay is at work", 240)
        killing.cancel()
        await until(lambda: all_sent(owner), "everything is sent", 240)

        async def heard() -> bool:
            return {each.id for each in said} <= set(scene.heard)

        async def processed() -> bool:
            return await here.processed(*(each.id for each in said)) == len(said)

        await until(processed, "every message had its effect", 120)
        with contextlib.suppress(AssertionError):  # the verdict says what is missing
            await until(heard, "everything is heard", 30)
        verdict = judge(said, scene.heard)
        print(f"{len(said)} facts, killed {dict(scene.killed)}, {verdict}")
    await watcher.close()
    assert (verdict.missing, verdict.out_of_order) == (0, 0)
    assert scene.killed["rabbit"] == RABBIT_KILLS
    assert scene.killed["relay"] >= RELAY_KILLS // 2
    # Each message once, whatever came twice: who was confirmed last takes part.
    assert await owner.fetchval(
        "SELECT count(*) FROM processed_messages WHERE consumer = $1 AND organization_id = $2", CONSUMER, tenant.id
    ) == len(said)
    assert await here.joined() == (JOINS if (FACTS // JOINS - 1) % 2 == 0 else 0)


async def test_a_relay_that_marks_before_the_broker_has_confirmed_is_found_out(
    services: Services, tenant: Tenant, owner: Any, server_url: str, server_home: Path
) -> None:
    """The mutant: the same story must end with facts that are marked and that nobody ever hears of."""
    show = await make_show(services, tenant)
    await clear_outbox(owner)
    async with chaos(server_home, server_url, 1, "hasty") as scene:
        said = await announce(owner, tenant, show, JOINS, random.Random(1))
        await until(lambda: all_sent(owner), "the relay is at work")
        await until(lambda: _heard(scene, said), "the stranger hears")
        scene.rabbit.hang()
        said += await announce(owner, tenant, show, 2 * JOINS, random.Random(2))
        await until(lambda: all_sent(owner), "it marks what nobody has confirmed")
        scene.rabbit.kill()
        await scene.rabbit.start()
        said += await announce(owner, tenant, show, JOINS, random.Random(3))
        await until(lambda: all_sent(owner), "it works again", 120)
        await until(lambda: _heard(scene, said[-JOINS:]), "the stranger hears again", 120)
        verdict = judge(said, scene.heard)
    print(verdict)
    assert verdict.missing > 0


async def _goes_on(scene: Chaos, owner: Any, killed: int) -> bool:
    return scene.killed["relay"] > killed or await all_sent(owner)


async def _heard(scene: Chaos, said: list[Said]) -> bool:
    return {each.id for each in said} <= set(scene.heard)
