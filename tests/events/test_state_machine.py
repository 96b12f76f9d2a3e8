"""Any sequence of moves and hours, against a small model of the specification's tables: it shares nothing with ours."""

from collections import Counter
from datetime import datetime, timedelta
from typing import ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from fullhouse.events import policy
from fullhouse.events.model import Event, InvalidTimes, MoveNotAllowed, NoNewDate, StartInThePast
from fullhouse.events.policy import Move
from fullhouse.events.sale import policy as sale_policy
from fullhouse.kit.errors import Refusal
from tests.events.helpers import DAY, HOUR, NOW, show
from tests.fixtures import soaking
from tests.lives import live

MINUTE, INSTANT = timedelta(minutes=1), timedelta(microseconds=1)
LIFE = {
    "draft": {"publish": "published", "cancel": "cancelled", "archive": "archived"},
    "published": {"unpublish": "draft", "start": "live", "postpone": "postponed", "cancel": "cancelled"},
    "live": {"end": "ended", "postpone": "postponed", "cancel": "cancelled"},
    "postponed": {"reschedule": "postponed", "publish": "published", "start": "live", "cancel": "cancelled"},
    "ended": {"archive": "archived"},
    "cancelled": {"archive": "archived"},
    "archived": {},
}
hours = st.integers(0, 24 * 90).map(lambda count: count * HOUR)
steps = st.sampled_from([MINUTE, HOUR, DAY, 10 * DAY, 40 * DAY])


class Model:
    """A show as the specification tells it: where it is, when it is announced for, how long it lasts, when it sells."""

    def __init__(self, event: Event) -> None:
        self.status, self.begins, self.dated = "draft", event.start_at, True
        self.lasts = event.end_at - event.start_at
        self.doors_before = event.start_at - event.doors_at
        self.sale_from, self.sale_to = event.sale_start_at, event.sale_end_at

    def refusal(self, move: str, now: datetime, date: datetime | None) -> type[Refusal] | None:
        if move not in LIFE[self.status]:
            return MoveNotAllowed
        if self.status == "postponed" and move in ("publish", "start") and not self.dated:
            return NoNewDate
        if move == "publish" and self.begins + self.lasts <= now:
            return StartInThePast
        if date and date <= now:
            return StartInThePast
        return InvalidTimes if date and self.sale_end_on(date) > date + self.lasts else None

    def sale_end_on(self, date: datetime) -> datetime:
        """As much later as the show, and never less than a minute of sale."""
        return max(self.sale_to + (date - self.begins), self.sale_from + MINUTE)

    def do(self, move: str, date: datetime | None) -> None:
        self.status = LIFE[self.status][move]
        if move == "postpone":
            self.dated = False
        if date:
            self.sale_to, self.begins, self.dated = self.sale_end_on(date), date, True

    def due(self) -> tuple[str, datetime] | None:
        """What the clock will do by itself, and when."""
        if self.status == "published":
            return "start", self.begins - self.doors_before
        if self.status == "live":
            return "end", self.begins + self.lasts
        return ("start", self.begins) if self.status == "postponed" and self.dated else None

    def sells(self, now: datetime) -> bool:
        open_for_sale = self.status in ("published", "live") or (self.status == "postponed" and self.dated)
        return open_for_sale and self.sale_from <= now <= self.sale_to

    def scans(self, now: datetime) -> bool:
        tonight = self.begins <= now <= self.begins + self.lasts
        return self.status == "live" or (self.status == "postponed" and self.dated and tonight)

    def edges(self) -> list[datetime]:
        """Where something opens or closes, and the moments just before and after."""
        ends = (self.sale_from, self.sale_to, self.begins - self.doors_before, self.begins, self.begins + self.lasts)
        return [end + step for end in ends for step in (-INSTANT, 0 * INSTANT, INSTANT)]

    def shown(self) -> bool:
        return self.status in ("published", "live", "postponed")


class LifeOfAShow(RuleBasedStateMachine):
    taken: ClassVar[Counter[str]] = Counter()  # over all examples: the test below asks whether it was worth its name

    @initialize(lasts=hours, doors=hours, sale_ends=st.integers(-20, 0), opens=st.integers(-5, 5))
    def made(self, lasts: timedelta, doors: timedelta, sale_ends: int, opens: int) -> None:
        self.now, start = NOW, NOW + 30 * DAY
        end = start + max(lasts, MINUTE)
        self.event = self.first = show(
            end_at=end, doors_at=start - doors, sale_start_at=NOW + opens * DAY, sale_end_at=end + sale_ends * DAY / 2
        )
        policy.check_times(self.event)
        self.model = Model(self.event)

    @precondition(lambda self: self.event.status in ("cancelled", "archived"))
    @rule()
    def another_show_is_made(self) -> None:
        """Most moves lead here, and little leads on: without this the machine would idle."""
        ahead = self.now - self.event.sale_start_at + DAY
        times = ("doors_at", "start_at", "end_at", "sale_start_at", "sale_end_at")
        self.event = show(**{name: getattr(self.first, name) + ahead for name in times})
        self.model = Model(self.event)

    @rule(step=steps)
    def time_passes(self, step: timedelta) -> None:
        self.now += step
        self.taken["time passes"] += 1

    @rule(move=st.sampled_from(Move), ahead=hours, dated=st.booleans())
    def somebody_tries(self, move: Move, ahead: timedelta, dated: bool) -> None:
        takes_date = move is Move.RESCHEDULE or (move is Move.POSTPONE and dated)
        self._do(move, self.now + ahead - DAY if takes_date else None)

    @precondition(lambda self: bool(LIFE[self.event.status]))
    @rule(choice=st.integers(0, 2), ahead=hours)
    def somebody_does(self, choice: int, ahead: timedelta) -> None:
        """What is open to it, and not the end of it if there is anything else."""
        moves = [*LIFE[self.event.status]]
        move = moves[choice % max(1, len(moves) - 1)]
        self._do(Move(move), self.now + ahead if move == "reschedule" else None)

    @precondition(lambda self: self.model.due() is not None)
    @rule(late=st.one_of(st.just(0 * HOUR), steps))
    def the_clock_moves_it(self, late: timedelta) -> None:
        """On time, or after a night without power."""
        due = self.model.due()
        assert due
        self.now = max(self.now, due[1] + late)
        self._do(Move(due[0]), None)
        self.taken["by the clock"] += 1

    def _do(self, move: Move, date: datetime | None) -> None:
        if expected := self.model.refusal(move, self.now, date):
            with pytest.raises(expected):
                self._moved(move, date)
            self.taken["refused"] += 1
            return
        self.event = self._moved(move, date)
        self.model.do(move, date)
        self.taken[move] += 1

    def _moved(self, move: Move, date: datetime | None) -> Event:
        after = policy.apply_move(self.event, move, self.now, new_date=date, reason="a test")
        policy.check_times(after)
        return after

    @invariant()
    def the_show_is_where_the_model_is(self) -> None:
        event, model = self.event, self.model
        assert event.status == model.status
        assert policy.is_visible(event.status) == model.shown()
        assert {move.value for move in policy.moves_from(event.status)} == set(LIFE[model.status])
        due = model.due()
        for now in (self.now, *model.edges()):
            assert policy.can_sell(event, now) == model.sells(now)
            stock = sale_policy.Stock(event.sale_start_at, event.sale_end_at, has_tickets=True, sold_out=False)
            assert (sale_policy.sale_status(event, now, stock) == "on_sale") == model.sells(now)
            assert (policy.can_scan(event, now) is policy.Scanning.REAL) == model.scans(now)
            assert policy.due_move(event, now) == (due[0] if due and due[1] <= now else None)

    @invariant()
    def no_date_is_lost(self) -> None:
        event, model = self.event, self.model
        assert (event.rescheduled_at or event.start_at) == model.begins
        assert event.end_at - event.start_at == model.lasts
        assert event.start_at - event.doors_at == model.doors_before
        assert (event.sale_start_at, event.sale_end_at) == (model.sale_from, model.sale_to)
        assert event.rescheduled_at is None or event.status in ("postponed", "cancelled", "archived")


@pytest.mark.soak
@pytest.mark.req("EV-4", "EV-5")
def test_the_life_of_a_show() -> None:
    examples, steps, at_least = (2_000, 50, 20_000) if soaking() else (100, 25, 1_000)
    wanted = (*Move, "time passes", "by the clock", "refused")
    live(LifeOfAShow, LifeOfAShow.taken, examples=examples, steps=steps, at_least=at_least, wanted=wanted)
