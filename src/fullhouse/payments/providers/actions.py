"""The ways to pay, behind one seam, and the calls to them: outside of every transaction, with a deadline, and with an
answer in any case. Whatever a provider does that is not an answer is `Unknown`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar
from uuid import UUID

import structlog

from fullhouse.kit.actors import Actor
from fullhouse.kit.errors import FieldError
from fullhouse.kit.services import Services
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
from fullhouse.payments.providers.stripe.api import StripeMoney
from fullhouse.payments.providers.test import PlayMoney

log = structlog.get_logger()
R = TypeVar("R")


class Provider(Protocol):
    """Takes money. Keys are ids: the same attempt or refund twice is once."""

    @property
    def name(self) -> str: ...
    @property
    def notice(self) -> str | None:
        """What everybody must be told who pays this way."""

    @property
    def methods(self) -> tuple[str, ...]:
        """What a buyer may choose from; none means that it is chosen at the provider."""

    @property
    def public_key(self) -> str | None:
        """With which a buyer's browser opens the provider's own fields, if there are any."""

    async def start(self, attempt: Attempt) -> Outcome: ...
    async def ask(self, attempt: Attempt) -> Outcome: ...
    async def cancel(self, attempt: Attempt) -> Outcome: ...
    async def refund(self, refund: Refund, attempt: Attempt) -> RefundOutcome: ...
    async def close(self) -> None: ...


class Free:
    """For what costs nothing: there is nobody to ask."""

    name = "free"
    notice: str | None = None
    methods: tuple[str, ...] = ()
    public_key: str | None = None

    async def start(self, attempt: Attempt) -> Outcome:
        return Captured(str(attempt.id), 0) if attempt.amount == 0 else Failed("not_free", "It costs something.")

    async def ask(self, attempt: Attempt) -> Outcome:
        return await self.start(attempt)

    async def cancel(self, attempt: Attempt) -> Outcome:
        return await self.start(attempt)

    async def refund(self, refund: Refund, attempt: Attempt) -> RefundOutcome:
        return Failed("not_free", "Nothing was paid.")

    async def close(self) -> None: ...


class Providers:
    """Those of this installation, in each process. `test` is open as long as no real one is; what was paid by it before
    is still answered for."""

    def __init__(self, services: Services) -> None:
        self._services = services
        keys: StripeKeys | None = services.parts.get(StripeKeys)
        self.stripe = StripeMoney(keys) if keys else None
        play = PlayMoney(services.database, self.notify)
        self._open: dict[str, Provider] = {provider.name: provider for provider in (Free(), self.stripe or play)}
        self._table: dict[str, Provider] = {play.name: play, **self._open}

    async def start(self) -> None:
        if "test" in self._open:
            log.warning("test payments are open: whoever pays by “test” is not charged")

    async def stop(self) -> None:
        for provider in self._table.values():
            await provider.close()

    def open_for(self, total: int) -> list[Provider]:
        """The ways to pay so much."""
        return [provider for name, provider in self._open.items() if (name == "free") == (total == 0)]

    @property
    def has_card_fields(self) -> bool:
        """Whether a page that sells shows Stripe's own fields."""
        return self.stripe is not None and self.stripe.public_key is not None

    def notice(self, name: str) -> str | None:
        """What is to be said of a payment that went this way."""
        provider = self._table.get(name)
        return provider.notice if provider else None

    def check(self, name: str, method: str | None) -> None:
        provider = self._open.get(name)
        if provider is None:
            raise NoSuchProvider(fields=[FieldError("provider", f"One of {', '.join(self._open)}.")])
        if method is not None and method not in provider.methods:
            known = ", ".join(provider.methods) or "nothing: it is chosen at the provider"
            raise NoSuchProvider(fields=[FieldError("method", f"For “{name}”: {known}.")])

    async def begin(self, attempt: Attempt) -> Outcome:
        return await self._call("start", attempt, lambda provider: provider.start(attempt), Unknown())

    async def ask(self, attempt: Attempt) -> Outcome:
        return await self._call("ask", attempt, lambda provider: provider.ask(attempt), Unknown())

    async def cancel(self, attempt: Attempt) -> Outcome:
        return await self._call("cancel", attempt, lambda provider: provider.cancel(attempt), Unknown())

    async def give_back(self, refund: Refund, attempt: Attempt) -> RefundOutcome:
        return await self._call("refund", attempt, lambda provider: provider.refund(refund, attempt), Unknown())

    async def notify(self, organization_id: UUID, attempt_id: UUID, outcome: Outcome) -> None:
        """News that a provider brings by itself."""
        actor = Actor(type="system", name="payments")
        async with self._services.database.tenant(organization_id, actor) as tx:
            await actions.record(tx, attempt_id, outcome)

    async def _call(self, verb: str, attempt: Attempt, call: Callable[[Provider], Awaitable[R]], unknown: R) -> R:
        provider = self._table.get(attempt.provider)
        if provider is None:
            log.error("a payment waits for a provider that is not set up", provider=attempt.provider)
            return unknown
        try:
            async with asyncio.timeout(policy.START_S):
                return await call(provider)
        except Exception as error:
            log.warning(
                "a payment provider did not answer",
                provider=attempt.provider,
                verb=verb,
                attempt_id=str(attempt.id),
                error=repr(error),
            )
            return unknown
