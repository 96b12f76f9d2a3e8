"""The waiting room over HTTP: joining, polling with a token that is good for one session, and the organiser's desk."""

import base64
from datetime import timedelta
from typing import Any

import pytest

from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, guest, hall, on_sale, stage
from tests.queue.helpers import Shift, come, entries, sell_everything, soon


@pytest.fixture
async def room(staff: Client, sale: OnSale) -> dict[str, Any]:
    """One slot, and the room is open."""
    opened: dict[str, Any] = data(await staff.put(sale.path("queue/settings"), json={"mode": "on", "slots": 1}))
    return opened


@pytest.mark.req("QUEUE-1", "QUEUE-2")
async def test_guests_join_poll_and_leave(
    client: Client, tenant: Tenant, sale: OnSale, room: dict[str, Any], owner: Any
) -> None:
    inside, waiting, behind = [await come(await guest(client, tenant), sale) for _ in range(3)]
    assert [(one.place["status"], one.place["position"]) for one in (inside, waiting, behind)] == [
        ("admitted", None),
        ("waiting", 1),
        ("waiting", 2),
    ]
    found = await behind.now()
    assert (found["status"], found["room"], found["ahead"], found["eta_low_s"]) == ("waiting", "open", 1, None)
    assert found["token"] is None
    assert 2 <= found["next_poll_s"] <= 120
    (row,) = (await entries(owner, sale))[2:]
    assert abs(found["expires_at_unix_ms"] - row["expires_at"].timestamp() * 1000) < 2000
    assert (await inside.client.delete(inside.path)).status_code == 204

    async def moved() -> bool:
        return bool((await waiting.now())["status"] == "admitted" and (await behind.now())["position"] == 1)

    await soon(moved)
    assert (await behind.client.delete(behind.path)).status_code == 204
    cooling = await behind.client.post(behind.path)
    assert refused(cooling) == (429, "queue_cooldown")
    assert 3590 <= int(cooling.headers["retry-after"]) <= 3600
    assert cooling.json()["wait_s"] == int(cooling.headers["retry-after"])
    assert refused(await behind.client.delete(behind.path)) == (404, "not_in_queue")


@pytest.mark.req("QUEUE-2")
async def test_a_token_is_good_for_its_own_session_and_show_only(
    client: Client, tenant: Tenant, staff: Client, services: Services, sale: OnSale, room: dict[str, Any], clock: Shift
) -> None:
    one, other = [await come(await guest(client, tenant), sale) for _ in range(2)]
    token = one.place["token"]
    elsewhere = await stage(services, tenant, hall(1, 4))
    raw = bytearray(base64.urlsafe_b64decode(token))
    raw[-5] ^= 1  # another number
    forged = base64.urlsafe_b64encode(bytes(raw)).decode()
    for wrong in (
        await one.client.get(one.path),  # none
        await one.poll(**{"x-queue-token": "nonsense"}),
        await one.poll(**{"x-queue-token": forged}),
        await one.poll(**{"x-queue-token": token + "A"}),
        await one.poll(**{"x-queue-token": other.place["token"]}),  # somebody else's
        await client.get(one.path, headers={"x-queue-token": token}),  # nobody's session
        await other.client.get(one.path, headers={"x-queue-token": token}),  # shared
        await one.client.get(elsewhere.path("queue"), headers={"x-queue-token": token}),  # another show
    ):
        assert refused(wrong) == (403, "queue_token_invalid")
    assert (await one.now())["seq"] == one.place["seq"]
    lane: LaneRouter = client._lane
    await clock(timedelta(days=7, minutes=-1))
    await lane.wide.state.services.clock.measure()
    data(await one.poll())
    await clock(timedelta(days=7, minutes=1))
    await services.clock.measure()
    await lane.wide.state.services.clock.measure()
    assert refused(await one.poll()) == (403, "queue_token_invalid")


async def test_a_cookie_is_a_session_too(client: Client, tenant: Tenant, sale: OnSale, room: dict[str, Any]) -> None:
    answer = await client.post("/api/auth/guest", json={"organization": tenant.organization.slug})
    token = data(answer, 201)["token"]
    joined = await come(client.as_(token), sale)
    headers = {"x-queue-token": joined.place["token"], "cookie": f"other=1; fullhouse=fhs_else.{token}"}
    assert data(await client.get(joined.path, headers=headers))["seq"] == joined.place["seq"]
    headers["cookie"] = "fullhouse=fhs_else"
    assert refused(await client.get(joined.path, headers=headers)) == (403, "queue_token_invalid")


async def test_the_fast_lane_answers_as_its_twin_does(
    client: Client, tenant: Tenant, sale: OnSale, room: dict[str, Any]
) -> None:
    """A path that the lane's table does not match exactly is served by the twin."""
    one = await come(await guest(client, tenant), sale)
    twin = f"{one.path}/"
    again = data(await one.client.post(twin))
    same = ("seq", "status", "position", "room", "expires_at", "event_id")
    assert {name: again[name] for name in same} == {name: one.place[name] for name in same}
    there = data(await one.client.get(twin, headers={"x-queue-token": again["token"]}))
    assert {name: there[name] for name in same} == {name: one.place[name] for name in same}
    assert refused(await one.client.get(twin)) == refused(await one.client.get(one.path))


@pytest.mark.req("QUEUE-2")
async def test_seats_are_chosen_by_those_inside(
    client: Client, tenant: Tenant, staff: Client, sale: OnSale, room: dict[str, Any]
) -> None:
    inside, waiting = [await come(await guest(client, tenant), sale) for _ in range(2)]
    reserve = sale.path(f"seats/{sale.seat(3)}/reserve")
    basket = {"items": [{"seat_id": sale.seat(4)}, {"seat_id": sale.seat(5)}]}
    for answer in (
        await waiting.client.post(reserve, json={}),
        await waiting.client.post(sale.path("holds"), json=basket),
    ):
        assert refused(answer) == (403, "admission_required")
    assert (await inside.client.post(reserve, json={})).status_code == 201
    assert (await inside.client.post(sale.path("holds"), json=basket)).status_code == 201
    data(await staff.post(sale.path("queue/drain")))
    data(await staff.get(sale.path("queue/settings")))


@pytest.mark.req("BUY-6", "QUEUE-1")
async def test_what_is_refused_at_the_door(
    client: Client, tenant: Tenant, staff: Client, services: Services, sale: OnSale, owner: Any
) -> None:
    buyer = client.as_(tenant.tokens["customer"])
    assert refused(await buyer.post(f"/api/events/{tenant.id}/queue")) == (404, "event_not_found")
    await sell_everything(owner, sale)
    assert refused(await buyer.post(sale.path("queue"))) == (409, "sold_out")
    over = await on_sale(staff, hall(1, 4))
    await owner.execute(
        "UPDATE events SET sale_start_at = now() - interval '2 hours', sale_end_at = now() - interval '1 hour'"
        " WHERE id = $1",
        over.event_id,
    )
    assert refused(await buyer.post(over.path("queue"))) == (400, "event_sales_closed")
    data(await staff.post(f"/api/events/{over.event_id}/cancel", json={"reason": "Storm"}))
    assert refused(await buyer.post(over.path("queue"))) == (400, "event_not_available")
    undated = await on_sale(staff, hall(1, 4))
    data(await staff.post(f"/api/events/{undated.event_id}/postpone", json={"reason": "Flood"}))
    assert refused(await buyer.post(undated.path("queue"))) == (400, "event_not_available")
    assert await entries(owner, sale) == await entries(owner, over) == await entries(owner, undated) == []


@pytest.mark.req("QUEUE-2")
async def test_the_organiser_sees_and_steers(client: Client, tenant: Tenant, staff: Client, sale: OnSale) -> None:
    closed = data(await staff.get(sale.path("queue/settings")))
    assert (closed["mode"], closed["state"], closed["slots"], closed["now"]["waiting"]) == ("auto", "closed", 5, 0)
    wish = {"mode": "on", "slots": 2, "admit_window_s": 60}
    opened = data(await staff.put(sale.path("queue/settings"), json=wish))
    assert {name: opened[name] for name in wish} == wish
    assert opened["state"] == "open"
    people = [await come(await guest(client, tenant), sale) for _ in range(4)]
    await people[2].client.delete(people[2].path)
    now = data(await staff.get(sale.path("queue/settings")))["now"]
    assert (now["waiting"], now["admitted"], now["joined_in_all"], now["left_in_all"]) == (1, 2, 4, 1)
    assert now["admitted_per_minute"] is None
    for order, state in (("pause", "paused"), ("resume", "open"), ("drain", "draining"), ("open", "open")):
        assert data(await staff.post(sale.path(f"queue/{order}")))["state"] == state
    assert refused(await staff.post(sale.path("queue/open"))) == (409, "queue_state")
    for wrong in ({"slots": 0}, {"slots": 10_001}, {"admit_window_s": 5}, {"mode": "maybe"}, {"seed": "x"}):
        assert (await staff.put(sale.path("queue/settings"), json=wrong)).status_code == 422
    past = {"mode": "on", "opens_at": "2020-01-01T00:00:00Z"}
    assert (await staff.put(sale.path("queue/settings"), json=past)).status_code == 422
