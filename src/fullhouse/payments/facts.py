"""What this room announces."""

from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class PaymentFact(Fact, frozen=True, kw_only=True):
    """What every fact about an attempt says; `subject_id` is the attempt."""

    order_id: UUID
    provider: str
    amount: int
    currency: str


class PaymentCaptured(PaymentFact, frozen=True, kw_only=True):
    """The money is there. `late` if the attempt had been given up before; `surplus` if the order is paid already."""

    name: ClassVar[str] = "payment.captured"
    late: bool = False
    surplus: bool = False


class PaymentFailed(PaymentFact, frozen=True, kw_only=True):
    """Nothing was taken: declined, failed, or called off."""

    name: ClassVar[str] = "payment.failed"
    code: str


class RefundRequested(PaymentFact, frozen=True, kw_only=True):
    """Money goes back; `subject_id` is the refund."""

    name: ClassVar[str] = "refund.requested"
    attempt_id: UUID
    reason: str


class RefundDone(PaymentFact, frozen=True, kw_only=True):
    """The provider has given it back, or staff have paid it `outside` of the system; `subject_id` is the refund."""

    name: ClassVar[str] = "refund.done"
    attempt_id: UUID
    outside: bool = False


class RefundFound(PaymentFact, frozen=True, kw_only=True):
    """Somebody had the provider give money back, at the provider itself: `ref` is its name there. Its tickets are valid
    until the organiser decides otherwise; if there are none yet, there will be none. `subject_id` is the attempt."""

    name: ClassVar[str] = "refund.found"
    ref: str


class RefundFailed(PaymentFact, frozen=True, kw_only=True):
    """The provider refuses to give it back, or the bank has sent it back: a person must see to it. `subject_id` is the
    refund."""

    name: ClassVar[str] = "refund.failed"
    attempt_id: UUID
    failure: str
