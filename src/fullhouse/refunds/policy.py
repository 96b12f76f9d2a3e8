"""How much a refund of a ticket is, and which ledger accounts pay it. Pure, exact to the minor unit.

A share is an amount by ledger account: the organiser's, fees, taxes. Each ticket has two: its price and its fees, both
with their taxes. All shares of an order add up to what was captured for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fullhouse.payments.model import FEES, ORGANIZER, REFUNDS, TAX
from fullhouse.refunds.model import Fees
from fullhouse.tickets.pricing import Quote

Share = Mapping[str, int]
ACCOUNTS = (ORGANIZER, FEES, TAX)


class TicketShares(NamedTuple):
    """The shares of one ticket."""

    price: Share
    fees: Share

    def refundable(self, fees: Fees) -> Share:
        return add_shares([self.price, self.fees]) if fees == "return" else self.price


def split_by_ticket(quote: Quote, quantities: Sequence[int]) -> list[TicketShares]:
    """The shares of each ticket, in the order of the order items."""
    nets = [
        part
        for net, quantity in zip(quote.nets, quantities, strict=True)
        for part in split_in_proportion(net, [1] * quantity)
    ]
    fees = split_in_proportion(quote.fees, nets)
    taxes = [entry for entry in quote.lines if entry.kind == "tax"]
    added = split_in_proportion(sum(tax.amount for tax in taxes if not tax.included), [*nets, *fees])
    within = split_in_proportion(sum(tax.amount for tax in taxes if tax.included), [*nets, *fees])
    count = len(nets)
    return [
        TicketShares(
            {ORGANIZER: nets[n] - within[n], TAX: added[n] + within[n]},
            {ORGANIZER: -within[count + n], FEES: fees[n], TAX: added[count + n] + within[count + n]},
        )
        for n in range(count)
    ]


def split_in_proportion(amount: int, over: Sequence[int]) -> list[int]:
    """Splits an amount in proportion to `over`; the rest goes to the first parts that are not zero, one unit each."""
    whole = sum(over)
    if not whole:
        return [amount if n == 0 else 0 for n in range(len(over))]
    parts = [amount * part // whole for part in over]
    rest = amount - sum(parts)
    for n, part in enumerate(over):
        if rest and part > 0:
            parts[n] += 1
            rest -= 1
    return parts


def add_shares(shares: Iterable[Share]) -> Share:
    found = dict.fromkeys(ACCOUNTS, 0)
    for share in shares:
        for account, amount in share.items():
            found[account] += amount
    return found


def full_amount(left: int, not_returned: Iterable[TicketShares], fees: Fees) -> int:
    """The full refund of an order: what is left of it, less the fees not refunded yet if `fees` are kept."""
    kept = sum(sum(worth.fees.values()) for worth in not_returned) if fees == "keep" else 0
    return max(0, left - kept)


def refund_entries(
    amount: int, wanted: Share, earned: Share, all_worths: Sequence[TicketShares], fees: Fees
) -> dict[str, int]:
    """The ledger entries of a refund. A refund of everything takes each account's whole balance. Otherwise the accounts
    pay as `wanted`, if that is the amount and each has earned as much, else in proportion to their balances. Kept fees
    are used last.

    The organiser bears the taxes contained in kept fees, and may be negative by as much until those are refunded, too.
    """
    if amount == sum(earned.values()):
        return {**earned, REFUNDS: -amount}
    share = dict(wanted)
    enough = {**earned, ORGANIZER: earned[ORGANIZER] - sum(worth.fees[ORGANIZER] for worth in all_worths)}
    if sum(share.values()) != amount or any(share[account] > enough[account] for account in share):
        have = {account: max(0, earned[account]) for account in ACCOUNTS}
        givers = have if fees == "return" else have | {FEES: 0}
        if sum(givers.values()) < amount:
            givers = have
        share = dict(zip(givers, split_in_proportion(amount, list(givers.values())), strict=True))
    return {**share, REFUNDS: -amount}
