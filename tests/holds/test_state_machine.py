"""Any sequence of wishes, endings and hours against a small model of a sale, on a real database.

The model knows seats, places and people, and none of our statements. After each step the database is where the model
is, and the invariants hold.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Coroutine
from contextlib import AsyncExitStack
from datetime import timedelta
from math import inf
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from uuid import UUID

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from fullhouse import prove
from fullhouse.events import actions as events
from fullhouse.events.policy import Move
from fullhouse.holds import actions, jobs
from fullhouse.holds.engine import Result
from fullhouse.kit.db.database import AUDITOR, Database, connect
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating.model import SeatChoice
from fullhouse.seating.overlay import seat_actions
from tests.fixtures import Tenant, make_tenant, soaking
from tests.holds.helpers import OnSale, a_finder, a_process, convert, hall, hold, places, seats, stage
from tests.lives import live
from tests.services.client import ask

T = TypeVar("T")
SEATS, PIT, CAPACITY, TTL_S, LATE_S = 6, 5, 9, 300, 60
PEOPLE = [new_id() for _ in range(3)]
people = st.sampled_from(PEOPLE)
numbers = st.integers(0, SEATS - 1)
# Steps of seventy seconds never come near five minutes, however slow the machine is.
steps = st.sampled_from([70, 140, 350])
PROOFS = {check.name: check.find for check in prove.CHECKS}


class Held:
    """A hold, as the model tells it."""

    def __init__(self, user: UUID, seat: int | None, quantity: int, until: float) -> None:
        self.user, self.seat, self.quantity, self.until, self.status = user, seat, quantity, until, "active"


class Model:
    def __init__(self) -> None:
        self.now = 0.0
        self.state = "on sale"
        self.holds: dict[UUID, Held] = {}
        self.blocked: set[int] = set()
        self.sold: dict[int | None, int] = Counter()  # by seat; places under None

    def live(self) -> dict[UUID, Held]:
        return {i: h for i, h in self.holds.items() if h.status in ("active", "suspended") and h.until > self.now}

    def overdue(self) -> list[Held]:
        return [h for h in self.holds.values() if h.status == "active" and h.until <= self.now]

    def holder(self, seat: int) -> Held | None:
        return next((h for h in self.live().values() if h.seat == seat), None)

    def counted(self, *, pit_only: bool) -> int:
        """Held and sold together: in the pit, or in the show."""
        held = sum(h.quantity for h in self.live().values() if h.seat is None or not pit_only)
        return held + (self.sold[None] if pit_only else sum(self.sold.values()))

    def outcome(self, user: UUID, seat: int) -> str:
        if self.state != "on sale":
            return "event_not_available"
        if seat in self.blocked or self.sold[seat]:
            return "seat_not_available"
        holder = self.holder(seat)
        return "free" if holder is None else "own" if holder.user == user else "seat_held_by_another_user"

    def fits(self, fresh_seats: int, wanted_places: int) -> bool:
        return (
            self.counted(pit_only=True) + wanted_places <= PIT
            and self.counted(pit_only=False) + fresh_seats + wanted_places <= CAPACITY
        )


class House:
    """What all examples share: a database with a clock that tests can set, a process, a sweep's finder."""

    def __init__(self, home: Path) -> None:
        self.runner, self.stack, self.home = asyncio.Runner(), AsyncExitStack(), home
        self.run(self._open())

    def run(self, work: Awaitable[T]) -> T:
        async def done() -> T:
            return await work

        return self.runner.run(done())

    async def _open(self) -> None:
        urls = ask("database", f"machine_{new_id().hex}")
        self.process: Services = await self.stack.enter_async_context(a_process(urls["server_url"], self.home))
        self.finder: Database = await self.stack.enter_async_context(a_finder(urls["server_url"]))
        self.owner = await connect(urls["owner_url"], "none")
        self.auditor = await connect(urls["server_url"], AUDITOR)
        await self.owner.execute("CREATE TABLE shifts (by interval); GRANT SELECT ON shifts TO PUBLIC")
        await self.owner.execute("INSERT INTO shifts VALUES ('0')")
        await self.owner.execute(
            "CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE"
            " RETURN now() + (SELECT by FROM public.shifts)"
        )
        self.tenant: Tenant = await make_tenant(self.process)

    def close(self) -> None:
        async def shut() -> None:
            await self.owner.close()
            await self.auditor.close()
            await self.stack.aclose()

        self.run(shut())
        self.runner.close()


class LifeOfASale(RuleBasedStateMachine):
    house: ClassVar[House]
    taken: ClassVar[Counter[str]] = Counter()

    def do(self, work: Coroutine[Any, Any, T], name: str) -> T:
        self.taken[name] += 1
        return self.house.run(work)

    @initialize()
    def a_show_goes_on_sale(self) -> None:
        """The holds of the last one are over, and swept: it has nothing to do with this one."""
        house, self.model = self.house, Model()
        for shift in ("1 day", "0"):
            house.run(house.owner.execute(f"UPDATE shifts SET by = '{shift}'"))
            house.run(jobs.sweep_holds(house.finder, house.process.database))
        self.sale: OnSale = house.run(stage(house.process, house.tenant, hall(1, SEATS, pit=PIT), capacity=CAPACITY))

    # --- buyers

    @rule(user=people, picks=st.lists(numbers, max_size=3, unique=True), count=st.integers(0, 4))
    def somebody_wants(self, user: UUID, picks: list[int], count: int) -> None:
        wants = [*seats(self.sale, *picks), *([places(self.sale, "pit", count)] if count else [])]
        if not wants:
            return
        house, model = self.house, self.model
        expected = [model.outcome(user, seat) for seat in picks]
        results = self.do(hold(house.process, house.tenant, self.sale, user, *wants), "hold")
        fresh = expected.count("free")
        if model.state == "on sale" and set(expected) <= {"free", "own"} and model.fits(fresh, count):
            assert all(result.is_granted for result in results), (results, expected)
            self._keep(user, [*picks, *([None] if count else [])], count, results)
            self.taken["held"] += 1
            return
        assert not all(result.is_granted for result in results), (results, expected)
        self.taken["refused"] += 1
        for said, result in zip(expected, results, strict=False):
            assert said == "free" or result.outcome == said
        if model.state == "on sale" and set(expected) <= {"free", "own"}:
            assert "block_at_capacity" in {result.outcome for result in results}

    def _keep(self, user: UUID, lines: list[int | None], count: int, results: list[Result]) -> None:
        for seat, result in zip(lines, results, strict=True):
            assert result.hold_id
            if result.outcome == "own":
                assert self.model.holds[result.hold_id].seat == seat
            else:
                quantity = 1 if seat is not None else count
                self.model.holds[result.hold_id] = Held(user, seat, quantity, self.model.now + TTL_S)

    @precondition(lambda self: bool(self.model.holds))
    @rule(data=st.data())
    def somebody_gives_back(self, data: st.DataObject) -> None:
        """Any of them, also one that has ended before, or that nobody has swept yet."""
        hold_id = data.draw(st.sampled_from([*self.model.holds]))
        held, house = self.model.holds[hold_id], self.house

        async def release() -> int:
            async with house.process.database.tenant(house.tenant.id) as tx:
                return await actions.end(tx, [hold_id], "cancelled")

        ended = self.do(release(), "release")
        assert ended == (held.status in ("active", "suspended"))
        if ended:
            held.status = "cancelled"

    @precondition(lambda self: bool(self.model.holds))
    @rule(data=st.data())
    def somebody_pays(self, data: st.DataObject) -> None:
        hold_id = data.draw(st.sampled_from([*self.model.holds]))
        held = self.model.holds[hold_id]
        sold = self.do(convert(self.house.process, self.house.tenant, hold_id), "convert")
        assert sold == (held.status == "active" and held.until > self.model.now)
        if sold:
            held.status = "converted"
            self.model.sold[held.seat] += held.quantity

    # --- time

    @rule(step=steps)
    def time_passes(self, step: int) -> None:
        self.model.now += step
        shift = timedelta(seconds=self.model.now)
        self.do(self.house.owner.execute("UPDATE shifts SET by = $1", shift), "time")

    @rule()
    def the_sweep_comes(self) -> None:
        overdue = self.model.overdue()
        swept = self.do(jobs.sweep_holds(self.house.finder, self.house.process.database), "sweep")
        assert swept == len(overdue)
        for held in overdue:
            held.status = "expired"

    # --- the house

    async def _move(self, move: Move, **more: Any) -> None:
        async with self.house.process.database.tenant(self.house.tenant.id) as tx:
            if move is Move.RESCHEDULE:
                more["new_date"] = await tx.now() + timedelta(days=60)
            await events.move_event(tx, self.sale.event_id, move, **{"reason": "a test"} | more)

    @precondition(lambda self: self.model.state == "on sale")
    @rule()
    def it_is_postponed(self) -> None:
        live = self.model.live()
        if self.do(self._postpone(), "postpone"):
            self.model.state = "suspended"
            for held in live.values():
                held.status, held.until = "suspended", inf

    async def _postpone(self) -> bool:
        await self._move(Move.POSTPONE)
        return True

    @precondition(lambda self: self.model.state == "suspended")
    @rule()
    def it_has_a_new_date(self) -> None:
        live = self.model.live()
        self.do(self._move(Move.RESCHEDULE), "reschedule")
        self.do(self._move(Move.PUBLISH), "publish")  # otherwise it could not be postponed once more
        self.model.state = "on sale"
        for held in live.values():
            held.status, held.until = "active", self.model.now + TTL_S

    @precondition(lambda self: self.model.state != "cancelled" and len(self.model.holds) > 6)
    @rule()
    def it_is_cancelled(self) -> None:
        self.do(self._move(Move.CANCEL), "cancel")
        for held in self.model.holds.values():
            if held.status in ("active", "suspended"):
                held.status = "cancelled"
        self.model.state = "cancelled"

    @precondition(lambda self: self.model.state == "cancelled")
    @rule()
    def another_show_goes_on_sale(self) -> None:
        """Little else happens after a cancellation."""
        self.a_show_goes_on_sale()

    @rule(seat=numbers, blocked=st.booleans())
    def a_seat_is_blocked(self, seat: int, blocked: bool) -> None:
        model, house = self.model, self.house
        if model.sold[seat]:
            return

        async def block() -> None:
            choice = SeatChoice(seat_ids=[UUID(self.sale.seat(seat))], reason="A camera")
            async with house.process.database.tenant(house.tenant.id) as tx:
                await (seat_actions.block if blocked else seat_actions.unblock)(tx, self.sale.event_id, choice)

        self.do(block(), "block" if blocked else "unblock")
        if blocked and seat not in model.blocked:
            for held in model.holds.values():
                if held.seat == seat and held.status in ("active", "suspended") and self._has_the_row(held):
                    held.status = "cancelled"
        (model.blocked.add if blocked else model.blocked.discard)(seat)

    def _has_the_row(self, held: Held) -> bool:
        """An overdue hold keeps its seat's row until somebody else takes it, or a sweep comes."""
        later = [h for h in self.model.holds.values() if h.seat == held.seat]
        return later[-1] is held

    # --- what holds

    @invariant()
    def the_sale_is_where_the_model_is(self) -> None:
        if not hasattr(self, "sale"):
            return
        model, event_id = self.model, self.sale.event_id
        rows = self.house.run(
            self.house.owner.fetch(
                "SELECT ordinal, CASE WHEN status = 'held' AND held_until <= app.clock() THEN 'available'"
                " ELSE status END AS status, hold_id FROM event_seats WHERE event_id = $1 ORDER BY ordinal",
                event_id,
            )
        )
        for row in rows:
            holder = model.holder(row["ordinal"])
            said = "sold" if model.sold[row["ordinal"]] else "blocked" if row["ordinal"] in model.blocked else None
            assert row["status"] == (said or ("held" if holder else "available")), (row, said)
            assert not holder or model.holds[row["hold_id"]] is holder
        holds = self.house.run(
            self.house.owner.fetch("SELECT id, status FROM seat_holds WHERE event_id = $1", event_id)
        )
        for row in holds:
            # What is overdue may have been ended by whoever needed the place.
            known = model.holds[row["id"]]
            if known in model.overdue() and row["status"] == "expired":
                known.status = "expired"
            assert row["status"] == known.status

    @invariant()
    def the_invariants_hold(self) -> None:
        if not hasattr(self, "sale"):
            return
        for name in ("one holder", "counted"):
            assert self._found(name) == []
        late = [h for h in self.model.overdue() if h.until <= self.model.now - LATE_S]
        assert not self._found("on time") or late

    def teardown(self) -> None:
        assert self._found("audited") == []

    def _found(self, check: str) -> list[str]:
        return self.house.run(PROOFS[check](self.house.auditor))


@pytest.mark.soak
@pytest.mark.req("HOLD-2", "HOLD-4", "HOLD-5", "HOLD-6", "HOLD-7", "EV-6", "EV-7", "EV-8")
def test_the_life_of_a_sale(tmp_path: Path) -> None:
    LifeOfASale.house = House(tmp_path)
    examples, steps, at_least = (280, 50, 10_000) if soaking() else (28, 40, 1_000)
    often, seldom = ("held", "refused", "release", "convert", "sweep", "time"), ("postpone", "reschedule", "cancel")
    wanted = (*often, *seldom) if soaking() else often
    try:
        live(LifeOfASale, LifeOfASale.taken, examples=examples, steps=steps, at_least=at_least, wanted=wanted)
    finally:
        LifeOfASale.house.close()
