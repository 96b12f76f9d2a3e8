"""The purchase in three steps: freeze the holds, take the payment outside of any transaction, settle.

The first step stores the order under its idempotency key: a repeated request finds it and waits for its outcome, even
if the process of the first one has crashed. The third step runs wherever the payment's outcome arrives (settle.py).
"""

import asyncio
import hashlib
from typing import NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from fullhouse.accounts import actions as accounts
from fullhouse.checkout import policy, store
from fullhouse.checkout import zone_access as entry
from fullhouse.checkout.model import EventNotAvailable, Order, Purchase
from fullhouse.checkout.orders.reads import derive_secret, load_response, read_response, require_order
from fullhouse.checkout.orders.settlement_batcher import CapturedPayment, SettlementBatcher
from fullhouse.holds import payment_actions as sales
from fullhouse.kit import secrets
from fullhouse.kit.actors import Principal
from fullhouse.kit.codes import new_code
from fullhouse.kit.http.idempotency import WAIT_S, Claim, KeyReused, StillRunning
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.payments import actions as payments
from fullhouse.payments.model import (
    FIRST_POLL_S,
    GIVE_UP_S,
    Attempt,
    Captured,
    Outcome,
    PaymentDeclined,
    Pending,
    Unknown,
)
from fullhouse.payments.providers.actions import Providers

ROUTE = "POST /api/checkout/{id}/purchase"
POLL_S = 0.25
TRIES = 3
RETRY_CONSTRAINTS = (
    "orders_organization_id_code_key",  # another order has the code: one chance in a billion
    "orders_once",  # another process used the key for another checkout at the same time: the retry sees its order
)


class PurchaseResult(NamedTuple):
    """The result of a purchase: an order with tickets, or one whose payment is open."""

    order: Order
    settled: bool


# --- buying


async def purchase(services: Services, who: Principal, session_id: UUID, request: Purchase, key: str) -> PurchaseResult:
    """Buys the items of a checkout, once for each key. A refusal changes nothing; a declined payment is recorded."""
    services.part(Providers).check_method(request.provider, request.method)
    hashed = hashlib.sha256(session_id.bytes + msgspec.json.encode(request)).digest()
    claim = Claim(who.organization_id, f"user:{who.id}", ROUTE, key)
    async with services.idempotency_locks.lock(claim):
        for last in (False,) * (TRIES - 1) + (True,):
            try:
                return await _place_and_pay(services, who, session_id, request, key, hashed)
            except asyncpg.UniqueViolationError as error:
                if last or error.constraint_name not in RETRY_CONSTRAINTS:
                    raise
    raise AssertionError("the last try returns or raises")


async def _place_and_pay(
    services: Services, who: Principal, session_id: UUID, request: Purchase, key: str, hashed: bytes
) -> PurchaseResult:
    order_id, attempt_id = new_id(), new_id()
    secret = derive_secret(services.keyring, who.organization_id, order_id)
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        placed = await store.place_order(
            tx,
            session_id=session_id,
            user_id=who.id,
            order_id=order_id,
            attempt_id=attempt_id,
            code=new_code(),
            secret_hash=secrets.digest_token(secret),
            provider=request.provider,
            method=request.method,
            buyer_name=request.buyer.name,
            buyer_email=request.buyer.email,
            key=key,
            body_hash=hashed,
            first_ask_s=FIRST_POLL_S,
            give_up_s=GIVE_UP_S,
            tickets_max=policy.TICKETS_MAX,
            actor_type=who.actor.type,
            actor_name=who.actor.name,
            ip=who.actor.ip,
            user_agent=who.actor.user_agent,
            request_id=who.actor.request_id,
        )
        assert placed
        if placed.outcome == "placed":
            assert placed.event_id
            if placed.is_restricted:
                await entry.check_order(tx, who, placed.event_id, order_id)  # a refusal rolls the order back
            await accounts.record_language(tx, who, request.buyer.email)
    if placed.outcome == "key_reused":
        raise KeyReused()
    if placed.outcome == "repeated":
        assert placed.order_id
        return await _wait_for_outcome(services, who, placed.order_id)
    if placed.outcome != "placed":
        raise policy.REFUSALS[placed.outcome]()
    assert placed.total is not None
    assert placed.currency
    assert placed.event_id
    attempt = Attempt(
        id=attempt_id,
        organization_id=who.organization_id,
        order_id=order_id,
        provider=request.provider,
        method=request.method,
        amount=placed.total,
        currency=placed.currency,
        status="started",
    )
    outcome = await services.part(Providers).begin(attempt)
    return _to_result(await _settle_outcome(services, who, placed.event_id, attempt, outcome))


async def _settle_outcome(
    services: Services, who: Principal, event_id: UUID, attempt: Attempt, outcome: Outcome
) -> Order:
    """A captured payment is settled in a batch with others of the event; other outcomes, and payments that the batch
    cannot settle, are recorded alone."""
    if isinstance(outcome, Captured):
        payment = CapturedPayment(attempt.id, outcome, who.actor)
        if order := await services.part(SettlementBatcher).settle(who.organization_id, event_id, payment):
            return order
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        recorded = await payments.record_outcome(tx, attempt.id, outcome)
        if isinstance(outcome, Pending | Unknown):
            items = await store.items_of_order(tx, attempt.order_id)
            await sales.publish_deadlines(tx, event_id, list({item.hold_id for item in items}))
        return await read_response(tx, services, attempt.order_id, with_secret=True, attempt=recorded)


async def _wait_for_outcome(services: Services, who: Principal, order_id: UUID) -> PurchaseResult:
    """Serves a repeated request: waits for the outcome of the first one."""
    deadline = asyncio.get_running_loop().time() + WAIT_S
    while True:
        async with services.database.tenant(who.organization_id, who.actor) as tx:
            found = await require_order(tx, order_id)
            attempt = await payments.require_attempt(tx, found.attempt_id)
            order = await load_response(tx, services, found, with_secret=True, attempt=attempt)
        if attempt.status == "started" and attempt.provider == "free":  # no provider to wait for
            outcome = await services.part(Providers).poll(attempt)
            return _to_result(await _settle_outcome(services, who, found.event_id, attempt, outcome))
        if attempt.status != "started":
            return _to_result(order)
        if asyncio.get_running_loop().time() >= deadline:
            raise StillRunning()
        await asyncio.sleep(POLL_S)


def _to_result(order: Order) -> PurchaseResult:
    """Runs after the commit: a declined payment is recorded, too."""
    if order.status == "cancelled":
        if order.payment.status == "captured":
            raise EventNotAvailable(f"Your payment will be refunded: {order.reason}.", order_id=order.id)
        failure = order.payment.failure or "The payment failed."
        raise PaymentDeclined(failure, order_id=order.id, failure_code=order.payment.failure_code)
    return PurchaseResult(order, order.status not in ("pending", "needs_consent"))


# --- leaving while it is being paid


async def cancel_pending_payment(services: Services, who: Principal, session_id: UUID) -> None:
    """Cancels a pending payment at the provider, before its checkout is left."""
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        order_id = await store.order_of_session(tx, session_id)
        order = await store.order_by_id(tx, order_id)
        if order is None or order.user_id != who.id:
            return
        attempt = await payments.require_attempt(tx, order.attempt_id)
    if attempt.status != "pending":
        return
    outcome = await services.part(Providers).cancel(attempt)
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        await payments.record_outcome(tx, attempt.id, outcome)
