"""What ran out stands in no edit's way, though nobody has swept it: an edit is judged by what is held and sold now.
A refusal has these numbers.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest

from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, begun, bought, code, hold, selling, selling_types, wrong
from tests.events.helpers import make_venue
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall

Edit = Callable[[Sale], Awaitable[httpx.Response]]
HOLD_S, CHECKOUT_S = 300, 600
# The database's time runs on from where it was put, so the near side of an edge is a few seconds wide.
EARLY_S, LATE_S = -10, 1


@pytest.fixture
async def buyer(client: Client, tenant: Tenant) -> Client:
    return await guest(client, tenant)


def numbers(answer: Any) -> tuple[int, int]:
    said = answer.json()
    return said["held"], said["sold"]


def type_of(sale: Sale) -> str:
    (name,) = {"seat", "entry"} & sale.types.keys()
    return sale.path(f"ticket-types/{sale.types[name]}")


async def fewer(sale: Sale) -> httpx.Response:
    return await sale.staff.patch(type_of(sale), json={"quantity": 1})


async def uncounted(sale: Sale) -> httpx.Response:
    return await sale.staff.patch(type_of(sale), json={"quantity": None})


async def no_type(sale: Sale) -> httpx.Response:
    return await sale.staff.delete(type_of(sale))


async def smaller_zone(sale: Sale) -> httpx.Response:
    wish = {"layout_id": str(sale.show.layout_id), "zone_overrides": {sale.show.zones["pit"]: {"capacity": 1}}}
    return await sale.staff.put(sale.path("layout"), json=wish)


async def no_layout(sale: Sale) -> httpx.Response:
    return await sale.staff.delete(sale.path("layout"))


async def elsewhere(sale: Sale) -> httpx.Response:
    there = await make_venue(sale.staff, name="Open Air")
    agreed = {"reason": "The roof leaks.", "consent_note": "All buyers were asked."}
    wish = {"venue_id": there["id"], "drop_layout": True}
    return await sale.staff.patch(f"/api/events/{sale.event_id}", json=wish | agreed)


async def both_sides(edit: Edit, sale: Sale, clock: Any, end_s: int, refusal: str) -> httpx.Response:
    """What it is refused with before the end; behind it, it is not."""
    await clock(timedelta(seconds=end_s + EARLY_S))
    answer = await edit(sale)
    assert code(answer) == (409, refusal)
    await clock(timedelta(seconds=end_s + LATE_S))
    assert (done := await edit(sale)).is_success, done.text
    return answer


@pytest.mark.req("TT-1", "HOLD-4", "CAP-1")
@pytest.mark.parametrize(
    ("edit", "refusal"), [(fewer, "quantity_below_sold"), (no_type, "ticket_type_in_use")], ids=["fewer", "deleted"]
)
async def test_places_of_a_type_that_were_held_too_long(
    edit: Edit, refusal: str, staff: Client, buyer: Client, clock: Any, server_url: str
) -> None:
    sale = await selling_types(staff, 2)
    await hold(buyer, sale, entry=2)
    answer = await both_sides(edit, sale, clock, HOLD_S, refusal)
    assert edit is no_type or numbers(answer) == (2, 0)
    assert await wrong(server_url) == {}


@pytest.mark.req("TT-1", "CHK-2", "CAP-1")
@pytest.mark.parametrize(
    ("edit", "refusal"),
    [(fewer, "quantity_below_sold"), (uncounted, "ticket_type_in_use"), (no_type, "ticket_type_in_use")],
    ids=["fewer", "uncounted", "deleted"],
)
async def test_what_a_checkout_counted_of_a_type_and_left_behind(
    edit: Edit, refusal: str, staff: Client, buyer: Client, owner: Any, clock: Any, server_url: str
) -> None:
    sale = await selling(staff, quantity=2)
    session = await begun(buyer, sale, 0, 1)
    answer = await both_sides(edit, sale, clock, CHECKOUT_S, refusal)
    assert edit is not fewer or numbers(answer) == (2, 0)
    status = await owner.fetchval("SELECT status FROM checkout_sessions WHERE id::text = $1", session["id"])
    assert status == "expired"
    assert await wrong(server_url) == {}


@pytest.mark.req("SEAT-3", "HOLD-4", "EV-9", "CAP-1")
@pytest.mark.parametrize("edit", [smaller_zone, no_layout, elsewhere], ids=["zone", "layout", "venue"])
async def test_places_that_were_held_too_long_keep_no_layout(
    edit: Edit, staff: Client, buyer: Client, clock: Any, server_url: str
) -> None:
    sale = await selling(staff, hall(2, 10, pit=20))
    for name in ("seat", "pit"):
        data_of = sale.path(f"ticket-types/{sale.types[name]}")
        assert (await staff.delete(data_of)).is_success
    answer = await buyer.post(
        sale.path("holds"),
        json={"items": [{"seat_id": sale.show.seat(0)}, {"zone_id": sale.show.zones["pit"], "quantity": 2}]},
    )
    data(answer, 201)
    assert numbers(await both_sides(edit, sale, clock, HOLD_S, "layout_in_use")) == (3, 0)
    assert await wrong(server_url) == {}


@pytest.mark.req("SEAT-3", "CAP-1")
@pytest.mark.parametrize("edit", [smaller_zone, no_layout, elsewhere], ids=["zone", "layout", "venue"])
async def test_what_is_sold_and_held_is_told_apart(
    edit: Edit, staff: Client, client: Client, tenant: Tenant, buyer: Client, clock: Any
) -> None:
    """What ran out is in neither number."""
    sale = await selling(staff, hall(2, 10, pit=20))
    await bought(client, tenant, sale, 0, 1, pit=2)
    await hold(await guest(client, tenant), sale, 2, 3)
    await clock(timedelta(seconds=HOLD_S + LATE_S))
    await hold(buyer, sale, 4, 5, pit=1)
    answer = await edit(sale)
    assert (code(answer), numbers(answer)) == ((409, "layout_in_use"), (3, 4))
