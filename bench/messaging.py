"""Facts to RabbitMQ: the relay beside one-by-one publishing; and reserving seats with the relay at work beside without.

    python bench/messaging.py [seconds per measurement]

Everything shares the cores (client, server, PostgreSQL, RabbitMQ, worker), so trust the ratios. Both sides of each are
interleaved, medians of three.
"""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aio_pika
import asyncpg
import uvloop

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import _load
from bench._sale import Ground, House, ground, open_house, open_shows, ready, seats
from tests.services import servers

from fullhouse import wiring
from fullhouse.broker.message_tasks import RELAYS, open_message_tasks
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.media.files import Disk
from fullhouse.kit.messages.rabbitmq import Broker, Topology
from fullhouse.kit.messages.relay import Relay
from fullhouse.kit.process_control import lower_priority
from fullhouse.kit.services import open_services
from fullhouse.processes import serve

ROUNDS, CROWD = 3, 256
FILL = """
INSERT INTO outbox (id, organization_id, name, subject_id, payload)
SELECT gen_random_uuid(), $1, 'hold.placed', hold_id, jsonb_build_object('version', 1, 'subject_id', hold_id,
    'event_id', gen_random_uuid(), 'seat_id', gen_random_uuid(), 'user_id', gen_random_uuid(), 'quantity', 1,
    'basket_id', hold_id, 'held_until', now())
FROM (SELECT gen_random_uuid() AS hold_id FROM generate_series(1, $2)) AS holds
"""
NAIVE_TAKE = """
SELECT id, seq, organization_id, name, subject_id, 1 AS version, payload::text AS body, created_at
FROM outbox WHERE sent_at IS NULL ORDER BY seq LIMIT 1 FOR UPDATE SKIP LOCKED
"""
EVERYTHING = Topology("bench", {"bench.facts": ("#",)}, "bench.dead")


async def relayed(finder: Database, broker: Broker) -> None:
    async def work() -> None:
        relay = Relay(finder, broker)
        while (await relay.process_batch())[0]:
            pass

    await asyncio.gather(*(work() for _ in range(RELAYS)))


async def one_by_one(finder: Database, broker: Broker) -> None:
    """What one would write first: take a fact, publish it, wait for the confirm, mark it."""
    channel = broker._channel
    while True:
        async with finder.without_tenant() as tx:
            row = await tx.fetchrow(NAIVE_TAKE)
            if row is None:
                return
            message = aio_pika.Message(row["body"].encode(), message_id=str(row["id"]), delivery_mode=2)
            await channel.basic_publish(  # type: ignore[union-attr]
                message.body, exchange="bench", routing_key=row["name"], properties=message.properties, mandatory=True
            )
            await tx.execute("UPDATE outbox SET sent_at = now() WHERE id = $1", row["id"])


async def publishing(urls: serve.Urls, amqp_url: str, house: House, seconds: float) -> None:
    finder = await Database.open(urls.serving, WORKER, size=RELAYS + 1)
    owner = await asyncpg.connect(urls.owner)
    await owner.execute("SET session_replication_role = replica")
    broker = Broker(amqp_url, EVERYTHING)
    rates: dict[Any, list[float]] = {relayed: [], one_by_one: []}
    for _ in range(ROUNDS):
        for way, facts in ((relayed, int(3000 * seconds)), (one_by_one, int(300 * seconds))):
            await owner.execute("UPDATE outbox SET sent_at = now(), handled_at = now() WHERE sent_at IS NULL")
            await owner.execute(FILL, house.org, facts)
            await owner.execute("VACUUM ANALYZE outbox")
            assert await broker.ready() is None
            began = time.perf_counter()
            await way(finder, broker)
            rates[way].append(facts / (time.perf_counter() - began))
    fast, slow = (statistics.median(rates[way]) for way in rates)
    print(f"relay to RabbitMQ, confirmed: {fast:,.0f} facts/s ÷ one by one: {slow:,.0f}/s = {fast / slow:.1f}")
    await broker.stop()
    await owner.close()
    await finder.close()


@contextmanager
def working(url: str, amqp_url: str) -> Iterator[None]:
    """What a worker runs for messages, and nothing else of it, in a process of its own."""
    command = [sys.executable, __file__, "--post", url, amqp_url]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as worker:
        assert worker.stdout
        worker.stdout.readline()
        try:
            yield
        finally:
            worker.kill()


async def post(url: str, amqp_url: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        async with (
            open_services(
                url=url,
                read_url=None,
                redis_url=None,
                secret_key="x" * 32,
                files=Disk(Path(home)),
                public_url="",
                pool_size=4,
            ) as services,
            open_message_tasks(services, amqp_url, wiring.ASYNC, wiring.ASYNC_ALL) as work,
        ):
            print("at work", flush=True)
            await asyncio.gather(*(run() for run in work.values()))


def reserving(here: Ground, amqp_url: str, house: House, seconds: float) -> None:
    rates: dict[bool, list[float]] = {True: [], False: []}
    sent: list[float] = []

    def measure(server: _load.Server) -> float:
        """On a house that has sent everything so far, as one has whose relay always runs."""
        (show,) = asyncio.run(open_shows(here.urls.owner, house))
        asyncio.run(_send_all(here.urls.owner))
        found = _load.load(
            server.port, ready(server, seats(house, [show.event]), seconds), connections=CROWD, seconds=seconds
        )
        assert set(found.statuses) == {201}, found.statuses
        return found.rate

    with here.serving() as server:
        measure(server)
        for _ in range(ROUNDS):
            rates[False].append(measure(server))
            with working(here.urls.serving, amqp_url):
                rates[True].append(measure(server))
                sent.append(asyncio.run(_sent_since_all(here.urls.owner)) / seconds)
    at_work, alone = statistics.median(rates[True]), statistics.median(rates[False])
    print(f"reserving with the relay at work: {at_work:,.0f}/s ÷ without: {alone:,.0f}/s = {at_work / alone:.2f}")
    print(f"facts that the relay sent meanwhile: {statistics.median(sent):,.0f}/s")


async def _sent_since_all(url: str) -> int:
    """Those that the relay has marked: they alone have an attempt."""
    owner = await asyncpg.connect(url)
    found: int = await owner.fetchval(
        "SELECT count(*) FROM outbox"
        " WHERE attempts > 0 AND sent_at > (SELECT max(sent_at) FROM outbox WHERE attempts = 0)"
    )
    await owner.close()
    return found


async def _send_all(url: str) -> None:
    owner = await asyncpg.connect(url)
    await owner.execute("UPDATE outbox SET sent_at = now() WHERE sent_at IS NULL")
    await owner.execute("UPDATE outbox SET handled_at = now() WHERE handled_at IS NULL")
    await owner.execute("VACUUM ANALYZE outbox")
    await owner.close()


def main() -> None:
    if sys.argv[1:2] == ["--post"]:
        lower_priority()  # as a worker does
        uvloop.run(post(*sys.argv[2:]))
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    with tempfile.TemporaryDirectory() as rabbit_home, ground() as here:
        house = asyncio.run(open_house(here.urls))
        rabbit = asyncio.run(servers.rabbitmq(Path(rabbit_home)))
        try:
            uvloop.run(publishing(here.urls, rabbit.url, house, seconds))
            reserving(here, rabbit.url, house, seconds)
        finally:
            rabbit.stop()
        here.prove()


if __name__ == "__main__":
    main()
