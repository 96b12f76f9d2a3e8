"""Which rows a verb of the database locks: those that it may change, and no others."""

from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.checkout.helpers import hold, selling, twin
from tests.fixtures import Client, Tenant
from tests.holds.baskets import chairs
from tests.holds.helpers import guest, hall


@pytest.mark.req("HOLD-2", "ACC-1")
@pytest.mark.parametrize("twins", [0, 1])
async def test_holds_are_locked_with_their_seats_and_the_companions_of_those(
    twins: int, client: Client, staff: Client, tenant: Tenant, owner: Any, owner_url: str
) -> None:
    """Another event on the same plan, if there is one, has the same seats: none of them is locked."""
    sale = await selling(staff, hall(3, 8, wheelchairs=2))
    for _ in range(twins):
        await twin(staff, sale)
    (chair, beside), (other, _) = await chairs(owner, sale.show)
    far = 8
    held = [UUID(item["hold_id"]) for item in await hold(await guest(client, tenant), sale, far, chair)]
    await hold(await guest(client, tenant), sale, other)
    bystander, locking = await asyncpg.connect(owner_url), owner.transaction()

    async def left() -> tuple[set[Any], set[Any]]:
        mine = "WHERE organization_id = $1 FOR UPDATE SKIP LOCKED"
        seats = await bystander.fetch(f"SELECT event_id, ordinal FROM event_seats {mine}", tenant.id)
        holds = await bystander.fetch(f"SELECT id FROM seat_holds {mine}", tenant.id)
        return set(map(tuple, seats)), {row["id"] for row in holds}

    try:
        seats, holds = await left()
        await locking.start()
        await owner.execute("SELECT app.lock_held_seats($1, $2, $3)", tenant.id, sale.event_id, held)
        seats_left, holds_left = await left()
    finally:
        await locking.rollback()
        await bystander.close()
    assert seats - seats_left == {(sale.event_id, ordinal) for ordinal in (far, chair, beside)}
    assert holds - holds_left == set(held)
