"""Refund endpoints, and the CSV export of an event's orders."""

from typing import Annotated
from uuid import UUID

from litestar.params import HeaderParameter, QueryParameter

from fullhouse.checkout.model import IdempotencyKeyRequired
from fullhouse.events import actions as events
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError
from fullhouse.kit.http.endpoints import get, post
from fullhouse.kit.http.parameters import After
from fullhouse.kit.http.response import Response
from fullhouse.kit.media.csv import MEDIA_TYPE, ROWS_MAX
from fullhouse.kit.services import Services
from fullhouse.refunds import actions, orders_csv
from fullhouse.refunds.model import EventRefunds, OrderRefund, PaidOutside, RefundOrder, RefundPreview

Key = Annotated[
    str | None,
    HeaderParameter(name="Idempotency-Key", description="Required. Repeating a key returns the first response."),
]
Rows = Annotated[int, QueryParameter(ge=1, le=ROWS_MAX, description="Maximum number of orders.")]


@post("/api/orders/{order_id:uuid}/refunds", "refunds.create")
async def refund_order(tx: Tx, order_id: UUID, data: RefundOrder, idempotency_key: Key = None) -> OrderRefund:
    """Refund an order: all of it, some of its tickets, or an amount. Needs an Idempotency-Key.

    Refunded tickets become void at once, and their seats are on sale again; the provider pays the refund later. Promo
    codes stay used. 409 `refund_too_high` if the amount is higher than what is left of the payment.
    """
    if idempotency_key is None:
        raise IdempotencyKeyRequired(fields=[FieldError("Idempotency-Key", "This header is required.")])
    return await actions.refund(tx, order_id, data)


@post("/api/orders/{order_id:uuid}/refunds/preview", "refunds.create", status=200)
async def preview_refund(tx: Tx, order_id: UUID, data: RefundOrder) -> RefundPreview:
    """The amount of a refund and the tickets that it would void. Changes nothing."""
    return await actions.preview(tx, order_id, data)


@get("/api/orders/{order_id:uuid}/refunds", "refunds.read")
async def list_order_refunds(tx: Tx, order_id: UUID) -> list[OrderRefund]:
    """The refunds of an order, oldest first."""
    return await actions.list_refunds(tx, order_id)


@post("/api/orders/{order_id:uuid}/refunds/{refund_id:uuid}/retry", "refunds.create", status=200)
async def retry_refund(tx: Tx, order_id: UUID, refund_id: UUID) -> OrderRefund:
    """Retry a refund that the provider rejected. A worker calls the provider; `status` has the outcome.

    409 `refund_not_failed` if it has not failed, or another request retries it already.
    """
    return await actions.retry(tx, order_id, refund_id)


@post("/api/orders/{order_id:uuid}/refunds/{refund_id:uuid}/paid-outside", "refunds.create", status=200)
async def pay_refund_outside(tx: Tx, order_id: UUID, refund_id: UUID, data: PaidOutside) -> OrderRefund:
    """Record that a failed refund was paid to the buyer by another way, for instance in cash or by bank transfer.

    This is final, and posted in the ledger under `provider:outside`. 409 `refund_not_failed` if it has not failed.
    """
    return await actions.pay_outside(tx, order_id, refund_id, data)


@post("/api/events/{event_id:uuid}/refunds/retry", "refunds.create", status=200)
async def retry_event_refunds(tx: Tx, event_id: UUID) -> EventRefunds:
    """Retry the failed refunds of an event, up to 500 in one call, oldest first.

    If the response still lists failed refunds (`refused`, and `failed` in the amounts), call it again.
    """
    return await actions.retry_refunds_of_event(tx, event_id)


@get("/api/events/{event_id:uuid}/refunds", "refunds.read")
async def get_event_refunds(tx: Tx, event_id: UUID) -> EventRefunds:
    """The refunds of an event; if it was cancelled, how many of its orders are refunded."""
    return await actions.load_progress(tx, event_id)


@get("/api/events/{event_id:uuid}/orders.csv", "orders.read", media_type=MEDIA_TYPE)
async def export_orders(
    tx: Tx, services: Services, event_id: UUID, cursor: After = None, limit: Rows = ROWS_MAX
) -> Response:
    """Export the orders of an event as CSV, oldest first.

    If there are more, the header `X-Next-Cursor` has the `cursor` of the next page.
    """
    await events.require_event(tx, event_id)
    return await orders_csv.render_orders(tx, services.keyring, event_id, cursor, limit)


handlers = [
    refund_order, preview_refund, list_order_refunds, retry_refund, pay_refund_outside, get_event_refunds,
    retry_event_refunds, export_orders,
]  # fmt: skip
