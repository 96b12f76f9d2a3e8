"""What follows from a provider's word, and when it is asked again. `now` is an argument."""

from fullhouse.payments.model import Attempt, Captured, Outcome, Refund, RefundOutcome

_ENDS = ("captured", "failed", "abandoned")
# From which status which word leads where. What is not here changes nothing: a repeat, or news that came too late.
# Money that comes after a failure is money: what it was for may be gone, then it goes back.
MOVES: dict[tuple[str, str], str] = {
    **{
        (status, word): word
        for status in ("started", "unknown")
        for word in ("captured", "pending", "failed", "abandoned")
    },
    **{("pending", word): word for word in ("captured", "failed", "abandoned")},
    ("started", "unknown"): "unknown",
    ("failed", "captured"): "captured",
    ("abandoned", "captured"): "captured",
}

# The same for a refund, within one try. What has gone out may come back from the bank, after weeks; what was refused,
# or has come back, stays so: word that it had gone out is older.
REFUND_MOVES = {
    "requested": ("unknown", "done", "failed"),
    "unknown": ("done", "failed"),
    "done": ("failed",),
    "failed": (),
}

START_S = 8.0  # a provider that has not answered by then may still have charged
PAUSE_MAX_S = 3600
SIGNED_FOR_S = 300  # a signed message that is older may be somebody's recording


def moved(status: str, outcome: Outcome) -> str | None:
    return MOVES.get((status, outcome.word))


def wrong(attempt: Attempt, outcome: Captured) -> str | None:
    """What is not as it was agreed about this money."""
    if outcome.currency not in (None, attempt.currency):
        return "wrong_currency"
    return "wrong_amount" if outcome.amount != attempt.amount else None


def refund_moved(refund: Refund, outcome: RefundOutcome, of_try: int) -> str | None:
    """News of an earlier try is old."""
    return outcome.word if of_try == refund.tries and outcome.word in REFUND_MOVES[refund.status] else None


def pause_s(asked: int) -> int:
    """Growing, and never the end: seats wait for the answer."""
    return min(PAUSE_MAX_S, 15 << min(asked, 20))
