"""The audit trail: in the change's own transaction, complete, and never altered."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse.kit.actors import Actor
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.fixtures import Tenant

pytestmark = pytest.mark.req("AUD-1")


async def rows_of(owner: Any, entity_id: UUID) -> list[dict[str, Any]]:
    return [dict(row) for row in await owner.fetch("SELECT * FROM audit_log WHERE entity_id = $1", entity_id)]


async def written(services: Services, tenant: Tenant) -> UUID:
    """Writes one row and returns what it is about."""
    entity_id = new_id()
    async with services.database.tenant(tenant.id) as tx:
        await audit.write(tx, "thing.made", "thing", entity_id)
    return entity_id


async def test_a_row_says_who_did_what_to_which_thing_and_why(services: Services, tenant: Tenant, owner: Any) -> None:
    entity_id, user_id = new_id(), new_id()
    actor = Actor(type="user", id=user_id, name="Ada", ip="192.0.2.1", user_agent="curl", request_id="r-1")
    async with services.database.tenant(tenant.id, actor) as tx:
        now = await tx.now()
        await audit.write(
            tx,
            "thing.moved",
            "thing",
            entity_id,
            before={"place": 1},
            after={"place": 2},
            reason="asked to",
            approval_reference="REF-1",
        )
    [row] = await rows_of(owner, entity_id)
    assert row.pop("id")
    assert row == {
        "organization_id": tenant.id,
        "created_at": now,
        "actor_type": "user",
        "actor_id": user_id,
        "actor_name": "Ada",
        "action": "thing.moved",
        "entity_type": "thing",
        "entity_id": entity_id,
        "before": '{"place": 1}',
        "after": '{"place": 2}',
        "reason": "asked to",
        "approval_reference": "REF-1",
        "ip": "192.0.2.1",
        "user_agent": "curl",
        "request_id": "r-1",
    }


async def test_a_change_that_fails_leaves_no_row(services: Services, tenant: Tenant, owner: Any) -> None:
    entity_id = new_id()
    with pytest.raises(ZeroDivisionError):
        async with services.database.tenant(tenant.id) as tx:
            await audit.write(tx, "thing.made", "thing", entity_id)
            raise ZeroDivisionError
    assert await rows_of(owner, entity_id) == []


@pytest.mark.parametrize("change", ["UPDATE audit_log SET action = 'x'", "DELETE FROM audit_log"])
async def test_not_even_the_owner_changes_a_row(services: Services, tenant: Tenant, owner: Any, change: str) -> None:
    entity_id = await written(services, tenant)
    [partition] = await owner.fetch("SELECT tableoid::regclass AS name FROM audit_log WHERE entity_id = $1", entity_id)
    for table in ("audit_log", partition["name"]):
        with pytest.raises(asyncpg.RestrictViolationError, match="never changed or deleted"):
            await owner.execute(f"{change.replace('audit_log', table)} WHERE entity_id = $1", entity_id)
    assert len(await rows_of(owner, entity_id)) == 1


async def test_not_even_the_owner_empties_it(services: Services, tenant: Tenant, owner: Any) -> None:
    await written(services, tenant)
    with pytest.raises(asyncpg.RestrictViolationError, match="never changed or deleted"):
        await owner.execute("TRUNCATE audit_log")


@pytest.mark.parametrize("change", ["UPDATE audit_log SET action = 'x'", "DELETE FROM audit_log", "TRUNCATE audit_log"])
async def test_the_application_may_not_even_try(services: Services, tenant: Tenant, change: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with services.database.tenant(tenant.id) as tx:
            await tx.execute(change)


async def test_a_row_is_kept_even_when_its_month_is_missing(
    services: Services, tenant: Tenant, owner: Any, clock: Any
) -> None:
    await clock(timedelta(days=4000))
    entity_id = await written(services, tenant)
    assert await owner.fetchval("SELECT tableoid::regclass::text FROM audit_log WHERE entity_id = $1", entity_id) == (
        "audit_log_default"
    )


async def test_a_worker_makes_the_months_ahead_once(server_url: str, owner: Any) -> None:
    finder = await Database.open(server_url, WORKER, size=1)
    async with finder.without_tenant() as tx:
        await tx.fetchval("SELECT app.make_audit_months()")
        assert await tx.fetchval("SELECT app.make_audit_months()") == 0
    await finder.close()
    months = await owner.fetchval("SELECT count(*) FROM pg_inherits WHERE inhparent = 'audit_log'::regclass")
    assert months >= 5  # this one, three more, and the catch-all
