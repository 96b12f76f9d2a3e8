"""The sale status of an event for the storefront, and when it changes next."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from fullhouse.events.model import Event
from fullhouse.events.policy import SELLS, Selling, is_undated
from fullhouse.events.public.model import PublicEvent, SalePeriod
from fullhouse.events.sale.states import Status


class Stock(NamedTuple):
    """What there is to sell, and when: from the first ticket type's start to the last one's end, within the event's own
    sale window. Computed in the database (app.stock) whenever an input changes."""

    opens_at: datetime
    closes_at: datetime
    has_tickets: bool
    sold_out: bool  # all public ticket types, over the whole sale
    periods: Sequence[SalePeriod] | None = None  # with tickets to buy, in order; None: all the time


def sale_status(event: Event, now: datetime, stock: Stock) -> str:
    """The sale status for the storefront: derived, never stored."""
    return _derive_sale_status(event.status, event.rescheduled_at, stock, now)


PublicEventT = TypeVar("PublicEventT", bound=PublicEvent)


def refresh_sale_status(event: PublicEventT, now: datetime) -> PublicEventT:
    """A public event that was read earlier, with its sale status as of `now`."""
    # With periods, tickets were left when it was read; whether the sale is over by now follows from the periods.
    sold_out = event.sold_out and not event.sale_periods
    stock = Stock(event.sale_start_at, event.sale_end_at, event.has_tickets, sold_out, event.sale_periods)
    word = _derive_sale_status(event.phase, event.rescheduled_at, stock, now)
    over = stock.sold_out or (event.has_tickets and now <= stock.closes_at and _is_after(stock.periods, now))
    if (word, over) == (event.sale_status, event.sold_out):
        return event
    return replace(event, sale_status=word, sold_out=over)


def next_sale_change(event: PublicEvent, now: datetime) -> datetime | None:
    """Until when the result of `refresh_sale_status` is valid, if nothing is written. Ends are inclusive."""
    edges = [event.sale_start_at, event.sale_end_at]
    edges += [edge for period in event.sale_periods or () for edge in (period.start_at, period.end_at)]
    return min((edge for edge in edges if edge >= now), default=None)


def next_opening(event: PublicEvent, now: datetime) -> datetime:
    """When tickets can be bought next. If the sale is over, when it began."""
    starts = [period.start_at for period in event.sale_periods or ()]
    return min((start for start in starts if start > now), default=event.sale_start_at)


def _is_after(periods: Sequence[SalePeriod] | None, now: datetime) -> bool:
    return bool(periods) and now > periods[-1].end_at  # type: ignore[index]


def _is_within(periods: Sequence[SalePeriod] | None, now: datetime) -> bool:
    return periods is None or any(period.start_at <= now <= period.end_at for period in periods)


def _derive_sale_status(status: str, rescheduled_at: datetime | None, stock: Stock, now: datetime) -> str:
    """The first row that is true. The view `shows_of_any_house` has the same rules in SQL.

    Within the sale there may be nothing to buy: between the end of the early birds and the start of the general sale it
    is `upcoming`, and after the end of the last ticket type that has tickets left it is `sold_out`.
    """
    rows = (
        ("cancelled", status == Status.CANCELLED),
        ("suspended", is_undated(status, rescheduled_at)),
        ("upcoming", status == Status.DRAFT),
        ("closed", SELLS[Status(status)] is Selling.NEVER),
        ("upcoming", now < stock.opens_at),
        ("closed", now > stock.closes_at),
        ("upcoming", not stock.has_tickets),  # no tickets yet
        ("sold_out", stock.sold_out),
        ("on_sale", _is_within(stock.periods, now)),
        ("sold_out", _is_after(stock.periods, now)),
    )
    return next((word for word, holds in rows if holds), "upcoming")  # between two periods, or before the first
