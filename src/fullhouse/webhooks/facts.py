"""The facts of webhooks."""

from typing import ClassVar

from fullhouse.kit.messages.outbox import Fact


class WebhookGivenUp(Fact, frozen=True, kw_only=True):
    """A webhook was disabled: it responded with status 410 (`gone`), or had failed for days (`failing`)."""

    name: ClassVar[str] = "webhook.disabled"
    because: str
