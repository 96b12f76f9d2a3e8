"""An event of several days: a seat is somebody's on all of them (docs/adr/0019), and so is a place that is held
without a ticket type; tests/checkout/test_places_by_day.py has those that are held as one.
"""

from typing import Any

import pytest

from tests.accounts.helpers import data, refused
from tests.events.helpers import draft, move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest
from tests.seating.helpers import attach, make_layout, pools_of, seat_of, sell, states_of, without_lounge, zone_id

pytestmark = pytest.mark.req("SEAT-6")
FESTIVAL = {"start_at": "2090-07-07T18:00:00Z", "end_at": "2090-07-09T23:00:00Z", "name": "Three days"}


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
async def festival(admin: Client) -> tuple[Any, Any]:
    layout = await make_layout(admin, without_lounge())
    event = await draft(admin, venue_id=layout["venue_id"], **FESTIVAL)
    data(await attach(admin, event, layout))
    return data(await move(admin, event, "publish")), layout


async def test_a_seat_is_somebodys_on_every_day(
    festival: tuple[Any, Any], client: Client, owner: Any, tenant: Tenant
) -> None:
    event, _ = festival
    assert len(await states_of(owner, event)) == 5  # no row for each day
    seat = await seat_of(owner, event, "A-3")
    reserve = f"/api/events/{event['id']}/seats/{seat}/reserve"
    data(await (await guest(client, tenant)).post(reserve), 201)
    assert refused(await (await guest(client, tenant)).post(reserve)) == (409, "seat_held_by_another_user")
    await owner.execute("UPDATE seat_holds SET status = 'converted' WHERE seat_id = $1", seat)
    await sell(owner, event, "A-3")
    assert refused(await (await guest(client, tenant)).post(reserve)) == (409, "seat_not_available")


async def test_a_place_without_a_type_is_held_for_every_day(
    festival: tuple[Any, Any], client: Client, owner: Any, tenant: Tenant
) -> None:
    event, layout = festival
    pit = zone_id(layout, "pit")
    path = f"/api/events/{event['id']}/holds"
    for _ in range(4):
        order = {"items": [{"zone_id": pit, "quantity": 10}]}
        data(await (await guest(client, tenant)).post(path, json=order), 201)
    assert (await pools_of(owner, event))["zone", "pit"] == (40, 40, 0)
    late = await (await guest(client, tenant)).post(path, json={"items": [{"zone_id": pit, "quantity": 1}]})
    assert refused(late) == (409, "block_at_capacity")
