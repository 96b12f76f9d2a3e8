"""The test provider's switches, and what becomes of each: asked again, settled, given up, given back."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from fullhouse.checkout.orders.settlement_batcher import CapturedPayment, SettlementBatcher
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.db.database import Database
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.services import Services
from fullhouse.payments import actions, jobs
from fullhouse.payments import policy as payment_policy
from fullhouse.payments.model import Captured, Failed
from fullhouse.payments.providers.actions import Providers
from tests.accounts.helpers import data
from tests.checkout.helpers import begun, buy, code, rows, selling, wrong
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest
from tests.kit.helpers import until

LATER = timedelta(seconds=30)


async def paying(client: Client, staff: Client, tenant: Tenant, method: str, **more: Any) -> tuple[Client, Any, Any]:
    """Somebody whose payment is not settled at once: the order says so."""
    sale = await selling(staff, **more)
    buyer = await guest(client, tenant)
    order = data(await buy(buyer, await begun(buyer, sale, 0, pit=1), method=method), 202)
    assert order["status"] == "pending"
    return buyer, sale, order


async def frozen(owner: Any, tenant: Tenant) -> list[bool]:
    held = await owner.fetch(
        "SELECT held_until = 'infinity' AND attempt_id IS NOT NULL AS frozen FROM seat_holds"
        " WHERE organization_id = $1 AND status = 'active'",
        tenant.id,
    )
    return [row["frozen"] for row in held]


@pytest.mark.req("BUY-3")
async def test_a_lost_answer_is_asked_for_until_it_is_known(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
) -> None:
    """`drop`: captured, but we never heard of it. The seats stay until somebody has asked."""
    buyer, _, order = await paying(client, staff, tenant, "drop")
    assert order["payment"]["status"] == "unknown"
    assert await frozen(owner, tenant) == [True, True]
    await jobs.poll_attempts(finder, process)
    (attempt,) = await rows(owner, "payment_attempts", tenant)
    assert attempt["asked"] == 0  # not due: it might still be on its way
    await clock(LATER)
    await jobs.poll_attempts(finder, process)
    settled = data(await buyer.get(f"/api/orders/{order['id']}"))
    assert (settled["status"], len(settled["tickets"])) == ("paid", 2)
    assert [row["calls"] for row in await rows(owner, "test_charges", tenant)] == [1]
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-3")
async def test_a_payment_that_cannot_be_settled_hinders_no_other(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = await paying(client, staff, tenant, "drop")
    second = await paying(client, staff, tenant, "drop")
    broken_id = await owner.fetchval("SELECT attempt_id FROM orders WHERE id = $1", first[2]["id"])
    real = actions.record_outcome

    async def broken(tx: Any, attempt_id: UUID, outcome: Any) -> Any:
        if attempt_id == broken_id:
            await tx.execute("SELECT 1 / 0")
        return await real(tx, attempt_id, outcome)

    monkeypatch.setattr(actions, "record_outcome", broken)
    await clock(LATER)
    await jobs.poll_attempts(finder, process)
    seen = [data(await buyer.get(f"/api/orders/{order['id']}"))["status"] for buyer, _, order in (first, second)]
    assert seen == ["pending", "paid"]
    monkeypatch.undo()
    await clock(4 * LATER)
    await jobs.poll_attempts(finder, process)
    assert data(await first[0].get(f"/api/orders/{first[2]['id']}"))["status"] == "paid"
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-1", "BUY-3")
async def test_a_type_that_is_being_paid_for_stays_and_so_does_one_that_was(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
) -> None:
    """Without it the money would come, and no ticket could be issued; late money too."""
    buyer, sale, order = await paying(client, staff, tenant, "drop")
    path = f"/api/events/{sale.event_id}/ticket-types/{sale.types['seat']}"
    in_use = (409, "ticket_type_in_use")
    assert code(await staff.delete(path)) == in_use
    await clock(LATER)
    await jobs.poll_attempts(finder, process)
    assert len(data(await buyer.get(f"/api/orders/{order['id']}"))["tickets"]) == 2
    other, other_sale, declined = await paying(client, staff, tenant, "delay")
    attempt_id = await owner.fetchval("SELECT attempt_id FROM orders WHERE id = $1", declined["id"])
    async with process.database.tenant(tenant.id, SYSTEM) as tx:
        await actions.record_outcome(tx, attempt_id, Failed("card_declined", "The card was declined."))
    path = f"/api/events/{other_sale.event_id}/ticket-types/{other_sale.types['seat']}"
    assert code(await staff.delete(path)) == in_use
    async with process.database.tenant(tenant.id, SYSTEM) as tx:
        await actions.record_outcome(tx, attempt_id, Captured(str(attempt_id), 5000))
    assert len(data(await other.get(f"/api/orders/{declined['id']}"))["tickets"]) == 2
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-3")
@pytest.mark.parametrize("method", ["error", "silent"])
async def test_what_was_never_charged_fails_once_it_is_known(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
    method: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:  # for the start alone: whoever asks afterwards must hear the answer
        patch.setattr(payment_policy, "CALL_TIMEOUT_S", 0.2)
        buyer, sale, order = await paying(client, staff, tenant, method, quantity=3)
    assert await frozen(owner, tenant) == [True, True]
    await clock(LATER)
    await jobs.poll_attempts(finder, process)
    assert data(await buyer.get(f"/api/orders/{order['id']}"))["status"] == "cancelled"
    assert await frozen(owner, tenant) == [False, False]
    session = data(await buyer.get(sale.path("checkout")))
    assert data(await buy(buyer, session), 201)["status"] == "paid"
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-3")
async def test_a_pending_payment_has_a_secret_and_is_settled_when_asked(
    client: Client, staff: Client, tenant: Tenant, process: Services, finder: Database, clock: Any, server_url: str
) -> None:
    buyer, _, order = await paying(client, staff, tenant, "delay")
    assert order["payment"]["client_secret"].startswith("test_secret_")
    await clock(LATER)
    await jobs.poll_attempts(finder, process)
    settled = data(await buyer.get(f"/api/orders/{order['id']}"))
    assert (settled["status"], settled["payment"]["client_secret"]) == ("paid", None)
    await jobs.poll_attempts(finder, process)
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-3")
async def test_what_stays_pending_is_called_off_at_the_provider_first(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
) -> None:
    buyer, _, order = await paying(client, staff, tenant, "delay")
    await clock(timedelta(minutes=16))
    await jobs.poll_attempts(finder, process)
    assert [row["status"] for row in await rows(owner, "test_charges", tenant)] == ["cancelled"]
    assert [row["status"] for row in await rows(owner, "payment_attempts", tenant)] == ["abandoned"]
    assert data(await buyer.get(f"/api/orders/{order['id']}"))["status"] == "cancelled"
    assert await frozen(owner, tenant) == [False, False]
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-3")
async def test_the_news_may_come_twice(
    client: Client,
    lane: LaneRouter,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    server_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second time it is heard whole, and changes nothing."""
    heard: list[UUID] = []
    provider = lane.wide.state.services.part(Providers)._by_name["test"]
    usual = provider._notify

    async def notify(organization_id: UUID, attempt_id: UUID, outcome: Any) -> None:
        await usual(organization_id, attempt_id, outcome)
        heard.append(attempt_id)

    monkeypatch.setattr(provider, "_notify", notify)
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    assert data(await buy(buyer, await begun(buyer, sale, 0), method="twice"), 201)["status"] == "paid"
    await until(lambda: heard)
    (attempt,) = await rows(owner, "payment_attempts", tenant)
    assert (heard, attempt["status"]) == ([attempt["id"]], "captured")
    assert len(await rows(owner, "tickets", tenant)) == 1
    assert len(await rows(owner, "ledger_transactions", tenant)) == 1
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-3")
async def test_news_of_all_kinds_at_once_settle_once(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    """The sweep, a webhook and its duplicates meet in one function."""
    _, _, order = await paying(client, staff, tenant, "drop")
    attempt_id = (await rows(owner, "payment_attempts", tenant))[0]["id"]

    async def news(outcome: Any) -> None:
        async with process.database.tenant(tenant.id, SYSTEM) as tx:
            await actions.record_outcome(tx, attempt_id, outcome)

    captured, failed = Captured(str(attempt_id), order["total"]["amount"]), Failed("no", "No.")
    await asyncio.gather(*(news(captured) for _ in range(8)))
    await news(failed)
    assert (await rows(owner, "payment_attempts", tenant))[0]["status"] == "captured"
    assert len(await rows(owner, "tickets", tenant)) == 2
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-3")
@pytest.mark.parametrize("more", [-1, 1])
async def test_another_amount_is_an_alarm_and_no_ticket(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, more: int
) -> None:
    _, _, order = await paying(client, staff, tenant, "drop")
    attempt_id = (await rows(owner, "payment_attempts", tenant))[0]["id"]
    for _ in range(2):
        async with process.database.tenant(tenant.id, SYSTEM) as tx:
            await actions.record_outcome(tx, attempt_id, Captured(f"x-{attempt_id}", order["total"]["amount"] + more))
    (attempt,) = await rows(owner, "payment_attempts", tenant)
    assert (attempt["status"], attempt["failure_code"]) == ("unknown", "wrong_amount")
    assert await rows(owner, "tickets", tenant) == []
    alarms = await owner.fetchval(
        "SELECT count(*) FROM audit_log WHERE action = 'payment.wrong_amount' AND organization_id = $1", tenant.id
    )
    assert alarms == 1


@pytest.mark.req("BUY-2", "BUY-3")
@pytest.mark.parametrize("more", [-1, 0, 1])
async def test_news_that_come_together_are_taken_together_if_each_is_as_agreed(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, more: int
) -> None:
    """A batch is one statement: what somebody paid too much or too little in it is seen by that statement."""
    sale = await selling(staff, quantity=9)
    for seat in (0, 1):
        buyer = await guest(client, tenant)
        data(await buy(buyer, await begun(buyer, sale, seat, pit=1), method="delay"), 202)
    first, second = await rows(owner, "payment_attempts", tenant)
    news = [
        CapturedPayment(first["id"], Captured(f"a-{tenant.id}", first["amount"]), SYSTEM),
        CapturedPayment(second["id"], Captured(f"b-{tenant.id}", second["amount"] + more), SYSTEM),
    ]
    said = await process.part(SettlementBatcher)._settle_batch((tenant.id, sale.event_id), news, [False, True])
    assert [order is not None for order in said] == [more == 0] * 2
    states = [row["status"] for row in await rows(owner, "payment_attempts", tenant)]
    assert states == ["captured" if more == 0 else "pending"] * 2
    assert len(await rows(owner, "tickets", tenant)) == (4 if more == 0 else 0)


# --- frozen


@pytest.mark.req("BUY-3", "HOLD-5")
async def test_nobody_takes_away_what_is_being_paid_for(
    client: Client, staff: Client, tenant: Tenant, owner: Any, clock: Any, server_url: str
) -> None:
    buyer, sale, order = await paying(client, staff, tenant, "drop")
    session_id = (await rows(owner, "checkout_sessions", tenant))[0]["id"]
    for held in await rows(owner, "seat_holds", tenant):
        assert code(await buyer.delete(f"/api/holds/{held['id']}")) == (409, "payment_running")
        assert code(await staff.delete(f"/api/holds/{held['id']}?reason=x")) == (409, "payment_running")
    blocked = await staff.post(sale.path("seats/block"), json={"seat_ids": [sale.show.seat(0)], "reason": "Camera"})
    assert code(blocked) == (409, "payment_running")
    assert code(await buyer.delete(f"/api/checkout/{session_id}")) == (409, "payment_running")
    for step in ("postpone", "reschedule"):
        data(await move(staff, {"id": sale.event_id}, step))
        assert await frozen(owner, tenant) == [True, True]
        seats = await owner.fetch(
            "SELECT held_until = 'infinity' AS f FROM event_seats WHERE event_id = $1 AND status = 'held'",
            sale.event_id,
        )
        assert [row["f"] for row in seats] == [True]
    assert order["status"] == "pending"
    assert await wrong(server_url) == {}


@pytest.mark.req("CHK-1", "BUY-3")
async def test_leaving_calls_a_pending_payment_off(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    buyer, sale, _ = await paying(client, staff, tenant, "delay")
    session = data(await buyer.get(sale.path("checkout")))
    assert (await buyer.delete(f"/api/checkout/{session['id']}")).status_code == 204
    assert [row["status"] for row in await rows(owner, "test_charges", tenant)] == ["cancelled"]
    assert {row["status"] for row in await rows(owner, "seat_holds", tenant)} == {"cancelled"}
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-3", "BUY-4")
@pytest.mark.parametrize("method", ["drop", "delay"])
async def test_a_show_that_is_cancelled_while_somebody_pays_gives_the_money_back(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
    method: str,
) -> None:
    buyer, sale, order = await paying(client, staff, tenant, method, quantity=4)
    data(await move(staff, {"id": sale.event_id}, "cancel"))
    assert {row["status"] for row in await rows(owner, "seat_holds", tenant)} == {"cancelled"}
    assert {row["held"] for row in await rows(owner, "pools", tenant)} == {0}
    await clock(LATER)
    await jobs.poll_attempts(finder, process)
    seen = data(await buyer.get(f"/api/orders/{order['id']}"))
    assert (seen["status"], seen["tickets"]) == ("cancelled", [])
    assert [(r["amount"]["amount"], r["status"]) for r in seen["refunds"]] == [(order["total"]["amount"], "requested")]
    assert await wrong(server_url) == {}
    await jobs.pay_refunds(finder, process)
    await jobs.pay_refunds(finder, process)
    seen = data(await buyer.get(f"/api/orders/{order['id']}"))
    assert [r["status"] for r in seen["refunds"]] == ["done"]
    balance = await owner.fetch(
        "SELECT account, sum(amount) AS amount FROM ledger_entries WHERE organization_id = $1 GROUP BY 1", tenant.id
    )
    assert {row["account"]: int(row["amount"]) for row in balance} == {"provider:test": 0, "refunds": 0}
    assert await wrong(server_url) == {}
    assert UUID(order["id"])
