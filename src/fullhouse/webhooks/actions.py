"""Actions on webhooks: subscriptions to facts, and the secrets that sign deliveries."""

import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET

from fullhouse.broker import catalogue
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.db.partial_updates import audit_difference, with_changes
from fullhouse.kit.errors import FieldError, NotFound
from fullhouse.kit.http import versions
from fullhouse.kit.http.safe_http import SafeHttpClient
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages import jobs
from fullhouse.kit.messages.outbox import Message
from fullhouse.kit.secrets import Keyring
from fullhouse.webhooks import policy, store
from fullhouse.webhooks.model import (
    ChangeWebhook,
    NewWebhook,
    ScheduledRedelivery,
    TooManyWebhooks,
    UnknownFact,
    Webhook,
    WebhookWithSecret,
)

JOB = "webhook.deliver"


class Envelope(msgspec.Struct, frozen=True):
    """The body of a delivery."""

    id: UUID
    type: str
    version: int
    timestamp: datetime
    data: dict[str, Any]


async def get_webhook(tx: Tx, webhook_id: UUID) -> Webhook:
    return _require_webhook(await store.find_webhook(tx, webhook_id))


async def create_webhook(tx: Tx, keyring: Keyring, outward: SafeHttpClient, data: NewWebhook) -> WebhookWithSecret:
    _check_filters(data.events)
    await outward.check(data.url, "url")
    webhook_id, secret = new_id(), os.urandom(policy.SECRET_BYTES)
    webhook = await store.insert_webhook(
        tx,
        id=webhook_id,
        url=data.url,
        description=data.description,
        events=data.events,
        enabled=data.enabled,
        secret=keyring.seal(seal_purpose(webhook_id), secret),
        webhooks_max=policy.WEBHOOKS_MAX,
    )
    if webhook is None:
        raise TooManyWebhooks(f"There are {policy.WEBHOOKS_MAX} webhooks already.", most=policy.WEBHOOKS_MAX)
    values = {"url": webhook.url, "events": webhook.events, "enabled": webhook.enabled}
    await audit.write(tx, "webhook.created", "webhook", webhook_id, after=values)
    return _to_webhook_with_secret(webhook, secret)


async def change_webhook(
    tx: Tx, outward: SafeHttpClient, webhook_id: UUID, change: ChangeWebhook, if_match: str | None
) -> Webhook:
    """Enabling a webhook again resets its failures."""
    if change.events is not UNSET:
        _check_filters(change.events)
    before = await get_webhook(tx, webhook_id)
    if change.url not in (UNSET, before.url):  # name resolution happens before anything is locked
        await outward.check(str(change.url), "url")
    before = _require_webhook(await store.lock_webhook(tx, webhook_id))
    versions.check_if_match(if_match, before.version)
    after = with_changes(before, change)
    if after == before:
        return before
    saved = _require_webhook(
        await store.update_webhook(
            tx,
            webhook_id=webhook_id,
            url=after.url,
            description=after.description,
            events=after.events,
            enabled=after.enabled,
        )
    )
    await audit_difference(tx, "webhook.updated", "webhook", before, saved)
    return saved


async def rotate_secret(tx: Tx, keyring: Keyring, webhook_id: UUID) -> WebhookWithSecret:
    """The former secret signs beside the new one for a day; an even older one stops signing now."""
    secret = os.urandom(policy.SECRET_BYTES)
    sealed = keyring.seal(seal_purpose(webhook_id), secret)
    webhook = _require_webhook(
        await store.rotate_secret(tx, webhook_id=webhook_id, secret=sealed, overlap=policy.OVERLAP)
    )
    await audit.write(tx, "webhook.secret_rotated", "webhook", webhook_id)
    return _to_webhook_with_secret(webhook, secret)


async def delete_webhook(tx: Tx, webhook_id: UUID) -> None:
    """Deletes the webhook with its deliveries. Pending ones are not sent."""
    webhook = _require_webhook(await store.lock_webhook(tx, webhook_id))
    await store.delete_webhook(tx, webhook_id)
    await audit.write(tx, "webhook.deleted", "webhook", webhook_id, before={"url": webhook.url})


async def enqueue_deliveries(tx: Tx, message: Message) -> None:
    """The async handler of all facts: inserts a delivery, and a job for it, for each webhook that subscribes."""
    webhook_ids = await store.list_subscribed(tx, policy.filters_for(message.name))
    if not webhook_ids:
        return
    data = {name: value for name, value in message.payload.items() if name != "version"}
    body = render_envelope(message.id, message.name, message.version, message.created_at, data)
    ids = {new_id(): webhook_id for webhook_id in webhook_ids}
    inserted = await store.insert_deliveries(
        tx, message_id=message.id, type=message.name, body=body, ids=[*ids], webhook_ids=[*ids.values()]
    )
    for delivery_id in inserted or ():
        await enqueue_attempt(tx, ids[delivery_id], delivery_id, 0)


async def enqueue_attempt(tx: Tx, webhook_id: UUID, delivery_id: UUID, attempt: int, **when: Any) -> None:
    """A job for one attempt: the one after `attempt` earlier ones."""
    payload = {"webhook_id": webhook_id, "delivery_id": delivery_id, "attempt": attempt}
    await jobs.enqueue(tx, JOB, payload, **when)


async def enqueue_attempts(tx: Tx, webhook_id: UUID, due: Sequence[ScheduledRedelivery]) -> None:
    work = [({"webhook_id": webhook_id, "delivery_id": it.id, "attempt": it.attempts}, it.pause) for it in due]
    await jobs.enqueue_all(tx, JOB, work)


def render_envelope(message_id: UUID, name: str, version: int, at: datetime, data: dict[str, Any]) -> str:
    return msgspec.json.encode(Envelope(message_id, name, version, at, data)).decode()


def seal_purpose(webhook_id: UUID) -> str:
    """Each webhook's secrets are sealed for it alone: copied to another row, they cannot be opened."""
    return f"webhook:{webhook_id}"


def _check_filters(filters: list[str]) -> None:
    """A misspelt name would never match any fact."""
    if wrong := policy.find_unknown(filters, catalogue.FACTS):
        raise UnknownFact(
            fields=[FieldError(f"events[{place}]", f"No fact has the name “{filters[place]}”.") for place in wrong]
        )


def _to_webhook_with_secret(webhook: Webhook, secret: bytes) -> WebhookWithSecret:
    return WebhookWithSecret(**msgspec.structs.asdict(webhook), secret=policy.encode_secret(secret))


def _require_webhook(webhook: Webhook | None) -> Webhook:
    if webhook is None:
        raise NotFound
    return webhook


async def filter_subscribed(tx: Tx, names: Sequence[str]) -> set[str]:
    """The names that a webhook subscribes to. Most facts are about holds, which few organisations subscribe to."""
    filters = set(await store.list_filters(tx) or ())
    return {name for name in names if filters.intersection(policy.filters_for(name))}
