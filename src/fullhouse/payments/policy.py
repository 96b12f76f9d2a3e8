"""Status transitions of attempts and refunds, and the pauses between polls."""

from fullhouse.payments.model import Attempt, Captured, Outcome, Refund, RefundOutcome

_ENDS = ("captured", "failed", "abandoned")
# The new status by current status and outcome. Other combinations change nothing: a repeat, or an outdated outcome.
# A capture after a failure counts: if the seats are gone by then, it is refunded.
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

# The same for a refund, within one try. A paid refund may be returned by the bank weeks later; a failed or returned one
# stays failed, because a message that it was paid is older.
REFUND_MOVES = {
    "requested": ("unknown", "done", "failed"),
    "unknown": ("done", "failed"),
    "done": ("failed",),
    "failed": (),
}

CALL_TIMEOUT_S = 8.0  # timeout of a provider call, after which the charge may still have happened
PAUSE_MAX_S = 3600
SIGNATURE_MAX_AGE_S = 300  # an older signed message may be a replay


def next_status(status: str, outcome: Outcome) -> str | None:
    return MOVES.get((status, outcome.status))


def find_mismatch(attempt: Attempt, outcome: Captured) -> str | None:
    """The reason why captured money does not match its attempt, if it does not."""
    if outcome.currency not in (None, attempt.currency):
        return "wrong_currency"
    return "wrong_amount" if outcome.amount != attempt.amount else None


def next_refund_status(refund: Refund, outcome: RefundOutcome, of_try: int) -> str | None:
    """The new status of a refund; None for the outcome of an earlier try."""
    return outcome.status if of_try == refund.tries and outcome.status in REFUND_MOVES[refund.status] else None


def pause_s(asked: int) -> int:
    """The pause before the next poll: grows up to an hour, and polling never ends, because seats stay held for it."""
    return min(PAUSE_MAX_S, 15 << min(asked, 20))
