"""Nobody else's rows, since `fullhouse prove` looks at all of them; and a door with tickets for it."""

import os

import pytest

from tests.fixtures import Client, Tenant
from tests.scanning.helpers import Door, door
from tests.services.client import ask


@pytest.fixture(scope="session")
def _gates_database() -> dict[str, str]:
    return ask("database", f"gates_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")


@pytest.fixture(scope="session")
def owner_url(_gates_database: dict[str, str]) -> str:
    return _gates_database["owner_url"]


@pytest.fixture(scope="session")
def server_url(_gates_database: dict[str, str]) -> str:
    return _gates_database["server_url"]


@pytest.fixture
async def at(client: Client, tenant: Tenant) -> Door:
    return await door(client, tenant, 0, 1, pit=2)
