"""What became of a show's holds and checkouts, as it is shown."""

from datetime import date, datetime
from uuid import UUID

import msgspec

from fullhouse.events.model import Status


class HoldCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Holds: each was `sold`, ran out (`expired`), was given back or ended by the house (`released`), or is `live`.
    `in_checkout` came into a checkout, whatever became of them there. `places` are what they held together."""

    placed: int
    in_checkout: int
    sold: int
    expired: int
    released: int
    live: int
    places: int
    places_sold: int


class CheckoutCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Checkouts: each was `bought`, `left`, ran out (`expired`), was `stopped` with its show, or is `open`. One that
    its buyer began again counts once."""

    started: int
    bought: int
    left: int
    expired: int
    stopped: int
    open: int


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """Parts of 1; null where there is nothing to take a part of. `abandonment` is of checkouts, `expiry` of holds."""

    hold_to_checkout: float | None
    checkout_to_sale: float | None
    hold_to_sale: float | None
    abandonment: float | None
    expiry: float | None


class ShowReport(msgspec.Struct, frozen=True, kw_only=True):
    """From hold to sale. A show that was cancelled or postponed says so by its `status`, and why by its `reason`."""

    event_id: UUID
    name: str
    status: Status
    start_at: datetime
    rescheduled_at: datetime | None
    timezone: str
    capacity: int
    reason: str | None
    holds: HoldCounts
    checkouts: CheckoutCounts
    rates: Rates

    @property
    def date(self) -> datetime:
        """The one that counts."""
        return self.rescheduled_at or self.start_at


class ReportDay(msgspec.Struct, frozen=True, kw_only=True):
    """The holds that were placed on a day, in the show's time zone, and what has become of them."""

    day: date
    placed: int
    in_checkout: int
    sold: int
    expired: int
    released: int
    live: int


class EventReport(ShowReport, frozen=True, kw_only=True):
    """One show's report. `released_by_house` is part of what was released: by staff, or because the show was stopped.
    `days` without a hold are left out."""

    released_by_house: int
    seconds_to_sale: float | None  # of half of the sold holds, from hold to sale
    days: list[ReportDay]
