"""The facts that this domain announces."""

from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class PaymentFact(Fact, frozen=True, kw_only=True):
    """The fields that every fact about an attempt has; `subject_id` is the attempt."""

    order_id: UUID
    provider: str
    amount: int
    currency: str


class PaymentCaptured(PaymentFact, frozen=True, kw_only=True):
    """A payment was captured. `late` if the attempt had been given up; `surplus` if the order was paid already."""

    name: ClassVar[str] = "payment.captured"
    late: bool = False
    surplus: bool = False


class PaymentFailed(PaymentFact, frozen=True, kw_only=True):
    """A payment was declined, failed or was cancelled; nothing was charged."""

    name: ClassVar[str] = "payment.failed"
    code: str


class RefundRequested(PaymentFact, frozen=True, kw_only=True):
    """A refund was requested; `subject_id` is the refund."""

    name: ClassVar[str] = "refund.requested"
    attempt_id: UUID
    reason: str


class RefundDone(PaymentFact, frozen=True, kw_only=True):
    """The provider has paid a refund, or staff have paid it `outside` of the system; `subject_id` is the refund."""

    name: ClassVar[str] = "refund.done"
    attempt_id: UUID
    outside: bool = False


class RefundFound(PaymentFact, frozen=True, kw_only=True):
    """A refund was made at the provider itself, where its id is `ref`. The tickets stay valid until the organiser
    decides otherwise; an order without tickets gets none. `subject_id` is the attempt."""

    name: ClassVar[str] = "refund.found"
    ref: str


class RefundFailed(PaymentFact, frozen=True, kw_only=True):
    """The provider rejected a refund, or the bank returned it: staff must retry it or pay it by another way.
    `subject_id` is the refund."""

    name: ClassVar[str] = "refund.failed"
    attempt_id: UUID
    failure: str
