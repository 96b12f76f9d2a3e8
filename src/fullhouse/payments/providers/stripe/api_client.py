"""The provider `stripe`, with Stripe's official client. A payment is a PaymentIntent, completed in the buyer's browser.

An intent is created with the attempt's id as idempotency key, so that repeated calls create one. It cannot be paid
without its client secret, which is handed out only after the intent's id is stored: an attempt without a reference was
never paid, even if Stripe's response was lost.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec
import stripe
import structlog

from fullhouse.payments import policy
from fullhouse.payments.model import (
    Attempt,
    BadSignature,
    Cancelled,
    Captured,
    Failed,
    Outcome,
    Pending,
    Refund,
    Refunded,
    RefundOutcome,
    StripeKeys,
    Unknown,
)

log = structlog.get_logger()

# Stripe uses the minor units of ISO 4217, as we do, with exceptions. It counts these currencies in hundredths,
HUNDREDTHS = ("ISK", "UGX")
# and these in whole units, so that an amount with minor units cannot be charged.
UNSUPPORTED_CURRENCIES = ("MGA",)


def to_stripe(amount: int, currency: str) -> int:
    return amount * 100 if currency.upper() in HUNDREDTHS else amount


def from_stripe(amount: int, currency: str) -> int:
    return amount // 100 if currency.upper() in HUNDREDTHS else amount


class PaymentIntent(msgspec.Struct, frozen=True):
    """The used fields of a PaymentIntent."""

    id: str
    status: str
    currency: str
    amount_received: int = 0
    client_secret: str | None = None
    raw_metadata: dict[str, str] | None = msgspec.field(name="metadata", default=None)

    @property
    def metadata(self) -> dict[str, str]:
        return self.raw_metadata or {}  # Stripe may send null

    @property
    def received_amount(self) -> int:
        """In ISO 4217 minor units."""
        return from_stripe(self.amount_received, self.currency)


class StripeRefund(msgspec.Struct, frozen=True):
    """The used fields of a Stripe Refund."""

    id: str
    status: str | None
    failure_reason: str | None = None
    amount: int = 0
    currency: str = ""
    payment_intent: str | None = None
    raw_metadata: dict[str, str] | None = msgspec.field(name="metadata", default=None)

    @property
    def metadata(self) -> dict[str, str]:
        return self.raw_metadata or {}

    @property
    def refunded_amount(self) -> int:
        """In ISO 4217 minor units."""
        return from_stripe(self.amount, self.currency)

    @property
    def of_try(self) -> str:
        return self.metadata.get("try", "1")


class StripeCharge(msgspec.Struct, frozen=True):
    """The used fields of a Charge."""

    payment_intent: str | None = None


class StripeEventData(msgspec.Struct, frozen=True):
    object: msgspec.Raw


class StripeEvent(msgspec.Struct, frozen=True):
    """An event delivered by Stripe's webhook."""

    id: str
    type: str
    data: StripeEventData


def _to_pending(intent: PaymentIntent) -> Outcome:
    return Pending(intent.id, intent.client_secret)


# Outcome by PaymentIntent status. A declined card leaves the intent open: the buyer may try another one.
PAYMENT_OUTCOMES: Mapping[str, Callable[[PaymentIntent], Outcome]] = {
    "succeeded": lambda intent: Captured(intent.id, intent.received_amount, intent.currency.upper()),
    "canceled": lambda _: Cancelled(),
    "processing": _to_pending,
    "requires_action": _to_pending,
    "requires_capture": _to_pending,
    "requires_confirmation": _to_pending,
    "requires_payment_method": _to_pending,
}
REFUND_OUTCOMES: Mapping[str | None, Callable[[StripeRefund], RefundOutcome]] = {
    "succeeded": lambda refund: Refunded(refund.id),
    "failed": lambda refund: Failed("refund_failed", _describe_failure(refund)),
    "canceled": lambda refund: Failed("refund_failed", _describe_failure(refund)),
}

ENDED_STATUSES = ("failed", "canceled")  # nothing is paid out any more: another try may be made


def _describe_failure(refund: StripeRefund) -> str:
    return f"{refund.id}: {refund.failure_reason or refund.status}."


def to_outcome(intent: PaymentIntent) -> Outcome:
    meaning = PAYMENT_OUTCOMES.get(intent.status)
    return meaning(intent) if meaning else Unknown()


def to_refund_outcome(refund: StripeRefund) -> RefundOutcome:
    """Refunds in progress are `Unknown`: they are polled again."""
    meaning = REFUND_OUTCOMES.get(refund.status)
    return meaning(refund) if meaning else Unknown()


class StripeProvider:
    name = "stripe"
    notice: str | None = None
    methods: tuple[str, ...] = ()

    def __init__(self, keys: StripeKeys) -> None:
        self._keys = keys
        self.public_key = keys.publishable_key
        self._http = stripe.HTTPXClient(timeout=policy.CALL_TIMEOUT_S)
        client = stripe.StripeClient(
            keys.secret_key,
            http_client=self._http,
            base_addresses={"api": keys.address} if keys.address else None,
            max_network_retries=0,  # retries are scheduled in jobs.py
        )
        self._intents, self._refunds = client.v1.payment_intents, client.v1.refunds

    async def start(self, attempt: Attempt) -> Outcome:
        if attempt.currency in UNSUPPORTED_CURRENCIES:
            return Failed("currency_not_taken", f"This payment method does not support {attempt.currency}.")
        try:
            created = await self._intents.create_async(
                {
                    "amount": to_stripe(attempt.amount, attempt.currency),
                    "currency": attempt.currency.lower(),
                    "automatic_payment_methods": {"enabled": True},
                    "metadata": {
                        "organization": str(attempt.organization_id),
                        "attempt": str(attempt.id),
                        "order": str(attempt.order_id),
                    },
                },
                {"idempotency_key": str(attempt.id)},
            )
        except (stripe.AuthenticationError, stripe.PermissionError, stripe.InvalidRequestError) as error:
            # Rejected before an intent exists. Errors after which one may exist (connection lost, 500) are not caught.
            log.exception("stripe.payment_rejected", attempt_id=str(attempt.id), code=error.code)
            return Failed(error.code or "refused", "This payment is not possible at the moment.")
        return to_outcome(_convert(created, PaymentIntent))

    async def poll(self, attempt: Attempt) -> Outcome:
        """Without a reference: repeats the creation with the same key, which returns the intent or creates it."""
        if attempt.provider_ref is None:
            return await self.start(attempt)
        return to_outcome(_convert(await self._intents.retrieve_async(attempt.provider_ref), PaymentIntent))

    async def cancel(self, attempt: Attempt) -> Outcome:
        if attempt.provider_ref is None:
            return Cancelled()  # its client secret was never handed out
        try:
            return to_outcome(_convert(await self._intents.cancel_async(attempt.provider_ref), PaymentIntent))
        except stripe.InvalidRequestError:  # it is paid, processing, or cancelled already
            return await self.poll(attempt)

    async def refund(self, refund: Refund, attempt: Attempt) -> RefundOutcome:
        """With the key of the try. Stripe forgets keys after a day: from the second call on, looks it up first."""
        if attempt.provider_ref is None:
            return Failed("no_such_charge", "The provider has no such charge.")
        if (refund.asked > 1 or refund.tries > 1) and (known := await self._find_refund(refund, attempt.provider_ref)):
            return to_refund_outcome(known)
        try:
            created = await self._refunds.create_async(
                {
                    "payment_intent": attempt.provider_ref,
                    "amount": to_stripe(refund.amount, attempt.currency),
                    "metadata": {
                        "organization": str(refund.organization_id),
                        "refund": str(refund.id),
                        "try": str(refund.tries),
                    },
                },
                {"idempotency_key": str(refund.key)},
            )
        except stripe.InvalidRequestError as error:
            return Failed(error.code or "refused", error.user_message or "Stripe rejected the refund.")
        return to_refund_outcome(_convert(created, StripeRefund))

    async def _find_refund(self, refund: Refund, intent: str) -> StripeRefund | None:
        tries = [one for one in await self.list_refunds(intent) if one.metadata.get("refund") == str(refund.id)]
        return next((one for one in tries if one.of_try == str(refund.tries) or one.status not in ENDED_STATUSES), None)

    async def list_refunds(self, intent: str) -> list[StripeRefund]:
        found = await self._refunds.list_async({"payment_intent": intent, "limit": 100})
        return [_convert(one, StripeRefund) for one in found.data]

    async def find_intent(self, name: str) -> PaymentIntent | None:
        try:
            return cast("PaymentIntent", _convert(await self._intents.retrieve_async(name), PaymentIntent))
        except stripe.InvalidRequestError:
            return None  # it does not exist, or belongs to another account

    def verify(self, raw: bytes, signature: str | None) -> int:
        """Verifies the signature of a webhook body; returns the time of signing, in Unix seconds."""
        try:
            stripe.WebhookSignature.verify_header(raw, signature, self._keys.webhook_secret)
        except (stripe.SignatureVerificationError, UnicodeDecodeError) as error:
            raise BadSignature() from error
        assert signature
        pairs = (part.partition("=") for part in signature.split(","))
        return int(next(value for name, _, value in pairs if name == "t"))  # the first `t` is the one that was signed

    async def close(self) -> None:
        await self._http.close_async()  # type: ignore[no-untyped-call]


def parse_event(raw: bytes) -> StripeEvent:
    return msgspec.json.decode(raw, type=StripeEvent)


def _convert(response: Any, of: type[Any]) -> Any:
    return msgspec.convert(response.to_dict(), of)
