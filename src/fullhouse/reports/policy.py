"""Conversion rates. Pure."""

from fullhouse.reports.model import CheckoutCounts, HoldCounts, Rates


def rates(holds: HoldCounts, checkouts: CheckoutCounts) -> Rates:
    """Rates of all holds placed and checkouts started; those still live count as not sold."""
    return Rates(
        hold_to_checkout=_ratio(holds.in_checkout, holds.placed),
        checkout_to_sale=_ratio(checkouts.bought, checkouts.started),
        hold_to_sale=_ratio(holds.sold, holds.placed),
        abandonment=_ratio(checkouts.left + checkouts.expired, checkouts.started),
        expiry=_ratio(holds.expired, holds.placed),
    )


def _ratio(some: int, all_of_them: int) -> float | None:
    return round(some / all_of_them, 4) if all_of_them else None
