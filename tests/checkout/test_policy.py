"""What may be bought together, what a word of the database means, and how money is split, without a database."""

from uuid import UUID

import pytest

from fullhouse.checkout import policy
from fullhouse.checkout.model import Item, TooManyTickets
from fullhouse.kit.errors import Invalid
from fullhouse.kit.ids import new_id
from fullhouse.payments.model import FEES, ORGANIZER, REFUNDS, TAX, provider_account
from fullhouse.tickets.pricing import Quote

HOLD, OTHER, KIND = new_id(), new_id(), new_id()
# The database's word: what the buyer is told.
TOLD = {
    "not_found": ("checkout_not_found", 404),
    "payment_running": ("payment_running", 409),
    "checkout_completed": ("checkout_completed", 409),
    "checkout_expired": ("checkout_expired", 409),
    "event_not_available": ("event_not_available", 400),
    "event_sales_closed": ("event_sales_closed", 400),
    "ticket_type_not_on_sale": ("ticket_type_not_on_sale", 409),
    "too_many_tickets": ("too_many_tickets", 422),
    "wrong_provider": ("payment_provider_wrong", 422),
    "hold_expired": ("hold_expired", 409),
}


def test_each_word_of_the_database_has_its_refusal() -> None:
    assert {word: (kind.code, kind.status) for word, kind in policy.REFUSALS.items()} == TOLD


def items(*quantities: int | None, hold: UUID = HOLD) -> list[Item]:
    return [Item(hold_id=hold, ticket_type_id=KIND, quantity=quantity) for quantity in quantities]


def test_items_are_as_many_places_as_are_held() -> None:
    assert policy.check_quantities(items(None), {HOLD: 3}) == [3]
    assert policy.check_quantities([*items(2, 1), *items(None, hold=OTHER)], {HOLD: 3, OTHER: 7}) == [2, 1, 7]


@pytest.mark.parametrize("wrong", [(2,), (2, 2), (None, 1), (4,)])
def test_fewer_or_more_than_are_held_is_a_mistake_of_the_last_item(wrong: tuple[int | None, ...]) -> None:
    both = [*items(*wrong), *items(None, hold=OTHER)]
    with pytest.raises(Invalid) as refused:
        policy.check_quantities(both, {HOLD: 3, OTHER: 1})
    (field,) = refused.value.fields
    assert (field.path, field.message[:18]) == (f"items[{len(wrong) - 1}].quantity", "The hold is for 3;")
    with pytest.raises(Invalid) as refused:
        policy.check_quantities(items(2), {HOLD: 1})
    assert "is for 1;" in refused.value.fields[0].message


def test_ten_tickets_are_one_purchase_and_eleven_are_not() -> None:
    assert policy.check_quantities(items(4, 6), {HOLD: 10}) == [4, 6]
    with pytest.raises(TooManyTickets) as refused:
        policy.check_quantities(items(5, 6), {HOLD: 11})
    assert refused.value.extra == {"most": 10}


def test_a_sale_is_divided_among_the_accounts_to_the_last_unit() -> None:
    bill = Quote(currency="EUR", lines=[], subtotal=1000, discount=0, fees=133, taxes=238, total=1371, nets=[1000])
    shares = policy.sale_entries(bill, "provider:test")
    assert shares == {"provider:test": 1371, ORGANIZER: -1000, FEES: -133, TAX: -238}
    assert sum(shares.values()) == 0
    assert policy.unsold_entries(1371, "test") == {provider_account("test"): 1371, REFUNDS: -1371}
