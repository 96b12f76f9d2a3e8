"""The tables and the arithmetic of waiting, without a database."""

import itertools
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from fullhouse.kit.ids import new_id
from fullhouse.waiting_room import policy

FUNCTIONS = Path(policy.__file__).parents[1] / "db" / "functions" / "waiting_room"


@pytest.mark.req("QUEUE-1")
def test_the_statements_have_the_same_times() -> None:
    text = "".join(file.read_text() for file in sorted(FUNCTIONS.glob("*.sql")))
    assert set(re.findall(r"interval '(\d+) minutes'", text)) == {str(policy.PLACE_S // 60)}
    assert set(re.findall(r"secs => (\d+) \* ", text)) == {str(policy.MISSED_MAX)}
    assert set(re.findall(r"(?:LIMIT|<=) (\d{4})", text)) == {str(policy.NEAR)}
    assert re.findall(r"THEN (\d+) ELSE (\d+) END;", text) == [
        (str(policy.HEARTBEAT_MIN_S), str(policy.FAR_HEARTBEAT_S))
    ]


def test_who_polls_as_told_is_never_passed_over() -> None:
    assert (
        policy.HEARTBEAT_AFTER_S + policy.POLL_MAX_S
        <= policy.FAR_HEARTBEAT_S
        < policy.MISSED_MAX * policy.FAR_HEARTBEAT_S
        < policy.PLACE_S
    )
    assert policy.FIRST_POLL_S < policy.HEARTBEAT_MIN_S == policy.heartbeat_due_s(0, policy.FIRST_POLL_S)
    for ahead, waiting, soonest_s in itertools.product(
        (0, 19, 4_999, 5_000, 900_000), (1, 1_000_000), (None, 1, 9_999)
    ):
        told = policy.next_poll_s(7, ahead, waiting, soonest_s)
        # It is written down at the first poll that finds the last one older than this.
        assert policy.heartbeat_after_s(ahead) + told <= policy.heartbeat_due_s(ahead, told)
        first = policy.first_poll_s(7, ahead, waiting, soonest_s)
        assert first <= (policy.FIRST_POLL_S if ahead < policy.NEAR else policy.POLL_MAX_S)


@pytest.mark.parametrize(
    ("ahead", "rate", "seen", "expected"),
    [
        (99, 1.0, 100, (80, 125)),
        (99, 1.0, 9, (50, 200)),  # few were counted: a wide range
        (0, 0.1, 10_000, (8, 13)),
        (10, None, 0, None),
        (10, 0.5, 2, None),  # too few to say anything
    ],
)
@pytest.mark.req("QUEUE-2")
def test_the_wait_is_a_range_and_honest_when_it_is_unknown(
    ahead: int, rate: float | None, seen: float, expected: tuple[int, int] | None
) -> None:
    assert policy.eta_s(ahead, rate, policy.confidence(rate, seen)) == expected


@pytest.mark.parametrize("waiting", [0, 60_000, 66_666, 66_667, 100_000, 1_000_000])
def test_where_a_crowd_is_told_the_same_each_of_it_is(waiting: int) -> None:
    same = policy.common_poll_s(waiting)
    assert (same is None) == (waiting < 66_667)
    if same is not None:
        for seq in range(1, 300):
            for ahead, soonest_s in ((0, None), (5, 1), (waiting - 1, 9_999)):
                assert policy.next_poll_s(seq, ahead, waiting, soonest_s) == same


def test_polls_are_spread_by_load_and_frequent_near_the_front() -> None:
    assert all(policy.next_poll_s(seq, 3, 100, 20) <= 4 for seq in range(1, 200))
    crowded = [policy.next_poll_s(seq, 900_000, 1_000_000, None) for seq in range(1, 200)]
    assert set(crowded) == {policy.POLL_MAX_S}
    many = [policy.next_poll_s(seq, 20_000, 30_000, None) for seq in range(1, 200)]
    assert len(set(many)) > 5
    assert 54 <= min(many) <= max(many) <= 66
    assert policy.next_poll_s(1, None, 0, None) >= policy.POLL_MIN_S


def test_every_state_can_be_left_and_none_is_reached_by_itself() -> None:
    assert all(state != to for (state, _), to in policy.MOVES.items())
    assert {state for state, _ in policy.MOVES} == {"closed", "pre", "open", "paused", "draining"}


def test_a_refusal_names_its_wait() -> None:
    now = datetime(2030, 1, 1, tzinfo=UTC)
    cooling = policy.to_refusal("queue_cooldown", 3599, now)
    assert (cooling.code, cooling.status, cooling.retry_after_s) == ("queue_cooldown", 429, 3599)
    until = now + timedelta(seconds=3599)
    until_ms = int(until.timestamp() * 1000)
    assert cooling.extra == {"wait_s": 3599, "cooldown_until": until, "cooldown_until_unix_ms": until_ms}
    assert "60 minutes" in cooling.detail
    assert policy.to_refusal("checkout_full", None, now).retry_after_s == 5


# From which states an order leads where. What is not here cannot be done.
ORDERS: dict[policy.RoomCommand, tuple[set[str], str]] = {
    "open": ({"closed", "pre", "draining"}, "open"),
    "pause": ({"open", "draining"}, "paused"),
    "resume": ({"paused"}, "open"),
    "drain": ({"open", "paused"}, "draining"),
    "close": ({"pre", "open", "paused", "draining"}, "closed"),
}


def test_each_order_fits_its_states_and_no_other() -> None:
    assert {(state, order): to for order, (states, to) in ORDERS.items() for state in states} == policy.MOVES


@pytest.mark.parametrize(
    ("outcome", "code", "status"),
    [
        ("event_not_found", "event_not_found", 404),
        ("event_not_available", "event_not_available", 400),
        ("event_sales_closed", "event_sales_closed", 400),
        ("queue_closed", "queue_closed", 409),
        ("sold_out", "sold_out", 409),
        ("queue_cooldown", "queue_cooldown", 429),
        ("no_slot", "checkout_full", 409),
    ],
)
def test_each_word_has_its_refusal(outcome: str, code: str, status: int) -> None:
    found = policy.to_refusal(outcome, None, datetime(2030, 1, 1, tzinfo=UTC))
    assert (found.code, found.status) == (code, status)


def test_a_cooldown_is_told_in_whole_minutes_and_to_the_second() -> None:
    now = datetime(2030, 1, 1, tzinfo=UTC)
    for wait_s, minutes in ((60, 1), (61, 2), (1, 1)):
        found = policy.to_refusal("queue_cooldown", wait_s, now)
        assert f" {minutes} minutes" in found.detail
    assert policy.to_refusal("queue_cooldown", None, now).extra["cooldown_until"] == now


def test_of_several_places_of_one_person_the_best_is_theirs() -> None:
    me, other = new_id(), new_id()

    def place(user_id: UUID, inside: bool, n: int) -> Any:
        return SimpleNamespace(user_id=user_id, inside=inside, place=n)

    best = [
        place(me, True, 9),
        place(other, True, 1),
        place(other, True, 2),
        place(me, False, 1),
        place(other, False, 2),
    ]
    backwards = list(reversed(best))
    assert sorted(backwards, key=lambda of: policy.rank(of, me)) == best


@pytest.mark.parametrize(
    ("rate", "seen", "sure"),
    [
        (None, 9, 0),
        (0, 9, 0),
        (-1, 9, 0),
        (1, 2, 0),
        (1, 3, 0.1339),
        (1, 9, 0.5),
        (1, 2.9, 0),
        (1, 56.25, 0.8),
        (1, 900, 0.8),
    ],
)
def test_a_pace_is_believed_as_far_as_it_was_counted(rate: float | None, seen: float, sure: float) -> None:
    assert policy.confidence(rate, seen) == pytest.approx(sure, abs=1e-4)


def test_the_smallest_counts_are_hardly_believed() -> None:
    assert policy.confidence(0.001, 3) == pytest.approx(1 - 1.5 / 3**0.5)
    assert policy.eta_s(1, 0.0, 0.5) is None
    assert policy.eta_s(1, 1.0, 0.0) is None
    assert policy.eta_s(2, 1.0, 0.5) == (1, 6)


@pytest.mark.parametrize(
    ("ahead", "waiting", "soonest_s", "first", "most"),
    [
        (20, 1, None, 9, 11),  # nobody near the front: as usual
        (None, 1, None, 9, 11),
        (19, 1, None, 3, 3),
        (0, 1, None, 3, 3),
        (20, 1, 200, 18, 22),  # a tenth of what it takes at least
        (19, 1, 200, 3, 3),
        (19, 1, 0, 2, 2),
        (20, 30_000, None, 54, 66),
        (19, 30_000, None, 54, 66),  # the crowd counts for those near the front, too
        (20, 90_000, None, 120, 120),
        (20, 1, 5_000, 120, 120),
    ],
)
def test_how_soon_to_ask_again(ahead: int | None, waiting: int, soonest_s: int | None, first: int, most: int) -> None:
    """Each a little apart, by the number in the line; the first number is at the short end."""
    told = [policy.next_poll_s(seq, ahead, waiting, soonest_s) for seq in range(400)]
    assert (told[0], min(told), max(told)) == (first, first, most)


@pytest.mark.parametrize(("ahead", "every", "beat"), [(4_999, (15, 22), 1), (5_000, (240, 240), 120)])
def test_signs_of_life_are_due_and_written_by_distance(ahead: int, every: tuple[int, int], beat: int) -> None:
    assert (policy.heartbeat_due_s(ahead, 13), policy.heartbeat_due_s(ahead, 20)) == every
    assert policy.heartbeat_due_s(0, 12) == 15
    assert policy.heartbeat_after_s(ahead) == beat
    usual = policy.next_poll_s(0, ahead, 30_000, None)
    assert policy.first_poll_s(0, ahead, 30_000, None) == (10 if ahead < policy.NEAR else usual)
