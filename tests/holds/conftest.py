"""A process with an engine, on the worker's database; and over HTTP somebody who sells and somebody who buys."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.services import Services
from tests.fixtures import Client, Tenant
from tests.holds.helpers import a_finder, a_process
from tests.wire import WireClient


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
def buyer(lane: LaneRouter, tenant: Tenant) -> Client:
    """By way of our own server, where a plain wish waits for its batch without a task."""
    return WireClient(lane, tenant.tokens["customer"])
