"""Reasons that the house itself writes into the audit have words in Afrikaans on the console, as its refusals do."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from fullhouse.checkout.orders import settle
from fullhouse.holds import guest_actions
from fullhouse.refunds import actions as refund_actions
from fullhouse.relocations import actions
from fullhouse.waitlist import actions as waitlist_actions

ROOT = Path(__file__).parents[2]
WORDS = ROOT / "frontend/src/console/words/af/common.ts"
# Where a reason is the argument that follows those that say what it is about.
NAMED = frozenset(["_withdraw", "_end_all", "_move", "drop"])
KEPT = (
    refund_actions.CANCELLED,
    refund_actions.AT_THE_PROVIDER,
    actions.REASON,
    actions.NO_SEAT,
    waitlist_actions.NOT_TAKEN,
    guest_actions.TOO_MANY,
    *settle.REASONS.values(),
)
OF_SHOWS = ("cancelled", "ended", "archived")  # after which "the show is …" ends what is held and waited for


def written() -> Iterator[str]:
    """Every sentence that stands as a reason in the sources; codes of shows in place of what is filled in."""
    for file in (ROOT / "src/fullhouse").rglob("*.py"):
        if file.name.startswith("demo"):
            continue
        for call in ast.walk(ast.parse(file.read_text())):
            if not isinstance(call, ast.Call):
                continue
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            asked = [word.value for word in call.keywords if word.arg == "reason"]
            for reason in [*asked, *(call.args if name in NAMED else ())]:
                if isinstance(reason, ast.Constant) and isinstance(reason.value, str) and " " in reason.value:
                    yield reason.value
                if isinstance(reason, ast.JoinedStr):
                    start = ast.literal_eval(ast.unparse(reason.values[0]))
                    yield from (start + state for state in OF_SHOWS)
    for file in (ROOT / "src/fullhouse/db/functions").rglob("*.sql"):
        yield from re.findall(r"(?:reason = |quantity\)\), )'([a-z ]+)'", file.read_text())


def test_reasons_of_the_house_have_words() -> None:
    block = re.search(r"\n  reasons: \{(.*?)\n  \},", WORDS.read_text(), re.DOTALL)
    assert block
    known = set(re.findall(r"^    ['\"]?(.+?)['\"]?: '", block[1], re.MULTILINE))
    found = {*KEPT, *written()}
    assert {"on schedule", "paid late", "the show is ended", "the seats are arranged anew"} <= found
    assert found - known == set()
