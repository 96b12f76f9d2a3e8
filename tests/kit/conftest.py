"""Servers and databases of a test's own, to break as it pleases."""

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import hypothesis
import pytest

from fullhouse.kit.cache import optional_redis
from fullhouse.kit.ids import new_id
from tests.services import servers
from tests.services.servers import Server

# A busy machine is not a slow function: examples are not timed.
hypothesis.settings.register_profile("house", deadline=None)
hypothesis.settings.load_profile("house")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Redis may take its time, as it does on a busy machine: only what is away counts as away."""
    monkeypatch.setattr(optional_redis, "TIMEOUT_S", 5.0)


@pytest.fixture
async def own_redis(server_home: Path) -> AsyncIterator[Server]:
    """A Redis that nobody else uses: it may be frozen, killed and emptied."""
    server = await servers.redis(server_home)
    yield server
    server.stop()


@pytest.fixture
async def empty_database(postgres_url: str) -> AsyncIterator[str]:
    """The superuser's address of a new database without a single table."""
    name = f"own_{new_id().hex}"
    connection = await asyncpg.connect(postgres_url)
    try:
        await connection.execute(f"CREATE DATABASE {name}")
        yield _renamed(postgres_url, name)
        await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await connection.close()


def _renamed(url: str, database: str) -> str:
    head, mark, query = url.partition("?")
    return f"{head.rpartition('/')[0]}/{database}{mark}{query}"
