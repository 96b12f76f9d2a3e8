"""Checkouts: begun, found again, left, over; who may see them, and what they count."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from fullhouse.checkout import actions, jobs
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.payments import actions as payments
from fullhouse.payments.model import Cancelled
from tests.accounts.helpers import data
from tests.checkout.helpers import add_promo, begun, bought, buy, code, hold, rows, selling, start, wrong
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest


async def held_of_types(owner: Any, sale: Any) -> int:
    return int(
        await owner.fetchval("SELECT sum(held) FROM pools WHERE event_id = $1 AND kind = 'ticket_type'", sale.event_id)
    )


async def give_up(owner: Any, column: str, value: UUID) -> None:
    """Open checkouts end and leave all else as it is: that was written down, too."""
    await owner.execute(
        f"WITH given_up AS (UPDATE checkout_sessions SET status = 'left' WHERE {column} = $1 AND status = 'open'"
        " RETURNING organization_id, id)"
        " INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, entity_id)"
        " SELECT gen_random_uuid(), organization_id, 'system', 'checkout.left', 'checkout', id FROM given_up",
        value,
    )


@pytest.mark.req("CHK-1", "CHK-2", "CHK-3")
async def test_a_checkout_lasts_ten_minutes_and_so_does_what_it_gathers(
    client: Client, staff: Client, tenant: Tenant, owner: Any, clock: Any
) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    items = await hold(buyer, sale, 0, pit=1)
    await clock(timedelta(minutes=4))
    session = data(await start(buyer, sale, items), 201)
    left_s = session["expires_at_unix_ms"] / 1000 - session["server_time_unix_ms"] / 1000
    assert 590 < left_s <= 600
    assert {item["held_until_unix_ms"] for item in session["items"]} == {session["expires_at_unix_ms"]}
    (until,) = {row["held_until"] for row in await rows(owner, "seat_holds", tenant)}
    seat = await owner.fetchval(
        "SELECT held_until FROM event_seats WHERE event_id = $1 AND status = 'held'", sale.event_id
    )
    assert seat == until
    # Beginning again gains no time, also after the first one was given up.
    await clock(timedelta(minutes=8))
    again = data(await start(buyer, sale, items), 201)
    assert again["expires_at"] == session["expires_at"]
    await give_up(owner, "id", UUID(again["id"]))
    data(await start(buyer, sale, items), 201)
    assert {row["held_until"] for row in await rows(owner, "seat_holds", tenant)} == {until}


@pytest.mark.req("CHK-2")
async def test_a_longer_hold_is_not_shortened(client: Client, staff: Client, tenant: Tenant, owner: Any) -> None:
    sale = await selling(staff)
    data(await staff.put(sale.path("seating-policy"), json={"policy": {"default_hold_ttl_minutes": 30}}))
    buyer = await guest(client, tenant)
    items = await hold(buyer, sale, 0)
    (before,) = await rows(owner, "seat_holds", tenant)
    data(await start(buyer, sale, items), 201)
    assert (await rows(owner, "seat_holds", tenant))[0]["held_until"] == before["held_until"]


PROLONGED = {
    "held_until = app.clock() - interval '30 s'": False,
    "held_until = app.clock()": False,
    "held_until = app.clock() + interval '1 us'": True,
    "held_until = app.clock() + interval '10 min' - interval '1 us'": True,
    "held_until = app.clock() + interval '10 min'": False,
    "held_until = app.clock() + interval '10 min 1 us'": False,
    "status = 'expired'": False,
}


@pytest.mark.req("CHK-2")
@pytest.mark.parametrize("row", PROLONGED)
async def test_what_is_live_and_ends_before_the_checkout_lasts_as_long(
    row: str, client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    """In a transaction the database's clock stands still. Somebody else is in a checkout of other seats."""
    sale = await selling(staff)
    (item,) = await hold(await guest(client, tenant), sale, 0)
    await begun(await guest(client, tenant), sale, 5)
    mine = UUID(item["hold_id"])
    seats = "SELECT ordinal, version FROM event_seats WHERE event_id = $1"
    versions = dict(map(tuple, await owner.fetch(seats, sale.event_id)))
    undone = owner.transaction()
    await undone.start()
    try:
        await owner.execute(f"UPDATE seat_holds SET {row} WHERE id = $1", mine)
        longer = "SELECT app.clock() + interval '10 min' AS until"
        found = await owner.fetch(
            f"SELECT p.hold_id, p.held_until = c.until AS is_so FROM ({longer}) c,"
            " app.prolong_holds($1, $2, ARRAY[$3::uuid], c.until) p", tenant.id, sale.event_id, mine,
        )  # fmt: skip
        assert [tuple(row) for row in found] == ([(mine, True)] if PROLONGED[row] else [])
        at = f"{seats} AND held_until = app.clock() + interval '10 min'"
        assert dict(map(tuple, await owner.fetch(at, sale.event_id))) == ({0: versions[0] + 1} if found else {})
    finally:
        await undone.rollback()


@pytest.mark.req("CHK-2")
async def test_it_is_found_again(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    assert code(await buyer.get(sale.path("checkout"))) == (404, "checkout_not_found")
    session = await begun(buyer, sale, 0)
    for path in (sale.path("checkout"), f"/api/checkout/{session['id']}"):
        found = data(await buyer.get(path))
        assert found | {"server_time_unix_ms": 0} == session | {"server_time_unix_ms": 0}
    assert code(await buyer.get(f"/api/events/{new_id()}/checkout"))[0] == 404


@pytest.mark.req("CHK-1", "CHK-3")
async def test_beginning_again_replaces_it_without_a_longer_time(
    client: Client, staff: Client, tenant: Tenant, owner: Any, clock: Any, server_url: str
) -> None:
    sale = await selling(staff, quantity=3)
    buyer = await guest(client, tenant)
    first = await begun(buyer, sale, 0, 1)
    await clock(timedelta(minutes=2))
    second = await begun(buyer, sale, 2, pit=1)
    assert second["id"] != first["id"]
    assert second["expires_at"] == first["expires_at"]
    assert data(await buyer.get(sale.path("checkout")))["id"] == second["id"]
    assert data(await buyer.get(f"/api/checkout/{first['id']}"))["status"] == "left"
    assert await held_of_types(owner, sale) == 2
    assert await wrong(server_url) == {}


@pytest.mark.req("CHK-1")
async def test_leaving_frees_everything_at_once(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, quantity=4)
    await add_promo(staff, sale)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0, 1, pit=1, promo_code="once")
    assert session["total"]["amount"] == 7400
    assert code(await start(await guest(client, tenant), sale, [])) == (422, "invalid")
    for _ in range(2):
        assert (await buyer.delete(f"/api/checkout/{session['id']}")).status_code == 204
    assert {row["status"] for row in await rows(owner, "seat_holds", tenant)} == {"cancelled"}
    assert {row["held"] for row in await rows(owner, "pools", tenant)} == {0}
    assert [row["status"] for row in await rows(owner, "queue_entries", tenant)] == ["left"]
    again = await begun(await guest(client, tenant), sale, 0, promo_code="ONCE")
    assert again["total"]["amount"] == 2400
    assert await wrong(server_url) == {}


@pytest.mark.req("CHK-1")
async def test_its_time_over_it_gives_back_what_it_counted_but_not_the_holds(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    clock: Any,
    finder: Database,
    services: Services,
    server_url: str,
) -> None:
    sale = await selling(staff, quantity=4)
    await add_promo(staff, sale)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0, promo_code="ONCE")
    await clock(timedelta(minutes=9))
    (fresh,) = await hold(buyer, sale, 1)
    await jobs.expire_sessions(finder, services.database)
    assert data(await buyer.get(sale.path("checkout")))["status"] == "open"
    await clock(timedelta(minutes=10, seconds=1))
    assert code(await buy(buyer, session)) == (409, "checkout_expired")
    assert data(await buyer.get(f"/api/checkout/{session['id']}"))["status"] == "expired"
    assert code(await buyer.get(sale.path("checkout"))) == (404, "checkout_not_found")
    for _ in range(2):  # once is enough
        await jobs.expire_sessions(finder, services.database)
        ended = "entity_id = $1 AND action = 'checkout.expired'"
        assert await owner.fetchval(f"SELECT count(*) FROM audit_log WHERE {ended}", session["id"]) == 1
    assert await held_of_types(owner, sale) == 0
    assert [row["uses"] for row in await rows(owner, "promo_codes", tenant)] == [0]
    live = {row["id"] for row in await rows(owner, "seat_holds", tenant) if row["status"] == "active"}
    assert fresh["hold_id"] in map(str, live)
    assert data(await start(buyer, sale, [fresh], promo_code="once"), 201)["id"] != session["id"]
    assert "checkout.ended" in {row["name"] for row in await rows(owner, "outbox", tenant)}


@pytest.mark.req("CHK-1")
async def test_a_checkout_that_cannot_be_ended_hinders_no_other(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    clock: Any,
    finder: Database,
    services: Services,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sale = await selling(staff)
    buyers = [await guest(client, tenant) for _ in range(2)]
    ids = [(await begun(buyer, sale, n))["id"] for n, buyer in enumerate(buyers)]
    real = actions.expire

    async def broken(tx: Any, session_id: UUID) -> bool:
        if str(session_id) == ids[0]:
            await tx.execute("SELECT 1 / 0")
        return await real(tx, session_id)

    async def statuses() -> list[str]:
        found = {str(row["id"]): row["status"] for row in await rows(owner, "checkout_sessions", tenant)}
        return [found[session_id] for session_id in ids]

    monkeypatch.setattr(actions, "expire", broken)
    await clock(timedelta(minutes=11))
    await jobs.expire_sessions(finder, services.database)
    assert await statuses() == ["open", "expired"]
    monkeypatch.undo()
    await jobs.expire_sessions(finder, services.database)
    assert await statuses() == ["expired", "expired"]


@pytest.mark.req("CHK-1", "QUEUE-1")
async def test_a_slot_goes_with_its_checkout_and_not_before(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    """Given back alone, it would let others in beside a checkout that goes on: more than there are slots."""
    sale = await selling(staff)
    data(await staff.put(sale.path("queue/settings"), json={"slots": 1}))
    first, second = await guest(client, tenant), await guest(client, tenant)
    items = await hold(second, sale, 5)
    session = await begun(first, sale, 0)
    assert code(await first.delete(sale.path("queue"))) == (409, "in_checkout")
    assert await wrong(server_url) == {}
    assert (await first.delete(f"/api/checkout/{session['id']}")).status_code == 204
    assert (await start(second, sale, items)).status_code == 201
    slots = "UPDATE queue_entries SET status = 'left' WHERE organization_id = $1 AND status = 'admitted'"
    await owner.execute(slots, tenant.id)
    assert "open without a slot" in str(await wrong(server_url))
    await give_up(owner, "organization_id", tenant.id)


@pytest.mark.req("CHK-1", "BUY-6")
async def test_when_all_slots_are_taken_one_waits_with_a_position(
    client: Client, staff: Client, tenant: Tenant
) -> None:
    sale = await selling(staff)
    data(await staff.put(sale.path("queue/settings"), json={"slots": 1}))
    first, second = await guest(client, tenant), await guest(client, tenant)
    items = await hold(second, sale, 5)
    session = await begun(first, sale, 0)
    waiting = data(await start(second, sale, items), 202)
    assert (waiting["status"], waiting["position"]) == ("waiting", 1)
    assert waiting["token"]
    assert data(await start(first, sale, await hold(first, sale, 1)), 201)["expires_at"] == session["expires_at"]


@pytest.mark.req("CHK-1", "CHK-3")
@pytest.mark.parametrize("taken", [True, False])
async def test_a_payment_that_outlasts_its_checkout_and_fails_leaves_nothing(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    process: Services,
    clock: Any,
    server_url: str,
    taken: bool,
) -> None:
    """Whether or not somebody else has the slot by then."""
    sale = await selling(staff, quantity=9)
    data(await staff.put(sale.path("queue/settings"), json={"slots": 1}))
    first, second = await guest(client, tenant), await guest(client, tenant)
    session = await begun(first, sale, 0)
    data(await buy(first, session, method="delay"), 202)
    await clock(timedelta(minutes=11))
    other = await begun(second, sale, 5)
    if not taken:
        assert (await second.delete(f"/api/checkout/{other['id']}")).status_code == 204
    (attempt,) = await rows(owner, "payment_attempts", tenant)
    async with process.database.tenant(tenant.id, SYSTEM) as tx:
        await payments.record_outcome(tx, attempt["id"], Cancelled())
    live = [row["id"] for row in await rows(owner, "checkout_sessions", tenant) if row["status"] == "open"]
    assert live == ([UUID(other["id"])] if taken else [])
    slots = [row["user_id"] for row in await rows(owner, "queue_entries", tenant) if row["status"] == "admitted"]
    assert len(slots) == taken
    assert await held_of_types(owner, sale) == taken
    assert data(await first.get(f"/api/checkout/{session['id']}"))["status"] == "expired"
    assert await wrong(server_url) == {}


@pytest.mark.req("CHK-2")
async def test_who_holds_nothing_is_not_queued(client: Client, staff: Client, tenant: Tenant, owner: Any) -> None:
    sale = await selling(staff)
    buyer, other = await guest(client, tenant), await guest(client, tenant)
    theirs = await hold(other, sale, 0)
    for items in (theirs, [theirs[0] | {"hold_id": str(new_id())}]):
        answer = await start(buyer, sale, items)
        assert code(answer) == (409, "hold_expired")
        assert answer.json()["hold_ids"] == [items[0]["hold_id"]]
    assert await rows(owner, "queue_entries", tenant) == []


@pytest.mark.req("BUY-1")
async def test_who_wants_more_than_are_left_is_told_how_many(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff, quantity=1)
    buyer = await guest(client, tenant)
    items = await hold(buyer, sale, 0, 1)
    answer = await start(buyer, sale, items)
    assert code(answer) == (409, "insufficient_inventory")
    assert answer.json()["left"] == {items[0]["ticket_type_id"]: 1}


@pytest.mark.req("TT-1", "BUY-1")
@pytest.mark.parametrize("ending", ["bought", "left"])
async def test_a_quantity_that_is_set_later_counts_what_is_being_bought(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str, ending: str
) -> None:
    sale = await selling(staff)
    buyer, other = await guest(client, tenant), await guest(client, tenant)
    session = await begun(buyer, sale, 0, 1)
    path = sale.path(f"ticket-types/{sale.types['seat']}")
    assert code(await staff.patch(path, json={"quantity": 1})) == (409, "quantity_below_sold")
    data(await staff.patch(path, json={"quantity": 2}))
    assert code(await start(other, sale, await hold(other, sale, 5))) == (409, "ticket_type_sold_out")
    if ending == "bought":
        assert len(data(await buy(buyer, session), 201)["tickets"]) == 2
    else:
        assert (await buyer.delete(f"/api/checkout/{session['id']}")).status_code == 204
    assert await held_of_types(owner, sale) == 0
    assert await wrong(server_url) == {}


@pytest.mark.req("CHK-1")
async def test_a_refused_start_keeps_no_slot(client: Client, staff: Client, tenant: Tenant, owner: Any) -> None:
    sale = await selling(staff, quantity=1)
    first, second = await guest(client, tenant), await guest(client, tenant)
    await begun(first, sale, 0)
    items = await hold(second, sale, 3)
    answer = await start(second, sale, items)
    assert code(answer) == (409, "ticket_type_sold_out")
    assert sorted(row["status"] for row in await rows(owner, "queue_entries", tenant)) == ["admitted", "left"]
    assert code(await start(second, sale, items, promo_code="NO-SUCH")) == (422, "promo_code_unknown")


@pytest.mark.req("TEN-2")
async def test_somebody_elses_checkout_and_order_do_not_exist(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    buyer, other = await guest(client, tenant), await guest(client, tenant)
    session = await begun(buyer, sale, 0)
    for method in ("GET", "DELETE"):
        foreign = await other.request(method, f"/api/checkout/{session['id']}")
        missing = await other.request(method, f"/api/checkout/{new_id()}")
        assert code(foreign) == (404, "checkout_not_found")
        assert foreign.content == missing.content
    assert code(await buy(other, session)) == (404, "checkout_not_found")
    order = data(await buy(buyer, session), 201)
    assert code(await other.get(f"/api/orders/{order['id']}")) == (404, "order_not_found")
    assert data(await other.get("/api/orders")) == []


@pytest.mark.req("BUY-5")
async def test_an_order_is_seen_by_its_buyer_by_staff_and_by_its_secret(
    client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    order = data(await buy(buyer, await begun(buyer, sale, 0)), 201)
    await bought(client, tenant, sale, 1)
    assert data(await buyer.get(f"/api/orders/{order['id']}")) == order
    assert [row["id"] for row in data(await buyer.get("/api/orders"))] == [order["id"]]
    seen = data(await staff.get(f"/api/orders/{order['id']}"))
    assert seen | {"secret": order["secret"]} == order
    assert seen["secret"] is None
    assert len(data(await staff.get("/api/orders"))) == 2
    for query in (f"code={order['code'].lower()}", "status=paid&limit=1", f"event_id={sale.event_id}"):
        assert data(await staff.get(f"/api/orders?{query}"))[0]["id"] == order["id"], query
    assert len(data(await staff.get(sale.path("orders")))) == 2
    secret = order["secret"]
    assert len(secret) > 64
    by_secret = data(await client.get("/api/order", headers={"authorization": f"Bearer {secret}"}))
    assert by_secret["id"] == order["id"]
    for wrong_one in ("", secret[:-6] + "AAAAAA", "fho_nonsense", tenant.tokens["owner"]):
        answer = await client.get("/api/order", headers={"authorization": f"Bearer {wrong_one}"})
        assert code(answer) == (404, "order_not_found")
    stored = await owner.fetchval("SELECT secret_hash FROM orders WHERE id = $1", order["id"])
    assert secret.encode() not in stored


@pytest.mark.req("CHK-1")
async def test_a_postponed_show_lets_its_checkouts_run_out(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0)
    data(await move(staff, {"id": sale.event_id}, "postpone"))
    assert code(await buy(buyer, session)) == (400, "event_not_available")
    assert [row["status"] for row in await rows(owner, "seat_holds", tenant)] == ["suspended"]
    data(await move(staff, {"id": sale.event_id}, "reschedule", rescheduled_at="2090-09-01T19:00:00Z"))
    assert data(await buy(buyer, session), 201)["status"] == "paid"
    assert await wrong(server_url) == {}
    assert datetime.fromisoformat(session["expires_at"])
