"""The provider `test`: behaves like a real one and charges nothing. Every response and the log say so.

It stores its charges by their keys in its own table, outside of the application's transactions, so that a charge is not
lost when a transaction of ours is rolled back. The method decides what happens:

    approve   captured at once
    decline   declined
    delay     pending; captured when it is polled first
    twice     captured, and the outcome is delivered a second time by the provider
    drop      captured, but the response is lost
    error     fails before it has charged
    silent    never responds, and has not charged
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any
from uuid import UUID

import structlog

from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.telemetry.telemetry import warn_once
from fullhouse.payments import store
from fullhouse.payments.model import (
    Attempt,
    Cancelled,
    Captured,
    Failed,
    Outcome,
    Pending,
    Refund,
    Refunded,
    RefundOutcome,
    Unknown,
)

METHODS = ("approve", "decline", "delay", "twice", "drop", "error", "silent")
FIRST_STATUS = {
    "approve": "captured",
    "twice": "captured",
    "drop": "captured",
    "decline": "declined",
    "delay": "pending",
}
NOTICE = "TEST PAYMENTS: you are not charged, and no money is paid out."
log = structlog.get_logger()
Notify = Callable[[UUID, UUID, Outcome], Coroutine[Any, Any, None]]


class SimulatedFailure(Exception):
    """Simulates a provider's HTTP 500 or a lost connection."""


class SandboxProvider:
    name = "test"
    notice: str | None = NOTICE
    methods = METHODS
    public_key: str | None = None

    def __init__(self, database: Database, notify: Notify) -> None:
        self._database, self._notify = database, notify
        self._notifications: set[asyncio.Task[None]] = set()

    async def start(self, attempt: Attempt) -> Outcome:
        method = attempt.method or "approve"
        log.warning("payments.test_charge", detail="nobody is charged", attempt_id=str(attempt.id), method=method)
        if method == "error":
            raise SimulatedFailure("500")
        if method == "silent":
            await asyncio.Event().wait()
        async with self._database.tenant(attempt.organization_id) as tx:
            status = await self._charge(tx, attempt, method)
        if method == "drop":
            raise SimulatedFailure("connection lost")
        outcome = _to_outcome(attempt, status)
        if method == "twice":
            task = asyncio.create_task(self._notify(attempt.organization_id, attempt.id, outcome))
            self._notifications.add(task)
            task.add_done_callback(self._notifications.discard)
        return outcome

    async def poll(self, attempt: Attempt) -> Outcome:
        async with self._database.tenant(attempt.organization_id) as tx:
            status = await store.charge_status(tx, attempt.id)
            if status == "pending":
                await store.move_charge(tx, key=attempt.id, from_status="pending", status="captured")
                status = await store.charge_status(tx, attempt.id)
        return _to_outcome(attempt, status)

    async def cancel(self, attempt: Attempt) -> Outcome:
        async with self._database.tenant(attempt.organization_id) as tx:
            await store.move_charge(tx, key=attempt.id, from_status="pending", status="cancelled")
            return _to_outcome(attempt, await store.charge_status(tx, attempt.id))

    async def refund(self, refund: Refund, attempt: Attempt) -> RefundOutcome:
        warn_once(log, "payments.test_refund", detail="no money is paid out", refund_id=str(refund.id))
        async with self._database.tenant(refund.organization_id) as tx:
            if await store.charge_status(tx, attempt.id) != "captured":
                return Failed("no_such_charge", "The provider has no such charge.")
            await store.charge_once(
                tx,
                key=refund.key,
                kind="refund",
                method="refund",
                amount=refund.amount,
                currency=refund.currency,
                status="refunded",
            )
        return Refunded(str(refund.key))

    async def close(self) -> None:
        await asyncio.gather(*self._notifications, return_exceptions=True)

    async def _charge(self, tx: Tx, attempt: Attempt, method: str) -> str | None:
        """Charges once for the key, however often it is called."""
        status = FIRST_STATUS[method]
        return await store.charge_once(
            tx,
            key=attempt.id,
            kind="charge",
            method=method,
            amount=attempt.amount,
            currency=attempt.currency,
            status=status,
        )


def _to_outcome(attempt: Attempt, status: str | None) -> Outcome:
    match status:
        case "captured":
            return Captured(str(attempt.id), attempt.amount)
        case "pending":
            return Pending(str(attempt.id), f"test_secret_{attempt.id.hex}")
        case "declined":
            return Failed("card_declined", "The card was declined.")
        case "cancelled":
            return Cancelled()
        case None:
            return Failed("never_arrived", "The provider has no record of this payment.")
    return Unknown()
