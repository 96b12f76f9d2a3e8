"""kill -9 of the API between a commit and its answer: nothing acknowledged is lost, nothing unknown is half there."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from bench._log import ClientLog

from fullhouse.kit.live.bus import CHANNEL
from fullhouse.prove.client.log import Item
from tests.faults.crowd import Crowd
from tests.faults.theatre import PATIENCE_S, Person, Server, Theatre
from tests.fixtures import soaking

pytestmark = [pytest.mark.fault, pytest.mark.req("HOLD-2", "HOLD-3")]
ROUNDS = 20 if soaking() else 3


class Swallower:
    """Stands before a server: passes calls on, and when it is told to, keeps the answer to itself."""

    def __init__(self, port: int) -> None:
        self._to, self.swallows = port, False
        self.on_answer: Callable[[], None] = lambda: None

    async def __aenter__(self) -> "Swallower":
        self._door = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.port: int = self._door.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._door.close()

    async def _pass_on(self, client: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        server, there = await asyncio.open_connection("127.0.0.1", self._to)
        there.write(await client.read(65536))
        answer = await server.read(65536)
        if self.swallows:
            self.on_answer()
        else:
            back.write(answer)
            await back.drain()
        there.close()
        back.close()


async def _row(at: Theatre, seat: UUID) -> Any:
    async with at.owner() as owner:
        return await owner.fetchrow("SELECT id, user_id, status FROM seat_holds WHERE seat_id = $1", seat)


def test_an_answer_that_never_comes_and_the_same_again(house: Theatre, tmp_path: Path) -> None:
    """The commit is made, the answer is on its way, and the server dies. The same person gets the same hold."""

    async def run() -> None:
        me, (one, other) = house.people[0], await house.free_seats(2)
        with ClientLog(tmp_path / "log") as log:
            async with house.serving() as server, Swallower(server.port) as between:
                between.swallows, between.on_answer = True, server.kill
                assert await _reserve(house, me, log, between.port, one) is None
                row = await _row(house, one)
                assert (row["user_id"], row["status"]) == (me.id, "active")
                await server.start()
                between.swallows = False
                again = await _reserve(house, me, log, between.port, one)
                assert again
                assert (again.status_code, again.json()["data"]["hold_id"]) == (200, str(row["id"]))
                fresh = await _reserve(house, me, log, between.port, other)
                assert fresh
                assert fresh.status_code == 201
        assert await house.wrong(tmp_path / "log") == {}

    asyncio.run(run())


async def _reserve(at: Theatre, me: Person, log: ClientLog, port: int, seat: UUID) -> httpx.Response | None:
    name = log.call(kind="hold", event=at.sale.event_id, user=me.id, items=[Item(seat=seat)])
    try:
        async with httpx.AsyncClient(timeout=PATIENCE_S, headers={"authorization": f"Bearer {me.token}"}) as client:
            answer = await client.post(f"http://127.0.0.1:{port}{at.sale.path(f'seats/{seat}/reserve')}", json={})
    except httpx.HTTPError:
        log.end(name, "unknown")
        return None
    log.end(name, "ok" if answer.is_success else "fail", holds=[UUID(answer.json()["data"]["hold_id"])])
    return answer


@pytest.mark.soak
def test_killed_at_the_moment_of_a_commit_again_and_again(
    house: Theatre, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Another connection hears of a commit as soon as the server does, and is faster than the answer, often enough."""

    async def run() -> None:
        with ClientLog(tmp_path / "log") as log:
            async with (
                house.owner() as owner,
                house.serving() as server,
                Crowd(house, log, server.port).buying() as crowd,
            ):
                for _ in range(ROUNDS):
                    await crowd.more_of_each(1)
                    await _kill_at_a_commit(owner, server)
                    await server.start()
                await crowd.more_of_each(1)
        assert await house.wrong(tmp_path / "log") == {}
        record_property("ends", dict(crowd.ends))
        print(f"{ROUNDS} kills: {dict(crowd.ends)}, refused {dict(crowd.codes)}")

    asyncio.run(run())


async def _kill_at_a_commit(owner: Any, server: Server) -> None:
    killed = asyncio.Event()

    def kill(*_: object) -> None:
        if not killed.is_set():
            killed.set()
            server.kill()

    await owner.add_listener(CHANNEL, kill)
    async with asyncio.timeout(30):
        await killed.wait()
    await owner.remove_listener(CHANNEL, kill)


def test_the_proof_sees_what_a_server_forgot(house: Theatre, tmp_path: Path) -> None:
    """The mutant: one acknowledged hold is taken away behind everybody's back."""

    async def run() -> None:
        with ClientLog(tmp_path / "log") as log:
            async with house.serving() as server:
                (seat,) = await house.free_seats(1)
                answer = await _reserve(house, house.people[1], log, server.port, seat)
                assert answer
        async with house.owner() as owner:
            await owner.execute("DELETE FROM seat_holds WHERE seat_id = $1", seat)
            found = await house.wrong(tmp_path / "log")
            free = "status = 'available', hold_id = NULL, held_until = NULL"
            await owner.execute(f"UPDATE event_seats SET {free} WHERE seat_id = $1", seat)
        assert [s for s in found["client log"] if answer.json()["data"]["hold_id"] in s]

    asyncio.run(run())
