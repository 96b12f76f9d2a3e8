"""A process with waiting rooms, on the worker's database; and over HTTP somebody who sells."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, a_finder, a_process, hall, stage


@pytest.fixture
async def process(server_url: str, tmp_path: Path) -> AsyncIterator[Services]:
    async with a_process(server_url, tmp_path) as services:
        yield services


@pytest.fixture
async def finder(server_url: str) -> AsyncIterator[Database]:
    async with a_finder(server_url) as database:
        yield database


@pytest.fixture
async def sale(services: Services, tenant: Tenant) -> OnSale:
    return await stage(services, tenant, hall(2, 10))


@pytest.fixture
def staff(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])
