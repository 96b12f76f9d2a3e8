"""`fullhouse prove` sees a waiting list whose offers and holds are not the same."""

from typing import Any

import pytest

from tests.checkout.helpers import rows, wrong
from tests.checkout.waiting import offered
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("BUY-6")
ANOTHER = """
INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, held_until, source)
SELECT gen_random_uuid(), organization_id, event_id, gen_random_uuid(), {}, seat_id, zone_id, held_until, source
FROM seat_holds WHERE basket_id = $1
"""
BROKEN: dict[str, tuple[str, str]] = {
    "an offer without a hold": (
        "UPDATE seat_holds SET source = 'web' WHERE basket_id = $1",
        "is offered 0 places for a party of 1",
    ),
    "a hold without an entry": (
        "UPDATE waitlist_entries SET basket_id = gen_random_uuid() WHERE basket_id = $1",
        "was made for a waiting list, but no entry has it",
    ),
    "two offers": (ANOTHER.format("user_id"), "has 2 live offers"),
    "a place that is offered twice": (ANOTHER.format("gen_random_uuid()"), "is offered 2 times"),
    "bought, they say": (
        "UPDATE waitlist_entries SET status = 'taken' WHERE basket_id = $1",
        "says that it was taken, but nothing was bought",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_prove_sees_what_is_broken(
    name: str, client: Client, staff: Client, tenant: Tenant, serve: Any, owner: Any, server_url: str
) -> None:
    await offered(client, tenant, staff, serve)
    assert await wrong(server_url) == {}
    (entry,) = await rows(owner, "waitlist_entries", tenant)
    sql, said = BROKEN[name]
    try:
        await owner.execute(sql, entry["basket_id"])
        assert any(said in sentence for sentence in (await wrong(server_url))["offered"])
    finally:  # this database is for all tests of the room
        await owner.execute("DELETE FROM waitlist_entries WHERE organization_id = $1", tenant.id)
        await owner.execute("DELETE FROM seat_holds WHERE organization_id = $1", tenant.id)
        await owner.execute(
            "UPDATE event_seats SET status = 'available', held_until = NULL, hold_id = NULL"
            " WHERE organization_id = $1 AND status = 'held'", tenant.id,
        )  # fmt: skip
