"""With a read replica, an application reads from it until it hears of a change: then from the primary."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.accounts.helpers import data
from tests.events.helpers import draft, move
from tests.fixtures import Client, Tenant, run_application, settings
from tests.services.client import ask


@pytest.fixture
async def reader(client: Client, server_url: str, owner_url: str, tmp_path: Path) -> AsyncIterator[Any]:
    """`await reader()` starts another application, with a replica so far behind that it has no event at all."""
    replica = ask("database", f"replica_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")
    async with AsyncExitStack() as stack:

        async def start() -> Client:
            config = settings(
                server_url, owner_url, home=str(tmp_path / "reader"), DATABASE_READ_URL=replica["server_url"]
            )
            lane = await stack.enter_async_context(run_application(config))
            return await stack.enter_async_context(Client(lane))

        yield start


@pytest.mark.req("FEED-6")
async def test_public_reads_go_to_the_replica_until_something_is_written(
    client: Client, tenant: Tenant, reader: Any
) -> None:
    staff = client.as_(tenant.tokens["owner"])
    event = data(await move(staff, await draft(staff, name="Hamlet"), "publish"))
    path = f"/event/v1/events/{event['id']}"
    assert data(await client.get(path))["title"] == "Hamlet"

    other = await reader()
    assert (await other.get(path)).status_code == 404, "it read from the primary"
    change = {"title": "King Lear"}
    data(await other.as_(tenant.tokens["owner"]).patch(path, json=change, headers={"if-match": "*"}))
    assert data(await other.get(path))["title"] == "King Lear"
