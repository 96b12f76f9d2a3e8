"""Webhooks over HTTP."""

from uuid import UUID

from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db.cursors import LIMIT, Page, page_by_age
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import DataWithHeaders, delete, get, patch, post
from fullhouse.kit.http.parameters import After, IfMatch, PageSize
from fullhouse.kit.http.versions import etag
from fullhouse.kit.services import Services
from fullhouse.webhooks import actions, deliveries, store
from fullhouse.webhooks.model import (
    ChangeWebhook,
    Delivery,
    NewWebhook,
    Redelivered,
    RedeliverFailed,
    Status,
    Webhook,
    WebhookWithSecret,
)


@get("/api/org/webhooks", "webhooks.read")
async def list_webhooks(tx: Tx, services: Services, limit: PageSize = LIMIT, cursor: After = None) -> Page[Webhook]:
    """The organisation's webhooks, oldest first, without their secrets."""
    return await page_by_age(tx, services.keyring, "webhooks", store.list_webhooks, cursor, limit)


@post("/api/org/webhooks", "webhooks.write", location="/api/org/webhooks/{id}", limit=Limit(20, 60))
async def create_webhook(tx: Tx, services: Services, data: NewWebhook) -> WebhookWithSecret:
    """Subscribe a URL to facts. The response has its secret, which is not returned again.

    `events` are names of facts, groups of them such as `event.*`, or `*` for all.
    """
    return await actions.create_webhook(tx, services.keyring, services.safe_http, data)


@get("/api/org/webhooks/{webhook_id:uuid}", "webhooks.read")
async def get_webhook(tx: Tx, webhook_id: UUID) -> DataWithHeaders[Webhook]:
    """One webhook."""
    return _with_etag(await actions.get_webhook(tx, webhook_id))


@patch("/api/org/webhooks/{webhook_id:uuid}", "webhooks.write", limit=Limit(60, 60))
async def change_webhook(
    tx: Tx, services: Services, webhook_id: UUID, data: ChangeWebhook, if_match: IfMatch = None
) -> DataWithHeaders[Webhook]:
    """Change a webhook, or enable it again after it was disabled."""
    return _with_etag(await actions.change_webhook(tx, services.safe_http, webhook_id, data, if_match))


@delete("/api/org/webhooks/{webhook_id:uuid}", "webhooks.write")
async def delete_webhook(tx: Tx, webhook_id: UUID) -> None:
    """Delete a webhook and its log."""
    await actions.delete_webhook(tx, webhook_id)


@post("/api/org/webhooks/{webhook_id:uuid}/secret", "webhooks.write")
async def rotate_webhook_secret(tx: Tx, services: Services, webhook_id: UUID) -> WebhookWithSecret:
    """Make a new secret. For a day, messages are signed with the former one as well."""
    return await actions.rotate_secret(tx, services.keyring, webhook_id)


@post("/api/org/webhooks/{webhook_id:uuid}/test", "webhooks.write", status=200, limit=Limit(10, 60))
async def test_webhook(who: Principal, services: Services, webhook_id: UUID) -> Delivery:
    """Send a `webhook.test` now, once, and return the receiver's response. Takes up to 15 seconds."""
    return await deliveries.send_test(services.database, services.keyring, services.safe_http, who, webhook_id)


@get("/api/org/webhooks/{webhook_id:uuid}/deliveries", "webhooks.read")
async def list_webhook_deliveries(
    tx: Tx,
    services: Services,
    webhook_id: UUID,
    status: Status | None = None,
    limit: PageSize = LIMIT,
    cursor: After = None,
) -> Page[Delivery]:
    """The deliveries of a webhook and their outcomes, newest first. Stored for 30 days."""
    await actions.get_webhook(tx, webhook_id)
    return await page_by_age(
        tx,
        services.keyring,
        "webhook_deliveries",
        store.list_deliveries,
        cursor,
        limit,
        webhook_id=webhook_id,
        status=status,
    )


@post("/api/org/webhooks/{webhook_id:uuid}/redeliver", "webhooks.write", status=202, limit=Limit(10, 60))
async def redeliver_failed(tx: Tx, webhook_id: UUID, data: RedeliverFailed) -> Redelivered:
    """Send all messages again that failed since a time, each with the same `webhook-id`: up to 1,000, the oldest
    first, 20 a second. If `more` is true, repeat the request to send the next ones.
    """
    return await deliveries.redeliver_failed(tx, webhook_id, data)


@post("/api/org/webhooks/{webhook_id:uuid}/deliveries/{delivery_id:uuid}/redeliver", "webhooks.write", status=202)
async def redeliver(tx: Tx, webhook_id: UUID, delivery_id: UUID) -> Delivery:
    """Send a message again, with the same `webhook-id`."""
    return await deliveries.redeliver(tx, webhook_id, delivery_id)


def _with_etag(row: Webhook) -> DataWithHeaders[Webhook]:
    return DataWithHeaders(row, {"etag": etag(row.version)})


handlers = [
    list_webhooks, create_webhook, get_webhook, change_webhook, delete_webhook, rotate_webhook_secret, test_webhook,
    list_webhook_deliveries, redeliver, redeliver_failed,
]  # fmt: skip
