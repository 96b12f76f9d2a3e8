"""Webhooks and their deliveries, as they are stored and shown; requests, and what is refused."""

from datetime import datetime, timedelta
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from fullhouse.accounts.model import Request
from fullhouse.kit.errors import Conflict, Invalid

Status = Literal["pending", "delivered", "failed"]
Url = Annotated[str, Meta(min_length=1, max_length=2000, examples=["https://example.org/hooks/tickets"])]
Description = Annotated[str, Meta(max_length=200)]
# A fact's name, a family of them (`event.*`), or all.
Filter = Annotated[
    str,
    Meta(
        max_length=80,
        pattern=r"^(\*|[a-z_]+(\.[a-z_]+)*(\.\*)?)$(?!\n)",
        examples=["event.*", "event.published", "*"],
    ),
]
Filters = Annotated[list[Filter], Meta(min_length=1, max_length=50)]


# --- rows


class Webhook(msgspec.Struct, frozen=True, kw_only=True):
    """An address that is told of facts. `failures` are in a row; `disabled_because` is `gone` (it answered 410) or
    `failing` if we gave up, and null if somebody disabled it.
    """

    id: UUID
    url: str
    description: str
    events: list[str]
    enabled: bool
    disabled_because: Literal["gone", "failing"] | None
    failures: int
    failing_since: datetime | None
    previous_secret_until: datetime | None
    version: int
    created_at: datetime
    updated_at: datetime


class WebhookWithSecret(Webhook, frozen=True, kw_only=True):
    """As `Webhook`, with the secret: shown this once."""

    secret: str


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """One message for one webhook. The last try's outcome is a status and the beginning of the answer, or an error;
    `next_try_at` is null once it is over.
    """

    id: UUID
    webhook_id: UUID
    message_id: UUID
    type: str
    status: Status
    attempts: int
    next_try_at: datetime | None
    tried_at: datetime | None
    request_body: str
    response_status: int | None
    response_body: str | None
    error: str | None
    duration_ms: int | None
    created_at: datetime


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """What a sender needs of a delivery and its webhook. Stays inside."""

    id: UUID
    webhook_id: UUID
    message_id: UUID
    type: str
    body: str
    status: Status
    attempts: int
    failures: int
    claimed_until: datetime | None
    url: str
    enabled: bool
    secret: bytes
    previous_secret: bytes | None
    previous_secret_until: datetime | None


class Redelivered(msgspec.Struct, frozen=True, kw_only=True):
    """How many deliveries are sent again, and whether there are more: then ask once more."""

    redelivered: int
    more: bool


class DueAgain(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery that is sent again: the try that it is for, and when."""

    id: UUID
    attempts: int
    pause: timedelta


# --- requests


class RedeliverFailed(Request, frozen=True, kw_only=True):
    """Deliveries that were made at this time or later."""

    since: Annotated[datetime, Meta(tz=True)]


class NewWebhook(Request, frozen=True, kw_only=True):
    url: Url
    events: Filters
    description: Description = ""
    enabled: bool = True


class ChangeWebhook(Request, frozen=True, kw_only=True):
    url: Url | UnsetType = UNSET
    events: Filters | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET


# --- refusals


class UnknownFact(Invalid):
    """No fact has a name like that. `/api/asyncapi.json` lists them all."""

    code, title = "unknown_fact", "There is no such fact"


class TooManyWebhooks(Conflict):
    """An organisation has a limited number of webhooks. Delete one first, or let one address serve for several."""

    code, title = "too_many_webhooks", "There are too many webhooks"


class WebhookDisabled(Conflict):
    """The webhook is disabled. Enable it first."""

    code, title = "webhook_disabled", "The webhook is disabled"
