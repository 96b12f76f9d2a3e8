"""What follows from a provider's word, and when it is asked again. `now` is an argument."""

from fullhouse.payments.model import Outcome

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

START_S = 8.0  # a provider that has not answered by then may still have charged
PAUSE_MAX_S = 3600
SIGNED_FOR_S = 300  # a signed message that is older may be somebody's recording


def moved(status: str, outcome: Outcome) -> str | None:
    return MOVES.get((status, outcome.word))


def pause_s(asked: int) -> int:
    """Growing, and never the end: seats wait for the answer."""
    return min(PAUSE_MAX_S, 15 << min(asked, 20))
