"""Mutants that no test can notice, each with the reason. They are not counted.

By target and changed lines, as a run prints them: `- before` and `+ after`, without indentation.
"""

QUEUE, HOLDS = "fullhouse/waiting_room/policy.py", "fullhouse/holds/policy.py"
EQUIVALENT: dict[tuple[str, str], str] = {
    (QUEUE, '- "sold_out": SoldOut,\n+ '): "refusal() answers this word before it looks into the table",
    (
        QUEUE,
        "- return 1 - min(0.9, max(0.2, 1.5 / math.sqrt(seen)))\n"
        "+ return 1 - min(1.9, max(0.2, 1.5 / math.sqrt(seen)))",
    ): "from ENOUGH on the root is so large that the upper end never binds",
    (
        HOLDS,
        "- sum_ = Load(*map(sum, zip(has, basket, strict=True)))\n"
        "+ sum_ = Load(*map(sum, zip(has, basket, strict=False)))",
    ): "both are loads, and have three numbers",
}
