"""HTTP routes of sales figures, for dashboards, and of the order search."""

from datetime import datetime, timedelta
from uuid import UUID

from fullhouse.accounts import actions as accounts
from fullhouse.events import actions as events
from fullhouse.kit.db.cursors import LIMIT, Cursors, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.http.endpoints import get, post
from fullhouse.kit.http.parameters import After, Moment, PageSize, parse_moment
from fullhouse.kit.services import Services
from fullhouse.reports.sales import store
from fullhouse.reports.sales.model import EventSales, FindOrders, FoundOrder, SalesPoint, Step

EVENTS_MAX = 200
PERIOD_MAX = {"hour": timedelta(days=31), "day": timedelta(days=3660)}
DEFAULT_PERIOD = {"hour": timedelta(days=2), "day": timedelta(days=30)}


@get("/api/sales/over-time", "orders.read")
async def get_sales_over_time(
    tx: Tx, event_id: UUID | None = None, since: Moment = None, until: Moment = None, step: Step = "day"
) -> list[SalesPoint]:
    """Paid orders per hour or day in which they were placed: of one event, or of all.

    Days are in the event's time zone, or in the organisation's. Hours and days without an order are left out.
    """
    zone = (await events.require_event(tx, event_id) if event_id else await accounts.require_profile(tx)).timezone
    to = parse_moment("until", until) or await tx.now() + timedelta(seconds=1)
    start = parse_moment("since", since) or to - DEFAULT_PERIOD[step]
    if to - start > PERIOD_MAX[step]:
        raise Invalid(fields=[FieldError("since", f"Choose at most {PERIOD_MAX[step].days} days by the {step}.")])
    return await store.sales_over_time(tx, event_id=event_id, since=start, until=to, step=step, timezone=zone)


@get("/api/sales/by-show", "orders.read")
async def list_sales_by_show(tx: Tx) -> list[EventSales]:
    """Announced events that are not over, with their sales, the next one first. At most 200."""
    return await store.list_event_sales(tx, EVENTS_MAX)


@post("/api/orders/search", "orders.read", status=200)
async def search_orders(
    tx: Tx, services: Services, data: FindOrders, cursor: After = None, limit: PageSize = LIMIT
) -> Page[FoundOrder]:
    """Find orders by code, or by part of the buyer's name or email address; newest first."""
    words = (data.q or "").strip() or None
    cursors = Cursors(services.keyring, "orders.search", tx.organization_id, data.event_id, data.status, words)
    after_at, after_id = cursors.read(cursor, datetime, UUID) or (None, None)
    rows = await store.search_orders(
        tx,
        event_id=data.event_id,
        status=data.status,
        words=words,
        after_at=after_at,
        after_id=after_id,
        limit=limit + 1,
    )
    return cursors.page(rows, limit, "created_at", "id")


handlers = [get_sales_over_time, list_sales_by_show, search_orders]
