"""An address that the demo told of its orders, until somebody switched it off: nothing leaves the machine.

Of its last deliveries one came through at the third try, and one never did.
"""

import os
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

from fullhouse.demo_rows import Row, insert
from fullhouse.kit import audit
from fullhouse.kit.db import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.secrets import Keyring
from fullhouse.messaging import webhook_policy as policy
from fullhouse.messaging import webhook_store as store
from fullhouse.messaging.webhook_actions import envelope, purpose

URL, DESCRIPTION, EVENTS = "https://books.example/hooks/fullhouse", "Bookkeeping", ["order.*"]
OFF_SINCE = timedelta(days=4)  # long enough for every try of the one that failed
RECENT = """
    SELECT id, code, event_id, user_id, total, currency, paid_at FROM orders
    WHERE organization_id = $1 AND paid_at < app.clock() - $3::interval ORDER BY paid_at DESC, id LIMIT $2
"""
# Newest first: how often it was tried, what came back, and how long that took.
_SOON = {"status": "delivered", "attempts": 1, "response_status": 200, "response_body": '{"booked": true}'}
OUTCOMES: tuple[dict[str, Any], ...] = (
    _SOON | {"duration_ms": 84},
    _SOON | {"duration_ms": 91},
    {
        "status": "failed", "attempts": 11, "failures": 11, "response_status": 503, "duration_ms": 2014,
        "response_body": "The ledger is being closed for the month.",
    },
    _SOON | {"attempts": 3, "failures": 2, "duration_ms": 132},
    _SOON | {"duration_ms": 77},
    _SOON | {"duration_ms": 103},
)  # fmt: skip


async def tell(tx: Tx, keyring: Keyring) -> None:
    webhook_id, secret = new_id(), os.urandom(policy.SECRET_BYTES)
    sealed = keyring.seal(purpose(webhook_id), secret)
    await store.insert_webhook(
        tx, webhook_id, tx.organization_id, URL, DESCRIPTION, EVENTS, False, sealed, policy.WEBHOOKS_MAX
    )
    told = {"url": URL, "events": EVENTS, "enabled": False}
    await audit.write(tx, "webhook.created", "webhook", webhook_id, after=told)
    orders = await tx.fetch(RECENT, tx.organization_id, len(OUTCOMES), OFF_SINCE)
    await insert(tx, "webhook_deliveries", list(_deliveries(webhook_id, orders)))


def _deliveries(webhook_id: UUID, orders: list[Any]) -> Iterator[Row]:
    for order, outcome in zip(orders, OUTCOMES, strict=False):
        message_id, at = new_id(), order["paid_at"]
        fact = {
            "subject_id": order["id"], "event_id": order["event_id"], "user_id": order["user_id"],
            "code": order["code"], "total": order["total"], "currency": order["currency"],
        }  # fmt: skip
        waited = sum(policy.PAUSES[: outcome.get("failures", 0)], timedelta())
        yield {
            "id": new_id(), "webhook_id": webhook_id, "message_id": message_id, "type": "order.paid", "created_at": at,
            "body": envelope(message_id, "order.paid", 1, at, fact), "tried_at": at + waited + timedelta(seconds=1),
            "failures": 0,
        } | outcome  # fmt: skip
