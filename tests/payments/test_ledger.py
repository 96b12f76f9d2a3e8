"""The ledger balances, and stays: whatever a program tries, the tables refuse the rest."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse import prove
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.payments import actions
from fullhouse.payments.ledger import actions as ledger_actions
from fullhouse.payments.ledger.actions import OrderReference
from fullhouse.payments.model import RefundTooHigh
from tests.checkout.helpers import bought, rows, selling, wrong
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("BUY-4")


async def test_a_source_is_posted_once_for_a_kind(tx: Tx, owner: Any, tenant: Tenant) -> None:
    source, about = new_id(), OrderReference(new_id(), new_id())
    posting = {"provider:test": 500, "organizer": -500, "fees": 0}
    assert await ledger_actions.post(tx, "test", source, about, "EUR", posting)
    assert not await ledger_actions.post(tx, "test", source, about, "EUR", posting)
    assert await ledger_actions.post(tx, "payout", source, about, "EUR", {"fees": 5, "provider:test": -5})
    assert await tx.fetchval("SELECT count(*) FROM ledger_entries") == 4
    with pytest.raises(ValueError, match="balance"):
        await ledger_actions.post(tx, "x", source, about, "EUR", {"organizer": 1})


async def test_what_does_not_balance_is_not_committed(services: Services, tenant: Tenant, owner: Any) -> None:
    with pytest.raises(asyncpg.CheckViolationError, match="does not balance"):
        async with services.database.tenant(tenant.id) as tx:
            await _raw(tx, tenant, [("provider:test", 500), ("organizer", -499)])
    assert await rows(owner, "ledger_entries", tenant) == []
    async with services.database.tenant(tenant.id) as tx:
        transaction = await _raw(tx, tenant, [("provider:test", 500), ("organizer", -500)])
    with pytest.raises(asyncpg.CheckViolationError, match="does not balance"):
        async with services.database.tenant(tenant.id) as tx:  # nor is anything added later
            await _entry(tx, tenant, transaction, 3, "fees", 1)


async def _raw(tx: Tx, tenant: Tenant, entries: list[tuple[str, int]]) -> Any:
    transaction = new_id()
    await tx.execute(
        "INSERT INTO ledger_transactions (id, organization_id, kind, source_id, order_id, event_id)"
        " VALUES ($1, $2, 'test', $1, $1, $1)",
        transaction,
        tenant.id,
    )
    for position, (account, amount) in enumerate(entries):
        await _entry(tx, tenant, transaction, position, account, amount)
    return transaction


async def _entry(tx: Tx, tenant: Tenant, transaction: Any, position: int, account: str, amount: int) -> None:
    await tx.execute(
        "INSERT INTO ledger_entries VALUES ($1, $2, $3, $4, $5, 'EUR')",
        tenant.id,
        transaction,
        position,
        account,
        amount,
    )


@pytest.mark.parametrize("table", ["ledger_transactions", "ledger_entries"])
async def test_what_is_posted_stays(services: Services, tenant: Tenant, owner: Any, table: str) -> None:
    async with services.database.tenant(tenant.id) as tx:
        await _raw(tx, tenant, [("provider:test", 5), ("organizer", -5)])
    for statement in (f"UPDATE {table} SET organization_id = organization_id", f"DELETE FROM {table}"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with services.database.tenant(tenant.id) as tx:
                await tx.execute(statement)
        with pytest.raises(asyncpg.RestrictViolationError):
            await owner.execute(statement)
    with pytest.raises(asyncpg.PostgresError):
        await owner.execute(f"TRUNCATE {table} CASCADE")


async def test_no_more_goes_back_than_came_in(
    client: Client, staff: Client, tenant: Tenant, owner: Any, services: Services
) -> None:
    order = await bought(client, tenant, await selling(staff), 0)
    attempt_id = (await rows(owner, "payment_attempts", tenant))[0]["id"]
    event_id = UUID(order["event_id"])

    async def back(amount: int) -> None:
        async with services.database.tenant(tenant.id, SYSTEM) as tx:
            refund = await actions.request_refund(tx, attempt_id, event_id, amount, "asked for")
            entries = {"organizer": amount, "refunds": -amount}
            await ledger_actions.post(
                tx, "refund", refund.id, OrderReference(refund.order_id, event_id), "EUR", entries
            )

    await back(1500)
    with pytest.raises(RefundTooHigh):
        await back(1001)
    await back(1000)
    with pytest.raises(asyncpg.CheckViolationError):
        await owner.execute("UPDATE payment_attempts SET refunded = refunded + 1 WHERE id = $1", attempt_id)
    assert sum(row["amount"] for row in await rows(owner, "refunds", tenant)) == 2500


@asynccontextmanager
async def undone(owner: Any, statement: str, *args: Any) -> AsyncIterator[None]:
    transaction = owner.transaction()
    await transaction.start()
    try:
        await owner.execute(statement, *args)
        yield
    finally:
        await transaction.rollback()


async def test_prove_sees_money_that_is_nowhere(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    """Each check is shown a hole."""
    order = await bought(client, tenant, await selling(staff), 0, pit=1)
    assert await wrong(server_url) == {}
    holes = {
        "UPDATE orders SET status = 'pending', paid_at = NULL WHERE id = $1": {"paid", "priced"},
        "UPDATE payment_attempts SET status = 'failed' WHERE order_id = $1": {"paid", "ledger", "audited"},
        "DELETE FROM tickets WHERE order_id = $1": {"paid", "counted"},
        "UPDATE pools SET sold = sold + 1 WHERE event_id = (SELECT event_id FROM orders WHERE id = $1)": {"counted"},
        "UPDATE order_lines SET quantity = quantity + 1 WHERE order_id = $1": {"paid", "priced"},
    }
    for hole, seen in holes.items():
        async with undone(owner, hole, order["id"]):
            known = [
                check for check in prove.CHECKS if check.name not in ("on time", "parents")
            ]  # as `wrong` leaves them out
            found = {check.name: await check.find(owner) for check in known}
            assert {name for name, said in found.items() if said} == seen, hole
    assert await wrong(server_url) == {}
