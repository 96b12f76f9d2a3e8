"""Nothing is oversold: an event's capacity and its venue's bind whichever way it sells, and every edit is judged
against what is held and sold.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse.kit.ids import new_id
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, add_type, bought, code, selling, wrong
from tests.events.helpers import draft, make_venue, move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, guest, hall

MOVED = {"reason": "The roof leaks."}
AGREED = MOVED | {"consent_note": "All buyers were asked."}


async def two_types(staff: Client, entry: int, late: int, *, most: int = 0, capacity: int = 0) -> Sale:
    """An event without a seating plan, in a venue that admits `most`."""
    place = await make_venue(staff, max_capacity=most)
    event = await draft(staff, venue_id=place["id"], capacity=capacity)
    kinds = {"entry": entry, "late": late}
    types = {
        name: await add_type(staff, event["id"], name=name, price=2500, quantity=n, kind="ga")
        for name, n in kinds.items()
    }
    data(await move(staff, event, "publish"))
    return Sale(show=OnSale(UUID(event["id"]), new_id(), {}), types=types, staff=staff)


async def take(buyer: Client, sale: Sale, name: str, quantity: int) -> Any:
    items = [{"ticket_type_id": sale.types[name], "quantity": quantity}]
    return await buyer.post(sale.path("holds"), json={"items": items})


async def take_seats(buyer: Client, sale: Sale, *seats: int) -> Any:
    return await buyer.post(sale.path("holds"), json={"items": [{"seat_id": sale.show.seat(n)} for n in seats]})


async def change(sale: Sale, **fields: Any) -> Any:
    return await sale.staff.patch(f"/api/events/{sale.event_id}", json=fields)


async def change_capacity(sale: Sale, capacity: int) -> Any:
    return await change(sale, capacity=capacity)


async def limit_venue(sale: Sale, most: int) -> Any:
    venue_id = data(await sale.staff.get(f"/api/events/{sale.event_id}"))["venue_id"]
    return await sale.staff.patch(f"/api/venues/{venue_id}", json={"max_capacity": most})


async def pool(owner: Any, sale: Sale) -> tuple[int, int, int] | None:
    """Capacity, held and sold of the event's own pool."""
    query = "SELECT capacity, held, sold FROM pools WHERE event_id = $1 AND kind = 'event'"
    row = await owner.fetchrow(query, sale.event_id)
    return row and tuple(row)


def numbers(answer: Any) -> tuple[int, int, int]:
    said = answer.json()
    return said["held"], said["sold"], said["capacity"]


# --- the event's own capacity


@pytest.mark.req("EV-2", "TT-1", "CAP-1")
async def test_a_capacity_below_the_types_together_is_refused(staff: Client, owner: Any) -> None:
    sale = await two_types(staff, 4, 2, capacity=6)
    answer = await change(sale, capacity=5)
    assert code(answer) == (422, "quantity_above_capacity")
    assert (answer.json()["quantity"], answer.json()["capacity"]) == (6, 5)
    assert await pool(owner, sale) == (6, 0, 0)
    data(await staff.patch(sale.path(f"ticket-types/{sale.types['late']}"), json={"quantity": 1}))
    data(await change(sale, capacity=5))
    assert await pool(owner, sale) == (5, 0, 0)
    data(await change(sale, capacity=0))
    assert await pool(owner, sale) is None


@pytest.mark.req("EV-2", "BUY-1", "CAP-1")
async def test_a_capacity_below_what_is_held_and_sold_is_refused_with_the_numbers(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await two_types(staff, 4, 2, capacity=6)
    await bought(client, tenant, sale, entry=4)
    data(await take(await guest(client, tenant), sale, "late", 2), 201)
    answer = await change(sale, capacity=3)
    assert (code(answer), numbers(answer)) == ((409, "capacity_in_use"), (2, 4, 3))
    assert await pool(owner, sale) == (6, 2, 4)
    assert await wrong(server_url) == {}


async def sale_status(sale: Sale) -> str:
    status: str = data(await sale.staff.get(f"/api/events/{sale.event_id}"))["sale_status"]
    return status


@pytest.mark.req("EV-5", "CACHE-1", "CAP-1")
async def test_the_sale_status_follows_a_limit_both_ways(staff: Client, client: Client, tenant: Tenant) -> None:
    """The pool is fitted before what follows from it: not first at the commit."""
    sale = await selling(staff, hall(1, 4))
    await bought(client, tenant, sale, 0, 1)
    seen = []
    for edit, limit in ((change_capacity, 2), (change_capacity, 0), (limit_venue, 2), (limit_venue, 3)):
        data(await edit(sale, limit))
        seen.append(await sale_status(sale))
    assert seen == ["sold_out", "on_sale", "sold_out", "on_sale"]


@pytest.mark.req("EV-2", "HOLD-4", "CAP-1")
async def test_what_is_overdue_does_not_stand_in_the_way_of_a_capacity(
    staff: Client, client: Client, tenant: Tenant, owner: Any, clock: Any, server_url: str
) -> None:
    """Both sides of the deadline, before anybody sweeps."""
    sale = await two_types(staff, 2, 2)
    data(await take(await guest(client, tenant), sale, "entry", 2), 201)
    await clock(timedelta(seconds=290))
    answer = await limit_venue(sale, 1)
    assert (code(answer), numbers(answer)) == ((409, "capacity_in_use"), (2, 0, 1))
    await clock(timedelta(seconds=301))
    data(await limit_venue(sale, 1))
    assert await pool(owner, sale) == (1, 0, 0)
    assert await wrong(server_url) == {}


@pytest.mark.req("EV-2", "TT-1", "BUY-1", "CAP-1")
async def test_a_limit_that_comes_later_counts_what_was_sold_before(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await two_types(staff, 4, 4)
    order = await bought(client, tenant, sale, entry=3)
    data(await take(await guest(client, tenant), sale, "late", 2), 201)
    assert await pool(owner, sale) is None
    answer = await change(sale, capacity=4)
    assert (code(answer), numbers(answer)) == ((409, "capacity_in_use"), (2, 3, 4))
    data(await change(sale, capacity=8))
    assert await pool(owner, sale) == (8, 2, 3)
    data(await staff.post(f"/api/tickets/{order['tickets'][0]['id']}/cancel", json={"reason": "Printed twice"}))
    assert await pool(owner, sale) == (8, 2, 2)
    assert await wrong(server_url) == {}


@pytest.mark.req("TT-1", "CAP-1")
async def test_a_quantity_below_what_is_held_and_sold_is_refused_with_the_numbers(
    staff: Client, client: Client, tenant: Tenant, server_url: str
) -> None:
    sale = await two_types(staff, 5, 1)
    await bought(client, tenant, sale, entry=2)
    data(await take(await guest(client, tenant), sale, "entry", 1), 201)
    answer = await staff.patch(sale.path(f"ticket-types/{sale.types['entry']}"), json={"quantity": 2})
    said = answer.json()
    assert (code(answer), said["held"], said["sold"], said["quantity"]) == ((409, "quantity_below_sold"), 1, 2, 2)
    data(await staff.patch(sale.path(f"ticket-types/{sale.types['entry']}"), json={"quantity": 3}))
    assert await wrong(server_url) == {}


@pytest.mark.req("EV-2", "BUY-1", "CAP-1")
@pytest.mark.parametrize(
    "write",
    [
        "UPDATE events SET capacity = 3 WHERE id = $1",
        "UPDATE venues SET max_capacity = 3 WHERE id = (SELECT venue_id FROM events WHERE id = $1)",
    ],
)
async def test_the_database_itself_refuses_a_limit_below_what_is_taken(
    write: str, staff: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await two_types(staff, 4, 2)
    await bought(client, tenant, sale, entry=4)
    with pytest.raises(asyncpg.CheckViolationError, match="pools_never_oversold"):
        await owner.execute(write, sale.event_id)
    assert await pool(owner, sale) is None


# --- the venue's


@pytest.mark.req("EV-2", "BUY-1", "CAP-1")
async def test_a_venue_that_admits_fifty_is_a_limit_of_an_event_without_one(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await two_types(staff, 30, 20, most=50)
    answer = await staff.post(
        sale.path("ticket-types"), json={"name": "more", "price": 1, "currency": "EUR", "kind": "ga", "quantity": 1}
    )
    assert code(answer) == (422, "quantity_above_capacity")
    data(await limit_venue(sale, 9))  # the types are more now: the venue binds
    data(await take(await guest(client, tenant), sale, "entry", 8), 201)
    assert code(await take(await guest(client, tenant), sale, "late", 2)) == (409, "block_at_capacity")
    data(await take(await guest(client, tenant), sale, "late", 1), 201)
    assert await pool(owner, sale) == (9, 9, 0)
    offers = data(await client.get(sale.path("offers")))
    assert {(offer["status"], offer["left"]) for offer in offers} == {("sold_out", 0)}
    data(await staff.patch(sale.path(f"ticket-types/{sale.types['late']}"), json={"price": 100}))  # not its quantity
    assert await wrong(server_url) == {}


@pytest.mark.req("EV-2", "EV-9", "BUY-1", "CAP-1")
@pytest.mark.parametrize("plan", [True, False], ids=["seating plan", "ticket types"])
async def test_an_event_does_not_move_to_a_venue_that_is_too_small_for_what_is_taken(
    plan: bool, staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, hall(2, 10, pit=5)) if plan else await two_types(staff, 10, 10)
    if plan:
        await bought(client, tenant, sale, 0, 1, 2, 3, 4)
        data(await take_seats(await guest(client, tenant), sale, 10, 11, 12), 201)
    else:
        await bought(client, tenant, sale, entry=5)
        data(await take(await guest(client, tenant), sale, "late", 3), 201)
    small, enough = [(await make_venue(staff, name=f"Club {n}", max_capacity=n))["id"] for n in (5, 8)]
    answer = await change(sale, venue_id=small, **AGREED)
    assert (code(answer), numbers(answer)) == ((409, "capacity_in_use"), (3, 5, 5))
    data(await change(sale, venue_id=enough, **AGREED))
    assert await pool(owner, sale) == (8, 3, 5)
    one_more = await (take_seats(await guest(client, tenant), sale, 15, 16) if plan else take(staff, sale, "late", 1))
    assert code(one_more) == (409, "block_at_capacity")
    assert await wrong(server_url) == {}


@pytest.mark.req("EV-1", "EV-2", "BUY-1", "CAP-1")
async def test_a_venue_is_not_lowered_below_what_is_taken_in_any_of_its_events(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, hall(2, 10, pit=5))
    venue_id = data(await staff.get(f"/api/events/{sale.event_id}"))["venue_id"]
    quiet = await draft(staff, venue_id=venue_id, name="A draft", capacity=20)
    await bought(client, tenant, sale, 0, 1)
    data(await take_seats(await guest(client, tenant), sale, 10, 11), 201)
    answer = await limit_venue(sale, 3)
    assert (code(answer), numbers(answer)) == ((409, "capacity_in_use"), (2, 2, 3))
    assert answer.json()["event_id"] == str(sale.event_id)
    assert await pool(owner, sale) is None
    data(await limit_venue(sale, 5))
    assert await pool(owner, sale) == (5, 2, 2)
    assert await owner.fetchval("SELECT capacity FROM pools WHERE event_id = $1", UUID(quiet["id"])) == 5
    assert code(await take_seats(await guest(client, tenant), sale, 5, 6)) == (409, "block_at_capacity")
    data(await limit_venue(sale, 0))
    assert await pool(owner, sale) is None
    assert await owner.fetchval("SELECT capacity FROM pools WHERE event_id = $1", UUID(quiet["id"])) == 20
    assert await wrong(server_url) == {}


@pytest.mark.req("EV-1", "EV-2", "CAP-1")
async def test_what_is_over_is_no_obstacle_for_its_venue(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, hall(1, 10, pit=5), capacity=8)
    await bought(client, tenant, sale, 0, 1, 2)
    for name in ("start", "end"):
        data(await move(staff, {"id": sale.event_id}, name))
    data(await limit_venue(sale, 2))
    assert await pool(owner, sale) == (8, 0, 3)
    assert await wrong(server_url) == {}


@pytest.mark.req("EV-1", "EV-2", "EV-3", "CAP-1")
async def test_a_venue_that_is_deleted_is_no_limit_any_more(staff: Client, owner: Any, server_url: str) -> None:
    sale = await two_types(staff, 2, 2, most=9)
    event = data(await staff.get(f"/api/events/{sale.event_id}"))
    assert await pool(owner, sale) == (9, 0, 0)
    assert (await staff.delete(f"/api/venues/{event['venue_id']}")).status_code == 204
    assert await pool(owner, sale) is None
    assert await wrong(server_url) == {}


@pytest.mark.req("EV-2", "BUY-1", "CAP-1")
async def test_what_was_oversold_before_sells_nothing_until_it_is_within_its_limit(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    """As the migration leaves it: the pool is as large as what is taken, and shrinks with what is given back."""
    sale = await two_types(staff, 4, 4, most=8)
    order = await bought(client, tenant, sale, entry=4)
    data(await take(await guest(client, tenant), sale, "late", 1), 201)
    async with owner.transaction():
        await owner.execute("SET LOCAL session_replication_role = replica")
        mine = "(SELECT venue_id FROM events WHERE id = $1)"
        await owner.execute(f"UPDATE venues SET max_capacity = 2 WHERE id = {mine}", sale.event_id)
        short = "UPDATE pools SET capacity = 5, shrinks_to = 2 WHERE event_id = $1 AND kind = 'event'"
        await owner.execute(short, sale.event_id)
    said = f"event {sale.event_id}: 5 places are held and sold where its venue admits 2"
    assert await wrong(server_url) == {"taken": [said]}
    data(await limit_venue(sale, 4))  # more than before is never refused
    assert code(await limit_venue(sale, 3)) == (409, "capacity_in_use")
    lost = [ticket["id"] for ticket in order["tickets"]]
    for taken in ((4, 1, 3), (4, 1, 2)):
        assert code(await take(await guest(client, tenant), sale, "late", 2)) == (409, "block_at_capacity")
        data(await staff.post(f"/api/tickets/{lost.pop()}/cancel", json={"reason": "Too many"}))
        assert await pool(owner, sale) == taken
    assert await wrong(server_url) == {}
    data(await take(await guest(client, tenant), sale, "late", 1), 201)
    assert code(await take(await guest(client, tenant), sale, "late", 1)) == (409, "block_at_capacity")


# --- every way in and out


@pytest.mark.req("EV-2", "BUY-1", "BUY-4", "CAP-1")
async def test_the_events_pool_follows_holds_orders_and_refunds(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await two_types(staff, 3, 3, capacity=6)
    buyer = await guest(client, tenant)
    basket = data(await take(buyer, sale, "entry", 2), 201)
    assert await pool(owner, sale) == (6, 2, 0)
    assert (await buyer.delete(f"/api/holds/{basket['items'][0]['hold_id']}")).status_code == 204
    assert await pool(owner, sale) == (6, 0, 0)
    order = await bought(client, tenant, sale, entry=3)
    assert await pool(owner, sale) == (6, 0, 3)
    once = {"idempotency-key": new_id().hex}
    data(await staff.post(f"/api/orders/{order['id']}/refunds", json={"reason": "Ill"}, headers=once), 201)
    assert await pool(owner, sale) == (6, 0, 0)
    assert await wrong(server_url) == {}


@pytest.mark.req("EV-10", "EV-2", "CAP-1")
async def test_a_duplicate_has_the_limit_too(staff: Client, owner: Any) -> None:
    sale = await selling(staff, hall(1, 10, pit=5), capacity=8)
    made = await staff.post(f"/api/events/{sale.event_id}/duplicate", json={"start_at": "2090-07-01T19:00:00Z"})
    copy = data(made, 201)
    found = await owner.fetch("SELECT kind, capacity FROM pools WHERE event_id = $1 ORDER BY 1, 2", UUID(copy["id"]))
    assert [tuple(row) for row in found] == [("event", 8), ("zone", 5), ("zone", 10)]


@pytest.mark.req("EV-2", "CAP-1")
async def test_an_edit_answers_with_the_places_that_there_are_now(staff: Client) -> None:
    place = await make_venue(staff, max_capacity=30)
    event = await draft(staff, venue_id=place["id"])
    assert event["places"] == 30
    for capacity, places in ((10, 10), (20, 20), (0, 30)):
        answer = data(await staff.patch(f"/api/events/{event['id']}", json={"capacity": capacity}))
        assert answer["places"] == places


@pytest.mark.req("SEAT-3", "ZONE-1", "CAP-1")
async def test_an_event_keeps_its_limit_without_a_plan(staff: Client, owner: Any) -> None:
    sale = await selling(staff, hall(1, 10, pit=5), capacity=8)
    assert (await staff.delete(sale.path("layout"))).status_code == 204
    assert await pool(owner, sale) == (8, 0, 0)


# --- a plan that would stay behind


@pytest.mark.req("EV-9", "SEAT-3", "CAP-1")
async def test_a_move_that_would_drop_the_seating_plan_asks_first(staff: Client, owner: Any) -> None:
    sale = await selling(staff, hall(1, 10, pit=5))
    there = (await make_venue(staff, name="Open Air"))["id"]
    answer = await change(sale, venue_id=there, **MOVED)
    assert code(answer) == (409, "layout_left_behind")
    data(await staff.get(sale.path("layout")))
    data(await change(sale, venue_id=there, drop_layout=True, **MOVED))
    assert code(await staff.get(sale.path("layout"))) == (404, "event_has_no_layout")


@pytest.mark.req("EV-9", "SEAT-3", "CAP-1")
async def test_a_plan_that_people_have_seats_on_is_not_dropped(
    staff: Client, client: Client, tenant: Tenant, server_url: str
) -> None:
    sale = await selling(staff, hall(1, 10, pit=5))
    await bought(client, tenant, sale, 0)
    there = (await make_venue(staff, name="Open Air"))["id"]
    assert code(await change(sale, venue_id=there, drop_layout=True, **AGREED)) == (409, "layout_in_use")
    data(await change(sale, venue_id=there, **AGREED))
    data(await staff.get(sale.path("layout")))
    assert await wrong(server_url) == {}
