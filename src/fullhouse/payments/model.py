"""Attempts, refunds, and what a provider may say about them."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID, uuid5

import msgspec

from fullhouse.kit.errors import Conflict, Invalid, Refusal


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One try to be paid. Its id is the key under which the provider charges."""

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
    def is_alarming(self) -> bool:
        """Other money than was asked for is there: a person looks, and nobody asks any more."""
        return self.failure_code in ("wrong_amount", "wrong_currency")


class Refund(msgspec.Struct, frozen=True, kw_only=True):
    """Money on its way back. Each try has its own key: a provider remembers what it refused."""

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
        """The provider's, and the ledger's: of this try."""
        return self.id if self.tries == 1 else uuid5(self.id, str(self.tries))


FIRST_ASK_S = 20  # later than a provider may take to answer: nobody asks about a charge that is still on its way
GIVE_UP_S = 15 * 60  # how long a buyer may take at the provider

# The ledger's accounts; what they mean stands in ledger/actions.py.
ORGANIZER, FEES, TAX, REFUNDS = "organizer", "fees", "tax", "refunds"
OUTSIDE = "outside"  # a provider in the ledger only: what somebody paid back by another way


def account_of(provider: str) -> str:
    return f"provider:{provider}"


class StripeKeys(msgspec.Struct, frozen=True, kw_only=True):
    """How this house is known to Stripe. `address` is another one than Stripe's own, for tests: no setting names it."""

    secret_key: str
    webhook_secret: str | None = None
    publishable_key: str | None = None  # what a buyer's browser shows Stripe; no secret
    address: str | None = None


# --- what a provider says


class Captured(msgspec.Struct, frozen=True):
    """The money is there."""

    word: ClassVar[str] = "captured"
    ref: str
    amount: int
    currency: str | None = None  # if the provider says so


class Pending(msgspec.Struct, frozen=True):
    """The buyer goes on at the provider, with the secret."""

    word: ClassVar[str] = "pending"
    ref: str
    client_secret: str | None = None


class Failed(msgspec.Struct, frozen=True):
    """Nothing was taken, and nothing will be."""

    word: ClassVar[str] = "failed"
    code: str
    sentence: str


class Cancelled(msgspec.Struct, frozen=True):
    """The provider has called it off at our request: nothing was taken, and nothing will be."""

    word: ClassVar[str] = "abandoned"


class Unknown(msgspec.Struct, frozen=True):
    """Nobody can say: no answer, or none that means anything."""

    word: ClassVar[str] = "unknown"


class Refunded(msgspec.Struct, frozen=True):
    word: ClassVar[str] = "done"
    ref: str


Outcome = Captured | Pending | Failed | Cancelled | Unknown
RefundOutcome = Refunded | Failed | Unknown


# --- refusals


class NoSuchProvider(Invalid):
    """Payments are not taken this way here. The checkout says which ways there are."""

    code, title = "payment_provider_unknown", "Payments are not taken this way"


class PaymentDeclined(Refusal):
    """The payment was declined; nothing was charged. What was chosen is still reserved: try another way to pay."""

    code, status, title = "payment_declined", 402, "The payment was declined"


class RefundTooHigh(Conflict):
    """More cannot go back than was paid."""

    code, title = "refund_too_high", "More than was paid"


class RefundNotFailed(Conflict):
    """Only money that the provider refused to give back can be tried again, or be paid by another way. This refund is
    on its way, or has arrived, or somebody else was faster."""

    code, title = "refund_not_failed", "The refund was not refused"


class BadSignature(Refusal):
    """The message is not signed by the provider with the secret that is set here, or it is older than five minutes."""

    code, title = "signature_invalid", "The signature is not valid"
