"""What tickets give back, and whose it was: nothing is lost, and nothing is given twice, to the last unit."""

import random

import pytest

from fullhouse.kit.ids import new_id
from fullhouse.payments.model import REFUNDS
from fullhouse.refunds import policy
from fullhouse.refunds.model import Fees
from fullhouse.tickets.pricing import Charge, Discount, PriceLine, quote

pytestmark = pytest.mark.req("BUY-4")
CHARGES = (
    Charge(name="Service", kind="fee", amount=133),
    Charge(name="Card", kind="fee", basis_points=175, per="order"),
    Charge(name="VAT", kind="tax", basis_points=2100),
    Charge(name="City", kind="tax", basis_points=333, included=True),
)


@pytest.mark.parametrize("seed", range(200))
def test_all_shares_together_are_what_was_captured(seed: int) -> None:
    dice = random.Random(seed)
    lines = [
        PriceLine(
            ticket_type_id=new_id(), name="x", unit=dice.choice((0, 1, 99, 2500, 3333)), quantity=dice.randint(1, 4)
        )
        for _ in range(dice.randint(1, 3))
    ]
    charges = [charge for charge in CHARGES if dice.random() < 0.6]
    promo = Discount(code="X", amount=dice.randint(1, 5000)) if dice.random() < 0.5 else None
    bill = quote(lines, "EUR", charges, promo)
    worths = policy.split_by_ticket(bill, [line.quantity for line in lines])
    assert len(worths) == sum(line.quantity for line in lines)
    earned = {"organizer": bill.total - bill.fees - bill.taxes, "fees": bill.fees, "tax": bill.taxes}
    assert policy.add_shares(worth.refundable("return") for worth in worths) == earned
    # One after the other, now with its fees and now without: no account is asked for more than it has.
    dice.shuffle(worths)
    left, not_returned = dict(earned), []
    for worth in worths:
        fees: Fees = dice.choice(("keep", "return"))
        wanted = policy.add_shares([worth.refundable(fees)])
        amount = sum(wanted.values())
        given = policy.refund_entries(amount, wanted, left, worths, fees)
        assert sum(given.values()) == 0
        assert given.pop(REFUNDS) == -amount
        assert given == wanted
        left = {account: left[account] - given[account] for account in left}
        not_returned += [worth] if fees == "keep" else []
    rest = sum(left.values())
    assert policy.full_amount(rest, not_returned, "keep") == 0  # only fees are left, and their taxes
    assert policy.full_amount(rest, not_returned, "return") == rest >= 0


@pytest.mark.parametrize("seed", range(100))
def test_an_amount_is_given_by_those_who_have_it(seed: int) -> None:
    dice = random.Random(seed)
    left = {account: dice.choice((0, 1, 17, 2500)) for account in ("organizer", "fees", "tax")}
    while sum(left.values()):
        amount = dice.randint(1, sum(left.values()))
        given = policy.refund_entries(amount, dict.fromkeys(left, 0), left, (), dice.choice(("keep", "return")))
        assert sum(given.values()) == 0
        left = {account: left[account] - given[account] for account in left}
        assert min(left.values()) >= 0


def test_fees_give_last_if_they_are_kept() -> None:
    left = {"organizer": 90, "fees": 50, "tax": 10}
    nothing = dict.fromkeys(left, 0)
    assert policy.refund_entries(100, nothing, left, (), "keep") == {
        "organizer": 90,
        "fees": 0,
        "tax": 10,
        "refunds": -100,
    }
    assert policy.refund_entries(15, nothing, left, (), "return") == {
        "organizer": 9,
        "fees": 5,
        "tax": 1,
        "refunds": -15,
    }
    assert policy.refund_entries(101, nothing, left, (), "keep")["fees"] > 0
