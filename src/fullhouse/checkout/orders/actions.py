"""The purchase in three steps: freeze, be paid outside of any transaction, settle.

The first step writes the order under its key: a repeat finds it and follows it, whoever is at work on it, and whatever
has crashed meanwhile. The third runs wherever the news of the money comes in (settle.py).
"""

import asyncio
import hashlib
from typing import NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from fullhouse.accounts import actions as accounts
from fullhouse.checkout import entry_actions as entry
from fullhouse.checkout import policy, store
from fullhouse.checkout.model import EventNotAvailable, Order, Purchase
from fullhouse.checkout.orders.reads import get, secret_of, shown, view
from fullhouse.checkout.orders.till import Payment, Till
from fullhouse.holds import sale_actions as sales
from fullhouse.kit import secrets
from fullhouse.kit.actors import Principal
from fullhouse.kit.codes import new_code
from fullhouse.kit.http.idempotency import WAIT_S, Claim, KeyReused, StillRunning
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.payments import actions as payments
from fullhouse.payments.model import (
    FIRST_ASK_S,
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
LOOK_AGAIN_S = 0.25
TRIES = 3
AGAIN = (
    "orders_organization_id_code_key",  # another order has the code: one chance in a billion
    "orders_once",  # the key was used for another checkout, by another process in the same moment: now it is seen
)


class Bought(NamedTuple):
    """What a purchase has come to: an order with tickets, or one whose payment is open."""

    order: Order
    settled: bool


# --- buying


async def purchase(services: Services, who: Principal, session_id: UUID, wish: Purchase, key: str) -> Bought:
    """Buys what a checkout has, once for a key. A refusal has left nothing behind, except that it was declined."""
    services.part(Providers).check(wish.provider, wish.method)
    hashed = hashlib.sha256(session_id.bytes + msgspec.json.encode(wish)).digest()
    claim = Claim(who.organization_id, f"user:{who.id}", ROUTE, key)
    async with services.repeats.turn(claim):
        for last in (False,) * (TRIES - 1) + (True,):
            try:
                return await _buy(services, who, session_id, wish, key, hashed)
            except asyncpg.UniqueViolationError as error:
                if last or error.constraint_name not in AGAIN:
                    raise
    raise AssertionError("the last try returns or raises")


async def _buy(services: Services, who: Principal, session_id: UUID, wish: Purchase, key: str, hashed: bytes) -> Bought:
    order_id, attempt_id = new_id(), new_id()
    secret = secret_of(services.keyring, who.organization_id, order_id)
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        placed = await store.place_order(
            tx,
            session_id=session_id,
            user_id=who.id,
            order_id=order_id,
            attempt_id=attempt_id,
            code=new_code(),
            secret_hash=secrets.digest(secret),
            provider=wish.provider,
            method=wish.method,
            buyer_name=wish.buyer.name,
            buyer_email=wish.buyer.email,
            key=key,
            body_hash=hashed,
            first_ask_s=FIRST_ASK_S,
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
                await entry.check_order(tx, who, placed.event_id, order_id)  # what it refuses is not placed
            await accounts.note_reader(tx, who, wish.buyer.email)
    if placed.outcome == "key_reused":
        raise KeyReused()
    if placed.outcome == "repeated":
        assert placed.order_id
        return await _follow(services, who, placed.order_id)
    if placed.outcome != "placed":
        raise policy.REFUSALS[placed.outcome]()
    assert placed.total is not None
    assert placed.currency
    assert placed.event_id
    attempt = Attempt(
        id=attempt_id,
        organization_id=who.organization_id,
        order_id=order_id,
        provider=wish.provider,
        method=wish.method,
        amount=placed.total,
        currency=placed.currency,
        status="started",
    )
    outcome = await services.part(Providers).begin(attempt)
    return _judged(await _settle(services, who, placed.event_id, attempt, outcome))


async def _settle(services: Services, who: Principal, event_id: UUID, attempt: Attempt, outcome: Outcome) -> Order:
    """Money goes through the till, with whoever else pays now; all other news, and what is not plain there, alone."""
    if isinstance(outcome, Captured):
        payment = Payment(attempt.id, outcome, who.actor)
        if order := await services.part(Till).settle(who.organization_id, event_id, payment):
            return order
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        said = await payments.record(tx, attempt.id, outcome)
        if isinstance(outcome, Pending | Unknown):
            lines = await store.lines_of_order(tx, attempt.order_id)
            await sales.tell_frozen(tx, event_id, list({line.hold_id for line in lines}))
        return await view(tx, services, attempt.order_id, with_secret=True, attempt=said)


async def _follow(services: Services, who: Principal, order_id: UUID) -> Bought:
    """A repeat: what the first came to, as soon as it is known."""
    deadline = asyncio.get_running_loop().time() + WAIT_S
    while True:
        async with services.database.tenant(who.organization_id, who.actor) as tx:
            found = await get(tx, order_id)
            attempt = await payments.get_attempt(tx, found.attempt_id)
            order = await shown(tx, services, found, with_secret=True, attempt=attempt)
        if attempt.status == "started" and attempt.provider == "free":  # there is nobody to wait for
            outcome = await services.part(Providers).ask(attempt)
            return _judged(await _settle(services, who, found.event_id, attempt, outcome))
        if attempt.status != "started":
            return _judged(order)
        if asyncio.get_running_loop().time() >= deadline:
            raise StillRunning()
        await asyncio.sleep(LOOK_AGAIN_S)


def _judged(order: Order) -> Bought:
    """After the commit: that it was declined is written down too."""
    if order.status == "cancelled":
        if order.payment.status == "captured":
            raise EventNotAvailable(f"What you paid goes back to you: {order.reason}.", order_id=order.id)
        said = order.payment.failure or "The payment failed."
        raise PaymentDeclined(said, order_id=order.id, failure_code=order.payment.failure_code)
    return Bought(order, order.status not in ("pending", "needs_consent"))


# --- leaving while it is being paid


async def call_off(services: Services, who: Principal, session_id: UUID) -> None:
    """Whoever leaves a checkout while the provider waits for them: it is called off there first."""
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        order_id = await store.order_of_session(tx, session_id)
        order = await store.order_by_id(tx, order_id)
        if order is None or order.user_id != who.id:
            return
        attempt = await payments.get_attempt(tx, order.attempt_id)
    if attempt.status != "pending":
        return
    outcome = await services.part(Providers).cancel(attempt)
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        await payments.record(tx, attempt.id, outcome)
