"""Payment attempts, refunds, and the outcomes that a provider reports."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID, uuid5

import msgspec

from fullhouse.kit.errors import Conflict, Invalid, Refusal


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt to pay for an order. Its id is the provider's idempotency key."""

    id: UUID
    organization_id: UUID
    order_id: UUID
    provider: str
    method: str | None
    amount: int
    currency: str
    status: str
    surplus: bool = False
    provider_ref: str | None = None
    client_secret: str | None = None
    failure_code: str | None = None
    failure: str | None = None
    refunded: int = 0
    asked: int = 0
    ask_at: datetime | None = None
    give_up_at: datetime | None = None
    created_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.status in ("started", "pending", "unknown")

    @property
    def has_mismatch(self) -> bool:
        """The provider captured a wrong amount or currency: an operator must decide, and polling stops."""
        return self.failure_code in ("wrong_amount", "wrong_currency")


class Refund(msgspec.Struct, frozen=True, kw_only=True):
    """A refund. Each try has its own idempotency key, because a provider replays its refusal for a known key."""

    id: UUID
    organization_id: UUID
    attempt_id: UUID
    order_id: UUID
    event_id: UUID
    amount: int
    currency: str
    status: str
    reason: str
    provider_ref: str | None
    failure: str | None
    asked: int
    tries: int
    paid_outside: str | None
    created_at: datetime

    @property
    def key(self) -> UUID:
        """The idempotency key of this try, for the provider and the ledger."""
        return self.id if self.tries == 1 else uuid5(self.id, str(self.tries))


FIRST_POLL_S = 20  # longer than the timeout of a provider call: a charge is not polled while its call is running
GIVE_UP_S = 15 * 60  # how long a buyer may take to complete a payment at the provider

# The ledger's accounts, described in ledger/actions.py.
ORGANIZER, FEES, TAX, REFUNDS = "organizer", "fees", "tax", "refunds"
OUTSIDE = "outside"  # a provider that exists in the ledger only: refunds that staff paid by another way


def provider_account(provider: str) -> str:
    return f"provider:{provider}"


class StripeKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The Stripe credentials of this installation. `address` replaces Stripe's API address in tests only."""

    secret_key: str
    webhook_secret: str | None = None
    publishable_key: str | None = None  # sent by the buyer's browser to Stripe; not a secret
    address: str | None = None


# --- outcomes reported by a provider


class Captured(msgspec.Struct, frozen=True):
    """The provider has captured the money."""

    status: ClassVar[str] = "captured"
    ref: str
    amount: int
    currency: str | None = None  # None if the provider does not report it


class Pending(msgspec.Struct, frozen=True):
    """The buyer completes the payment at the provider, with the client secret."""

    status: ClassVar[str] = "pending"
    ref: str
    client_secret: str | None = None


class Failed(msgspec.Struct, frozen=True):
    """Nothing was charged, and nothing will be."""

    status: ClassVar[str] = "failed"
    code: str
    sentence: str


class Cancelled(msgspec.Struct, frozen=True):
    """The provider cancelled the payment at our request: nothing was charged, and nothing will be."""

    status: ClassVar[str] = "abandoned"


class Unknown(msgspec.Struct, frozen=True):
    """The outcome is unknown: the call failed, timed out, or returned an unknown status."""

    status: ClassVar[str] = "unknown"


class Refunded(msgspec.Struct, frozen=True):
    status: ClassVar[str] = "done"
    ref: str


Outcome = Captured | Pending | Failed | Cancelled | Unknown
RefundOutcome = Refunded | Failed | Unknown


# --- refusals


class NoSuchProvider(Invalid):
    """The payment provider or method is not available. The checkout lists those that are in `ways_to_pay`."""

    code, title = "payment_provider_unknown", "This payment method is not available"


class PaymentDeclined(Refusal):
    """The payment was declined; nothing was charged. The items are still reserved: try another payment method."""

    code, status, title = "payment_declined", 402, "The payment was declined"


class RefundTooHigh(Conflict):
    """The refund is higher than what is left of the payment."""

    code, title = "refund_too_high", "The refund is higher than what was paid"


class RefundNotFailed(Conflict):
    """Only a refund that the provider refused can be retried, or be paid by another way. This one is in progress or
    done, or another request has retried it already."""

    code, title = "refund_not_failed", "The refund has not failed"


class BadSignature(Refusal):
    """The webhook message is not signed with the configured secret, or its signature is older than five minutes."""

    code, title = "signature_invalid", "The signature is not valid"
