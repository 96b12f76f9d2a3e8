"""Money is a whole number of minor units and a currency. There are no floats, and one rounding rule: half up."""

from typing import Annotated

import msgspec
from msgspec import Meta

Currency = Annotated[str, Meta(pattern=r"^[A-Z]{3}$(?!\n)", description="ISO 4217, e.g. EUR")]

# ISO 4217: how many digits follow the point. Two where nothing is said.
_MINOR_DIGITS = {"JPY": 0, "KRW": 0, "CLP": 0, "ISK": 0, "UGX": 0, "VND": 0, "XAF": 0, "XOF": 0} | {
    "BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
}  # fmt: skip


class Money(msgspec.Struct, frozen=True, order=True):
    """`amount` counts minor units: Money(9999, "EUR") is 99.99 euros."""

    amount: int
    currency: Currency

    def __add__(self, other: "Money") -> "Money":
        return Money(self.amount + self._same(other), self.currency)

    def __sub__(self, other: "Money") -> "Money":
        return Money(self.amount - self._same(other), self.currency)

    def __mul__(self, count: int) -> "Money":
        return Money(self.amount * count, self.currency)

    def __neg__(self) -> "Money":
        return Money(-self.amount, self.currency)

    def share(self, basis_points: int) -> "Money":
        """A part of it in hundredths of a percent; half a minor unit rounds away from zero."""
        sign = -1 if (self.amount < 0) != (basis_points < 0) else 1
        return Money(sign * ((abs(self.amount * basis_points) + 5_000) // 10_000), self.currency)

    def __str__(self) -> str:
        digits = _MINOR_DIGITS.get(self.currency, 2)
        whole, rest = divmod(abs(self.amount), 10**digits)
        sign = "-" if self.amount < 0 else ""
        return f"{sign}{whole}{'.' if digits else ''}{str(rest).zfill(digits) if digits else ''} {self.currency}"

    def _same(self, other: "Money") -> int:
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} and {other.currency} cannot be added")
        return other.amount
