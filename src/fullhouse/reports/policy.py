"""Conversion rates. Pure."""

from fullhouse.reports.model import CheckoutCounts, HoldCounts, Rates


def rates(holds: HoldCounts, checkouts: CheckoutCounts) -> Rates:
    """Rates of all holds placed and checkouts started; those still live count as not sold."""
    return Rates(
        hold_to_checkout=_part(holds.in_checkout, holds.placed),
        checkout_to_sale=_part(checkouts.bought, checkouts.started),
        hold_to_sale=_part(holds.sold, holds.placed),
        abandonment=_part(checkouts.left + checkouts.expired, checkouts.started),
        expiry=_part(holds.expired, holds.placed),
    )


def _part(some: int, all_of_them: int) -> float | None:
    return round(some / all_of_them, 4) if all_of_them else None
