"""A small but complete database, made as people make one: by HTTP, and by a worker's sweeps."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from tests.fixtures import Client, make_tenant, run_application, settings
from tests.holds.helpers import a_finder, a_process
from tests.prove.sample import Sample, fill
from tests.services.client import ask

_filled: list[Sample] = []


@pytest.fixture(scope="session")
def _own_database() -> dict[str, str]:
    return ask("database", f"proof_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")


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
async def sample(_one_loop: None, server_url: str, owner_url: str, owner: Any, tmp_path: Path) -> Sample:
    """Filled once for all tests of a worker: each takes back what it breaks."""
    if not _filled:
        async with (
            a_process(server_url, tmp_path) as process,
            a_finder(server_url) as finder,
            run_application(settings(server_url, owner_url, home=str(tmp_path))) as application,
            Client(application) as client,
        ):
            _filled.append(await fill(client, await make_tenant(process), process, finder, owner))
    return _filled[0]
