"""The last use of a code, wanted by many at once: by checkouts, when one of them is over, and by money that comes late.
Whoever has it, it is used once, and has cost what it took off.
"""

import asyncio
from collections import Counter
from pathlib import Path
from uuid import UUID

import pytest

from fullhouse.checkout import actions, jobs
from fullhouse.checkout.model import Item, Session, StartCheckout
from fullhouse.checkout.orders.settle import USED_UP
from fullhouse.kit.actors import SYSTEM, Principal
from fullhouse.kit.db import sql
from fullhouse.kit.errors import Refusal
from fullhouse.payments.model import Cancelled, Captured
from fullhouse.tickets import policy, store
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types.model import NewPromoCode, PromoCode
from tests.fixtures import soaking
from tests.holds.helpers import a_finder, seats, wish
from tests.races.arena import Arena, arena
from tests.races.test_checkout import Shop, buy, buyer_of, shop
from tests.races.test_windows import Stop, attempt_of, hears, leaves
from tests.support.statements import without

PEOPLE = 100 if soaking() else 24
CODE, OFF = "LASTONE", 100
LATE = PEOPLE  # the seat of whoever pays late
NEVER_OVERUSED = "ALTER TABLE promo_codes DROP CONSTRAINT promo_codes_never_overused"
# What is left of a statement without its guard.
UNGUARDED = {
    "count_promo_use": "AND active AND (max_uses IS NULL OR uses < max_uses)",
    "count_promo_use_again": "AND (p.max_uses IS NULL OR p.uses < p.max_uses)",
}


class Rush:
    """People who hold a seat each, and the code that all of them have."""

    def __init__(self, to: Shop, people: list[tuple[Principal, UUID]]) -> None:
        self.at, self.to, self.people = to.at, to, people

    async def begins(self, n: int, code: str | None = CODE) -> Session | str:
        who, held = self.people[n]
        items = [Item(hold_id=held, ticket_type_id=self.to.seat_type)]
        try:
            begun = await actions.start(
                self.to.services(n), who, self.to.sale.event_id, StartCheckout(items=items, promo_code=code)
            )
        except Refusal as refusal:
            return refusal.code
        assert isinstance(begun, Session)
        return begun

    async def all_begin(self) -> Counter[str]:
        few = asyncio.Semaphore(10)

        async def one(n: int) -> str:
            async with few:
                begun = await self.begins(n)
            return begun if isinstance(begun, str) else begun.status

        return Counter(await asyncio.gather(*(one(n) for n in range(PEOPLE))))

    async def used(self) -> tuple[int, int]:
        """How often, and by how many checkouts that are open or bought."""
        uses, spent = await self.at.owner.fetchrow("SELECT uses, spent FROM promo_codes")
        assert spent == OFF * uses
        having = await self.at.owner.fetchval(
            "SELECT count(*) FROM checkout_sessions s WHERE s.promo_code IS NOT NULL"
            " AND (s.status IN ('open', 'paying')"
            "      OR EXISTS (SELECT FROM orders o WHERE o.session_id = s.id AND o.status = 'paid'))"
        )
        return uses, having

    async def paid_late(self) -> tuple[UUID, int]:
        """An attempt that was given up, of somebody who has left the checkout, with the code; and what it is of."""
        session = await self.begins(LATE)
        assert isinstance(session, Session)
        who = self.people[LATE][0]
        assert await buy(self.to, LATE, who, session, "drop") == "pending"
        attempt_id = await attempt_of(self.to, session)
        await hears(self.to, attempt_id, Cancelled())
        await leaves(self.to, who, session)
        assert await self.used() == (0, 0)
        return attempt_id, session.total.amount


async def rush(at: Arena) -> Rush:
    to = await shop(at, rows=PEOPLE // 20 + 1, pit=1)
    async with at.processes[0].database.tenant(at.tenant.id, SYSTEM) as tx:
        code = NewPromoCode(code=CODE, kind="fixed", amount=OFF, max_uses=1)
        await promos.create_promo(tx, to.sale.event_id, code)
    people = []
    for n in range(PEOPLE + 1):
        who = buyer_of(at)
        (held,) = await at.hold(wish(to.sale, who.id, *seats(to.sale, n)))
        assert held.hold_id
        people.append((who, held.hold_id))
    return Rush(to, people)


@pytest.mark.soak
@pytest.mark.req("TT-1", "CHK-1")
async def test_of_many_who_begin_at_once_one_has_the_last_use(tmp_path: Path) -> None:
    """The others keep no slot for it. When it is over the next one has it, once, however many come in that moment."""
    async with arena(tmp_path, 3) as at:
        on = await rush(at)
        assert await on.all_begin() == {"open": 1, "promo_code_used_up": PEOPLE - 1}
        assert await on.used() == (1, 1)
        assert await at.owner.fetchval("SELECT count(*) FROM queue_entries WHERE status = 'admitted'") == 1

        await at.owner.execute("UPDATE checkout_sessions SET expires_at = now()")
        await at.owner.execute("UPDATE queue_entries SET expires_at = now() WHERE status = 'admitted'")
        async with a_finder(at.url) as finder:
            ends, _ = await asyncio.gather(on.all_begin(), jobs.expire_sessions(finder, at.processes[2].database))
        # Whose checkout ends in this very moment may lose the slot with it.
        assert set(ends) <= {"open", "promo_code_used_up", "admission_required"}
        assert max(ends["open"], ends["admission_required"]) <= 1, ends
        if not ends["open"]:  # all of them were faster than the sweep
            assert await on.all_begin() == {"open": 1, "promo_code_used_up": PEOPLE - 1}
        assert await on.used() == (1, 1)
        assert await at.wrong() == {}


@pytest.mark.req("BUY-3")
@pytest.mark.parametrize("first", ["the money", "a checkout"])
async def test_late_money_and_a_checkout_want_the_last_use(
    tmp_path: Path, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Step by step: the second waits for the first. The money has its tickets, or goes back; there is no third way."""
    async with arena(tmp_path, 2) as at:
        on = await rush(at)
        attempt_id, amount = await on.paid_late()
        money = hears(on.to, attempt_id, Captured(str(attempt_id), amount))
        steps = {
            "the money": ("count_promo_use_again", money, on.begins(1)),
            "a checkout": ("count_promo_use", on.begins(1), money),
        }
        where, earlier, later = steps[first]
        stop = Stop(monkeypatch, store, where, at.owner)
        going = asyncio.ensure_future(earlier)
        await stop.here.wait()
        said = [one for one in await asyncio.gather(going, later) if one is not None]

        status = await at.owner.fetchval("SELECT status FROM orders")
        back = [tuple(row) for row in await at.owner.fetch("SELECT amount, reason FROM refunds")]
        if first == "the money":
            assert (status, back, said) == ("paid", [], ["promo_code_used_up"])
        else:
            assert (status, back) == ("cancelled", [(amount, USED_UP)])
        assert await on.used() == (1, 1)
        assert await at.wrong() == {}


@pytest.mark.req("BUY-3")
async def test_late_money_in_a_crowd_that_wants_the_same_use(tmp_path: Path) -> None:
    async with arena(tmp_path, 3) as at:
        on = await rush(at)
        attempt_id, amount = await on.paid_late()
        ends, _ = await asyncio.gather(on.all_begin(), hears(on.to, attempt_id, Captured(str(attempt_id), amount)))
        status = await at.owner.fetchval("SELECT status FROM orders")
        assert (status, ends["open"]) in {("paid", 0), ("cancelled", 1)}
        assert await on.used() == (1, 1)
        assert await at.wrong() == {}


def _unguarded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, getattr(store, name), UNGUARDED[name])


async def test_without_its_guards_a_code_is_used_by_everybody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: no lock, no condition, and no rule of the table's. Each alone would have been enough."""

    def never(_promo: PromoCode) -> bool:
        return False

    async with arena(tmp_path, 3) as at:
        on = await rush(at)
        await at.owner.execute(NEVER_OVERUSED)
        monkeypatch.setattr(policy, "is_used_up", never)
        _unguarded("count_promo_use", monkeypatch)
        assert await on.all_begin() == {"open": PEOPLE}
        assert (await on.used())[0] == PEOPLE


async def test_without_its_guard_late_money_uses_it_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with arena(tmp_path, 1) as at:
        on = await rush(at)
        attempt_id, amount = await on.paid_late()
        assert isinstance(await on.begins(1), Session)
        await at.owner.execute(NEVER_OVERUSED)
        _unguarded("count_promo_use_again", monkeypatch)
        await hears(on.to, attempt_id, Captured(str(attempt_id), amount))
        assert await on.used() == (2, 2)


def test_what_is_replaced_above_is_all_that_counts_uses() -> None:
    every = sql.load(Path(store.__file__).with_name("queries.sql"))
    counting = [name for name, query in every.items() if "uses + 1" in query.text]
    assert sorted(counting) == sorted(UNGUARDED)
