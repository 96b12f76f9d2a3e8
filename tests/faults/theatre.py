"""A house to break: a database cluster of its own, real API processes, people who write down what they were told."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar
from uuid import UUID

import asyncpg
import httpx
from bench._log import ClientLog, end_of

from fullhouse import prove, serving
from fullhouse.accounts import actions as accounts
from fullhouse.accounts import signing_in
from fullhouse.kit.ids import new_id
from fullhouse.kit.postgres import Cluster
from fullhouse.prove import client_log
from fullhouse.prove.client_log import Item
from fullhouse.seating.plan import Plan
from tests.fixtures import SECRET_KEY, make_tenant
from tests.holds.helpers import OnSale, a_process, hall, stage
from tests.services.servers import free_port, spawn

ROWS, IN_A_ROW, PIT = 40, 50, 100_000
ALONE = 4  # people who are not in the crowd
PATIENCE_S = 3.0  # a client's own; what takes longer is unknown
PAUSE_S = 0.06  # one person may call 1,200 times a minute
# Nothing but the seats themselves stands in anybody's way.
GENEROUS = {"holds_per_window": 10_000, "max_seats_per_booking": 100, "orphan_avoidance_strict": False}
C = TypeVar("C", bound="Child")


class Child:
    """A process as `serve` starts it; killed with all that belongs to it."""

    name: ClassVar[str]

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self._home, self._environment = home, environment
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        return (self._home / "log").read_text(errors="replace")

    async def start(self) -> None:
        command = [sys.executable, "-m", "fullhouse", self.name, "--parent", str(os.getpid())]
        self._process = spawn(command, self._home, self._environment)

    def kill(self) -> None:
        """At once, whatever it is doing."""
        assert self._process
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        if self._process and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()


class WorkerProcess(Child):
    name = "worker"


class Server(Child):
    """API processes behind one port."""

    name = "api"

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self.port = free_port()
        super().__init__(home, {**environment, "FULLHOUSE_PORT": str(self.port)})

    async def start(self) -> None:
        await super().start()
        assert self._process
        async with asyncio.timeout(60), httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}") as client:
            while True:
                assert self._process.poll() is None, self.log
                try:
                    if (await client.get("/health/ready", timeout=PATIENCE_S)).status_code == 200:
                        return
                except httpx.HTTPError:
                    pass
                await asyncio.sleep(0.05)


class Person(NamedTuple):
    id: UUID
    token: str


class Theatre(NamedTuple):
    home: Path
    cluster: Cluster
    urls: serving.Urls
    sale: OnSale
    staff: str  # a token
    people: list[Person]

    @property
    def crowd(self) -> list[Person]:
        """Not the first few: a log is proven against all that its people have done."""
        return self.people[ALONE:]

    async def free_seats(self, count: int) -> list[UUID]:
        async with self.owner() as owner:
            query = "SELECT seat_id FROM event_seats WHERE status = 'available' ORDER BY ordinal DESC LIMIT $1"
            return [row["seat_id"] for row in await owner.fetch(query, count)]

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "DATABASE_URL": self.urls.serving,
            "DATABASE_OWNER_URL": self.urls.owner,
            "FULLHOUSE_SECRET_KEY": SECRET_KEY,
            "FULLHOUSE_HOME": str(self.home),
            **more,
        }

    @asynccontextmanager
    async def serving(self, **more: str) -> AsyncIterator[Server]:
        async with self._running(Server, more) as server:
            yield server

    @asynccontextmanager
    async def working(self, **more: str) -> AsyncIterator[WorkerProcess]:
        async with self._running(WorkerProcess, more) as worker:
            yield worker

    @asynccontextmanager
    async def _running(self, kind: type[C], more: Mapping[str, str]) -> AsyncIterator[C]:
        home = self.home / new_id().hex
        home.mkdir()
        child = kind(home, self.environment(**more))
        try:
            await child.start()
            yield child
        finally:
            child.stop()

    @asynccontextmanager
    async def owner(self) -> AsyncIterator[Any]:
        connection = await asyncpg.connect(self.urls.owner, timeout=5)
        try:
            yield connection
        finally:
            connection.terminate()

    async def wrong(self, log: Path | None = None) -> dict[str, list[str]]:
        """What `fullhouse prove --log` finds."""
        calls = client_log.read(log) if log else None
        results = await prove.run(self.urls.serving, calls)
        return {check.name: found for check, found in results.items() if found}

    async def command(self, *words: str, **more: str) -> int:
        """An operator's, in a process of its own."""
        command = [sys.executable, "-m", "fullhouse", *words]
        process = await asyncio.to_thread(spawn, command, self.home, self.environment(**more))
        return await asyncio.to_thread(process.wait, 60)


@contextmanager
def theatre(
    home: Path,
    people: int = 24 + ALONE,
    plan: Plan | None = None,
    policy: Mapping[str, Any] = GENEROUS,
    **settings: str,
) -> Iterator[Theatre]:
    """A show on sale in a cluster of its own, with these settings of PostgreSQL."""
    cluster = Cluster(home, settings=settings)
    cluster.start()
    try:
        urls = serving.Urls(
            cluster.url(serving.LOGIN, serving.DATABASE), cluster.url(database=serving.DATABASE)
        )  # fmt: skip
        yield asyncio.run(_open(home, cluster, urls, people, plan or hall(ROWS, IN_A_ROW, pit=PIT), policy))
    finally:
        cluster.stop()


async def _open(
    home: Path, cluster: Cluster, urls: serving.Urls, count: int, plan: Plan, policy: Mapping[str, Any]
) -> Theatre:
    connection = await asyncpg.connect(cluster.url())
    await connection.execute(f"CREATE DATABASE {serving.DATABASE}")
    await connection.close()
    await serving.migrate_database(urls)
    async with a_process(urls.serving, home) as services:
        tenant = await make_tenant(services)
        sale = await stage(services, tenant, plan, **policy)
        people = []
        async with services.database.tenant(tenant.id, deadline_s=60) as tx:
            for n in range(count):
                user = await accounts.create_user(tx, email=f"c{n}@example.org", name=f"C{n}", role="customer")
                session = await signing_in.open_session(tx, tenant.organization, user, "password")
                people.append(Person(user.id, session.token))
    return Theatre(home, cluster, urls, sale, tenant.tokens["owner"], people)


# --- people


class Crowd:
    """People who buy without a pause, each at any of the servers, and write down what they were told."""

    def __init__(self, at: Theatre, log: ClientLog, *ports: int) -> None:
        self.at, self.log, self.ports = at, log, ports
        self.ends: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()  # of refusals
        self.over, self.late = False, list[str]()  # calls that were sent when it was over, and acknowledged
        self._held: dict[UUID, list[UUID]] = {person.id: [] for person in at.crowd}

    @asynccontextmanager
    async def buying(self) -> AsyncIterator["Crowd"]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._live(n, person)) for n, person in enumerate(self.at.crowd)]
            try:
                yield self
            finally:
                for task in tasks:
                    task.cancel()

    async def more(self, end: str, count: int) -> None:
        """Waits until so many more calls have ended so."""
        goal, deadline = self.ends[end] + count, time.monotonic() + 60
        while self.ends[end] < goal:
            assert time.monotonic() < deadline, f"nothing happens any more: {self.ends}, refused {self.codes}"
            await asyncio.sleep(0.005)

    async def _live(self, seed: int, me: Person) -> None:
        dice = random.Random(seed)
        headers = {"authorization": f"Bearer {me.token}"}
        async with httpx.AsyncClient(headers=headers, timeout=PATIENCE_S) as client:
            while True:
                await dice.choices((self._one, self._several, self._best, self._give_back), (10, 5, 2, 3))[0](
                    client, me, dice
                )
                await asyncio.sleep(PAUSE_S)

    async def _one(self, client: httpx.AsyncClient, me: Person, dice: random.Random) -> None:
        seat = self._seat(dice)
        said = {"kind": "hold", "event": self.at.sale.event_id, "user": me.id, "items": [Item(seat=seat)]}
        await self._call(client, me, f"seats/{seat}/reserve", {}, said)

    async def _several(self, client: httpx.AsyncClient, me: Person, dice: random.Random) -> None:
        pit = UUID(self.at.sale.zones["pit"])
        items = [Item(seat=seat) for seat in {self._seat(dice), self._seat(dice)}]
        items.append(Item(zone=pit, quantity=dice.randint(1, 3)))
        body = [{"seat_id": str(i.seat)} if i.seat else {"zone_id": str(i.zone), "quantity": i.quantity} for i in items]
        said = {"kind": "hold", "event": self.at.sale.event_id, "user": me.id, "items": items}
        await self._call(client, me, "holds", {"items": body}, said)

    async def _best(self, client: httpx.AsyncClient, me: Person, _dice: random.Random) -> None:
        said = {"kind": "hold", "event": self.at.sale.event_id, "user": me.id, "best": 2}
        await self._call(client, me, "holds", {"best_available": {"quantity": 2}}, said)

    async def _give_back(self, client: httpx.AsyncClient, me: Person, dice: random.Random) -> None:
        if not self._held[me.id]:
            return
        hold = self._held[me.id].pop(dice.randrange(len(self._held[me.id])))
        name = self.log.call(kind="release", hold=hold)
        answer = await self._ask(client.delete(f"{self._address(dice)}/api/holds/{hold}"))
        self._end(name, answer)

    async def _call(self, client: httpx.AsyncClient, me: Person, path: str, body: Any, said: dict[str, Any]) -> None:
        name, late = self.log.call(**said), self.over
        answer = await self._ask(client.post(f"{self._address(random)}{self.at.sale.path(path)}", json=body))
        data = answer.json()["data"] if answer and answer.is_success else {}
        lines = data.get("items") or ([data] if data else [])
        holds = [UUID(line["hold_id"]) for line in lines]
        self._end(name, answer, holds)
        self._held[me.id] += holds
        if late and holds:
            self.late.append(name)

    def _address(self, dice: Any) -> str:
        return f"http://127.0.0.1:{dice.choice(self.ports)}"

    def _seat(self, dice: random.Random) -> UUID:
        return UUID(self.at.sale.seat(dice.randrange(ROWS * IN_A_ROW)))

    async def _ask(self, asking: Awaitable[httpx.Response]) -> httpx.Response | None:
        try:
            async with asyncio.timeout(PATIENCE_S):  # of the whole call, whatever it waits for
                return await asking
        except (httpx.HTTPError, TimeoutError):
            return None

    def _end(self, name: str, answer: httpx.Response | None, holds: list[UUID] | None = None) -> None:
        end = end_of(answer.status_code) if answer else "unknown"
        self.log.end(name, end, holds=holds or [])
        self.ends[end] += 1
        if answer and end == "fail":
            self.codes[answer.json()["code"]] += 1
