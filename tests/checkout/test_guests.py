"""A guest who signs in keeps what the guest had: what is held, what is about to be bought, a place in the line."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from fullhouse import prove
from fullhouse.accounts import actions as accounts
from fullhouse.accounts.sign_in import actions
from fullhouse.kit.services import Services
from fullhouse.prove.client.log import Call
from tests.accounts.helpers import PASSWORD, data, give_password, link_in_mail, refused
from tests.checkout.helpers import Sale, begun, buy, hold, rows, selling, start, wrong
from tests.fixtures import Client, Tenant
from tests.holds.baskets import chairs
from tests.holds.helpers import guest, hall, on_sale, seat_row
from tests.queue.helpers import come

pytestmark = pytest.mark.req("HOLD-3", "CHK-2")


@pytest.fixture(autouse=True)
async def password(services: Services, tenant: Tenant) -> None:
    await give_password(services, tenant, "customer")


def wish_of(tenant: Tenant) -> dict[str, str]:
    return {"organization": tenant.organization.slug, "email": "customer@example.org", "password": PASSWORD}


async def sign_in(visitor: Client, tenant: Tenant) -> Client:
    """As the customer, from what the visitor was until now."""
    return visitor.as_(data(await visitor.post("/api/auth/login", json=wish_of(tenant)), 201)["token"])


async def held_by(buyer: Client, sale: Sale) -> list[str]:
    return [hold["id"] for hold in data(await buyer.get(sale.path("holds")))]


async def owners(owner: Any, tenant: Tenant) -> set[Any]:
    live = [row for row in await rows(owner, "seat_holds", tenant) if row["status"] in ("active", "suspended")]
    return {row["user_id"] for row in live}


async def noted(owner: Any, tenant: Tenant, action: str) -> list[dict[str, Any]]:
    query = "SELECT * FROM audit_log WHERE organization_id = $1 AND action = $2 ORDER BY created_at, id"
    return [dict(row) for row in await owner.fetch(query, tenant.id, action)]


async def told(owner: Any, tenant: Tenant, name: str) -> list[dict[str, Any]]:
    return [row for row in await rows(owner, "outbox", tenant) if row["name"] == name]


async def by_cookie(client: Client, visitor: Client, tenant: Tenant) -> Client:
    """As a browser does: its own pages send the cookie along."""
    token = visitor.headers["authorization"].removeprefix("Bearer ")
    headers = {"cookie": f"fullhouse=fhs_nonsense.{token}"}
    return client.as_(data(await client.post("/api/auth/login", json=wish_of(tenant), headers=headers), 201)["token"])


async def by_header(client: Client, visitor: Client, tenant: Tenant) -> Client:
    return await sign_in(visitor, tenant)


async def by_link(client: Client, visitor: Client, tenant: Tenant) -> Client:
    wish = {"organization": tenant.organization.slug, "email": "customer@example.org"}
    assert (await visitor.post("/api/auth/magic-link", json=wish)).status_code == 202
    link = await link_in_mail(client.as_(tenant.tokens["owner"]), "sign-in")
    answer = await visitor.post("/api/auth/magic-link/redeem", json={"token": link})
    return client.as_(data(answer, 201)["token"])


@pytest.mark.parametrize("way", [by_cookie, by_header, by_link])
async def test_what_a_guest_holds_comes_along_with_its_time(
    way: Any, client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff)
    visitor = await guest(client, tenant)
    await hold(visitor, sale, 0, 1, pit=3)
    before = data(await visitor.get(sale.path("holds")))
    person = await way(client, visitor, tenant)
    assert data(await person.get(sale.path("holds"))) == before
    assert refused(await visitor.get(sale.path("holds"))) == (401, "unauthenticated")
    customer = tenant.people["customer"].id
    handed = await noted(owner, tenant, "hold.handed_over")
    assert {(row["actor_id"], row["entity_id"]) for row in handed} == {
        (customer, row["id"]) for row in await rows(owner, "seat_holds", tenant)
    }
    assert len({str(row["before"]) for row in handed}) == 1
    assert [row["subject_id"] for row in await told(owner, tenant, "guest.signed_in")] == [customer]
    assert len(await told(owner, tenant, "hold.handed_over")) == 3
    # The same seat again is the same hold, and somebody else's is still somebody else's.
    again = await person.post(sale.path(f"seats/{sale.show.seat(0)}/reserve"), json={})
    assert (again.status_code, data(again)["hold_id"]) == (200, before[0]["id"])
    stranger = await guest(client, tenant)
    taken = await stranger.post(sale.path(f"seats/{sale.show.seat(0)}/reserve"), json={})
    assert refused(taken) == (409, "seat_held_by_another_user")
    assert await wrong(server_url) == {}


async def test_what_a_guest_was_told_is_still_true_afterwards(
    client: Client, staff: Client, tenant: Tenant, server_url: str
) -> None:
    """A client's log says who asked for a hold, and not who has it now."""
    sale = await selling(staff)
    visitor = await guest(client, tenant)
    guest_id = UUID(data(await visitor.get("/api/me"))["id"])
    held = [UUID(item["hold_id"]) for item in await hold(visitor, sale, 0, 1)]
    await sign_in(visitor, tenant)
    log = [Call(call="1", kind="hold", event=sale.event_id, user=guest_id, best=2, end="ok", holds=held)]
    found = {check.name: said for check, said in (await prove.run(server_url, log)).items()}
    assert found["client log"] == []


async def test_only_a_guests_own_session_of_this_house_brings_something(
    client: Client, staff: Client, tenant: Tenant, other_tenant: Tenant, owner: Any, services: Services
) -> None:
    sale = await selling(staff)
    visitor = await guest(client, tenant)
    await hold(visitor, sale, 0)
    async with services.database.tenant(tenant.id) as tx:
        buyer = await accounts.create_user(tx, email="bo@example.org", name="Bo", role="customer")
        token = (await actions.create_session(tx, tenant.organization, buyer, "password")).token
    somebody, neighbour = client.as_(tenant.tokens["staff"]), client.as_(token)
    await hold(somebody, sale, 5)
    await hold(neighbour, sale, 20)
    before = await owners(owner, tenant)
    stranger = await guest(client, other_tenant)
    for shown in (somebody, neighbour, stranger, client.as_("fhs_nonsense"), client.as_("")):
        person = await sign_in(shown, tenant)
        assert await held_by(person, sale) == []
    assert await owners(owner, tenant) == before
    for known in (somebody, neighbour, stranger):
        data(await known.get("/api/me"))  # who was somebody already still is
    assert await told(owner, tenant, "guest.signed_in") == []
    # And whoever types a wrong password stays a guest.
    answer = await visitor.post("/api/auth/login", json=wish_of(tenant) | {"password": "wrong horse"})
    assert answer.status_code == 401
    assert len(await held_by(visitor, sale)) == 1


async def test_a_checkout_goes_on_where_it_was(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, quantity=5)
    visitor = await guest(client, tenant)
    session = await begun(visitor, sale, 0, 1)
    person = await sign_in(visitor, tenant)
    found = data(await person.get(sale.path("checkout")))
    assert found | {"server_time_unix_ms": 0} == session | {"server_time_unix_ms": 0}
    assert await wrong(server_url) == {}
    assert len(await told(owner, tenant, "checkout.handed_over")) == 1
    order = data(await buy(person, found), 201)
    assert order["status"] == "paid"
    mine = data(await person.get("/api/me/tickets"))
    assert len(mine) == 2
    assert await wrong(server_url) == {}


async def test_who_is_about_to_buy_already_finds_the_guests_places_in_the_basket(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, quantity=5)
    person = client.as_(tenant.tokens["customer"])
    mine = await begun(person, sale, 5)
    visitor = await guest(client, tenant)
    session = await begun(visitor, sale, 0, 1)
    person = await sign_in(visitor, tenant)
    assert data(await person.get(sale.path("checkout")))["id"] == mine["id"]
    assert len(await held_by(person, sale)) == 3
    (ended,) = [row for row in await rows(owner, "checkout_sessions", tenant) if str(row["id"]) == session["id"]]
    assert ended["status"] == "left"
    entries = await rows(owner, "queue_entries", tenant)
    assert [row["status"] for row in entries if row["user_id"] == tenant.people["customer"].id] == ["admitted"]
    assert await wrong(server_url) == {}
    assert data(await buy(person, mine), 201)["status"] == "paid"


@pytest.mark.req("HOLD-8")
async def test_what_is_more_than_one_person_may_hold_is_given_back_by_the_basket(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff)
    data(await staff.put(sale.path("seating-policy"), json={"policy": {"max_holds_per_user": 3}}))
    person = client.as_(tenant.tokens["customer"])
    await hold(person, sale, 9)
    visitor = await guest(client, tenant)
    first, second = await hold(visitor, sale, 0, 1), await hold(visitor, sale, 20)
    person = await sign_in(visitor, tenant)
    kept = await held_by(person, sale)
    assert [item["hold_id"] for item in first] == kept[1:]
    surplus = await noted(owner, tenant, "hold.cancelled")
    assert {str(row["entity_id"]) for row in surplus} == {item["hold_id"] for item in second}
    assert {row["reason"] for row in surplus} == {"more than one person may hold"}
    assert await wrong(server_url) == {}


async def test_a_checkout_of_which_something_is_given_back_is_over(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, quantity=5)
    data(await staff.put(sale.path("seating-policy"), json={"policy": {"max_holds_per_user": 3}}))
    visitor = await guest(client, tenant)
    one, two = await hold(visitor, sale, 0), await hold(visitor, sale, 10, 11)
    data(await start(visitor, sale, [*one, *two]), 201)
    await hold(client.as_(tenant.tokens["customer"]), sale, 30, 31)
    person = await sign_in(visitor, tenant)
    assert refused(await person.get(sale.path("checkout"))) == (404, "checkout_not_found")
    assert one[0]["hold_id"] in await held_by(person, sale)
    assert len(await held_by(person, sale)) == 3
    entries = await rows(owner, "queue_entries", tenant)
    assert [row["status"] for row in entries] == ["left"]  # without a line nobody keeps a slot for nothing
    assert await wrong(server_url) == {}


@pytest.mark.req("ACC-1")
async def test_companion_seats_are_kept_for_the_person(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    show = await on_sale(staff, hall(3, 8, wheelchairs=2))
    (chair, beside), _ = await chairs(owner, show)
    visitor = await guest(client, tenant)
    data(await visitor.post(show.path(f"seats/{show.seat(chair)}/reserve"), json={}), 201)
    person = await sign_in(visitor, tenant)
    customer = tenant.people["customer"].id
    assert (await seat_row(owner, show, beside))["reserved_for"] == customer
    data(await person.post(show.path(f"seats/{show.seat(beside)}/reserve"), json={}), 201)
    assert await wrong(server_url) == {}


async def test_what_is_being_paid_for_stays_what_it_is(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, quantity=9)
    visitor = await guest(client, tenant)
    session = await begun(visitor, sale, 0)
    await hold(visitor, sale, 20)
    answer = await buy(visitor, session, method="silent")
    assert answer.status_code == 202
    person = await sign_in(visitor, tenant)
    assert len(await held_by(person, sale)) == 1
    assert await wrong(server_url) == {}
    paying = [row for row in await rows(owner, "seat_holds", tenant) if row["attempt_id"]]
    assert [row["user_id"] for row in paying] != [tenant.people["customer"].id]


async def test_a_hold_whose_time_is_over_does_not_come_along(
    client: Client, staff: Client, tenant: Tenant, server_url: str, clock: Any
) -> None:
    sale = await selling(staff)
    visitor = await guest(client, tenant)
    await hold(visitor, sale, 0)
    await clock(timedelta(minutes=6))
    assert await held_by(await sign_in(visitor, tenant), sale) == []
    assert await wrong(server_url) == {}


@pytest.mark.req("QUEUE-1", "QUEUE-2")
async def test_a_place_in_the_line_comes_along(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff)
    data(await staff.put(sale.path("queue/settings"), json={"mode": "on", "slots": 1}))
    inside = await come(await guest(client, tenant), sale.show)
    first, second = [await come(await guest(client, tenant), sale.show) for _ in range(2)]
    person = await come(await sign_in(first.client, tenant), sale.show)
    assert (person.place["seq"], (await person.now())["position"]) == (first.place["seq"], 1)
    # Again, from behind: the better of two places is kept, and nobody has two.
    behind = await come(await sign_in(second.client, tenant), sale.show)
    assert (behind.place["seq"], (await behind.now())["position"]) == (first.place["seq"], 1)
    entries = {row["seq"]: row["status"] for row in await rows(owner, "queue_entries", tenant)}
    assert entries == {1: "admitted", 2: "waiting", 3: "left"}
    # And from inside: the slot is worth more than a place.
    now = await come(await sign_in(inside.client, tenant), sale.show)
    assert (now.place["seq"], now.place["status"]) == (inside.place["seq"], "admitted")
    assert await wrong(server_url) == {}
