"""Signatures, filters, retries and disabling of webhooks: tables and pure decisions."""

import base64
import hmac
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from fullhouse.webhooks.model import DeliveryAttempt, Status

WEBHOOKS_MAX = 20  # of one organisation
SECRET_BYTES = 32
OVERLAP = timedelta(hours=24)
"""How long a former secret still signs beside the new one."""
CLAIM = timedelta(seconds=60)
"""How long a worker's claim of an attempt lasts: longer than any attempt can take."""
EXCERPT = 2048  # characters

# The second attempt ten seconds after the first, and so on; the last is about three days after the first.
PAUSES = (
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=18),
    timedelta(hours=22),
)
JITTER = 0.1  # so much earlier or later, so that deliveries that failed together are not retried together

# Failed deliveries that are sent again: so many at a time, and so far apart, so that a receiver that has just recovered
# is not flooded, and other jobs are not delayed.
REDELIVER_MAX = 1000
REDELIVER_INTERVAL = timedelta(milliseconds=50)

# A webhook is disabled after nothing but failures for so long, and so many of them: one bad night is not enough, and
# neither is one delivery.
GIVE_UP_AFTER = timedelta(days=5)
GIVE_UP_FAILURES = 20
GONE = 410


class Verdict(NamedTuple):
    """The outcome of an attempt."""

    status: Status
    pause: timedelta | None  # until the next one, if there is to be one
    gone: bool = False


def judge(status: int | None, failures_before: int, luck: float) -> Verdict:
    """`luck`, from 0 to 1, chooses the jitter."""
    if status is not None and 200 <= status < 300:
        return Verdict("delivered", None)
    if status == GONE:
        return Verdict("failed", None, gone=True)
    if failures_before >= len(PAUSES):
        return Verdict("failed", None)
    return Verdict("pending", PAUSES[failures_before] * (1 + JITTER * (2 * luck - 1)))


def is_given_up(failures: int, failing_since: datetime, now: datetime) -> bool:
    return failures >= GIVE_UP_FAILURES and now - failing_since >= GIVE_UP_AFTER


def is_pending_attempt(delivery: DeliveryAttempt, attempt: int) -> bool:
    """Whether this attempt is still to be made: a job may run twice."""
    return delivery.status == "pending" and delivery.attempts == attempt


def is_claimed(delivery: DeliveryAttempt, now: datetime) -> bool:
    return delivery.claimed_until is not None and delivery.claimed_until > now


# --- which facts


def filters_for(name: str) -> list[str]:
    """Every filter that matches a fact: `*`, its groups, and its own name."""
    parts = name.split(".")
    return ["*", *(".".join(parts[:n]) + ".*" for n in range(1, len(parts))), name]


def find_unknown(filters: Sequence[str], names: Iterable[str]) -> list[int]:
    """The positions of those filters that match no fact."""
    known = {a_filter for name in names for a_filter in filters_for(name)}
    return [position for position, a_filter in enumerate(filters) if a_filter not in known]


# --- signatures, as specified by Standard Webhooks


def encode_secret(secret: bytes) -> str:
    return "whsec_" + base64.b64encode(secret).decode()


def sign_headers(secrets: Sequence[bytes], message_id: str, now: datetime, body: bytes) -> dict[str, str]:
    """One signature for each secret: a receiver accepts the request if it can verify any of them."""
    timestamp = str(int(now.timestamp()))
    content = b".".join((message_id.encode(), timestamp.encode(), body))
    signatures = (base64.b64encode(hmac.digest(secret, content, "sha256")).decode() for secret in secrets)
    return {
        "content-type": "application/json",
        "user-agent": "fullhouse-webhooks",
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def excerpt(body: bytes) -> str:
    """The beginning of a response, as text that can be stored, whatever bytes it has."""
    return body[: EXCERPT * 4].decode("utf-8", "replace").replace("\0", "\ufffd")[:EXCERPT]
