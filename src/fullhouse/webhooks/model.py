"""Webhooks and their deliveries, as stored and in the API; requests and refusals."""

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
# A fact's name, a group of facts (`event.*`), or all.
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
    """A URL that facts are sent to. `failures` counts consecutive ones; `disabled_because` is `gone` (it responded with
    status 410) or `failing` (after days of failures), and null if a person disabled it.
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
    """As `Webhook`, with the secret: returned this once."""

    secret: str


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """One message for one webhook. The last attempt's outcome is a status and the beginning of the response, or an
    error; `next_try_at` is null once no attempt is left.
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


class DeliveryAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """What an attempt needs of a delivery and its webhook. Not part of the API."""

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
    """How many deliveries are sent again, and whether there are more: then repeat the request."""

    redelivered: int
    more: bool


class ScheduledRedelivery(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery that is sent again: its attempts so far, and when."""

    id: UUID
    attempts: int
    pause: timedelta


# --- requests


class RedeliverFailed(Request, frozen=True, kw_only=True):
    """Deliveries that were created at this time or later."""

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
    """An organisation has a limited number of webhooks. Delete one first, or use one URL for several facts."""

    code, title = "too_many_webhooks", "There are too many webhooks"


class WebhookDisabled(Conflict):
    """The webhook is disabled. Enable it first."""

    code, title = "webhook_disabled", "The webhook is disabled"
