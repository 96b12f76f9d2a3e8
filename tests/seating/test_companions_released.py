"""Companion seats that a full zone opens to all: once, and for good."""

from typing import Any
from uuid import UUID

import pytest

from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating import store
from fullhouse.seating.overlay import actions
from tests.accounts.helpers import audited, data
from tests.events.helpers import announced
from tests.fixtures import Client, Tenant
from tests.seating.helpers import (
    count_in_pool,
    seat_of,
    seated_show,
    sell,
    zone_id,
)


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


async def _keep_companion(owner: Any, event: Any) -> None:
    await owner.execute(
        "UPDATE event_seats SET reserved_for = $2, reserved_until = 'infinity' WHERE seat_id = $1",
        await seat_of(owner, event, "A-2"),
        new_id(),
    )


@pytest.mark.req("ACC-1", "AUD-1")
async def test_companions_are_released_once_and_for_good(
    admin: Client, owner: Any, services: Services, tenant: Tenant
) -> None:
    event, layout = await seated_show(admin)
    stalls, event_id = zone_id(layout, "stalls"), UUID(event["id"])
    await sell(owner, event, "A-1", "A-3", "A-4")
    await _keep_companion(owner, event)

    async def release() -> bool:
        async with services.database.tenant(tenant.id) as tx:
            return await actions.release_companions(tx, event_id, UUID(stalls))

    await count_in_pool(owner, event, stalls, held=1, sold=4)  # 80 %: holds do not count
    assert not await release()
    await count_in_pool(owner, event, stalls, sold=5)
    assert await release()
    assert not await release()
    row = await owner.fetchrow("SELECT * FROM event_seats WHERE seat_id = $1", await seat_of(owner, event, "A-2"))
    assert (row["status"], row["reserved_for"], row["reserved_until"]) == ("available", None, None)
    zone = data(await admin.get(f"/api/events/{event['id']}/layout"))["zones"][0]
    assert zone["companions_released"] is True
    await count_in_pool(owner, event, stalls, sold=1)  # refunds do not bring it back
    assert data(await admin.get(f"/api/events/{event['id']}/layout"))["zones"][0]["companions_released"] is True
    assert len(await audited(owner, tenant, "companions.released")) == 1
    assert [fact["zone_id"] for fact in await announced(owner, event) if fact["name"] == "companions.released"] == [
        stalls
    ]


@pytest.mark.req("ACC-1")
async def test_the_statement_opens_the_kept_seats_of_its_zone(tx: Tx, admin: Client, owner: Any) -> None:
    event, layout = await seated_show(admin)
    await _keep_companion(owner, event)
    show = UUID(event["id"])
    assert await store.release_companions(tx, event_id=show, zone_id=UUID(zone_id(layout, "pit"))) == []
    assert await store.release_companions(tx, event_id=show, zone_id=UUID(zone_id(layout, "stalls"))) == [1]
    assert await store.release_companions(tx, event_id=show, zone_id=UUID(zone_id(layout, "stalls"))) == []
