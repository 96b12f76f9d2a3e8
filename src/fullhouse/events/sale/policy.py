"""Whether a show is on sale, in the word for the storefront: a table, and when its answer changes."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from fullhouse.events.model import Event
from fullhouse.events.policy import SELLS, Selling, is_undated
from fullhouse.events.public.model import PublicEvent, SalePeriod
from fullhouse.events.sale.states import Status


class Stock(NamedTuple):
    """What there is to sell, and when: from the first ticket type's start to the last one's end, within the show's own
    window. The database works it out (app.stock) whenever one of these changes."""

    opens_at: datetime
    closes_at: datetime
    has_tickets: bool
    sold_out: bool  # all that everybody may buy, whenever that is
    periods: Sequence[SalePeriod] | None = None  # when there is something to buy, if not all the time; in order


def sale_status(event: Event, now: datetime, stock: Stock) -> str:
    """The word for the storefront: derived, never stored."""
    return _sale_word(event.status, event.rescheduled_at, stock, now)


Shown = TypeVar("Shown", bound=PublicEvent)


def shown_at(show: Shown, now: datetime) -> Shown:
    """A show that was read a while ago, in the words of this moment."""
    # With periods, something was left when it was read: that it is over by now, the periods say.
    sold_out = show.sold_out and not show.sale_periods
    stock = Stock(show.sale_start_at, show.sale_end_at, show.has_tickets, sold_out, show.sale_periods)
    word = _sale_word(show.phase, show.rescheduled_at, stock, now)
    over = stock.sold_out or (show.has_tickets and now <= stock.closes_at and _is_after(stock.periods, now))
    if (word, over) == (show.sale_status, show.sold_out):
        return show
    return replace(show, sale_status=word, sold_out=over)


def next_sale_change(show: PublicEvent, now: datetime) -> datetime | None:
    """Until when `shown_at` says the same of it, if nothing is written: an end belongs to what it ends."""
    edges = [show.sale_start_at, show.sale_end_at]
    edges += [edge for period in show.sale_periods or () for edge in (period.start_at, period.end_at)]
    return min((edge for edge in edges if edge >= now), default=None)


def next_opening(show: PublicEvent, now: datetime) -> datetime:
    """When there will be something to buy. Of a show whose sale is over, when that began."""
    starts = [period.start_at for period in show.sale_periods or ()]
    return min((start for start in starts if start > now), default=show.sale_start_at)


def _is_after(periods: Sequence[SalePeriod] | None, now: datetime) -> bool:
    return bool(periods) and now > periods[-1].end_at  # type: ignore[index]


def _is_within(periods: Sequence[SalePeriod] | None, now: datetime) -> bool:
    return periods is None or any(period.start_at <= now <= period.end_at for period in periods)


def _sale_word(status: str, rescheduled_at: datetime | None, stock: Stock, now: datetime) -> str:
    """The first row that is true. The view `shows_of_any_house` says the same of what the public sees.

    Within the sale, some moments have nothing to buy: between an early bird's end and the general sale's start more is
    to come (`upcoming`), and after the end of the last type that has tickets left the rest is `sold_out`.
    """
    rows = (
        ("cancelled", status == Status.CANCELLED),
        ("suspended", is_undated(status, rescheduled_at)),
        ("upcoming", status == Status.DRAFT),
        ("closed", SELLS[Status(status)] is Selling.NEVER),
        ("upcoming", now < stock.opens_at),
        ("closed", now > stock.closes_at),
        ("upcoming", not stock.has_tickets),  # there is nothing to buy: tickets are to come
        ("sold_out", stock.sold_out),
        ("on_sale", _is_within(stock.periods, now)),
        ("sold_out", _is_after(stock.periods, now)),
    )
    return next((word for word, holds in rows if holds), "upcoming")  # between two periods, or before the first
