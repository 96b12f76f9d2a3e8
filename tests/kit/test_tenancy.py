"""The audit of tenancy finds a row that refers into another organisation, and raises the alarm."""

from typing import Any

import asyncpg
import pytest
import structlog.testing

from fullhouse import prove
from fullhouse.kit.db.database import AUDITOR
from fullhouse.kit.db.tenancy import Disagreement, find_disagreements
from fullhouse.kit.ids import new_id
from tests.fixtures import Tenant
from tests.kit.test_isolation import undone
from tests.services.client import ask

pytestmark = pytest.mark.req("TEN-3")

# Foreign keys are triggers, and these do not fire for a replica: the only way to make such a row.
UNCHECKED = "SET LOCAL session_replication_role = replica"
SESSION = (
    "INSERT INTO sessions (id, organization_id, user_id, token_hash, method, expires_at)"
    " VALUES ($1, $2, $3, $4, 'guest', 'infinity')"
)


async def test_the_database_refuses_such_a_row(owner: Any, tenant: Tenant, other_tenant: Tenant) -> None:
    stranger = other_tenant.people["staff"].id
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await owner.execute(SESSION, new_id(), tenant.id, stranger, new_id().bytes)


async def test_a_planted_disagreement_is_found_and_counted(owner: Any, tenant: Tenant, other_tenant: Tenant) -> None:
    async with undone(owner, UNCHECKED):
        for role in ("staff", "admin"):
            await owner.execute(SESSION, new_id(), tenant.id, other_tenant.people[role].id, new_id().bytes)
        await owner.execute(f"SET LOCAL ROLE {AUDITOR}")
        assert await find_disagreements(owner) == [Disagreement("sessions", "users", 2)]
    assert await find_disagreements(owner) == []


async def test_a_table_added_later_is_looked_at_without_being_named(owner: Any, tenant: Tenant) -> None:
    """Here even without the organisation in the key: exactly the mistake that it looks for."""
    async with undone(
        owner,
        "CREATE TABLE later (organization_id uuid NOT NULL, user_id uuid REFERENCES users (id))",
        "CREATE TABLE tree (organization_id uuid, id uuid UNIQUE, parent uuid REFERENCES tree (id))",
    ):
        user_id, leaf, root = tenant.people["staff"].id, new_id(), new_id()
        await owner.execute("INSERT INTO later VALUES ($1, $2)", tenant.id, user_id)
        await owner.execute("INSERT INTO tree VALUES ($1, $2, NULL), ($1, $3, $2)", tenant.id, root, leaf)
        assert await find_disagreements(owner) == []
        await owner.execute("INSERT INTO later VALUES ($1, $2)", new_id(), user_id)
        await owner.execute("INSERT INTO tree VALUES ($1, $2, $3)", new_id(), new_id(), root)
        assert await find_disagreements(owner) == [Disagreement("later", "users", 1), Disagreement("tree", "tree", 1)]


@pytest.fixture
def scratch() -> dict[str, str]:
    """A migrated database of the test's own, in which something may stay wrong."""
    return ask("database", f"scratch_{new_id().hex}")


def violations(check: str) -> float:
    return prove.VIOLATIONS.labels(check)._value.get()  # type: ignore[no-any-return]


async def test_the_proof_says_what_is_wrong_and_alerts(scratch: dict[str, str]) -> None:
    with structlog.testing.capture_logs() as logs:
        await prove.run_and_alert(scratch["server_url"])
    assert (violations("tenancy"), violations("row security"), logs) == (0, 0, [])

    connection = await asyncpg.connect(scratch["owner_url"])
    try:
        await connection.execute("ALTER TABLE mails NO FORCE ROW LEVEL SECURITY")
        async with connection.transaction():
            await connection.execute(UNCHECKED)
            mine, theirs, user_id = new_id(), new_id(), new_id()
            await connection.execute(
                "INSERT INTO users (id, organization_id, name, role) VALUES ($1, $2, 'A', 'customer')", user_id, theirs
            )
            await connection.execute(SESSION, new_id(), mine, user_id, new_id().bytes)
    finally:
        await connection.close()

    with structlog.testing.capture_logs() as logs:
        await prove.run_and_alert(scratch["server_url"])
    assert (violations("tenancy"), violations("row security")) == (1, 1)
    said = [(entry["log_level"], entry["check"], entry["detail"]) for entry in logs]
    assert [each for each in said if each[1] not in ("parents", "audited")] == [  # both rows came from nowhere
        ("error", "tenancy", "1 rows of sessions refer to users of another organisation"),
        ("error", "row security", "mails is not under forced row-level security"),
    ]
