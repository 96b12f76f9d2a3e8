"""A layout that is no draft any more is fixed, by the database itself."""

import asyncio
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import pytest

from fullhouse.kit.db.database import APP, connect
from fullhouse.seating.plans.plan import Group, Plan
from tests.accounts.helpers import data, refused
from tests.counts import Counts
from tests.fixtures import Client, Tenant
from tests.kit.helpers import until
from tests.seating.helpers import attach, house, make_layout, next_version, rows_of, seated_show

CHANGES = {
    "the document": "UPDATE layouts SET document = 'x' WHERE id = $1",
    "the geometry": "UPDATE layouts SET geometry = 'x' WHERE id = $1",
    "the capacity": "UPDATE layouts SET total_capacity = total_capacity + 1 WHERE id = $1",
    "back to the drafts": "UPDATE layouts SET status = 'draft' WHERE id = $1",
    "the number": "UPDATE layouts SET version = 99 WHERE id = $1",
    "away with it": "DELETE FROM layouts WHERE id = $1",
    "a zone less": "DELETE FROM zones WHERE layout_id = $1 AND zone_key = 'pit'",
    "a zone more": "INSERT INTO zones SELECT gen_random_uuid(), organization_id, layout_id, 9, 'new', name, zone_type,"
    " capacity, access_mode, membership_tier, allowed_roles, price_category FROM zones WHERE layout_id = $1 LIMIT 1",
    "a larger zone": "UPDATE zones SET capacity = 1000 WHERE layout_id = $1",
    "a seat less": "DELETE FROM seats WHERE layout_id = $1 AND ordinal = 0",
    "a seat more": "INSERT INTO seats SELECT gen_random_uuid(), organization_id, layout_id, 99, 'new', zone_id,"
    " section, row_label, number, category, price_category, companion_of FROM seats WHERE layout_id = $1 LIMIT 1",
    "a renamed seat": "UPDATE seats SET seat_key = seat_key || 'x' WHERE layout_id = $1",
    "a group less": "DELETE FROM seat_groups WHERE layout_id = $1",
    "a group more": "INSERT INTO seat_groups VALUES (gen_random_uuid(), app.org(), $1, 'new', 'family_block', 'seats',"
    " '{0}')",
    "another group": "UPDATE seat_groups SET ordinals = '{1}' WHERE layout_id = $1",
}


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


async def _tried(server_url: str, tenant: Tenant, statement: str, layout_id: str) -> None:
    """As the application's role would, with SQL in hand."""
    app = await connect(server_url, APP)
    try:
        async with app.transaction():
            await app.execute("SELECT set_config('app.org', $1, true)", str(tenant.id))
            changed = await app.execute(statement, UUID(layout_id))
            assert changed.split()[-1] != "0", "the statement met no row, and proves nothing"
    finally:
        await app.close()


def _with_group() -> Plan:
    return msgspec.structs.replace(
        house(), groups=(Group(key="family", group_type="family_block", seats=("A-3", "A-4")),)
    )


@pytest.mark.req("SEAT-1", "SEAT-2")
@pytest.mark.parametrize("status", ["active", "archived"])
@pytest.mark.parametrize("change", CHANGES)
async def test_what_has_left_the_drafts_is_fixed(
    change: str, status: str, admin: Client, tenant: Tenant, server_url: str, owner: Any
) -> None:
    layout = await make_layout(admin, _with_group())
    if status == "archived":
        data(await admin.post(f"/api/layouts/{layout['id']}/archive"))
    async with Counts(owner).unchanged():
        with pytest.raises(asyncpg.PostgresError, match=r"is fixed|never changed"):
            await _tried(server_url, tenant, CHANGES[change], layout["id"])


@pytest.mark.req("SEAT-1")
@pytest.mark.parametrize("change", [c for c, sql in CHANGES.items() if sql.startswith(("INSERT", "DELETE FROM se"))])
async def test_a_draft_can_be_changed(change: str, admin: Client, tenant: Tenant, server_url: str) -> None:
    """Otherwise the refusals above would prove nothing."""
    layout = await make_layout(admin, _with_group(), active=False)
    await _tried(server_url, tenant, CHANGES[change], layout["id"])


@pytest.mark.req("SEAT-1")
async def test_seats_that_are_added_while_somebody_activates_wait_and_are_refused(
    admin: Client, tenant: Tenant, server_url: str, owner: Any
) -> None:
    layout = await make_layout(admin, active=False)
    other = await connect(server_url, APP)
    try:
        async with other.transaction():
            await other.execute("SELECT set_config('app.org', $1, true)", str(tenant.id))
            await other.execute("UPDATE layouts SET status = 'active' WHERE id = $1", UUID(layout["id"]))
            adding = asyncio.create_task(_tried(server_url, tenant, CHANGES["a seat more"], layout["id"]))
            # It waits for whoever activates.
            await until(lambda: owner.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"))
            assert not adding.done()
        with pytest.raises(asyncpg.PostgresError, match="fixed"):
            await adding
    finally:
        await other.close()


@pytest.mark.req("SEAT-1", "SEAT-2")
async def test_a_version_that_a_show_uses_stays_whatever_comes(admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin)
    newer = await next_version(admin, layout, rows_of(("A", 2)))
    data(await admin.post(f"/api/layouts/{layout['id']}/archive"))
    there = data(await admin.get(f"/api/events/{event['id']}/layout"))
    assert (there["layout_id"], there["layout_version"]) == (layout["id"], 1)
    assert newer["version"] == 2
    assert refused(await attach(admin, event, layout)) == (409, "layout_not_active")
