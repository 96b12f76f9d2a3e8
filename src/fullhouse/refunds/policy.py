"""What a ticket gives back, and whose it was: pure, to the last unit.

A share is what goes back by account of the ledger: the organiser's, fees, taxes. Each ticket has two: what it cost, and
its fees, both with their taxes. All shares of an order together are what was captured for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fullhouse.payments.model import FEES, ORGANIZER, REFUNDS, TAX
from fullhouse.refunds.model import Fees
from fullhouse.tickets.pricing import Quote

Share = Mapping[str, int]
ACCOUNTS = (ORGANIZER, FEES, TAX)


class Worth(NamedTuple):
    """Of one ticket."""

    price: Share
    fees: Share

    def back(self, fees: Fees) -> Share:
        return together([self.price, self.fees]) if fees == "return" else self.price


def worths(quote: Quote, quantities: Sequence[int]) -> list[Worth]:
    """Of each ticket, in the order of the lines that they were bought by."""
    nets = [part for net, quantity in zip(quote.nets, quantities, strict=True) for part in spread(net, [1] * quantity)]
    fees = spread(quote.fees, nets)
    taxes = [line for line in quote.lines if line.kind == "tax"]
    added = spread(sum(tax.amount for tax in taxes if not tax.included), [*nets, *fees])
    within = spread(sum(tax.amount for tax in taxes if tax.included), [*nets, *fees])
    count = len(nets)
    return [
        Worth(
            {ORGANIZER: nets[n] - within[n], TAX: added[n] + within[n]},
            {ORGANIZER: -within[count + n], FEES: fees[n], TAX: added[count + n] + within[count + n]},
        )
        for n in range(count)
    ]


def spread(amount: int, over: Sequence[int]) -> list[int]:
    """In proportion, to the last unit; the first that have any bear a unit more each."""
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


def together(shares: Iterable[Share]) -> Share:
    found = dict.fromkeys(ACCOUNTS, 0)
    for share in shares:
        for account, amount in share.items():
            found[account] += amount
    return found


def everything(left: int, not_returned: Iterable[Worth], fees: Fees) -> int:
    """What is left of an order; without the fees of tickets that were not given back with theirs, if they are kept."""
    kept = sum(sum(worth.fees.values()) for worth in not_returned) if fees == "keep" else 0
    return max(0, left - kept)


def entries(amount: int, wanted: Share, earned: Share, all_worths: Sequence[Worth], fees: Fees) -> dict[str, int]:
    """Who gives it: everybody what they have, if it is all of it; as wanted, if that is the amount and each account has
    earned as much; otherwise in proportion to what each has. Fees give last, if they are kept.

    The organiser bears the taxes that kept fees contain, and may be short by as much until those go back, too.
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
        share = dict(zip(givers, spread(amount, list(givers.values())), strict=True))
    return {**share, REFUNDS: -amount}
