"""What may be bought together, what a word of the database means, and how money is split: tables and pure decisions."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from fullhouse.checkout import model
from fullhouse.checkout.model import Item, TooManyTickets
from fullhouse.kit.errors import FieldError, Invalid, Refusal
from fullhouse.payments.model import FEES, ORGANIZER, REFUNDS, TAX, account_of
from fullhouse.tickets.pricing import Quote
from fullhouse.tickets.types.model import TypeNotOnSale

SESSION_S = 600  # a checkout's, and of what it gathers: fixed when it begins, whatever becomes of its payments
TICKETS_MAX = 10
CONSENT_S, CONSENT_LEAST_S = 24 * 3600, 30 * 60

# By the word of `app.place_order`.
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


def quantities(items: Sequence[Item], held: Mapping[UUID, int]) -> list[int]:
    """How many places each item means: together as many as are held. Every mistake at once."""
    found = [item.quantity or held[item.hold_id] for item in items]
    wrong = []
    for hold_id, places in held.items():
        mine = [n for n, item in enumerate(items) if item.hold_id == hold_id]
        if sum(found[n] for n in mine) != places:
            said = f"The hold has {places} {'place' if places == 1 else 'places'}; name a type for each, once."
            wrong.append(FieldError(f"items[{mine[-1]}].quantity", said))
    if wrong:
        raise Invalid(fields=wrong)
    if sum(found) > TICKETS_MAX:
        raise TooManyTickets(f"At most {TICKETS_MAX} in one purchase.", most=TICKETS_MAX)
    return found


def earned(quote: Quote, source: str) -> dict[str, int]:
    """What a sale means to the ledger, whichever account the money comes from. Taxes are to be passed on."""
    return {
        source: quote.total,
        ORGANIZER: -(quote.total - quote.fees - quote.taxes),
        FEES: -quote.fees,
        TAX: -quote.taxes,
    }


def unearned(total: int, provider: str) -> dict[str, int]:
    """Money for which nothing was sold: all of it is the buyer's."""
    return {account_of(provider): total, REFUNDS: -total}
