"""Money is a whole number of minor units and a currency. There are no floats, and one rounding rule: half up."""

from typing import Annotated

import msgspec
from msgspec import Meta

Currency = Annotated[str, Meta(pattern=r"^[A-Z]{3}$(?!\n)", description="ISO 4217, e.g. EUR")]

# ISO 4217: how many digits follow the point. Two where nothing is said.
_WHOLE = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THOUSANDTHS = "BHD IQD JOD KWD LYD OMR TND"


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
        digits = 0 if self.currency in _WHOLE else 3 if self.currency in _THOUSANDTHS else 2
        whole, rest = divmod(abs(self.amount), 10**digits)
        sign = "-" if self.amount < 0 else ""
        return f"{sign}{whole}{'.' if digits else ''}{str(rest).zfill(digits) if digits else ''} {self.currency}"

    def _same(self, other: "Money") -> int:
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} and {other.currency} cannot be added")
        return other.amount
