"""The structs of reports."""

from datetime import date, datetime
from uuid import UUID

import msgspec

from fullhouse.events.model import Status


class HoldCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Holds by outcome: `sold`, `expired`, `released` (by the customer or the organisation), or still `live`.
    `in_checkout` counts those that reached a checkout, with any outcome. `places` is the quantity that they held."""

    placed: int
    in_checkout: int
    sold: int
    expired: int
    released: int
    live: int
    places: int
    places_sold: int


class CheckoutCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Checkouts by outcome: `bought`, `left`, `expired`, `stopped` with their event, or still `open`. A checkout that
    its buyer restarted counts once."""

    started: int
    bought: int
    left: int
    expired: int
    stopped: int
    open: int


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """Rates from 0 to 1; null if there was nothing to divide by. `abandonment` is of checkouts, `expiry` of holds."""

    hold_to_checkout: float | None
    checkout_to_sale: float | None
    hold_to_sale: float | None
    abandonment: float | None
    expiry: float | None


class EventReportSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The funnel of one event, from hold to sale. `reason` is that of a cancelled or postponed event."""

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
        """The effective date."""
        return self.rescheduled_at or self.start_at


class ReportDay(msgspec.Struct, frozen=True, kw_only=True):
    """The holds placed on one day, in the event's time zone, by outcome."""

    day: date
    placed: int
    in_checkout: int
    sold: int
    expired: int
    released: int
    live: int


class EventReport(EventReportSummary, frozen=True, kw_only=True):
    """The report of one event. `released_by_house` counts the released holds that staff or the system ended, for
    example because the event was cancelled. `days` without a hold are left out."""

    released_by_house: int
    seconds_to_sale: float | None  # median of the sold holds, from hold to sale
    days: list[ReportDay]
