"""Processes among each other."""

import subprocess
import sys

import pytest

from fullhouse.kit.process_control import NICENESS


@pytest.mark.parametrize("before", [0, NICENESS - 1, NICENESS + 3])
def test_a_worker_steps_back_once_and_never_forward(before: int) -> None:
    script = f"import os; os.nice({before}); from fullhouse.kit.process_control import lower_priority as s; s(); s()"
    script += "; print(os.nice(0))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) == max(before, NICENESS)
