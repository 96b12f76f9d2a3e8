"""What a show without seats offers, as it changes: whoever looks at it sees the last tickets go, and come back."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from fullhouse.holds import jobs
from fullhouse.kit.db.database import Database
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.tickets.live import LiveOffers
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, begun, buy, hold, selling, selling_types
from tests.fixtures import Client, Tenant, make_tenant
from tests.holds.helpers import a_finder, guest, hall, processes
from tests.kit.sse import Listener, listening

pytestmark = pytest.mark.req("HOLD-10", "TT-1")


@pytest.fixture
async def finder(server_url: str) -> AsyncIterator[Database]:
    async with a_finder(server_url) as database:
        yield database


@pytest.fixture
def staff(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


async def offered(stream: Listener) -> list[tuple[str, int | None, int]]:
    """The next news of what can be bought: how each type stands, how many are left, at what price."""
    while (message := await stream.next()).event != "offers":
        pass
    return [(offer["status"], offer["left"], offer["price"]["amount"]) for offer in message.data]


@pytest.mark.parametrize("by", ["notify", "redis"])
async def test_the_last_tickets_go_and_come_back(
    by: str,
    request: pytest.FixtureRequest,
    server_url: str,
    owner_url: str,
    tmp_path: Path,
    finder: Database,
    clock: Callable[[timedelta], Any],
) -> None:
    """In one process somebody buys, in the other somebody looks on."""
    redis = request.getfixturevalue("redis_url") if by == "redis" else None
    async with processes(2, server_url, owner_url, tmp_path, redis) as (here, there), AsyncExitStack() as stack:
        tenant = await make_tenant(here.wide.state.services)
        client = await stack.enter_async_context(Client(here))
        staff, buyer = client.as_(tenant.tokens["owner"]), await guest(client, tenant)
        sale = await selling_types(staff, 2)
        stream = await stack.enter_async_context(listening(there, sale.path("stream")))

        await hold(buyer, sale, entry=1)
        assert await offered(stream) == [("on_sale", 1, 2500)]
        (held,) = await hold(buyer, sale, entry=1)
        assert await offered(stream) == [("sold_out", 0, 2500)]
        assert (await buyer.delete(f"/api/holds/{held['hold_id']}")).status_code == 204
        assert await offered(stream) == [("on_sale", 1, 2500)]
        await clock(timedelta(minutes=6))
        await jobs.sweep_holds(finder, here.wide.state.services.database)
        assert await offered(stream) == [("on_sale", 2, 2500)]
        order = data(await buy(buyer, await begun(buyer, sale, entry=2)), 201)
        assert await offered(stream) == [("sold_out", 0, 2500)]
        once = {"idempotency-key": "refund-it-once"}
        data(await staff.post(f"/api/orders/{order['id']}/refunds", json={"reason": "Ill"}, headers=once), 201)
        assert await offered(stream) == [("on_sale", 2, 2500)]


async def test_another_price_another_type_and_none_at_all(lane: LaneRouter, staff: Client) -> None:
    sale = await selling_types(staff, 2)
    path = sale.path(f"ticket-types/{sale.types['entry']}")
    async with listening(lane, sale.path("stream")) as stream:
        data(await staff.patch(path, json={"price": 3000}))
        assert await offered(stream) == [("on_sale", 2, 3000)]
        data(await staff.patch(path, json={"sale_start_at": "2089-01-01T00:00:00Z"}))
        assert await offered(stream) == [("upcoming", 2, 3000)]
        data(await staff.patch(path, json={"hidden": True}))
        assert await offered(stream) == []


async def test_charges_of_the_house_are_news_where_they_hold(lane: LaneRouter, staff: Client) -> None:
    theirs, own = await selling_types(staff, 2), await selling(staff, name="Hamlet")
    fee = {"name": "Service", "kind": "fee", "amount": 150}
    data(await staff.put(own.path("charges"), json={"charges": [fee | {"name": "Own"}]}))
    heard: list[str] = []
    leave = lane.wide.state.services.bus.subscribe("offers:*", lambda topic, _news: heard.append(topic))
    async with listening(lane, theirs.path("stream")) as stream:
        data(await staff.put("/api/org/charges", json={"charges": [fee]}))
        while (message := await stream.next()).event != "offers":
            pass
    leave()
    assert [charge["name"] for charge in message.data[0]["charges"]] == ["Service"]
    assert f"offers:{own.event_id}" not in heard


async def test_who_takes_one_of_many_is_no_news(
    lane: LaneRouter, client: Client, staff: Client, tenant: Tenant
) -> None:
    """While there are plenty, nobody sees a difference: nothing is told, by the statement itself neither."""
    sale, buyer = await selling_types(staff, 32), await guest(client, tenant)
    heard: list[str] = []
    leave = lane.wide.state.services.bus.subscribe("seats:*", lambda topic, _news: heard.append(topic))
    async with listening(lane, sale.path("stream")) as stream:
        await hold(buyer, sale, entry=10)
        assert heard == []
        await hold(await guest(client, tenant), sale, entry=2)
        assert heard == [f"seats:{sale.event_id}"]
        assert await offered(stream) == [("on_sale", 20, 2500)]
    leave()


async def test_a_seat_that_is_held_is_no_news_of_what_is_offered(
    lane: LaneRouter, client: Client, staff: Client, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a rush a show has hundreds of these a second."""
    sale, buyer = await selling(staff, hall(1, 4, pit=5)), await guest(client, tenant)
    heard: list[str] = []
    monkeypatch.setattr(LiveOffers, "_on_offers_changed", lambda _self, topic, _organization: heard.append(topic))
    async with listening(lane, sale.path("stream")):
        (held,) = await hold(buyer, sale, 0)
        assert heard == []
        assert (await buyer.delete(f"/api/holds/{held['hold_id']}")).status_code == 204
        assert heard == [f"seats:{sale.event_id}"]
        await hold(buyer, sale, pit=1)
        assert len(heard) == 2


async def test_a_type_runs_out_on_the_way_to_the_till(
    lane: LaneRouter, client: Client, staff: Client, tenant: Tenant
) -> None:
    """Where places have seats, a type is counted when somebody says which one they want."""
    sale: Sale = await selling(staff, hall(1, 4), quantity=2)
    buyer = await guest(client, tenant)
    async with listening(lane, sale.path("stream")) as stream:
        session = await begun(buyer, sale, 0, 1)
        told = await offered(stream)
        while told[0][1]:
            told = await offered(stream)
        assert told[0] == ("sold_out", 0, 2500)
        assert (await buyer.delete(f"/api/checkout/{session['id']}")).status_code == 204
        assert (await offered(stream))[0] == ("on_sale", 2, 2500)
