"""Fixtures of the house: services on the worker's database, the application in this process, a tenant per test."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import msgspec
import pytest

from fullhouse import config, wiring
from fullhouse.accounts import actions
from fullhouse.accounts.model import Organization, User
from fullhouse.accounts.policy import ROLE_ACTIONS
from fullhouse.accounts.sign_in import actions as signing_in
from fullhouse.kit.actors import SYSTEM, Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.ids import new_id
from fullhouse.kit.media.files import Disk
from fullhouse.kit.secrets import Keyring
from fullhouse.kit.services import Services, open_services
from fullhouse.processes import app as application
from tests.lines import close_all, handed_on
from tests.names import PUBLIC_URL, SECRET_KEY

__all__ = ["PUBLIC_URL", "SECRET_KEY"]


@pytest.fixture(scope="session", autouse=True)
async def _one_loop(anyio_backend: object) -> AsyncIterator[None]:
    """For all tests of a worker, so that connections may outlive a test. Also if the first ones ask for nothing that is
    asynchronous: their loop would end with them, and what they hand on would belong to nobody's."""
    yield
    await close_all()


@pytest.fixture
async def owner(_one_loop: None, owner_url: str) -> AsyncIterator[Any]:
    """The database's owner: sees what tests must see, and may move the clock."""
    async with handed_on(_connected(owner_url)) as connection:
        yield connection


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(url)
    yield connection
    await connection.close()


@pytest.fixture
async def services(_one_loop: None, server_url: str, tmp_path: Path) -> AsyncIterator[Services]:
    wiring.register_handlers(PUBLIC_URL)
    opening = open_services(
        url=server_url,
        read_url=None,
        redis_url=None,
        secret_key=SECRET_KEY,
        files=Disk(tmp_path / "images"),  # where the application of the same test keeps them, too
        public_url=PUBLIC_URL,
        pool_size=8,
    )
    async with handed_on(opening) as opened:
        yield opened


class Tenant(msgspec.Struct, frozen=True):
    """An organisation of the test's own, with somebody in each role. `tokens[role]` signs in as them."""

    organization: Organization
    people: dict[str, User]
    tokens: dict[str, str]

    @property
    def id(self) -> UUID:
        return self.organization.id

    def principal(self, role: str) -> Principal:
        user = self.people[role]
        actor = msgspec.structs.replace(SYSTEM, type="user", id=user.id, name=user.name)
        return Principal(organization_id=self.id, actor=actor, role=role, allowed=ROLE_ACTIONS[role])  # type: ignore[index]


async def make_tenant(services: Services) -> Tenant:
    organization_id = new_id()
    people, tokens = {}, {}
    async with services.database.tenant(organization_id) as tx:
        organization = await actions.create_organization(tx, organization_id, f"t-{organization_id.hex}", "Test House")
        for role in ("owner", "admin", "staff", "scanner", "customer"):
            user = await actions.create_user(tx, email=f"{role}@example.org", name=role.title(), role=role)
            session = await signing_in.create_session(tx, organization, user, "password")
            people[role], tokens[role] = user, session.token
    return Tenant(organization, people, tokens)


@pytest.fixture
async def tenant(services: Services) -> Tenant:
    return await make_tenant(services)


@pytest.fixture
async def other_tenant(services: Services) -> Tenant:
    return await make_tenant(services)


@pytest.fixture
async def tx(services: Services, tenant: Tenant) -> AsyncIterator[Tx]:
    async with services.database.tenant(tenant.id) as opened:
        yield opened


ALIKE = (PUBLIC_URL, (), (), None)
_idle_applications: list[LaneRouter] = []


@asynccontextmanager
async def run_application(chosen: config.Config) -> AsyncIterator[LaneRouter]:
    """The whole application, started and stopped as a server would, with everything that it keeps new.

    Its routes are put together once, which takes half a second, and used again by later tests: what they are made from
    must be alike in all settings that come here. Tests of these build an application of their own.
    """
    assert (chosen.public_url, chosen.trusted_proxies, chosen.cors_origins, chosen.otlp_endpoint) == ALIKE
    lane = _idle_applications.pop() if _idle_applications else application.build(chosen)
    lane.wide.state.settings = chosen
    async with handed_on(lane.wide.lifespan()):
        yield lane
    _idle_applications.append(lane)


@pytest.fixture
async def lane(_one_loop: None, server_url: str, owner_url: str, tmp_path: Path) -> AsyncIterator[LaneRouter]:
    async with run_application(settings(server_url, owner_url, home=str(tmp_path))) as running:
        yield running


def settings(server_url: str, owner_url: str, home: str, **more: str) -> config.Config:
    return config.load(
        {
            "DATABASE_URL": server_url,
            "DATABASE_OWNER_URL": owner_url,
            "FULLHOUSE_SECRET_KEY": SECRET_KEY,
            "FULLHOUSE_URL": PUBLIC_URL,
            "FULLHOUSE_HOME": home,
            **more,
        }
    )


class Client(httpx.AsyncClient):
    """Speaks to the application in this process; `as_(token)` is the same, signed in."""

    def __init__(self, lane: LaneRouter, token: str | None = None) -> None:
        self._lane = lane
        headers = {"authorization": f"Bearer {token}"} if token else {}
        transport = httpx.ASGITransport(lane, client=("198.51.100.7", 4711))
        super().__init__(transport=transport, base_url=PUBLIC_URL, headers=headers)

    def as_(self, token: str) -> "Client":
        return Client(self._lane, token)


@pytest.fixture
async def client(lane: LaneRouter) -> AsyncIterator[Client]:
    async with Client(lane) as opened:
        yield opened


@pytest.fixture
def keyring() -> Keyring:
    return Keyring(SECRET_KEY)


# What ran out while the clock was ahead would be live again when it is put back.
END_OVERDUE = """
SELECT FROM (SELECT organization_id, array_agg(id) AS ids FROM seat_holds
             WHERE status = 'active' AND held_until <= app.clock() GROUP BY 1) overdue,
LATERAL app.end_holds(organization_id, ids, 'expired', true, 'system', NULL, 'sweeper', NULL, NULL, NULL, NULL)
"""
STAY_OVERDUE = """
UPDATE checkout_sessions SET expires_at = least(expires_at, now() - interval '1 second')
WHERE status = 'open' AND expires_at <= app.clock()
"""


@pytest.fixture
async def clock(owner: Any) -> AsyncIterator[Callable[..., Any]]:
    """`await clock(timedelta(minutes=6))` moves the database's time; it is put back after the test."""

    async def move(shift: timedelta) -> None:
        await owner.execute(
            "CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE"
            f" RETURN now() + interval '{shift.total_seconds()} seconds'"
        )

    yield move
    await owner.execute(END_OVERDUE)
    await owner.execute(STAY_OVERDUE)
    await owner.execute(
        "CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE RETURN now()"
    )


def soaking() -> bool:
    """`make soak`: full counts."""
    return os.environ.get("FULLHOUSE_SOAK") == "1"
