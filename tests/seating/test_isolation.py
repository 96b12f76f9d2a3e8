"""Seating's rows are an organisation's own: by the application's role nothing of another's is seen, touched or used."""

from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.fixtures import Client, Tenant
from tests.kit.test_isolation import as_app, seen
from tests.seating.helpers import allow, attach, next_version, seat_of, seated_show, without_lounge, zone_id

TABLES = [
    "layouts", "zones", "seats", "seat_groups", "event_layouts", "event_zones", "event_seats", "pools", "zone_guests",
    "seating_policies", "layout_migrations", "seat_moves",
]  # fmt: skip


@pytest.fixture
async def theirs(client: Client, services: Services, other_tenant: Tenant, owner: Any) -> tuple[Any, Any]:
    """Another organisation's seated show and its layout: something in every table of the room."""
    admin = client.as_(other_tenant.tokens["admin"])
    await allow(services, other_tenant, allow_vip_zones=False)
    event, layout = await seated_show(admin)
    guests = f"/api/events/{event['id']}/zones/{zone_id(layout, 'pit')}/guests"
    data(await admin.post(guests, json={"guests": [{"email": "a@example.org"}]}))
    tables = {"kind": "tables", "rows": 1, "columns": 1}
    data(await admin.post(f"/api/venues/{layout['venue_id']}/layouts/generate", json=tables), 201)
    await owner.execute(
        "UPDATE event_seats SET status = 'sold', ticket_id = $2 WHERE seat_id = $1",
        await seat_of(owner, event, "A-3"),
        new_id(),
    )
    newer = await next_version(admin, layout, without_lounge())
    wish = {"to_layout_id": newer["id"], "respond_by": "2090-05-01T12:00:00Z"}
    data(await admin.post(f"/api/events/{event['id']}/layout/migrations", json=wish), 201)
    return event, layout


@pytest.mark.req("TEN-1")
async def test_nothing_of_it_is_seen_or_touched(
    theirs: tuple[Any, Any], owner: Any, tenant: Tenant, other_tenant: Tenant
) -> None:
    async with as_app(owner, other_tenant.id):
        assert await seen(owner, TABLES) == TABLES  # there is something in each
    for inside in (None, tenant.id):
        async with as_app(owner, inside):
            assert await seen(owner, TABLES) == []
    for table in TABLES:
        for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET organization_id = organization_id"):
            async with as_app(owner, tenant.id):
                touched = await owner.execute(f"{statement} WHERE organization_id = '{other_tenant.id}'")
                assert touched.split()[1] == "0", table


@pytest.mark.req("TEN-1")
async def test_rows_cannot_point_into_another_organisation(
    theirs: tuple[Any, Any], client: Client, owner: Any, tenant: Tenant
) -> None:
    """Foreign keys lead with the organisation: a layout of theirs is none for a show of ours."""
    mine, _ = await seated_show(client.as_(tenant.tokens["admin"]))
    async with as_app(owner, tenant.id):
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            await owner.execute(
                "UPDATE event_layouts SET layout_id = $2 WHERE event_id = $1",
                UUID(mine["id"]),
                UUID(theirs[1]["id"]),
            )


@pytest.mark.req("TEN-2")
async def test_their_things_are_none_for_us(
    theirs: tuple[Any, Any], client: Client, tenant: Tenant, owner: Any
) -> None:
    event, layout = theirs
    stranger = client.as_(tenant.tokens["owner"])
    body = {"seat_ids": [str(await seat_of(owner, event, "A-1"))], "reason": "x"}
    path = f"/api/events/{event['id']}"
    answers = [
        await stranger.get(f"{path}/layout"), await stranger.delete(f"{path}/layout"),
        await attach(stranger, event, layout), await stranger.post(f"{path}/seats/block", json=body),
        await stranger.get(f"{path}/seating-policy"), await stranger.get(f"{path}/layout/migrations"),
    ]  # fmt: skip
    assert {refused(answer) for answer in answers} == {(404, "not_found")}
    mine, _ = await seated_show(stranger)
    foreign = await stranger.post(f"/api/events/{mine['id']}/seats/block", json=body)
    assert refused(foreign) == (404, "seat_not_found")
    public = data(await client.get(f"/api/events/{mine['id']}/seats"))
    assert body["seat_ids"][0] not in {seat["id"] for seat in public}
