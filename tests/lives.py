"""How the lives that Hypothesis draws are lived: enough steps, and every kind of step that a test means to meet."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

RUNS = 5  # what is drawn may leave out a kind of step for a whole run


def live(
    machine: type[RuleBasedStateMachine],
    taken: Counter[Any],
    *,
    examples: int,
    steps: int,
    at_least: int = 0,
    wanted: Iterable[object],
) -> None:
    """`taken` is what the machine counts its steps in."""
    taken.clear()
    for n in range(RUNS):
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=examples * 2**n,  # under one seed every run draws the same, and then more
                stateful_step_count=steps,
                deadline=None,
                suppress_health_check=list(HealthCheck),
                print_blob=True,
            ),
        )
        if taken.total() >= at_least and taken.keys() >= set(wanted):
            return
    raise AssertionError(f"not met, or too few: {set(wanted) - taken.keys()}, {taken}")
