"""The outbox under the names of the event service's own document."""

from typing import Any

import asyncpg
import pytest

from fullhouse.events.policy import Move
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.services import Services
from tests.events.helpers import make_show
from tests.fixtures import Tenant

pytestmark = pytest.mark.req("MSG-1", "WIRE-1")
COLUMNS = ["id", "message_id", "routing_key", "body", "created_at", "sent_at", "attempts", "last_error"]


async def test_the_outbox_is_read_by_the_names_of_the_event_service(services: Services, tenant: Tenant) -> None:
    event = await make_show(services, tenant, Move.PUBLISH, capacity=30)
    async with services.database.tenant(tenant.id) as tx:
        rows = await tx.fetch("SELECT * FROM event_outbox WHERE body ->> 'subject_id' = $1 ORDER BY id", str(event.id))
    assert list(rows[0].keys()) == COLUMNS
    assert [row["routing_key"] for row in rows] == ["event.created", "event.published"]
    assert rows[1]["body"]["capacity"] == 30
    assert (rows[1]["sent_at"], rows[1]["attempts"], rows[1]["last_error"]) == (None, 0, None)


@pytest.mark.req("TEN-1")
async def test_the_view_shows_each_organisation_its_own(
    services: Services, tenant: Tenant, other_tenant: Tenant, server_url: str, owner: Any
) -> None:
    theirs = await make_show(services, other_tenant, Move.PUBLISH)
    asked = "SELECT count(*) FROM event_outbox WHERE body ->> 'subject_id' = $1"
    async with services.database.tenant(tenant.id) as tx:
        assert await tx.fetchval(asked, str(theirs.id)) == 0
    async with services.database.tenant(other_tenant.id) as tx:
        assert await tx.fetchval(asked, str(theirs.id)) == 2
    async with services.database.without_tenant() as tx:
        assert await tx.fetchval(asked, str(theirs.id)) == 0
    finder = await Database.open(server_url, WORKER, size=1)
    async with finder.without_tenant() as tx:  # workers search all, as they do the table
        assert await tx.fetchval(asked, str(theirs.id)) == 2
    await finder.close()
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with services.database.tenant(other_tenant.id) as tx:
            await tx.execute("UPDATE event_outbox SET attempts = 1")
