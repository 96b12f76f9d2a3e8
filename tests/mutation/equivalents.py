"""Mutants that no test can notice, each with the reason. They are not counted.

By target and changed lines, as a run prints them: `- before` and `+ after`, without indentation.
"""

EQUIVALENT: dict[tuple[str, str], str] = {}
