"""Money: whole numbers, one currency at a time, one rounding rule."""

from decimal import ROUND_HALF_UP, Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullhouse.kit.money import Money

amounts = st.integers(-(10**15), 10**15)
currencies = st.sampled_from(["EUR", "USD", "JPY", "KWD"])
money = st.builds(Money, amounts, currencies)


@given(amounts, amounts, currencies)
def test_sums_are_exact_and_can_be_taken_back(a: int, b: int, currency: str) -> None:
    one, other = Money(a, currency), Money(b, currency)
    assert one + other == other + one == Money(a + b, currency)
    assert one + other - other == one
    assert one + -one == one - one == Money(0, currency)


@given(amounts, st.integers(0, 1000), currencies)
def test_so_many_of_it(amount: int, count: int, currency: str) -> None:
    assert Money(amount, currency) * count == sum([Money(amount, currency)] * count, Money(0, currency))


@given(amounts, amounts)
def test_currencies_do_not_mix(a: int, b: int) -> None:
    for mix in (Money.__add__, Money.__sub__):
        with pytest.raises(ValueError, match="EUR and USD cannot be added"):
            mix(Money(a, "EUR"), Money(b, "USD"))


@given(money, st.integers(-20_000, 20_000))
def test_a_share_rounds_half_up_away_from_zero(whole: Money, basis_points: int) -> None:
    exact = Decimal(whole.amount) * basis_points / 10_000
    assert whole.share(basis_points) == Money(int(exact.quantize(Decimal(1), ROUND_HALF_UP)), whole.currency)


@given(money)
def test_the_whole_and_nothing_are_shares_too(whole: Money) -> None:
    assert whole.share(10_000) == whole
    assert whole.share(0) == Money(0, whole.currency)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Money(9999, "EUR"), "99.99 EUR"),
        (Money(5, "EUR"), "0.05 EUR"),
        (Money(-5, "EUR"), "-0.05 EUR"),
        (Money(0, "USD"), "0.00 USD"),
        (Money(1500, "JPY"), "1500 JPY"),
        (Money(1234567, "KWD"), "1234.567 KWD"),
    ],
)
def test_it_is_written_with_the_digits_of_its_currency(value: Money, text: str) -> None:
    assert str(value) == text


@given(money)
def test_what_is_written_has_the_same_value(value: Money) -> None:
    number, currency = str(value).split()
    digits = {"EUR": 2, "USD": 2, "JPY": 0, "KWD": 3}[currency]
    assert Decimal(number).scaleb(digits) == value.amount


@pytest.mark.parametrize(
    "body",
    [
        b'{"amount": 1.5, "currency": "EUR"}',
        b'{"amount": "1", "currency": "EUR"}',
        b'{"amount": true, "currency": "EUR"}',
        b'{"amount": 1, "currency": "eur"}',
        b'{"amount": 1, "currency": "EURO"}',
        b'{"amount": 1, "currency": "EUR\\n"}',
        b'{"amount": 1}',
    ],
)
def test_only_whole_numbers_of_a_real_currency_come_in(body: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body, type=Money)
