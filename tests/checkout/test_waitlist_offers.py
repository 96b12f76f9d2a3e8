"""What becomes of an offer: it is bought, lapses or is declined, and then goes to the next."""

from datetime import timedelta
from typing import Any

import pytest

from fullhouse.holds import jobs as hold_jobs
from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from tests.accounts.helpers import data
from tests.checkout.helpers import buy, code, rows, start, wrong
from tests.checkout.waiting import (
    join,
    letters,
    offered,
    ordinals,
    react,
    reserve,
    return_seats,
    sold_out,
    standing,
    states,
    to_buy,
    waiter,
)
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest

pytestmark = pytest.mark.req("BUY-6")


async def test_an_offer_is_bought_like_every_hold(
    client: Client, staff: Client, tenant: Tenant, serve: Any, clock: Any, owner: Any, server_url: str
) -> None:
    house, who = await offered(client, tenant, staff, serve, 2)
    await clock(timedelta(hours=23))
    entry = await standing(who, house)
    assert {hold["id"] for hold in data(await who.get(house.path("holds")))} == {
        hold["hold_id"] for hold in entry["offer"]
    }
    stranger = await guest(client, tenant)
    assert code(await start(stranger, house.sale, to_buy(house, entry))) == (409, "hold_expired")
    session = data(await start(who, house.sale, to_buy(house, entry)), 201)
    order = data(await buy(who, session), 201)
    assert len(order["tickets"]) == 2
    after = await standing(who, house)
    assert (after["status"], after["offer"]) == ("taken", [])
    told = {row["name"] for row in await rows(owner, "outbox", tenant) if row["name"].startswith("waitlist.")}
    assert told == {"waitlist.joined", "waitlist.offered", "waitlist.taken"}
    noted = {row["action"] for row in await rows(owner, "audit_log", tenant)}
    assert {"waitlist.joined", "waitlist.offered", "waitlist.taken"} <= noted
    assert await wrong(server_url) == {}


async def test_a_guest_buys_by_the_link_in_the_mail(
    client: Client, staff: Client, tenant: Tenant, serve: Any, services: Services
) -> None:
    house = await sold_out(client, tenant, staff)
    await waiter(client, tenant, house, email="grace@example.org")
    await return_seats(house, 0)
    await serve()
    for name in ("waitlist.joined", "waitlist.offered"):
        await react(services, tenant, name)
    for template in ("waiting_list_joined", "waiting_list_offer"):
        (letter,) = await letters(services, tenant, template)
        assert letter["recipient"] == "grace@example.org"
    assert "row A, seat 1" in " ".join(letter["body"].split())
    secret = letter["body"].partition("/waiting-list#")[2].split()[0]
    bearer = {"authorization": f"Bearer {secret}"}
    entry = data(await client.get("/api/waitlist", headers=bearer))
    assert (entry["status"], entry["secret"]) == ("offered", secret)
    opened = await client.post("/api/waitlist/session", headers=bearer)
    here = client.as_(data(opened, 201)["token"])
    assert "set-cookie" in opened.headers
    order = data(await buy(here, data(await start(here, house.sale, to_buy(house, entry)), 201)), 201)
    assert order["status"] == "paid"
    assert data(await client.get("/api/waitlist", headers=bearer))["status"] == "taken"
    assert (await client.get("/waiting-list")).status_code == 200


@pytest.mark.req("BUY-6", "TEN-2")
async def test_a_secret_opens_one_entry_and_no_account(
    client: Client, staff: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    house = await sold_out(client, tenant, staff)
    customer = client.as_(tenant.tokens["customer"])
    entry = data(await customer.post(house.path("waitlist"), json={}), 201)
    bearer = {"authorization": f"Bearer {entry['secret']}"}
    assert data(await client.get("/api/waitlist", headers=bearer))["id"] == entry["id"]
    assert code(await client.post("/api/waitlist/session", headers=bearer)) == (409, "sign_in_needed")
    elsewhere = entry["secret"][:4] + _under(other_tenant) + entry["secret"][4 + len(_under(other_tenant)) :]
    for secret in ("", "fhw_nonsense", entry["secret"][:-6] + "AAAAAA", elsewhere, tenant.tokens["owner"]):
        for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/session")):
            answer = await client.request(method, f"/api/waitlist{path}", headers={"authorization": f"Bearer {secret}"})
            assert code(answer) == (404, "not_on_waitlist"), (method, secret)
    assert (await client.delete("/api/waitlist", headers=bearer)).status_code == 204
    assert data(await client.get("/api/waitlist", headers=bearer))["status"] == "left"


def _under(tenant: Tenant) -> str:
    """A token's beginning, as this organisation's have it."""
    return tenant.tokens["owner"][4:24]


async def test_an_offer_that_lapses_goes_to_the_next(
    client: Client,
    staff: Client,
    tenant: Tenant,
    serve: Any,
    clock: Any,
    finder: Database,
    services: Services,
    owner: Any,
    server_url: str,
) -> None:
    house = await sold_out(client, tenant, staff)
    data(await staff.put(house.path("waitlist/settings"), json={"window_s": 3600}))
    first, second = [await waiter(client, tenant, house) for _ in range(2)]
    await return_seats(house, 2)
    assert await serve() == 1
    assert await serve() == 0
    entry = await standing(first, house)
    assert entry["answer_by_unix_ms"] - entry["server_time_unix_ms"] <= 3_600_000
    assert entry["timezone"] == "Europe/Brussels"
    await clock(timedelta(minutes=59))
    await hold_jobs.sweep_holds(finder, services.database)
    assert await states(first, second, house=house) == ["offered", "waiting"]
    await clock(timedelta(minutes=61))
    assert code(await start(first, house.sale, to_buy(house, entry))) == (409, "hold_expired")
    await hold_jobs.sweep_holds(finder, services.database)
    assert await states(first, second, house=house) == ["lapsed", "waiting"]
    await react(services, tenant, "waitlist.lapsed")
    assert await states(first, second, house=house) == ["lapsed", "offered"]
    assert ordinals(house, await standing(second, house)) == [2]
    assert len(await letters(services, tenant, "waiting_list_lapsed")) == 1
    data(await join(first, house), 201)  # behind everybody
    assert await wrong(server_url) == {}


async def test_what_is_declined_goes_to_the_next_at_once(
    client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str
) -> None:
    house = await sold_out(client, tenant, staff)
    first, second, third = [await waiter(client, tenant, house) for _ in range(3)]
    await return_seats(house, 2)
    await serve()
    assert (await first.delete(house.path("waitlist"))).status_code == 204
    assert await states(first, second, third, house=house) == ["left", "offered", "waiting"]
    given = (await standing(second, house))["offer"][0]["hold_id"]
    assert (await second.delete(f"/api/holds/{given}")).status_code == 204
    assert code(await reserve(await guest(client, tenant), house, 2)) == (409, "seat_held_by_another_user")
    assert await states(first, second, third, house=house) == ["left", "left", "offered"]
    assert await wrong(server_url) == {}


async def test_what_is_being_paid_for_is_not_left(client: Client, staff: Client, tenant: Tenant, serve: Any) -> None:
    house, who = await offered(client, tenant, staff, serve)
    entry = await standing(who, house)
    session = data(await start(who, house.sale, to_buy(house, entry)), 201)
    assert (await buy(who, session, method="delay")).status_code == 202
    assert code(await who.delete(house.path("waitlist"))) == (409, "payment_running")
    assert await states(who, house=house) == ["offered"]


async def test_the_deadline_is_never_after_the_sale(
    client: Client, staff: Client, tenant: Tenant, serve: Any, owner: Any
) -> None:
    house = await sold_out(client, tenant, staff)
    who = await waiter(client, tenant, house)
    await owner.execute(
        "UPDATE events SET sale_end_at = app.clock() + interval '2 hours' WHERE id = $1", house.sale.event_id
    )
    await return_seats(house, 0)
    await serve()
    entry = await standing(who, house)
    assert entry["answer_by_unix_ms"] - entry["server_time_unix_ms"] <= 7_200_000
