"""A disabled webhook with past deliveries: the demo itself sends nothing.

Of its last deliveries, one succeeded at the third attempt, and one failed.
"""

import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from fullhouse.checkout.facts import OrderPaid
from fullhouse.demo.rows import Row, insert_rows, to_hex_bytea
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.secrets import Keyring
from fullhouse.webhooks import policy
from fullhouse.webhooks.actions import render_envelope, seal_purpose

URL, DESCRIPTION, EVENTS = "https://books.example/hooks/fullhouse", "Bookkeeping", ["order.*"]
DELIVERED_UNTIL = timedelta(days=4)  # ago: long enough for all attempts of the one that failed
DISABLED_SINCE = timedelta(hours=6)
RECENT_ORDERS = """
    SELECT paid_at, jsonb_build_object(
        'subject_id', id, 'event_id', event_id, 'user_id', user_id, 'code', code, 'total', total, 'currency', currency,
        'buyer_email', buyer_email, 'tickets', (
            SELECT count(*) FROM tickets t WHERE t.organization_id = o.organization_id AND t.order_id = o.id)) AS fact
    FROM orders o
    WHERE organization_id = $1 AND paid_at < app.clock() - $3::interval ORDER BY paid_at DESC, id LIMIT $2
"""
# Newest first: attempts, response and duration.
_DELIVERED = {
    "status": "delivered", "attempts": 1, "failures": 0, "response_status": 200, "response_body": '{"booked": true}',
}  # fmt: skip
OUTCOMES: tuple[dict[str, Any], ...] = (
    _DELIVERED | {"duration_ms": 84},
    _DELIVERED | {"duration_ms": 91},
    {
        "status": "failed", "attempts": 11, "failures": 11, "response_status": 503, "duration_ms": 2014,
        "response_body": "The ledger is being closed for the month.",
    },
    _DELIVERED | {"attempts": 3, "duration_ms": 132},
    _DELIVERED | {"duration_ms": 77},
    _DELIVERED | {"duration_ms": 103},
)  # fmt: skip


async def create_webhook(tx: Tx, keyring: Keyring) -> None:
    webhook_id, off_at = new_id(), await tx.now() - DISABLED_SINCE
    orders = await tx.fetch(RECENT_ORDERS, tx.organization_id, len(OUTCOMES), DELIVERED_UNTIL)
    created_at = min((order["paid_at"] for order in orders), default=off_at) - timedelta(days=1)
    sealed = keyring.seal(seal_purpose(webhook_id), os.urandom(policy.SECRET_BYTES))
    webhook = {
        "id": webhook_id, "url": URL, "description": DESCRIPTION, "events": EVENTS, "enabled": False, "failures": 0,
        "secret": to_hex_bytea(sealed), "version": 2, "created_at": created_at, "updated_at": off_at,
    }  # fmt: skip
    await insert_rows(tx, "webhooks", [webhook])
    await insert_rows(tx, "audit_log", list(_make_audit_rows(tx, webhook_id, created_at, off_at)))
    await insert_rows(tx, "webhook_deliveries", list(_make_deliveries(webhook_id, orders)))


def _make_audit_rows(tx: Tx, webhook_id: UUID, made_at: datetime, off_at: datetime) -> Iterator[Row]:
    made = {"enabled": True, "version": 1, "updated_at": made_at}
    off = {"enabled": False, "version": 2, "updated_at": off_at}
    for at, action, before, after in (
        (made_at, "webhook.created", None, {"url": URL, "events": EVENTS, "enabled": True}),
        (off_at, "webhook.updated", made, off),
    ):
        yield {
            "id": new_id(),
            "created_at": at,
            "actor_type": tx.actor.type,
            "actor_id": tx.actor.id,
            "actor_name": tx.actor.name,
            "action": action,
            "entity_type": "webhook",
            "entity_id": webhook_id,
            "before": before,
            "after": after,
        }


def _make_deliveries(webhook_id: UUID, orders: list[Any]) -> Iterator[Row]:
    for order, outcome in zip(orders, OUTCOMES, strict=False):
        message_id, at = new_id(), order["paid_at"]
        fact = msgspec.convert(order["fact"], OrderPaid)
        waited = sum(policy.PAUSES[: outcome["attempts"] - 1], timedelta())
        yield {
            "id": new_id(),
            "webhook_id": webhook_id,
            "message_id": message_id,
            "type": fact.name,
            "created_at": at,
            "body": render_envelope(message_id, fact.name, fact.version, at, msgspec.to_builtins(fact)),
            "tried_at": at + waited + timedelta(seconds=1),
        } | outcome
