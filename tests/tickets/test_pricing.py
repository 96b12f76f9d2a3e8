"""Prices add up: to the last unit, and never to less than nothing."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullhouse.tickets.pricing import Charge, Discount, PriceLine, quote

A, B = UUID(int=1), UUID(int=2)
ADULT = PriceLine(ticket_type_id=A, name="Adult", unit=1999, quantity=2)
CHILD = PriceLine(ticket_type_id=B, name="Child", unit=501, quantity=1)
FREE = PriceLine(ticket_type_id=B, name="Baby", unit=0, quantity=3)


def test_tickets_add_up() -> None:
    found = quote([ADULT, CHILD], "EUR")
    assert (found.subtotal, found.total, found.nets) == (4499, 4499, [3998, 501])
    assert [(line.kind, line.amount, line.quantity) for line in found.lines] == [
        ("ticket", 3998, 2),
        ("ticket", 501, 1),
    ]


@pytest.mark.req("TT-1")
def test_a_share_off_is_rounded_once_on_each_lines_total() -> None:
    found = quote([ADULT, CHILD], "EUR", promo=Discount(code="TENTH", basis_points=1000))
    assert (found.discount, found.total, found.nets) == (400 + 50, 4049, [3598, 451])  # 399.8 and 50.1
    assert [line.amount for line in found.lines if line.kind == "discount"] == [-450]


def test_an_amount_off_is_spread_to_the_last_unit() -> None:
    found = quote([ADULT, CHILD, ADULT], "EUR", promo=Discount(code="X", amount=1000))
    assert (found.discount, sum(found.nets)) == (1000, 8497 - 1000)
    assert found.nets == [3998 - 471, 501 - 59, 3998 - 470]  # 470.5, 58.9, 470.5: the first lines bear the rest


def test_a_code_takes_off_only_what_it_is_for_and_no_more_than_there_is() -> None:
    found = quote([ADULT, CHILD], "EUR", promo=Discount(code="X", amount=9999, ticket_type_ids=frozenset({B})))
    assert (found.discount, found.nets) == (501, [3998, 0])


def test_a_code_takes_off_what_is_left_of_its_budget() -> None:
    found = quote([ADULT, CHILD], "EUR", promo=Discount(code="HALF", basis_points=5000, left=100))
    assert (found.discount, found.total) == (100, 4399)


def test_fees_are_on_what_is_paid_for() -> None:
    fees = [
        Charge(name="Service", kind="fee", amount=150, basis_points=200),
        Charge(name="Post", kind="fee", amount=300, per="order"),
    ]
    found = quote([ADULT, CHILD, FREE], "EUR", fees)
    assert [line.amount for line in found.lines if line.kind == "fee"] == [2 * 150 + 80 + 150 + 10, 300]
    assert found.total == 4499 + 540 + 300
    assert quote([FREE], "EUR", fees).total == 0


@pytest.mark.parametrize(("included", "tax", "total"), [(False, 945, 5444), (True, 781, 4499)])
def test_a_tax_is_added_or_contained(included: bool, tax: int, total: int) -> None:
    found = quote([ADULT, CHILD], "EUR", [Charge(name="VAT", kind="tax", basis_points=2100, included=included)])
    assert (found.taxes, found.total) == (tax, total)
    assert found.lines[-1].included is included


def test_taxes_are_on_tickets_less_discount_plus_fees() -> None:
    charges = [
        Charge(name="VAT", kind="tax", basis_points=1000),
        Charge(name="Service", kind="fee", amount=1, per="order"),
    ]
    found = quote([ADULT], "EUR", charges, Discount(code="X", amount=998))
    assert (found.fees, found.taxes, found.total) == (1, 300, 3301)


lines = st.lists(
    st.builds(
        PriceLine,
        ticket_type_id=st.sampled_from([A, B]),
        name=st.just("T"),
        unit=st.integers(0, 999_999),
        quantity=st.integers(1, 10),
    ),
    min_size=1,
    max_size=10,
)
shares = st.integers(0, 10_000)
charges = st.lists(
    st.one_of(
        st.builds(
            Charge,
            name=st.just("F"),
            kind=st.just("fee"),
            basis_points=shares,
            amount=st.integers(0, 999),
            per=st.sampled_from(["ticket", "order"]),
        ),
        st.builds(Charge, name=st.just("T"), kind=st.just("tax"), basis_points=shares, included=st.booleans()),
    ),
    max_size=4,
)
promos = st.none() | st.builds(
    Discount,
    code=st.just("X"),
    basis_points=st.none() | st.integers(1, 10_000),
    amount=st.none() | st.integers(1, 10_000_000),
    ticket_type_ids=st.sampled_from([frozenset[UUID](), frozenset({A})]),
    left=st.none() | st.integers(0, 10_000),
)


@given(lines, charges, promos)
def test_a_bill_is_the_sum_of_its_lines(wanted: list[PriceLine], also: list[Charge], promo: Discount | None) -> None:
    found = quote(wanted, "EUR", also, promo)
    assert found.total == sum(line.amount for line in found.lines if not line.included)
    assert found.total >= 0
    assert sum(found.nets) == found.subtotal - found.discount
    assert all(0 <= net <= line.total for net, line in zip(found.nets, wanted, strict=True))
    assert promo is None or promo.left is None or found.discount <= promo.left
