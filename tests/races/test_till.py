"""Payments that come through at the same time: settled together, each with its own tickets; and what one that is not
plain means to the others.
"""

import asyncio
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fullhouse.checkout.model import Buyer, Purchase
from fullhouse.checkout.orders import actions, sell, settlement_batcher
from fullhouse.checkout.orders.settlement_batcher import CapturedPayment, SettlementBatcher
from fullhouse.kit.batching import SIZES
from fullhouse.payments import actions as payments
from fullhouse.payments import store as payment_store
from fullhouse.payments.model import Captured, Failed
from tests.races.arena import Arena, arena
from tests.races.test_checkout import STILL_FROZEN, Shop, begin, buy, shop
from tests.support.statements import without

PEOPLE = 16
# What keeps each from being sold with the others: a piece of the statement that captures, and whether the places must
# still be frozen for it.
ODDITIES = {
    "given up before": ("AND a.status IN ('started', 'pending', 'unknown')", True),
    "too little": ("AND a.amount = w.amount", False),
    "too much": ("AND a.amount = w.amount", False),
    "no longer held": ("", True),
}
ANOTHER_AMOUNT = {"too little": -1, "too much": 1}


def _batches() -> tuple[float, float]:
    """How many there were, and how many settlements were in them."""
    found = {s.name: s.value for s in SIZES.labels("settlements")._child_samples() if s.name in ("_count", "_sum")}
    return found["_count"], found["_sum"]


class Evening(NamedTuple):
    """What came of many who paid at once."""

    said: set[str]
    batches: float
    settled: float
    numbers: list[int]
    astray: int  # tickets that are not with whoever held the seat and paid for it


async def all_at_once(at: Arena) -> Evening:
    to = await shop(at, rows=2, pit=PEOPLE, quantity=PEOPLE)
    begun = [await begin(to, n) for n in range(PEOPLE)]
    before = _batches()
    said = set(await asyncio.gather(*(buy(to, n, *begun[n]) for n in range(PEOPLE))))
    batches, settled = (now - was for now, was in zip(_batches(), before, strict=True))
    rows = await at.owner.fetch(
        "SELECT o.user_id, o.session_id, t.seat_id, t.number, a.actor_id, t.holder_user_id FROM tickets t"
        " JOIN orders o ON o.id = t.order_id"
        " JOIN audit_log a ON a.entity_id = t.id AND a.action = 'ticket.issued'"
    )
    right = {(session.id, item.seat_id, *[who.id] * 3) for who, session in begun for item in session.items}
    found = [
        tuple(row[name] for name in ("session_id", "seat_id", "user_id", "actor_id", "holder_user_id")) for row in rows
    ]
    astray = len(right - set(found)) + sum(place not in right for place in found)
    return Evening(said, batches, settled, sorted(int(row["number"][-5:]) for row in rows), astray)


@pytest.mark.req("BUY-1", "BUY-5")
async def test_who_pays_at_the_same_time_is_settled_together(tmp_path: Path) -> None:
    """By few transactions; numbers are dense, the ledger balances, and everybody has what is theirs."""
    async with arena(tmp_path) as at:
        evening = await all_at_once(at)
        assert evening == Evening({"paid"}, evening.batches, PEOPLE, list(range(1, 2 * PEOPLE + 1)), 0)
        assert evening.batches < PEOPLE
        assert await at.wrong() == {}


async def test_if_a_batch_mixed_its_orders_up_tickets_would_go_astray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, seen = sell._to_item, []

    def mixed_up(order: Any, actor: Any, line: Any) -> Any:
        seen.append(order)
        return write(seen[-2] if len(seen) > 1 else order, actor, line)

    monkeypatch.setattr(sell, "_to_item", mixed_up)
    async with arena(tmp_path) as at:
        assert (await all_at_once(at)).astray > 0


async def test_without_the_till_each_is_settled_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settlement_batcher, "BATCH_MAX", 1)
    async with arena(tmp_path) as at:
        assert (await all_at_once(at)).batches == PEOPLE


async def _waiting(to: Shop, n: int) -> tuple[Any, CapturedPayment]:
    """Somebody whose payment is open: who, and the news that it has come through."""
    who, session = await begin(to, n)
    wish = Purchase(provider="test", buyer=Buyer(name="A", email="a@example.org"), method="delay")
    await actions.purchase(to.services(n), who, session.id, wish, "k")
    row = await to.at.owner.fetchrow(
        "SELECT a.id, a.amount FROM payment_attempts a JOIN orders o ON o.id = a.order_id WHERE o.session_id = $1",
        session.id,
    )
    return who, CapturedPayment(row["id"], Captured(str(row["id"]), row["amount"]), who.actor)


async def odd_batch(at: Arena, oddity: str) -> tuple[list[Any], list[tuple[Any, CapturedPayment]]]:
    """Four whose money is there at the same time; one of them is not plain. What the till says, and the news."""
    to = await shop(at, rows=1, pit=20, quantity=20)
    waiting = [await _waiting(to, 2 * n) for n in range(4)]
    (who, odd), services = waiting[1], at.processes[0]
    if oddity == "given up before":
        async with services.database.tenant(at.tenant.id, who.actor) as tx:
            await payments.record_outcome(tx, odd.attempt_id, Failed("card_declined", "Declined."))
    elif oddity in ANOTHER_AMOUNT:
        amount = await at.owner.fetchval("SELECT amount FROM payment_attempts WHERE id = $1", odd.attempt_id)
        odd = odd._replace(outcome=Captured(str(odd.attempt_id), amount + ANOTHER_AMOUNT[oddity]))
    else:
        await at.owner.execute(
            "UPDATE seat_holds SET attempt_id = NULL, frozen_at = NULL, held_before = NULL,"
            " held_until = now() + interval '5 minutes' WHERE attempt_id = $1",
            odd.attempt_id,
        )
    waiting[1] = who, odd
    news = [payment for _, payment in waiting]
    desk = services.part(SettlementBatcher)
    return list(await desk._settle_batch((at.tenant.id, to.sale.event_id), news, [False] * len(news))), waiting


@pytest.mark.req("BUY-2", "BUY-4")
@pytest.mark.parametrize("oddity", ODDITIES)
async def test_one_that_is_not_plain_undoes_the_batch_and_all_go_alone(tmp_path: Path, oddity: str) -> None:
    async with arena(tmp_path) as at:
        tried, waiting = await odd_batch(at, oddity)
        assert tried == [None] * 4
        assert await at.owner.fetchval("SELECT count(*) FROM payment_attempts WHERE status = 'captured'") == 0
        assert await at.owner.fetchval("SELECT count(*) FROM tickets") == 0

        for person, payment in waiting:
            async with at.processes[0].database.tenant(at.tenant.id, person.actor) as tx:
                await payments.record_outcome(tx, payment.attempt_id, payment.outcome)
        sold = 3 if oddity in ANOTHER_AMOUNT else 4  # late money finds its places free, and has them
        alarms = await at.owner.fetchval("SELECT count(*) FROM audit_log WHERE action = 'payment.wrong_amount'")
        assert alarms == 4 - sold
        assert await at.owner.fetchval("SELECT count(*) FROM orders WHERE status = 'paid'") == sold
        assert await at.owner.fetchval("SELECT count(*) FROM tickets") == 2 * sold
        assert await at.wrong() == {}


@pytest.mark.parametrize("oddity", ODDITIES)
async def test_without_its_guard_the_odd_one_would_be_sold_with_the_others(
    tmp_path: Path, oddity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with arena(tmp_path) as at:
        text, frozen = ODDITIES[oddity]
        if frozen:
            await at.remove(STILL_FROZEN)
        without(monkeypatch, payment_store.capture_attempts, text)
        tried, _ = await odd_batch(at, oddity)
        assert None not in tried
