"""Money back over HTTP, and a show's orders for a spreadsheet."""

from typing import Annotated
from uuid import UUID

from litestar.params import HeaderParameter, QueryParameter

from fullhouse.checkout.model import KeyNeeded
from fullhouse.events import actions as events
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.endpoints import get, post
from fullhouse.kit.http.parameters import After
from fullhouse.kit.media.csv import MEDIA_TYPE, ROWS_MAX
from fullhouse.kit.services import Services
from fullhouse.refunds import actions, orders_csv
from fullhouse.refunds.model import EventRefunds, OrderRefund, PaidOutside, RefundOrder, RefundPreview

Key = Annotated[
    str | None,
    HeaderParameter(name="Idempotency-Key", description="Required. The same key again gives the first answer."),
]
Rows = Annotated[int, QueryParameter(ge=1, le=ROWS_MAX, description="How many orders at most.")]


@post("/api/orders/{order_id:uuid}/refunds", "refunds.create")
async def refund_order(tx: Tx, order_id: UUID, data: RefundOrder, idempotency_key: Key = None) -> OrderRefund:
    """Give an order back: all of it, some of its tickets, or an amount. Needs an Idempotency-Key.

    Tickets that are given back are void at once, and their places can be had again; the money is on its way. Promo
    codes stay used. 409 `refund_too_high` if it is more than is left of what was paid.
    """
    if idempotency_key is None:
        raise KeyNeeded(fields=[FieldError("Idempotency-Key", "This header is required.")])
    return await actions.refund(tx, order_id, data)


@post("/api/orders/{order_id:uuid}/refunds/preview", "refunds.create", status=200)
async def preview_refund(tx: Tx, order_id: UUID, data: RefundOrder) -> RefundPreview:
    """What a refund would give back, and which tickets would be void. Nothing is done."""
    return await actions.preview(tx, order_id, data)


@get("/api/orders/{order_id:uuid}/refunds", "refunds.read")
async def list_order_refunds(tx: Tx, order_id: UUID) -> list[OrderRefund]:
    """What was given back of an order, oldest first."""
    return await actions.refunds_of(tx, order_id)


@post("/api/orders/{order_id:uuid}/refunds/{refund_id:uuid}/retry", "refunds.create", status=200)
async def retry_refund(tx: Tx, order_id: UUID, refund_id: UUID) -> OrderRefund:
    """Try once more to give back what the provider refused. A worker asks it; `status` says what became of it.

    409 `refund_not_failed` if it was not refused, or somebody else tries it already.
    """
    return await actions.retry(tx, order_id, refund_id)


@post("/api/orders/{order_id:uuid}/refunds/{refund_id:uuid}/paid-outside", "refunds.create", status=200)
async def pay_refund_outside(tx: Tx, order_id: UUID, refund_id: UUID, data: PaidOutside) -> OrderRefund:
    """Note that the buyer got by another way what the provider refused to give back: in cash, by a transfer.

    It is final, and in the ledger under `provider:outside`. 409 `refund_not_failed` if it was not refused.
    """
    return await actions.pay_outside(tx, order_id, refund_id, data)


@post("/api/events/{event_id:uuid}/refunds/retry", "refunds.create", status=200)
async def retry_event_refunds(tx: Tx, event_id: UUID) -> EventRefunds:
    """Try once more to give back what the provider refused in a show, 500 refunds at a time, the oldest first.

    The answer says how many are left (`refused`, and `failed` in the amounts): call it again for them.
    """
    return await actions.retry_all(tx, event_id)


@get("/api/events/{event_id:uuid}/refunds", "refunds.read")
async def get_event_refunds(tx: Tx, event_id: UUID) -> EventRefunds:
    """What goes back in a show; if it was cancelled, how many of its orders have been given back."""
    return await actions.progress(tx, event_id)


@get("/api/events/{event_id:uuid}/orders.csv", "orders.read", media_type=MEDIA_TYPE)
async def export_orders(
    tx: Tx, services: Services, event_id: UUID, cursor: After = None, limit: Rows = ROWS_MAX
) -> Answer:
    """The orders of a show for a spreadsheet, oldest first.

    If there is more, the header `X-Next-Cursor` names the `cursor` to go on with.
    """
    await events.get_event(tx, event_id)
    return await orders_csv.orders(tx, services.keyring, event_id, cursor, limit)


handlers = [
    refund_order, preview_refund, list_order_refunds, retry_refund, pay_refund_outside, get_event_refunds,
    retry_event_refunds, export_orders,
]  # fmt: skip
