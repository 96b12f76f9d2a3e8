"""What a provider's word does, as a table; and how long to wait before asking again."""

from datetime import UTC, datetime

import pytest

from fullhouse.kit.ids import new_id
from fullhouse.payments import policy
from fullhouse.payments.model import (
    Attempt,
    Cancelled,
    Captured,
    Failed,
    Outcome,
    Pending,
    Refund,
    Refunded,
    RefundOutcome,
    Unknown,
)

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
    assert policy.next_status(status, WORDS[word]) == TABLE[status].get(word)


def test_the_sweep_asks_ever_more_rarely_and_never_stops() -> None:
    pauses = [policy.pause_s(asked) for asked in range(40)]
    assert pauses[:4] == [15, 30, 60, 120]
    assert pauses == sorted(pauses)
    assert pauses[-1] == policy.PAUSE_MAX_S


@pytest.mark.req("BUY-3")
@pytest.mark.parametrize(
    ("amount", "currency", "wrong"),
    [
        *((900, "EUR", None), (900, None, None), (899, "EUR", "wrong_amount"), (901, None, "wrong_amount")),
        *((900, "HUF", "wrong_currency"), (901, "HUF", "wrong_currency")),
    ],
)
def test_money_that_is_not_as_agreed_is_named(amount: int, currency: str | None, wrong: str | None) -> None:
    attempt = Attempt(
        id=new_id(),
        organization_id=new_id(),
        order_id=new_id(),
        provider="test",
        method=None,
        amount=900,
        currency="EUR",
        status="started",
    )
    assert policy.find_mismatch(attempt, Captured("ref", amount, currency)) == wrong


REFUND_WORDS: dict[str, RefundOutcome] = {"done": Refunded("ref"), "failed": Failed("no", "No."), "unknown": Unknown()}
REFUND_TABLE: dict[str, set[str]] = {
    "requested": {"unknown", "done", "failed"},
    "unknown": {"done", "failed"},
    "done": {"failed"},  # the bank sends it back
    "failed": set(),
}


@pytest.mark.req("BUY-4")
@pytest.mark.parametrize("status", REFUND_TABLE)
@pytest.mark.parametrize("word", REFUND_WORDS)
def test_what_a_word_does_to_a_refund_of_its_own_try(status: str, word: str) -> None:
    refund = Refund(
        id=new_id(),
        organization_id=new_id(),
        attempt_id=new_id(),
        order_id=new_id(),
        event_id=new_id(),
        amount=1,
        currency="EUR",
        status=status,
        reason="r",
        provider_ref=None,
        failure=None,
        asked=0,
        tries=2,
        paid_outside=None,
        created_at=datetime(2030, 1, 1, tzinfo=UTC),
    )
    assert policy.next_refund_status(refund, REFUND_WORDS[word], 2) == (word if word in REFUND_TABLE[status] else None)
    assert policy.next_refund_status(refund, REFUND_WORDS[word], 1) is None


def test_pauses_and_times_are_as_promised() -> None:
    assert policy.pause_s(7) == 1920
    assert policy.pause_s(8) == policy.pause_s(10**6) == 3600
    assert (policy.CALL_TIMEOUT_S, policy.SIGNATURE_MAX_AGE_S) == (8.0, 300)
