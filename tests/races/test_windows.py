"""One person in two windows, and two who use the same code: whoever comes second waits, and no two wait for each other.

Step by step: one of them stops where it has its first lock, the other one comes and waits, then the first goes on.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from fullhouse.checkout import actions, store
from fullhouse.checkout.model import Item, Session, StartCheckout
from fullhouse.kit.actors import SYSTEM, Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import Refusal
from fullhouse.payments import actions as payments
from fullhouse.payments.model import Cancelled, Captured, Failed, Outcome
from fullhouse.tickets import store as ticket_store
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types.model import NewPromoCode, PromoUnknown
from fullhouse.waiting_room import actions as queue
from fullhouse.waiting_room import store as queue_store
from tests.holds.helpers import places, seats, wish
from tests.kit.helpers import until
from tests.races.arena import arena
from tests.races.test_checkout import Shop, begin, buy, buyer_of, shop


class Stop:
    """Whoever has run a statement waits there, with its locks, until somebody else waits for them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, of: Any, name: str, owner: Any) -> None:
        self._usual, self._owner = getattr(of, name), owner
        self.here, self._once = asyncio.Event(), True
        monkeypatch.setattr(of, name, self._run)

    async def _run(self, tx: Tx, *given: Any, **named: Any) -> Any:
        found = await self._usual(tx, *given, **named)
        if self._once:
            self._once = False
            mine = await tx.fetchval("SELECT pg_backend_pid()")
            self.here.set()
            waiting = "SELECT true FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)) LIMIT 1"
            await until(lambda: self._owner.fetchval(waiting, mine), 20)
        return found


def again(session: Session, **more: Any) -> StartCheckout:
    items = [Item(hold_id=item.hold_id, ticket_type_id=item.ticket_type_id) for item in session.items]
    return StartCheckout(items=items, **more)


async def comes(to: Shop, n: int, who: Principal, wanted: StartCheckout) -> str:
    try:
        return (await actions.start(to.services(n), who, to.sale.event_id, wanted)).status
    except Refusal as refusal:
        return refusal.code


async def starts(to: Shop, n: int, who: Principal, wanted: StartCheckout) -> str:
    """As `start` does once there is a slot."""
    try:
        return (await actions._begin_with_retry(to.services(n), who, to.sale.event_id, wanted)).status
    except Refusal as refusal:
        return refusal.code


async def hears(to: Shop, attempt_id: UUID, outcome: Outcome) -> None:
    async with to.services(0).database.tenant(to.at.tenant.id, SYSTEM) as tx:
        await payments.record_outcome(tx, attempt_id, outcome)


async def attempt_of(to: Shop, session: Session) -> UUID:
    query = "SELECT a.id FROM payment_attempts a JOIN orders o ON o.id = a.order_id WHERE o.session_id = $1"
    found: UUID = await to.at.owner.fetchval(query, session.id)
    return found


async def leaves(to: Shop, who: Principal, session: Session) -> None:
    async with to.services(0).database.tenant(to.at.tenant.id, who.actor) as tx:
        await actions.leave(tx, who, session.id)


async def expires(to: Shop, _who: Principal, session: Session) -> None:
    await to.at.owner.execute("UPDATE checkout_sessions SET expires_at = now()")
    for table in ("seat_holds", "event_seats"):  # what it gathers is not over with it: it was held for longer
        query = f"UPDATE {table} SET held_until = held_until - interval '6 minutes' WHERE held_until IS NOT NULL"
        await to.at.owner.execute(query)
    async with to.services(0).database.tenant(to.at.tenant.id, SYSTEM) as tx:
        assert await actions.expire(tx, session.id)


async def is_declined(to: Shop, _who: Principal, session: Session) -> None:
    await hears(to, await attempt_of(to, session), Failed("card_declined", "Declined."))


async def is_paid(to: Shop, _who: Principal, session: Session) -> None:
    attempt_id = await attempt_of(to, session)
    await hears(to, attempt_id, Captured(str(attempt_id), session.total.amount))


class Ending(NamedTuple):
    """What happens to a checkout in one window, where it has locked it, and what the other window is told."""

    happens: Callable[[Shop, Principal, Session], Awaitable[None]]
    locked_by: str
    told: str
    paying: bool = False


ENDINGS = {
    "left": Ending(leaves, "lock_session", "admission_required"),
    "expired": Ending(expires, "lock_session", "admission_required"),
    "declined": Ending(is_declined, "reopen_session", "open", paying=True),
    "paid": Ending(is_paid, "settle_orders", "admission_required", paying=True),
}


@pytest.mark.req("CHK-1", "CHK-2")
@pytest.mark.parametrize("name", ENDINGS)
async def test_who_begins_again_waits_for_what_ends_the_first(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen to deadlock when whoever begins has locked the slot before the checkout."""
    ending = ENDINGS[name]
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=5, quantity=5)
        who, session = await begin(to, 0)
        if ending.paying:
            assert await buy(to, 0, who, session, "delay") == "pending"
        stop = Stop(monkeypatch, store, ending.locked_by, at.owner)
        happening = asyncio.ensure_future(ending.happens(to, who, session))
        await stop.here.wait()
        beginning = asyncio.create_task(starts(to, 1, who, again(session)))
        await happening
        assert await beginning == ending.told
        slots = await at.owner.fetchval("SELECT count(*) FROM queue_entries WHERE status = 'admitted'")
        assert slots == (ending.told == "open")
        assert await at.wrong() == {}


class Meeting(NamedTuple):
    """What one window does to the slot that the other one counts on, and what that one comes to."""

    happens: Callable[[Shop, Principal, Session], Awaitable[None]]
    stops_at: tuple[Any, str]
    comes_to: str


async def is_refused(to: Shop, who: Principal, session: Session) -> None:
    """It begins with a code that there is not: the slot that it had for that goes back."""
    with pytest.raises(PromoUnknown):
        await actions.start(to.services(0), who, to.sale.event_id, again(session, promo_code="NONE"))


MEETINGS = {
    "left": Meeting(leaves, (store, "lock_session"), "hold_expired"),  # what it held went with it
    "expired": Meeting(expires, (store, "lock_session"), "open"),
    "refused": Meeting(is_refused, (queue_store, "end_slots"), "open"),
}


@pytest.mark.req("CHK-1", "CHK-2")
@pytest.mark.parametrize("name", MEETINGS)
async def test_nobody_waits_for_a_turn_because_their_other_window_gave_the_slot_back(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no line. Seen to be told `admission_required` without a second look."""
    meeting = MEETINGS[name]
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=5, quantity=5)
        who, session = await begin(to, 0)
        if meeting.happens is is_refused:  # what was held is left of an earlier visit
            await expires(to, who, session)
        stop = Stop(monkeypatch, *meeting.stops_at, at.owner)
        happening = asyncio.ensure_future(meeting.happens(to, who, session))
        await stop.here.wait()
        assert await comes(to, 1, who, again(session)) == meeting.comes_to
        await happening
        slots = await at.owner.fetchval("SELECT count(*) FROM queue_entries WHERE status = 'admitted'")
        assert slots == (meeting.comes_to == "open")
        assert await at.wrong() == {}


@pytest.mark.req("CHK-1", "BUY-3")
async def test_money_for_an_earlier_visit_leaves_this_one_its_slot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen to deadlock, and to take the slot, when money that comes late ends whatever slot its buyer has."""
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=5, quantity=5)
        who, session = await begin(to, 0)
        assert await buy(to, 0, who, session, "drop") == "pending"
        attempt_id = await attempt_of(to, session)
        await hears(to, attempt_id, Cancelled())
        await leaves(to, who, session)

        (held,) = await at.hold(wish(to.sale, who.id, *seats(to.sale, 5)))
        assert held.hold_id
        wanted = StartCheckout(items=[Item(hold_id=held.hold_id, ticket_type_id=to.seat_type)])
        async with to.services(0).database.tenant(at.tenant.id, who.actor) as tx:
            await queue._lock_room(tx, to.sale.event_id)
            await queue.admit_holders_first(tx, to.sale.event_id, [(who.id, await tx.now())])
        stop = Stop(monkeypatch, store, "hold_again", at.owner)
        coming = asyncio.create_task(hears(to, attempt_id, Captured(str(attempt_id), session.total.amount)))
        await stop.here.wait()
        beginning = asyncio.create_task(starts(to, 1, who, wanted))
        await coming
        assert await beginning == "open"
        assert await at.owner.fetchval("SELECT status FROM orders") == "paid"
        assert await at.owner.fetchval("SELECT count(*) FROM queue_entries WHERE status = 'admitted'") == 1
        assert await at.wrong() == {}


@pytest.mark.req("CHK-1")
async def test_two_windows_that_begin_at_once_begin_one_after_the_other(tmp_path: Path) -> None:
    """Seen to be refused as sold out, by what the first has counted, without a second look behind the slot's lock."""
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=5, quantity=1)
        who = buyer_of(at)
        (held,) = await at.hold(wish(to.sale, who.id, *seats(to.sale, 0)))
        assert held.hold_id
        wanted = StartCheckout(items=[Item(hold_id=held.hold_id, ticket_type_id=to.seat_type)])
        begun = await asyncio.gather(*(actions.start(to.services(n), who, to.sale.event_id, wanted) for n in range(6)))
        assert all(isinstance(one, Session) for one in begun)
        states = await at.owner.fetch("SELECT status, count(*) AS n FROM checkout_sessions GROUP BY 1")
        assert {row["status"]: row["n"] for row in states} == {"open": 1, "left": 5}
        assert await at.owner.fetchval("SELECT held FROM pools WHERE ref_id = $1", to.seat_type) == 1
        assert await at.wrong() == {}


async def _codes(to: Shop, *codes: str) -> None:
    async with to.services(0).database.tenant(to.at.tenant.id, SYSTEM) as tx:
        for code in codes:
            await promos.create_promo(tx, to.sale.event_id, NewPromoCode(code=code, kind="fixed", amount=100))


async def test_two_who_begin_again_with_each_others_codes_wait_in_one_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen to deadlock when each gives its own code back before it has locked the other one."""
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=5, quantity=5)
        await _codes(to, "AUTUMN", "WINTER")
        begun = [await begin(to, 2 * n) for n in range(2)]
        for (who, session), code in zip(begun, ("AUTUMN", "WINTER"), strict=True):
            assert await starts(to, 0, who, again(session, promo_code=code)) == "open"
        stop = Stop(monkeypatch, ticket_store, "release_promo_uses", at.owner)
        first = asyncio.create_task(starts(to, 0, begun[0][0], again(begun[0][1], promo_code="WINTER")))
        await stop.here.wait()
        second = asyncio.create_task(starts(to, 1, begun[1][0], again(begun[1][1], promo_code="AUTUMN")))
        assert [await first, await second] == ["open", "open"]
        assert {row["uses"] for row in await at.owner.fetch("SELECT uses FROM promo_codes")} == {1}
        assert await at.wrong() == {}


async def test_a_code_is_locked_behind_the_places_it_is_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen to deadlock when whoever begins again gives the code back first."""
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=5, quantity=5)
        await _codes(to, "AUTUMN")
        (one, ones), (other, others) = [await begin(to, 2 * n) for n in range(2)]
        assert await starts(to, 0, one, again(ones, promo_code="AUTUMN")) == "open"
        await leaves(to, other, others)
        held = await at.hold(wish(to.sale, other.id, places(to.sale, "pit", 1)))
        async with to.services(0).database.tenant(at.tenant.id, other.actor) as tx:
            await queue.admit_holders_first(tx, to.sale.event_id, [(other.id, await tx.now())])
        items = [Item(hold_id=result.hold_id, ticket_type_id=to.pit_type) for result in held if result.hold_id]
        stop = Stop(monkeypatch, ticket_store, "count_type_pools", at.owner)
        first = asyncio.create_task(starts(to, 0, other, StartCheckout(items=items, promo_code="AUTUMN")))
        await stop.here.wait()
        without_the_pit = StartCheckout(items=again(ones).items[:1], promo_code="AUTUMN")
        second = asyncio.create_task(starts(to, 1, one, without_the_pit))
        assert [await first, await second] == ["open", "open"]
        assert await at.owner.fetchval("SELECT uses FROM promo_codes") == 2
        assert await at.wrong() == {}
