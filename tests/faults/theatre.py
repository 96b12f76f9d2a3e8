"""A house to break: a database cluster of its own, real API processes, a show on sale and people to go to it."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar
from uuid import UUID

import asyncpg
import httpx

from fullhouse import prove
from fullhouse.accounts import actions as accounts
from fullhouse.accounts.sign_in import actions
from fullhouse.events import actions as events
from fullhouse.events.model import NewGate
from fullhouse.events.policy import Move
from fullhouse.events.venues import actions as venues
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.ids import new_id
from fullhouse.kit.postgres import Cluster
from fullhouse.kit.services import Services
from fullhouse.processes import serve
from fullhouse.prove.client import log as client_log
from fullhouse.scanning import device_actions as devices
from fullhouse.scanning.model import NewDevice, Pair
from fullhouse.seating.plans.plan import Plan
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import NewTicketType
from fullhouse.waiting_room import actions as queue
from fullhouse.waiting_room.model import RoomSettings
from tests.fixtures import PUBLIC_URL, SECRET_KEY, Tenant, make_tenant
from tests.holds.helpers import OnSale, a_process, hall, stage
from tests.services.servers import free_port, spawn

ROWS, IN_A_ROW, PIT = 40, 50, 100_000
ALONE = 4  # people who are not in the crowd
PRICE = 1000
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
    urls: serve.Urls
    sale: OnSale
    types: dict[str, str]  # of tickets: for a seat, and for a place in the pit
    staff: str  # a token
    gate: str  # a scanner's
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
        calls = client_log.read_log(log) if log else None
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
        urls = serve.Urls(cluster.url(serve.LOGIN, serve.DATABASE), cluster.url(database=serve.DATABASE))
        yield asyncio.run(_open(home, cluster, urls, people, plan or hall(ROWS, IN_A_ROW, pit=PIT), policy))
    finally:
        cluster.stop()
        shutil.rmtree(cluster.data, ignore_errors=True)  # hundreds of megabytes, maybe in memory


async def _open(
    home: Path, cluster: Cluster, urls: serve.Urls, count: int, plan: Plan, policy: Mapping[str, Any]
) -> Theatre:
    connection = await asyncpg.connect(cluster.url())
    await connection.execute(f"CREATE DATABASE {serve.DATABASE}")
    await connection.close()
    await serve.migrate_database(urls)
    return await open_sale(home, cluster, count, plan, policy)


async def open_sale(home: Path, cluster: Cluster, count: int, plan: Plan, policy: Mapping[str, Any]) -> Theatre:
    """A show on sale whose doors are open, a scanner at its gate, and people who are signed in, in the database that is
    there."""
    urls = serve.Urls(cluster.url(serve.LOGIN, serve.DATABASE), cluster.url(database=serve.DATABASE))
    async with a_process(urls.serving, home) as services:
        tenant = await make_tenant(services)
        sale = await stage(services, tenant, plan, **policy)
        kinds = await _price(services, tenant, sale)
        gate = await _open_doors(services, tenant, sale)
        people = []
        async with services.database.tenant(tenant.id, deadline_s=60) as tx:
            for n in range(count):
                user = await accounts.create_user(tx, email=f"c{n}@example.org", name=f"C{n}", role="customer")
                session = await actions.create_session(tx, tenant.organization, user, "password")
                people.append(Person(user.id, session.token))
    return Theatre(home, cluster, urls, sale, kinds, tenant.tokens["owner"], gate, people)


async def _price(services: Services, tenant: Tenant, sale: OnSale) -> dict[str, str]:
    """Ticket types, and no waiting room: whoever has a hold can buy it."""
    kinds: dict[str, Literal["seated", "ga"]] = {"seat": "seated"}
    if "pit" in sale.zones:
        kinds["pit"] = "ga"
    async with services.database.tenant(tenant.id) as tx:
        made = {
            name: await types.create_type(
                tx, sale.event_id, NewTicketType(name=name, kind=kind, price=PRICE, currency="EUR")
            )
            for name, kind in kinds.items()
        }
        await queue.change_settings(tx, services.keyring, sale.event_id, RoomSettings(mode="off", slots=1000))
    return {name: str(kind.id) for name, kind in made.items()}


async def _open_doors(services: Services, tenant: Tenant, sale: OnSale) -> str:
    """The token of a scanner at the only gate."""
    who = tenant.principal("owner")
    async with services.database.tenant(tenant.id, who.actor) as tx:
        show = await events.require_event(tx, sale.event_id)
        assert show.venue_id
        gate = await venues.create_gate(tx, who, show.venue_id, NewGate(gate_code="A", name="A"))
        wish = NewDevice(event_id=sale.event_id, name="Scanner", gate_ids=[gate.id])
        pairing = await devices.add_device(tx, who, PUBLIC_URL, wish)
        await events.move_event(tx, sale.event_id, Move.START)
    paired = await devices.pair_device(services, SYSTEM, Pair(organization=pairing.organization, code=pairing.code))
    return paired.token
