"""Limits of a purchase, refusals by database outcome, and the ledger entries of a sale: tables and pure decisions."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from fullhouse.checkout import model
from fullhouse.checkout.model import Item, TooManyTickets
from fullhouse.kit.errors import FieldError, Invalid, Refusal
from fullhouse.payments.model import FEES, ORGANIZER, REFUNDS, TAX, provider_account
from fullhouse.tickets.pricing import Quote
from fullhouse.tickets.types.model import TypeNotOnSale

SESSION_S = 600  # a checkout and its holds: fixed when it begins, whatever its payments do
TICKETS_MAX = 10
CONSENT_S, CONSENT_MIN_S = 24 * 3600, 30 * 60

# By the outcome of `app.place_order`.
REFUSALS: dict[str, type[Refusal]] = {
    "not_found": model.CheckoutNotFound,
    "payment_running": model.PaymentRunning,
    "checkout_completed": model.CheckoutCompleted,
    "checkout_expired": model.CheckoutExpired,
    "event_not_available": model.EventNotAvailable,
    "event_sales_closed": model.SalesClosed,
    "ticket_type_not_on_sale": TypeNotOnSale,
    "too_many_tickets": TooManyTickets,
    "wrong_provider": model.WrongProvider,
    "hold_expired": model.HoldExpired,
}


def check_quantities(items: Sequence[Item], held: Mapping[UUID, int]) -> list[int]:
    """The quantity of each item; together they must equal what is held. Reports every mistake at once."""
    found = [item.quantity or held[item.hold_id] for item in items]
    wrong = []
    for hold_id, places in held.items():
        mine = [n for n, item in enumerate(items) if item.hold_id == hold_id]
        if sum(found[n] for n in mine) != places:
            message = f"The hold is for {places}; the quantities of its items add up to {sum(found[n] for n in mine)}."
            wrong.append(FieldError(f"items[{mine[-1]}].quantity", message))
    if wrong:
        raise Invalid(fields=wrong)
    if sum(found) > TICKETS_MAX:
        raise TooManyTickets(f"One purchase has at most {TICKETS_MAX} tickets.", most=TICKETS_MAX)
    return found


def sale_entries(quote: Quote, source: str) -> dict[str, int]:
    """The ledger entries of a sale, paid from the account `source`. Taxes are owed to the tax authority."""
    return {
        source: quote.total,
        ORGANIZER: -(quote.total - quote.fees - quote.taxes),
        FEES: -quote.fees,
        TAX: -quote.taxes,
    }


def unsold_entries(total: int, provider: str) -> dict[str, int]:
    """The ledger entries of a payment for which nothing was sold: all of it is owed to the buyer."""
    return {provider_account(provider): total, REFUNDS: -total}
