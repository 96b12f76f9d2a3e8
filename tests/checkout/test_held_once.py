"""A team that watches its events is told once of each seat that is held, however long and by whom it is held then."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from fullhouse.kit.services import Services
from tests.accounts.helpers import data, give_password
from tests.checkout.helpers import Sale, begun, buy, hold, selling, start
from tests.checkout.test_guests import sign_in
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall, processes
from tests.kit.sse import Listener, listening

pytestmark = pytest.mark.req("HOLD-10", "HOLD-3")
FIRST, LAST = 0, 7


async def told_until(stream: Listener, seat: str) -> list[str]:
    """The seats that the stream names as held, up to this one."""
    seats: list[str] = []
    while seat not in seats:
        message = await stream.next()
        if message.event == "seat_held":
            seats.append(message.data["seat_id"])
    return seats


async def reserve_again(buyer: Client, sale: Sale, _items: Any, _tenant: Tenant) -> None:
    answer = data(await buyer.post(sale.path(f"seats/{sale.show.seat(FIRST)}/reserve"), json={}))
    assert answer["seat_id"] == sale.show.seat(FIRST)


async def check_out(buyer: Client, sale: Sale, items: Any, _tenant: Tenant) -> None:
    before = data(await buyer.get(sale.path("holds")))[0]["held_until_unix_ms"]
    assert data(await start(buyer, sale, items), 201)["items"][0]["held_until_unix_ms"] > before


async def decline(buyer: Client, sale: Sale, items: Any, _tenant: Tenant) -> None:
    session = data(await start(buyer, sale, items), 201)
    assert (await buy(buyer, session, method="decline")).status_code == 402


async def sign_up(buyer: Client, sale: Sale, _items: Any, tenant: Tenant) -> None:
    signed_in = await sign_in(buyer, tenant)
    assert len(data(await signed_in.get(sale.path("holds")))) == 1


KEPT: dict[str, Callable[[Client, Sale, Any, Tenant], Awaitable[None]]] = {
    "reserved again": reserve_again,
    "a checkout begins": check_out,
    "a payment is declined": decline,
    "the guest signs in": sign_up,
}


@pytest.mark.parametrize("read_from", ["before", "after"])
@pytest.mark.parametrize("how", KEPT)
async def test_a_hold_that_goes_on_is_told_once(
    how: str, read_from: str, services: Services, tenant: Tenant, server_url: str, owner_url: str, tmp_path: Path
) -> None:
    """Also on a stream that begins after the seat was held: what it tells is news of that moment."""
    await give_password(services, tenant, "customer")
    async with processes(2, server_url, owner_url, tmp_path) as (here, there):
        sale = await selling(Client(there, tenant.tokens["owner"]), hall(1, 8))
        buyer, other = [await guest(Client(there), tenant) for _ in range(2)]
        first, last = sale.show.seat(FIRST), sale.show.seat(LAST)
        expected = [first, last] if read_from == "before" else [last]
        items = await hold(buyer, sale, FIRST) if read_from == "after" else None
        async with listening(here, "/api/org/stream", token=tenant.tokens["staff"]) as stream:
            await stream.next()
            if items is None:
                items = await hold(buyer, sale, FIRST)
                assert await told_until(stream, first) == expected[:1]
                expected = expected[1:]
            await KEPT[how](buyer, sale, items, tenant)
            await begun(other, sale, LAST)
            assert await told_until(stream, last) == expected
            await hold(await guest(Client(there), tenant), sale, 3)
            assert await told_until(stream, sale.show.seat(3)) == [sale.show.seat(3)]  # nor is it told late
