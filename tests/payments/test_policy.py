"""What a provider's word does, as a table; and how long to wait before asking again."""

import pytest

from fullhouse.payments import policy
from fullhouse.payments.model import Cancelled, Captured, Failed, Outcome, Pending, Unknown

WORDS: dict[str, Outcome] = {
    "captured": Captured("ref", 1),
    "pending": Pending("ref"),
    "failed": Failed("no", "No."),
    "cancelled": Cancelled(),
    "unknown": Unknown(),
}
# status: word to the next status; what is not here changes nothing.
TABLE = {
    "started": {"captured": "captured", "pending": "pending", "failed": "failed", "cancelled": "abandoned"}
    | {"unknown": "unknown"},
    "pending": {"captured": "captured", "failed": "failed", "cancelled": "abandoned"},
    "unknown": {"captured": "captured", "pending": "pending", "failed": "failed", "cancelled": "abandoned"},
    "failed": {"captured": "captured"},
    "abandoned": {"captured": "captured"},
    "captured": {},
}


@pytest.mark.req("BUY-3")
@pytest.mark.parametrize("status", TABLE)
@pytest.mark.parametrize("word", WORDS)
def test_what_a_word_does(status: str, word: str) -> None:
    assert policy.moved(status, WORDS[word]) == TABLE[status].get(word)


def test_the_sweep_asks_ever_more_rarely_and_never_stops() -> None:
    pauses = [policy.pause_s(asked) for asked in range(40)]
    assert pauses[:4] == [15, 30, 60, 120]
    assert pauses == sorted(pauses)
    assert pauses[-1] == policy.PAUSE_MAX_S
