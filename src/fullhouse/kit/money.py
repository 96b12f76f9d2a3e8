"""Money is a whole number of minor units and a currency. There are no floats, and one rounding rule: half up."""

from typing import Annotated

import msgspec
from msgspec import Meta

Currency = Annotated[str, Meta(pattern=r"^[A-Z]{3}$(?!\n)", description="ISO 4217, e.g. EUR")]

# ISO 4217: how many digits follow the decimal point. Two for currencies that are not listed.
_WHOLE = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THOUSANDTHS = "BHD IQD JOD KWD LYD OMR TND"


# Currencies whose unit is much smaller than a dollar or a euro: how many units make about one, as a power of ten. 1 if
# not listed. Rough on purpose: it only has to distinguish a price from a typing mistake.
_SMALL_UNITS = {
    10: "AED CNY CZK DKK EGP HKD MAD MDL MXN NOK PHP SEK THB TRY TWD UAH ZAR",
    100: "ALL AMD AOA BDT CRC DZD HTG HUF INR ISK JMD JPY KES KZT LKR LRD MUR NPR PKR RSD RUB XAF XOF XPF YER",
    1_000: "ARS BIF CDF CLP COP GNF IQD KHR KMF KRW MGA MMK MNT MWK NGN PYG RWF SDG SYP TZS UGX ZMW",
    10_000: "IDR IRR LAK LBP SLL STN UZS VND",
}
_MAX_IN_CENTS = 9_999_99  # the most that a ticket costs in hundredths of a dollar
PRICE_MAX = 99_999_999_999  # in any currency, whatever an organisation configures; enforced by a column's CHECK too


def minor_digits(currency: str) -> int:
    """How many digits follow the decimal point."""
    return 0 if currency in _WHOLE else 3 if currency in _THOUSANDTHS else 2


def highest_price(currency: str) -> int:
    """Of one ticket, in minor units: 9,999.99 for a unit like the dollar, scaled up for smaller units."""
    times = next((times for times, codes in _SMALL_UNITS.items() if currency in codes.split()), 1)
    scale: int = 10 ** minor_digits(currency)
    return _MAX_IN_CENTS * times * scale // 100


class Money(msgspec.Struct, frozen=True, order=True):
    """`amount` counts minor units: Money(9999, "EUR") is 99.99 euros."""

    amount: int
    currency: Currency

    def __add__(self, other: "Money") -> "Money":
        return Money(self.amount + self._check_currency(other), self.currency)

    def __sub__(self, other: "Money") -> "Money":
        return Money(self.amount - self._check_currency(other), self.currency)

    def __mul__(self, count: int) -> "Money":
        return Money(self.amount * count, self.currency)

    def __neg__(self) -> "Money":
        return Money(-self.amount, self.currency)

    def share(self, basis_points: int) -> "Money":
        """A part of it in hundredths of a percent; half a minor unit rounds away from zero."""
        sign = -1 if (self.amount < 0) != (basis_points < 0) else 1
        return Money(sign * ((abs(self.amount * basis_points) + 5_000) // 10_000), self.currency)

    def __str__(self) -> str:
        after = minor_digits(self.currency)
        whole, rest = divmod(abs(self.amount), 10**after)
        sign = "-" if self.amount < 0 else ""
        return f"{sign}{whole}{'.' if after else ''}{str(rest).zfill(after) if after else ''} {self.currency}"

    def _check_currency(self, other: "Money") -> int:
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} and {other.currency} cannot be added")
        return other.amount
