"""Payments that come through at the same time: settled together, each with its own tickets; and what one that is not
plain means to the others.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fullhouse.checkout import order_actions
from fullhouse.checkout.model import Buyer, Purchase
from fullhouse.checkout.till import Payment, Till
from fullhouse.kit.batching import SIZES
from fullhouse.payments import actions as payments
from fullhouse.payments.model import Captured, Failed
from tests.races.arena import arena
from tests.races.test_checkout import Shop, begin, buy, shop

PEOPLE = 16


def _batches() -> tuple[float, float]:
    """How many there were, and how many settlements were in them."""
    found = {s.name: s.value for s in SIZES.labels("settlements")._child_samples() if s.name in ("_count", "_sum")}
    return found["_count"], found["_sum"]


@pytest.mark.req("BUY-1", "BUY-5")
async def test_who_pays_at_the_same_time_is_settled_together(tmp_path: Path) -> None:
    """By few transactions; numbers are dense, the ledger balances, and everybody has what is theirs."""
    async with arena(tmp_path) as at:
        to = await shop(at, rows=2, pit=PEOPLE, quantity=PEOPLE)
        begun = [await begin(to, n) for n in range(PEOPLE)]
        before = _batches()
        assert set(await asyncio.gather(*(buy(to, n, *begun[n]) for n in range(PEOPLE)))) == {"paid"}
        batches, settled = (now - was for now, was in zip(_batches(), before, strict=True))
        assert settled == PEOPLE
        assert batches < PEOPLE
        rows = await at.owner.fetch(
            "SELECT o.user_id, o.session_id, t.seat_id, t.number, a.actor_id, t.holder_user_id FROM tickets t"
            " JOIN orders o ON o.id = t.order_id"
            " JOIN audit_log a ON a.entity_id = t.id AND a.action = 'ticket.issued'"
        )
        assert sorted(int(row["number"][-5:]) for row in rows) == list(range(1, 2 * PEOPLE + 1))
        for who, session in begun:
            mine = [row for row in rows if row["session_id"] == session.id]
            assert {row["seat_id"] for row in mine} == {item.seat_id for item in session.items}
            assert {row[name] for row in mine for name in ("user_id", "actor_id", "holder_user_id")} == {who.id}
        assert await at.wrong() == {}


async def _waiting(to: Shop, n: int) -> tuple[Any, Payment]:
    """Somebody whose payment is open: who, and the news that it has come through."""
    who, session = await begin(to, n)
    wish = Purchase(provider="test", buyer=Buyer(name="A", email="a@example.org"), method="delay")
    await order_actions.purchase(to.services(n), who, session.id, wish, "k")
    row = await to.at.owner.fetchrow(
        "SELECT a.id, a.amount FROM payment_attempts a JOIN orders o ON o.id = a.order_id WHERE o.session_id = $1",
        session.id,
    )
    return who, Payment(row["id"], Captured(str(row["id"]), row["amount"]), who.actor)


@pytest.mark.req("BUY-2", "BUY-4")
@pytest.mark.parametrize("oddity", ["given up before", "another amount", "no longer held"])
async def test_one_that_is_not_plain_undoes_the_batch_and_all_go_alone(tmp_path: Path, oddity: str) -> None:
    async with arena(tmp_path) as at:
        to = await shop(at, rows=1, pit=20, quantity=20)
        waiting = [await _waiting(to, 2 * n) for n in range(4)]
        (who, odd), services = waiting[1], at.processes[0]
        if oddity == "given up before":
            async with services.database.tenant(at.tenant.id, who.actor) as tx:
                await payments.record(tx, odd.attempt_id, Failed("card_declined", "Declined."))
        elif oddity == "another amount":
            odd = odd._replace(outcome=Captured(str(odd.attempt_id), 1))
        else:
            await at.owner.execute(
                "UPDATE seat_holds SET attempt_id = NULL, frozen_at = NULL, held_before = NULL,"
                " held_until = now() + interval '5 minutes' WHERE attempt_id = $1", odd.attempt_id,
            )  # fmt: skip
        news = [odd if n == 1 else payment for n, (_, payment) in enumerate(waiting)]
        till = services.part(Till)
        tried = await till._settle((at.tenant.id, to.sale.event_id), news, [False] * len(news))
        assert tried == [None] * 4
        assert await at.owner.fetchval("SELECT count(*) FROM payment_attempts WHERE status = 'captured'") == 0
        assert await at.owner.fetchval("SELECT count(*) FROM tickets") == 0

        for (person, _), payment in zip(waiting, news, strict=True):
            async with services.database.tenant(at.tenant.id, person.actor) as tx:
                await payments.record(tx, payment.attempt_id, payment.outcome)
        sold = 3 if oddity == "another amount" else 4  # late money finds its places free, and has them
        assert await at.owner.fetchval("SELECT count(*) FROM orders WHERE status = 'paid'") == sold
        assert await at.owner.fetchval("SELECT count(*) FROM tickets") == 2 * sold
        assert await at.wrong() == {}
