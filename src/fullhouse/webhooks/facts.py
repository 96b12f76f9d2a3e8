"""What webhooks announce."""

from typing import ClassVar

from fullhouse.kit.messages.outbox import Fact


class WebhookGivenUp(Fact, frozen=True, kw_only=True):
    """We stopped calling a webhook: it answered 410 (`gone`), or had failed for days (`failing`)."""

    name: ClassVar[str] = "webhook.disabled"
    because: str
