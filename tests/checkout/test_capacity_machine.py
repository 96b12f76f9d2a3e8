"""Capacities, quantities, venues and their limits are edited, in any order, while people hold, buy, give back and are
refunded; on a real database, against a model that knows numbers only.

After each step tickets and holds, added up, are within every limit; and the model knows who is refused, and why.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, ClassVar
from uuid import UUID

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fullhouse import prove
from fullhouse.checkout import actions as checkout
from fullhouse.checkout.model import Buyer, Item, Purchase, Session, StartCheckout
from fullhouse.checkout.orders import actions
from fullhouse.events import actions as events
from fullhouse.events.model import ChangeEvent, ChangeVenue, NewVenue
from fullhouse.events.policy import Move
from fullhouse.events.venues import actions as venues
from fullhouse.holds import actions as holds
from fullhouse.holds import jobs as hold_jobs
from fullhouse.holds.engine import RequestItem
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import Refusal
from fullhouse.kit.ids import new_id
from fullhouse.tickets import actions as tickets
from fullhouse.tickets.policy import list_days
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import ChangeTicketType, NewTicketType
from tests.events.helpers import HALL, make_show
from tests.fixtures import soaking
from tests.holds.helpers import OnSale, hall, hold, places, seats, stage
from tests.lives import live
from tests.queue.helpers import person
from tests.queue.test_state_machine import Frozen

PROOFS = {check.name: check.find for check in prove.CHECKS if check.name in ("taken", "limited", "counted", "paid")}
TTL_S = 300
limits = st.sampled_from([0, 2, 3, 4, 5, 6, 8, 11])
names = st.sampled_from(["front", "back", "pass"])
# How an event sells: by types, by the zones of a plan, or by types of which two are for one day each.
ROOM = {
    "types": {"front": 4, "back": 4},
    "plan": {"front": 5, "back": 6},
    "days": {"front": 4, "back": 4, "pass": 3},
}


class Held:
    def __init__(self, user: UUID, ids: list[UUID], name: str, quantity: int, until: int) -> None:
        self.user, self.ids, self.name, self.quantity, self.until = user, ids, name, quantity, until


class Model:
    """`room` is what each kind of places has: ticket types, or zones of a plan. `days` are those that it counts on."""

    def __init__(self, way: str) -> None:
        self.now, self.capacity, self.here, self.most, self.room = 0, 0, 0, [0, 0], dict(ROOM[way])
        self.days: dict[str, set[int]] = {name: {0, 1} for name in self.room}
        if way == "days":
            self.days |= {"front": {0}, "back": {1}}
        self.held: list[Held] = []
        self.tickets: list[tuple[str, UUID]] = []

    def live(self) -> list[Held]:
        return [one for one in self.held if one.until > self.now]

    def of(self, name: str) -> int:
        """What is taken of one kind."""
        return sum(one.quantity for one in self.live() if one.name == name) + sum(
            one == name for one, _ in self.tickets
        )

    def on(self, day: int) -> int:
        return sum(self.of(name) for name, days in self.days.items() if day in days)

    def taken(self) -> int:
        """On the fullest day."""
        return max(self.on(0), self.on(1))

    def offered(self, **other: int) -> int:
        """By quantity, on the day that has most."""
        room = self.room | other
        return max(sum(n for name, n in room.items() if day in self.days[name]) for day in (0, 1))

    def limit(self, capacity: int | None = None, most: int | None = None) -> float:
        both = (self.capacity if capacity is None else capacity, self.most[self.here] if most is None else most)
        return min((n for n in both if n), default=float("inf"))

    def too_low(self, limit: float) -> bool:
        return limit < self.limit() and self.taken() > limit


class LifeOfALimit(RuleBasedStateMachine):
    house: ClassVar[Frozen]
    taken: ClassVar[Counter[str]] = Counter()
    began: ClassVar[int] = 0

    def do(self, work: Callable[[Tx], Awaitable[Any]], name: str, refused: str | None = None) -> Any:
        """In a transaction of the owner; it is refused as the model says, or not at all."""

        async def done() -> Any:
            async with self.house.process.database.tenant(self.house.tenant.id, self.who.actor) as tx:
                return await work(tx)

        self.taken[refused or name] += 1
        if refused is None:
            return self.house.run(done())
        with pytest.raises(Refusal) as refusal:
            self.house.run(done())
        assert refusal.value.code == refused
        return None

    @initialize(way=st.sampled_from(sorted(ROOM)))
    def an_event_goes_on_sale(self, way: str) -> None:
        house, planned = self.house, way == "plan"
        self.who, self.planned = house.tenant.principal("owner"), planned
        self.taken[way] += 1
        type(self).began += 1_000_000  # far from the last one's times
        house.run(house.set_clock(self.began))
        house.run(hold_jobs.sweep_holds(house.finder, house.process.database))
        self.model = Model(way)
        self.sale = house.run(self._staged())

        async def rest(tx: Tx) -> dict[str, UUID]:
            made, (first, second) = {}, sorted(list_days(await events.require_event(tx, self.sale.event_id)))[:2]
            days = {"front": [first], "back": [second]} if way == "days" else {}
            for name, room in self.model.room.items():
                wish = NewTicketType(
                    name=name,
                    kind="seated" if planned and name == "back" else "ga",
                    price=0,
                    currency="EUR",
                    quantity=None if planned else room,
                    valid_days=days.get(name, []),
                )
                made[name] = (await types.create_type(tx, self.sale.event_id, wish)).id
            if not planned:
                await events.move_event(tx, self.sale.event_id, Move.PUBLISH)
            return made

        self.types = self.do(rest, "begin")

        async def two_venues(tx: Tx) -> list[UUID]:
            here = (await events.require_event(tx, self.sale.event_id)).venue_id
            assert here
            return [here, (await venues.create_venue(tx, self.who, NewVenue(**HALL))).id]

        self.venues = self.do(two_venues, "venues")

    async def _staged(self) -> OnSale:
        if self.planned:
            sale = await stage(self.house.process, self.house.tenant, hall(1, 6, pit=5), orphan_avoidance_strict=False)
        else:
            sale = OnSale((await make_show(self.house.process, self.house.tenant)).id, new_id(), {})
        longer = "UPDATE events SET end_at = end_at + interval '1 day' WHERE id = $1"
        await self.house.owner.execute(longer, sale.event_id)
        return sale

    # --- buyers

    def _wants(self, name: str, quantity: int) -> tuple[RequestItem, ...]:
        if not self.planned:
            return (RequestItem(new_id(), kind="ticket_type", ref_id=self.types[name], quantity=quantity),)
        if name == "front":
            return (places(self.sale, "pit", quantity),)
        return seats(self.sale, *self._free_seats()[:quantity])

    def _free_seats(self) -> list[int]:
        query = (
            "SELECT ordinal FROM event_seats WHERE event_id = $1 AND (status = 'available'"
            " OR status = 'held' AND held_until <= app.clock()) ORDER BY ordinal"
        )
        return [row["ordinal"] for row in self.house.run(self.house.owner.fetch(query, self.sale.event_id))]

    @rule(name=names, quantity=st.integers(1, 4))
    def somebody_takes(self, name: str, quantity: int) -> None:
        if name not in self.model.room:
            return
        model, wants, user = self.model, self._wants(name, quantity), new_id()
        if sum(want.quantity for want in wants) < quantity:
            return  # there are not as many seats
        fullest = max(model.on(day) for day in model.days[name])
        fits = model.of(name) + quantity <= model.room[name] and fullest + quantity <= model.limit()
        results = self.house.run(hold(self.house.process, self.house.tenant, self.sale, user, *wants))
        assert {result.is_granted for result in results} == {fits}, (results, vars(model))
        self.taken["held" if fits else "full"] += 1
        if fits:
            ids = [result.hold_id for result in results if result.hold_id]
            model.held.append(Held(user, ids, name, quantity, model.now + TTL_S))

    @precondition(lambda self: self.model.live())
    @rule(data=st.data())
    def somebody_gives_back(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(self.model.live()))
        self.do(lambda tx: holds.end(tx, one.ids, "cancelled"), "release")
        self.model.held.remove(one)

    @precondition(lambda self: self.model.live())
    @rule(data=st.data())
    def somebody_buys(self, data: st.DataObject) -> None:
        one, process = data.draw(st.sampled_from(self.model.live())), self.house.process
        who = person(self.house.tenant, one.user)
        items = [Item(hold_id=i, ticket_type_id=self.types[one.name]) for i in one.ids]
        wish = Purchase(provider="free", buyer=Buyer(name="A", email="a@example.org"))

        key = new_id().hex

        async def buy() -> None:
            session = await checkout.start(process, who, self.sale.event_id, StartCheckout(items=items))
            assert isinstance(session, Session)
            await actions.purchase(process, who, session.id, wish, key)

        self.house.run(buy())
        query = "SELECT t.id FROM tickets t JOIN orders o ON o.id = t.order_id WHERE o.purchase_key = $1"
        found = self.house.run(self.house.owner.fetch(query, key))
        assert len(found) == one.quantity
        self.model.held.remove(one)
        self.model.tickets += [(one.name, row["id"]) for row in found]
        self.taken["buy"] += 1

    @precondition(lambda self: self.model.tickets)
    @rule(data=st.data())
    def a_ticket_is_refunded(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(self.model.tickets))
        self.do(lambda tx: tickets.void(tx, self.sale.event_id, [one[1]], "cancelled", "ill"), "refund")
        self.model.tickets.remove(one)

    @rule(sweep=st.booleans())
    def time_passes(self, sweep: bool) -> None:
        """All holds are over; swept or not, they are in nobody's way."""
        self.model.now += TTL_S + 1
        self.model.held = []
        self.house.run(self.house.set_clock(self.began + self.model.now))
        if sweep:
            self.house.run(hold_jobs.sweep_holds(self.house.finder, self.house.process.database))
        self.taken["time"] += 1

    # --- organisers

    @rule(capacity=limits)
    def the_capacity_is_edited(self, capacity: int) -> None:
        model, refused = self.model, None
        if capacity != model.capacity:
            if capacity > (model.most[model.here] or capacity):
                refused = "capacity_above_venue"
            elif model.too_low(model.limit(capacity=capacity)):
                refused = "capacity_in_use"
            elif not self.planned and 0 < capacity < model.offered():
                refused = "quantity_above_capacity"
        change = ChangeEvent(capacity=capacity)
        self.do(lambda tx: events.change_event(tx, self.who, self.sale.event_id, change, None), "capacity", refused)
        if refused is None:
            model.capacity = capacity

    @precondition(lambda self: self.model.taken() > 1)
    @rule()
    def the_capacity_is_set_below_what_is_taken(self) -> None:
        self.the_capacity_is_edited(self.model.taken() - 1)

    @rule(which=st.integers(0, 1), most=limits)
    def a_venue_is_edited(self, which: int, most: int) -> None:
        model, refused, was = self.model, None, self.model.most[which]
        if which == model.here and most != was:
            if most and (not was or most < was) and model.capacity > most:
                refused = "venue_too_small"
            elif model.too_low(model.limit(most=most)):
                refused = "capacity_in_use"
        change, venue = ChangeVenue(max_capacity=most), self.venues[which]
        self.do(lambda tx: venues.change_venue(tx, self.who, venue, change, None), "venue", refused)
        if refused is None:
            model.most[which] = most

    @rule()
    def the_event_moves(self) -> None:
        model, there, refused = self.model, 1 - self.model.here, None
        most = model.most[there]
        if most and model.capacity > most:
            refused = "capacity_above_venue"
        elif model.too_low(model.limit(most=most)):
            refused = "capacity_in_use"
        elif self.planned and not model.taken():
            refused = "layout_left_behind"
        change = ChangeEvent(venue_id=self.venues[there], reason="storm", consent_note="all were asked")
        self.do(lambda tx: events.change_event(tx, self.who, self.sale.event_id, change, None), "move", refused)
        if refused is None:
            model.here = there

    @precondition(lambda self: not self.planned)
    @rule(name=names, quantity=st.integers(1, 6))
    def a_quantity_is_edited(self, name: str, quantity: int) -> None:
        """What is overdue counts in a type until it is swept: here it is."""
        self.house.run(hold_jobs.sweep_holds(self.house.finder, self.house.process.database))
        model, refused = self.model, None
        if name not in model.room:
            return
        if model.offered() < model.offered(**{name: quantity}) > model.limit():
            refused = "quantity_above_capacity"
        elif quantity < model.of(name):
            refused = "quantity_below_sold"
        change, kind = ChangeTicketType(quantity=quantity), self.types[name]
        self.do(lambda tx: types.change_type(tx, self.sale.event_id, kind, change, None), "quantity", refused)
        if refused is None:
            model.room[name] = quantity

    # --- what holds

    @invariant()
    def no_limit_is_exceeded(self) -> None:
        if not hasattr(self, "venues"):
            return
        for name, find in PROOFS.items():
            assert self.house.run(find(self.house.auditor)) == [], name
        query = (
            "SELECT (SELECT coalesce(sum(quantity), 0) FROM seat_holds WHERE event_id = $1 AND held_until > app.clock()"
            " AND status IN ('active', 'suspended')) + (SELECT count(*) FROM tickets WHERE event_id = $1"
            " AND status IN ('valid', 'used'))"
        )
        found = self.house.run(self.house.owner.fetchval(query, self.sale.event_id))
        assert found == sum(self.model.of(name) for name in self.model.room)
        assert self.model.taken() <= self.model.limit()


@pytest.mark.soak
@pytest.mark.req("EV-1", "EV-2", "TT-1", "ZONE-1", "SEAT-3", "BUY-1", "CAP-1")
def test_any_life_of_a_limit(tmp_path: Path) -> None:
    LifeOfALimit.house = house = Frozen(tmp_path)
    examples, steps = (200, 50) if soaking() else (9, 25)
    edits = ("capacity", "venue", "quantity", "capacity_in_use")
    wanted = ("held", "full", "release", "buy", "refund", "time", *edits, *ROOM)
    try:
        live(LifeOfALimit, LifeOfALimit.taken, examples=examples, steps=steps, wanted=wanted)
    finally:
        house.close()
