"""What the house does with a show costs nobody their turn, unless there is no show any more."""

from typing import Any

import pytest

from fullhouse.kit.services import Services
from fullhouse.mail.notices import actions
from fullhouse.seating.plans.generators import Straight, generate
from tests.accounts.helpers import data
from tests.checkout.helpers import buy, migrate, start, wrong
from tests.checkout.waiting import (
    letters,
    offered,
    ordinals,
    react,
    return_seats,
    sold_out,
    standing,
    states,
    to_buy,
    waiter,
)
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall

pytestmark = pytest.mark.req("BUY-6")


@pytest.mark.parametrize("deed", ["seats/block", "holds/release"])
async def test_a_seat_that_is_taken_away_costs_nobody_their_turn(
    client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str, deed: str
) -> None:
    house, pair = await offered(client, tenant, staff, serve, 2)
    behind = await waiter(client, tenant, house, 2)
    seats = {"seat_ids": [house.sale.show.seat(0)], "reason": "Broken"}
    data(await staff.post(house.path(deed), json=seats))
    entry = await standing(pair, house)
    assert (entry["status"], entry["position"], entry["answer_by"]) == ("waiting", 1, None)
    if deed == "holds/release":  # it is free again, and offered again to the same people
        await serve()
        assert await states(pair, behind, house=house) == ["offered", "waiting"]
        return
    await return_seats(house, 2)
    await serve()
    assert await states(pair, behind, house=house) == ["offered", "waiting"]
    assert ordinals(house, await standing(pair, house)) == [1, 2]
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-6", "SEAT-4")
async def test_another_layout_takes_offers_back_and_makes_them_anew(
    client: Client, staff: Client, tenant: Tenant, serve: Any, services: Services, server_url: str
) -> None:
    """The row where the pair was to sit has an aisle now; they sit elsewhere, and nobody is served before them."""
    house = await sold_out(client, tenant, staff, hall(2, 5), seats=10)
    pair = await waiter(client, tenant, house, 2)
    await return_seats(house, 1, 2, 5, 6)
    await serve()
    assert ordinals(house, await standing(pair, house)) == [1, 2]
    behind = await waiter(client, tenant, house, 3)
    await migrate(staff, house.sale, generate(Straight(rows=2, seats_per_row=5, aisles_after=(2,))))
    entry = await standing(pair, house)
    assert (entry["status"], entry["position"], entry["answer_by"]) == ("waiting", 1, None)
    await react(services, tenant, "waitlist.withdrawn")
    entry = await standing(pair, house)
    assert entry["status"] == "offered"
    assert [hold["seat_id"][-2:] for hold in entry["offer"]] == ["05", "06"]
    assert await states(behind, house=house) == ["waiting"]
    assert await wrong(server_url) == {}


async def test_an_offer_that_is_being_paid_for_keeps_the_layout(
    client: Client, staff: Client, tenant: Tenant, serve: Any
) -> None:
    house, who = await offered(client, tenant, staff, serve)
    session = data(await start(who, house.sale, to_buy(house, await standing(who, house))), 201)
    assert (await buy(who, session, method="delay")).status_code == 202
    with pytest.raises(AssertionError, match="layout_in_use"):
        await migrate(staff, house.sale, hall(1, 8))
    assert await states(who, house=house) == ["offered"]


async def test_a_postponed_show_offers_again_when_it_sells(
    client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str
) -> None:
    house, who = await offered(client, tenant, staff, serve)
    data(await move(staff, {"id": house.sale.event_id}, "postpone"))
    assert await states(who, house=house) == ["waiting"]
    assert await serve() == 0
    data(await move(staff, {"id": house.sale.event_id}, "reschedule", rescheduled_at="2090-09-01T19:00:00Z"))
    assert await serve() == 1
    entry = await standing(who, house)
    assert entry["answer_by_unix_ms"] - entry["server_time_unix_ms"] > 23 * 3_600_000
    assert await wrong(server_url) == {}


async def test_nobody_waits_for_a_cancelled_show(
    client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str
) -> None:
    house, who = await offered(client, tenant, staff, serve)
    behind = await waiter(client, tenant, house)
    data(await move(staff, {"id": house.sale.event_id}, "cancel"))
    assert await states(who, behind, house=house) == ["left", "left"]
    assert await serve() == 0
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-6", "EV-12", "MSG-4")
async def test_whoever_waited_for_a_cancelled_show_is_told_once(
    client: Client, staff: Client, tenant: Tenant, serve: Any, services: Services
) -> None:
    house = await sold_out(client, tenant, staff)  # to ada@example.org
    await waiter(client, tenant, house, email="grace@example.org")
    await return_seats(house, 0)
    await serve()  # Grace has an offer, the others wait
    gone = await waiter(client, tenant, house, email="gone@example.org")
    for email in ("hedy@example.org", "Ada@example.org"):
        await waiter(client, tenant, house, email=email)
    await gone.delete(house.path("waitlist"))
    data(await move(staff, {"id": house.sale.event_id}, "cancel"))
    await react(services, tenant, "event.canceled")
    for notice in data(await staff.get(house.path("notices"))) * 2:  # a job may run again
        page = {"notice_id": notice["id"], "posted": 0}
        await actions.send_page(services.database, tenant.id, page)
    told = await letters(services, tenant, "waiting_list_closed")
    assert sorted(letter["recipient"] for letter in told) == ["grace@example.org", "hedy@example.org"]
    assert "waitlist" in told[0]["body"]
    # Who has a ticket, too, has been told of the money, and is not told twice.
    assert [letter["recipient"] for letter in await letters(services, tenant, "event_cancelled")] == ["ada@example.org"]
