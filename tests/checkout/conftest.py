"""The sweeps' way of finding work, and a worker's parts."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.waitlist import jobs
from tests.fixtures import Client, Tenant
from tests.holds.helpers import a_finder, a_process
from tests.services.client import ask


@pytest.fixture(scope="session")
def _own_database() -> dict[str, str]:
    """Nobody else's rows: `fullhouse prove` looks at all of them."""
    return ask("database", f"sales_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")


@pytest.fixture(scope="session")
def owner_url(_own_database: dict[str, str]) -> str:
    return _own_database["owner_url"]


@pytest.fixture(scope="session")
def server_url(_own_database: dict[str, str]) -> str:
    return _own_database["server_url"]


@pytest.fixture
async def process(server_url: str, tmp_path: Path) -> AsyncIterator[Services]:
    async with a_process(server_url, tmp_path) as services:
        yield services


@pytest.fixture
async def finder(server_url: str) -> AsyncIterator[Database]:
    async with a_finder(server_url) as database:
        yield database


@pytest.fixture
def staff(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.fixture
async def serve(finder: Database, services: Services, tenant: Tenant, owner: Any) -> Any:
    """A worker's sweep; how many holds it made here."""
    mine = "SELECT count(*) FROM seat_holds WHERE organization_id = $1 AND source = 'waitlist'"

    async def sweep() -> int:
        before = await owner.fetchval(mine, tenant.id)
        await jobs.serve_lists(finder, services.database)
        return int(await owner.fetchval(mine, tenant.id) - before)

    return sweep
