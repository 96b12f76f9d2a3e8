"""The tables of a show's life, cell by cell, against grids written from the specification alone."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from fullhouse.events import policy
from fullhouse.events.model import (
    AboveVenueCapacity,
    AddressParts,
    InvalidTimes,
    MoveNotAllowed,
    NoNewDate,
    StartInThePast,
    Venue,
)
from fullhouse.events.policy import Move, Scanning
from fullhouse.events.sale import policy as sale_policy
from fullhouse.kit.errors import Invalid
from fullhouse.kit.ids import new_id
from tests.events.helpers import DAY, HOUR, NOW, STATUSES, show


def cells(grid: str) -> list[tuple[str, str, str]]:
    """(row, column, cell) of a table as people draw it."""
    head, *rows = (line.split() for line in grid.strip().splitlines())
    return [(row[0], column, cell) for row in rows for column, cell in zip(head[1:], row[1:], strict=True)]


LIFE = """
from        publish    unpublish  start  end    postpone   reschedule  cancel     archive
draft       published  -          -      -      -          -           cancelled  archived
published   -          draft      live   -      postponed  -           cancelled  -
live        -          -          -      ended  postponed  -           cancelled  -
ended       -          -          -      -      -          -           -          archived
cancelled   -          -          -      -      -          -           -          archived
postponed   published  -          live   -      -          postponed   cancelled  -
archived    -          -          -      -      -          -           -          -
"""
LEADS_TO = {
    "publish": "published",
    "unpublish": "draft",
    "start": "live",
    "end": "ended",
    "postpone": "postponed",
    "reschedule": "postponed",
    "cancel": "cancelled",
    "archive": "archived",
}
NEW = NOW + 60 * DAY  # the new date, where a grid's row says `+date`

# The columns are moments around the sale window, both of whose ends belong to it.
SALE = """
status           before     opening    inside     closing    after
draft            upcoming   upcoming   upcoming   upcoming   upcoming
published        upcoming   on_sale    on_sale    on_sale    closed
live             upcoming   on_sale    on_sale    on_sale    closed
ended            closed     closed     closed     closed     closed
cancelled        cancelled  cancelled  cancelled  cancelled  cancelled
cancelled+date   cancelled  cancelled  cancelled  cancelled  cancelled
postponed        suspended  suspended  suspended  suspended  suspended
postponed+date   upcoming   on_sale    on_sale    on_sale    closed
archived         closed     closed     closed     closed     closed
archived+date    closed     closed     closed     closed     closed
"""

# The columns are moments around the evening: the new one where there is one.
SCANS = """
status           before  beginning  inside  ending  after
draft            test    test       test    test    test
published        test    test       test    test    test
live             real    real       real    real    real
ended            none    none       none    none    none
cancelled        none    none       none    none    none
cancelled+date   none    none       none    none    none
postponed        none    none       none    none    none
postponed+date   none    real       real    real    none
archived         none    none       none    none    none
archived+date    none    none       none    none    none
"""
VISIBLE = {"published", "live", "postponed"}


def at(row: str, **more: Any) -> Any:
    status, _, date = row.partition("+")
    return show(status=status, rescheduled_at=NEW if date else None, **more)


def around(beginning: datetime, ending: datetime) -> list[datetime]:
    step = timedelta(microseconds=1)  # the smallest that the database knows
    return [beginning - step, beginning, beginning + (ending - beginning) / 2, ending, ending + step]


# --- the life of a show


@pytest.mark.req("EV-4")
@pytest.mark.parametrize(("status", "move", "to"), cells(LIFE))
def test_life(status: str, move: str, to: str) -> None:
    if to != "-":
        assert policy.next_status(status, Move(move)) == to
        return
    with pytest.raises(MoveNotAllowed) as refusal:
        policy.next_status(status, Move(move))
    problem = refusal.value.to_problem()
    open_moves = {m for (s, m, cell) in cells(LIFE) if s == status and cell != "-"}
    assert (problem["status"], problem["code"]) == (409, "transition_not_allowed")
    assert (problem["from"], problem["to"]) == (status, LEADS_TO[move])
    assert sorted(problem["allowed"]) == sorted(open_moves)
    assert status in problem["detail"]
    assert LEADS_TO[move] in problem["detail"]


@pytest.mark.req("EV-4")
def test_the_grid_above_has_every_cell_and_the_code_has_no_other() -> None:
    assert {(s, m) for s, m, _ in cells(LIFE)} == {(s, m.value) for s in STATUSES for m in Move}
    assert {(s, m, to) for s, m, to in cells(LIFE) if to != "-"} == {
        (status, move, to) for (status, move), to in policy.MOVES.items()
    }


@pytest.mark.req("EV-4")
@pytest.mark.parametrize(("status", "move", "to"), [cell for cell in cells(LIFE) if cell[2] == "-"])
def test_a_move_that_is_not_allowed_leaves_no_show_behind(status: str, move: str, to: str) -> None:
    with pytest.raises(MoveNotAllowed):
        policy.apply_move(at(status), Move(move), NOW, new_date=NEW, reason=None)


# --- selling, scanning, showing


@pytest.mark.req("EV-5")
@pytest.mark.parametrize("row", [row for row, column, _ in cells(SALE) if column == "before"])
def test_selling(row: str) -> None:
    event = at(row, sale_start_at=NOW + DAY, sale_end_at=NOW + 9 * DAY)
    moments = around(event.sale_start_at, event.sale_end_at)
    words = [cell for name, _, cell in cells(SALE) if name == row]

    def said(*, has_tickets: bool = True, sold_out: bool = False) -> list[str]:
        stock = sale_policy.Stock(event.sale_start_at, event.sale_end_at, has_tickets, sold_out)
        return [sale_policy.sale_status(event, now, stock) for now in moments]

    assert said() == words
    assert [policy.can_sell(event, now) for now in moments] == [word == "on_sale" for word in words]
    full = ["sold_out" if word == "on_sale" else word for word in words]
    assert said(sold_out=True) == full
    empty = ["upcoming" if word == "on_sale" else word for word in words]
    assert said(has_tickets=False) == said(has_tickets=False, sold_out=True) == empty


@pytest.mark.req("EV-5")
@pytest.mark.parametrize("row", [row for row, column, _ in cells(SCANS) if column == "before"])
def test_scanning(row: str) -> None:
    event = at(row)
    beginning = event.rescheduled_at or event.start_at
    scans = [policy.can_scan(event, now) for now in around(beginning, beginning + 2 * HOUR)]
    assert [scan.name.lower() for scan in scans] == [cell for name, _, cell in cells(SCANS) if name == row]
    assert Scanning.IN_NEW_WINDOW not in scans  # a rule, not an answer


@pytest.mark.req("EV-5")
@pytest.mark.parametrize("status", STATUSES)
def test_showing(status: str) -> None:
    assert policy.is_visible(status) == (status in VISIBLE)


@pytest.mark.req("EV-5")
def test_the_three_tables_know_every_status() -> None:
    assert list(policy.SELLS) == list(policy.SCANS) == list(policy.VISIBLE) == STATUSES


# --- what a move does to the dates


@pytest.mark.req("EV-7", "EV-8")
@pytest.mark.parametrize(("move", "status"), [(Move.PUBLISH, "published"), (Move.START, "live")])
def test_leaving_postponed_moves_the_whole_evening(move: Move, status: str) -> None:
    before = replace(at("postponed+date"), postponement_reason="storm", sale_end_at=NEW)
    after = policy.apply_move(before, move, NOW, new_date=None, reason=None)
    assert after.status == status
    assert (after.doors_at, after.start_at, after.end_at) == (NEW - HOUR, NEW, NEW + 2 * HOUR)
    assert (after.sale_start_at, after.sale_end_at) == (NOW, NEW)
    assert (after.rescheduled_at, after.postponement_reason) == (None, None)
    policy.check_times(after)


@pytest.mark.req("EV-7", "EV-16")
@pytest.mark.parametrize("move", [Move.PUBLISH, Move.START])
def test_a_postponed_show_waits_for_its_new_date(move: Move) -> None:
    with pytest.raises(NoNewDate):
        policy.apply_move(at("postponed"), move, NOW, new_date=None, reason=None)


@pytest.mark.req("EV-7")
@pytest.mark.parametrize("status", ["published", "live"])
def test_postponing_with_and_without_a_date(status: str) -> None:
    event = show(status=status)
    waiting = policy.apply_move(event, Move.POSTPONE, NOW, new_date=None, reason="storm")
    assert waiting == replace(event, status="postponed", postponement_reason="storm")
    dated = policy.apply_move(event, Move.POSTPONE, NOW, new_date=NEW, reason="storm")
    assert dated == replace(waiting, rescheduled_at=NEW, sale_end_at=NEW)


@pytest.mark.req("EV-8")
def test_the_end_of_the_sale_moves_as_far_as_the_date_each_time() -> None:
    event = replace(at("postponed"), sale_end_at=NOW + 29 * DAY)  # a day before the show
    once = policy.apply_move(event, Move.RESCHEDULE, NOW, new_date=NEW, reason=None)
    again = policy.apply_move(once, Move.RESCHEDULE, NOW, new_date=NEW - 7 * DAY, reason=None)
    assert (once.sale_end_at, again.sale_end_at) == (NEW - DAY, NEW - 8 * DAY)
    assert (once.start_at, again.start_at) == (event.start_at, event.start_at)


@pytest.mark.req("EV-8")
@pytest.mark.parametrize(("status", "move"), [("postponed", Move.RESCHEDULE), ("published", Move.POSTPONE)])
@pytest.mark.parametrize("new_date", [NOW, NOW - DAY])
def test_a_new_date_lies_in_the_future(status: str, move: Move, new_date: datetime) -> None:
    with pytest.raises(StartInThePast):
        policy.apply_move(show(status=status), move, NOW, new_date=new_date, reason="storm")


@pytest.mark.req("EV-4")
def test_nobody_publishes_a_show_that_is_over() -> None:
    event = show()
    policy.apply_move(event, Move.PUBLISH, event.end_at - HOUR, new_date=None, reason=None)
    with pytest.raises(StartInThePast):
        policy.apply_move(event, Move.PUBLISH, event.end_at, new_date=None, reason=None)


@pytest.mark.req("EV-4")
def test_moves_note_when_and_why() -> None:
    first = policy.apply_move(show(), Move.PUBLISH, NOW, new_date=None, reason=None)
    assert first.published_at == NOW
    hidden = policy.apply_move(first, Move.UNPUBLISH, NOW + HOUR, new_date=None, reason=None)
    assert policy.apply_move(hidden, Move.PUBLISH, NOW + DAY, new_date=None, reason=None).published_at == NOW
    cancelled = policy.apply_move(first, Move.CANCEL, NOW + HOUR, new_date=None, reason="fire")
    assert (cancelled.cancelled_at, cancelled.cancellation_reason) == (NOW + HOUR, "fire")


# --- what the clock does by itself


@pytest.mark.req("EV-4")
@pytest.mark.parametrize("row", [row for row, column, _ in cells(SCANS) if column == "before"])
def test_the_clock_starts_and_ends_what_is_due_and_nothing_else(row: str) -> None:
    event = at(row)
    due = {
        "published": (event.doors_at, Move.START),
        "live": (event.end_at, Move.END),
        "postponed+date": (NEW, Move.START),
    }
    moment, move = due.get(row, (NOW, None))
    early, late = moment - timedelta(seconds=1), moment + 3650 * DAY
    assert policy.due_move(event, early) is None
    assert [policy.due_move(event, now) for now in (moment, late)] == [move, move]


# --- times and places


@pytest.mark.req("EV-2")
@pytest.mark.parametrize(
    ("wrong", "fields"),
    [
        ({"end_at": NOW + 30 * DAY}, {"end_at"}),
        ({"end_at": NOW + 30 * DAY + timedelta(seconds=59)}, {"end_at"}),
        ({"doors_at": NOW + 30 * DAY + HOUR}, {"doors_at"}),
        ({"sale_start_at": NOW + 30 * DAY}, {"sale_end_at"}),
        ({"sale_end_at": NOW + 30 * DAY + 3 * HOUR}, {"sale_end_at"}),
        ({"doors_at": NOW + 31 * DAY, "sale_end_at": NOW}, {"doors_at", "sale_end_at"}),
    ],
)
def test_times_that_do_not_fit_are_all_named(wrong: dict[str, Any], fields: set[str]) -> None:
    with pytest.raises(InvalidTimes) as refusal:
        policy.check_times(show(**wrong))
    assert {field.path for field in refusal.value.fields} == fields


@pytest.mark.req("EV-2")
@pytest.mark.parametrize(
    "right",
    [
        {"end_at": NOW + 30 * DAY + timedelta(minutes=1)},
        {"doors_at": NOW + 30 * DAY},
        {"sale_end_at": NOW + 30 * DAY + 2 * HOUR},
        {"status": "postponed", "rescheduled_at": NEW, "sale_end_at": NEW + 2 * HOUR},
    ],
)
def test_times_at_their_limits_fit(right: dict[str, Any]) -> None:
    policy.check_times(show(**right))


@pytest.mark.req("EV-2")
@pytest.mark.parametrize(("places", "most"), [(0, 100_000), (400, 400), (100_000, 100_000), (250_000, 100_000)])
def test_capacity_is_the_venues_at_most_and_the_houses(places: int, most: int) -> None:
    place = ("Hall", "virtual", "UTC", None, AddressParts(), "Gent", "BE", None, None)
    venue = Venue(new_id(), "hall", *place, places, {}, 1, NOW, NOW)
    for capacity in (0, 1, most):
        policy.check_capacity(capacity, venue)
    with pytest.raises(AboveVenueCapacity):
        policy.check_capacity(most + 1, venue)


@pytest.mark.parametrize(
    ("start", "end", "days"),
    [
        (timedelta(), timedelta(), 0),
        (timedelta(hours=1), timedelta(hours=1), 0),
        (timedelta(days=7), timedelta(days=7), 7),
        (timedelta(days=-1), timedelta(days=-1), -1),
        (timedelta(days=-1), timedelta(), 0),  # a day longer
        (timedelta(), timedelta(days=1), 0),
    ],
)
def test_a_show_has_moved_if_all_of_it_has(start: timedelta, end: timedelta, days: int) -> None:
    before = show()
    after = replace(before, start_at=before.start_at + start, end_at=before.end_at + end)
    assert policy.count_days_moved(before, after) == days


@pytest.mark.req("EV-4", "AUD-1")
@pytest.mark.parametrize("reason", [None, "", " ", "\n\t"])
@pytest.mark.parametrize("move", [Move.CANCEL, Move.POSTPONE])
def test_some_moves_are_never_made_without_a_reason(move: Move, reason: str | None) -> None:
    with pytest.raises(Invalid) as refused:
        policy.apply_move(show(status="published"), move, NOW, new_date=None, reason=reason)
    assert [field.path for field in refused.value.fields] == ["reason"]
    assert {Move.CANCEL, Move.POSTPONE} == policy.NEEDS_REASON
