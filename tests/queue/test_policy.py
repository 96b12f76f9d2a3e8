"""The tables and the arithmetic of waiting, without a database."""

import re
from pathlib import Path

import pytest

from fullhouse.queue import policy

MIGRATIONS = [Path(policy.__file__).parents[1] / "migrations" / name for name in (
    "0020_queue.sql", "0036_no_line_no_cooldown.sql", "0041_gone_before_the_draw.sql",
)]  # fmt: skip


@pytest.mark.req("QUEUE-1")
def test_the_statements_have_the_same_times() -> None:
    minutes = {n for file in MIGRATIONS for n in re.findall(r"interval '(\d+) minutes'", file.read_text())}
    assert minutes == {str(policy.PLACE_S // 60), str(policy.SILENT_S // 60)}


def test_who_polls_as_told_is_never_passed_over() -> None:
    assert policy.HEARTBEAT_S + policy.POLL_MAX_S < policy.SILENT_S < policy.PLACE_S


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
    assert policy.eta_s(ahead, rate, policy.sureness(rate, seen)) == expected


@pytest.mark.parametrize("waiting", [0, 60_000, 66_666, 66_667, 100_000, 1_000_000])
def test_where_a_crowd_is_told_the_same_each_of_it_is(waiting: int) -> None:
    same = policy.same_for_all_s(waiting)
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
    cooling = policy.refusal("queue_cooldown", 3599)
    assert (cooling.code, cooling.status, cooling.retry_after_s, cooling.extra) == (
        "queue_cooldown", 429, 3599, {"wait_s": 3599},
    )  # fmt: skip
    assert "60 minutes" in cooling.detail
    assert policy.refusal("checkout_full", None).retry_after_s == 5
