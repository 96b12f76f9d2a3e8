"""The payment providers behind one interface. Calls run outside of every transaction, with a timeout, and always return
an outcome: an exception or a timeout is `Unknown`.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar
from uuid import UUID

import structlog

from fullhouse.kit.actors import Actor
from fullhouse.kit.errors import FieldError
from fullhouse.kit.services import Services
from fullhouse.kit.tasks import timeout
from fullhouse.payments import actions, policy
from fullhouse.payments.model import (
    Attempt,
    Captured,
    Failed,
    NoSuchProvider,
    Outcome,
    Refund,
    RefundOutcome,
    StripeKeys,
    Unknown,
)
from fullhouse.payments.providers.stripe.api_client import StripeProvider
from fullhouse.payments.providers.test import SandboxProvider

log = structlog.get_logger()
R = TypeVar("R")


class Provider(Protocol):
    """Charges and refunds. Idempotent by id: repeating an attempt or a refund has no further effect."""

    @property
    def name(self) -> str: ...
    @property
    def notice(self) -> str | None:
        """A text that every buyer who pays this way must see."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods to choose from; if empty, the buyer chooses at the provider."""

    @property
    def public_key(self) -> str | None:
        """The key for the provider's card fields in the buyer's browser, if it has any."""

    async def start(self, attempt: Attempt) -> Outcome: ...
    async def poll(self, attempt: Attempt) -> Outcome: ...
    async def cancel(self, attempt: Attempt) -> Outcome: ...
    async def refund(self, refund: Refund, attempt: Attempt) -> RefundOutcome: ...
    async def close(self) -> None: ...


class FreeProvider:
    """The provider of orders that cost nothing: no outside call."""

    name = "free"
    notice: str | None = None
    methods: tuple[str, ...] = ()
    public_key: str | None = None

    async def start(self, attempt: Attempt) -> Outcome:
        return Captured(str(attempt.id), 0) if attempt.amount == 0 else Failed("not_free", "The order is not free.")

    async def poll(self, attempt: Attempt) -> Outcome:
        return await self.start(attempt)

    async def cancel(self, attempt: Attempt) -> Outcome:
        return await self.start(attempt)

    async def refund(self, refund: Refund, attempt: Attempt) -> RefundOutcome:
        return Failed("not_free", "Nothing was paid.")

    async def close(self) -> None: ...


class Providers:
    """The providers of this installation, one instance in each process. `test` accepts new payments only without a real
    provider; its earlier payments can still be polled and refunded."""

    def __init__(self, services: Services) -> None:
        self._services = services
        keys: StripeKeys | None = services.parts.get(StripeKeys)
        self.stripe = StripeProvider(keys) if keys else None
        test = SandboxProvider(services.database, self.notify)
        self._enabled: dict[str, Provider] = {
            provider.name: provider for provider in (FreeProvider(), self.stripe or test)
        }
        self._by_name: dict[str, Provider] = {test.name: test, **self._enabled}

    async def start(self) -> None:
        if "test" in self._enabled:
            log.warning(
                "payments.test_provider_enabled",
                detail="payments with the provider “test” are not charged; set up Stripe to take real payments",
            )

    async def stop(self) -> None:
        for provider in self._by_name.values():
            await provider.close()

    def list_for_total(self, total: int) -> list[Provider]:
        """The providers that can take this total."""
        return [provider for name, provider in self._enabled.items() if (name == "free") == (total == 0)]

    @property
    def has_card_fields(self) -> bool:
        """Whether sales pages load Stripe's card fields."""
        return self.stripe is not None and self.stripe.public_key is not None

    def notice(self, name: str) -> str | None:
        """The notice of a provider, for payments made with it."""
        provider = self._by_name.get(name)
        return provider.notice if provider else None

    def check_method(self, name: str, method: str | None) -> None:
        provider = self._enabled.get(name)
        if provider is None:
            raise NoSuchProvider(fields=[FieldError("provider", f"Must be one of: {', '.join(self._enabled)}.")])
        if method is not None and method not in provider.methods:
            methods = ", ".join(provider.methods)
            known = f"one of: {methods}" if methods else "empty: buyers choose at the provider"
            raise NoSuchProvider(fields=[FieldError("method", f"For “{name}” it must be {known}.")])

    async def begin(self, attempt: Attempt) -> Outcome:
        return await self._call("start", attempt, lambda provider: provider.start(attempt), Unknown())

    async def poll(self, attempt: Attempt) -> Outcome:
        return await self._call("ask", attempt, lambda provider: provider.poll(attempt), Unknown())

    async def cancel(self, attempt: Attempt) -> Outcome:
        return await self._call("cancel", attempt, lambda provider: provider.cancel(attempt), Unknown())

    async def refund(self, refund: Refund, attempt: Attempt) -> RefundOutcome:
        return await self._call("refund", attempt, lambda provider: provider.refund(refund, attempt), Unknown())

    async def notify(self, organization_id: UUID, attempt_id: UUID, outcome: Outcome) -> None:
        """Records an outcome that a provider reports by itself."""
        actor = Actor(type="system", name="payments")
        async with self._services.database.tenant(organization_id, actor) as tx:
            await actions.record_outcome(tx, attempt_id, outcome)

    async def _call(self, verb: str, attempt: Attempt, call: Callable[[Provider], Awaitable[R]], unknown: R) -> R:
        provider = self._by_name.get(attempt.provider)
        if provider is None:
            log.error(
                "payments.provider_missing",
                detail="the outcome stays unknown until the provider is set up again",
                provider=attempt.provider,
                attempt_id=str(attempt.id),
            )
            return unknown
        try:
            async with timeout(policy.CALL_TIMEOUT_S):
                return await call(provider)
        except Exception as error:
            log.warning(
                "payments.provider_call_failed",
                detail="the outcome is unknown; it will be polled",
                provider=attempt.provider,
                verb=verb,
                attempt_id=str(attempt.id),
                error=repr(error),
            )
            return unknown
