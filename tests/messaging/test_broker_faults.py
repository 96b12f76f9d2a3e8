"""RabbitMQ down, blocked or hung while people buy: nobody notices, and everything leaves when it is back."""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.faults.theatre import PATIENCE_S, Theatre, theatre
from tests.kit.test_postgres import make_home
from tests.messaging.helpers import bound, channel, drained, until
from tests.messaging.rabbit import Rabbit
from tests.services.servers import spawn

pytestmark = [pytest.mark.fault, pytest.mark.req("MSG-1", "MSG-2")]
SEATS = 120
WORKER_LOG = "broker.unavailable"


@pytest.fixture(scope="module")
def house() -> Iterator[Theatre]:
    with theatre(make_home(), people=12) as at:  # all stories together need more than four bookings
        yield at


async def killed(rabbit: Rabbit) -> Callable[[], Awaitable[None]]:
    rabbit.kill()
    return rabbit.start


async def hung(rabbit: Rabbit) -> Callable[[], Awaitable[None]]:
    rabbit.hang()

    async def go_on() -> None:
        rabbit.go_on()

    return go_on


async def blocked(rabbit: Rabbit) -> Callable[[], Awaitable[None]]:
    await asyncio.to_thread(rabbit.block)

    async def unblock() -> None:
        await asyncio.to_thread(rabbit.unblock)

    return unblock


@pytest.mark.parametrize("fault", [killed, hung, blocked])
def test_nobody_who_buys_notices_and_the_backlog_drains(
    fault: Callable[[Rabbit], Awaitable[Callable[[], Awaitable[None]]]], house: Theatre, server_home: Path
) -> None:
    async def run() -> None:
        rabbit = Rabbit(server_home)
        worker: Any = None
        try:
            await rabbit.start()
            async with channel(rabbit.url) as stranger:
                await bound(stranger, "fullhouse", "hold.placed")
            async with house.serving(AMQP_URL=rabbit.url) as server:
                command = [sys.executable, "-m", "fullhouse", "worker"]
                worker = spawn(command, server_home, house.environment(AMQP_URL=rabbit.url))
                await _buy(house, server.port, 10)
                await until(lambda: _all(house, "sent_at"), "facts leave", 120)
                recover = await fault(rabbit)
                await _buy(house, server.port, SEATS)
                await until(lambda: _said(server_home), "the worker says so", 60)
                assert await _waiting(house, "sent_at") >= SEATS
                await until(lambda: _all(house, "handled_at"), "the house reacts without it", 60)
                await recover()
                await until(lambda: _all(house, "sent_at"), "the backlog drains", 120)
            async with channel(rabbit.url) as stranger:
                queue = await bound(stranger, "fullhouse")
                heard = {message.message_id for message in await drained(queue)}
            assert len(heard) == await _held(house) - before, "some never arrived"
        finally:
            if worker:
                worker.kill()
                worker.wait()
            rabbit.stop()

    before = asyncio.run(_held(house))
    asyncio.run(run())


async def _held(house: Theatre) -> int:
    """Facts of earlier stories, which another broker has."""
    async with house.owner() as owner:
        found: int = await owner.fetchval("SELECT count(*) FROM outbox WHERE name = 'hold.placed'")
        return found


async def _buy(house: Theatre, port: int, count: int) -> None:
    """Every single one is acknowledged, within a buyer's patience."""
    seats = iter(await house.free_seats(count))
    statuses: Counter[int] = Counter()

    async def person(token: str) -> None:
        headers = {"authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(headers=headers, timeout=4 * PATIENCE_S) as client:
            for seat in seats:
                path = house.sale.path(f"seats/{seat}/reserve")
                statuses[(await client.post(f"http://127.0.0.1:{port}{path}", json={})).status_code] += 1

    await asyncio.gather(*(person(each.token) for each in house.crowd))
    assert statuses == {201: count}


async def _waiting(house: Theatre, mark: str) -> int:
    async with house.owner() as owner:
        found: int = await owner.fetchval(f"SELECT count(*) FROM outbox WHERE {mark} IS NULL")
        return found


async def _all(house: Theatre, mark: str) -> bool:
    return not await _waiting(house, mark)


async def _said(home: Path) -> bool:
    return WORKER_LOG in (home / "log").read_text(errors="replace")
