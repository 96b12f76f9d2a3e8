"""Prices, line by line. Pure, in whole minor units, with one rounding rule: half up, on the total of a line.

tickets        unit price × quantity
− discount     a share of each line, or an amount spread over the lines; never more than they cost
+ fees         for each ticket or for the order; none on free tickets
+ taxes        on all of the above: added to it, or included in it and only listed
"""

from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from fullhouse.kit.money import PRICE_MAX, Money

BasisPoints = Annotated[int, Meta(ge=0, le=10_000, description="Hundredths of a percent.")]
Amount = Annotated[int, Meta(ge=0, le=PRICE_MAX, description="Minor units.")]


class Charge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fee or a tax. A fee is an amount, a percentage or both; a tax is a percentage."""

    name: Annotated[str, Meta(min_length=1, max_length=60, pattern=r"\S")]
    kind: Literal["fee", "tax"]
    basis_points: BasisPoints = 0
    amount: Amount = 0
    per: Literal["ticket", "order"] = "ticket"
    included: bool = False  # taxes only: the prices include it


class Discount(msgspec.Struct, frozen=True, kw_only=True):
    """The discount of a promo code: its ticket types (empty: all), and what is left of its budget."""

    code: str
    basis_points: int | None = None
    amount: int | None = None
    ticket_type_ids: frozenset[UUID] = frozenset()
    left: int | None = None


class PriceLine(msgspec.Struct, frozen=True, kw_only=True):
    """An item to price: a quantity of a ticket type at a unit price."""

    ticket_type_id: UUID
    name: str
    unit: int
    quantity: int

    @property
    def total(self) -> int:
        return self.unit * self.quantity


class QuotedLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A priced line of a checkout or order. Included taxes are listed and not added."""

    kind: Literal["ticket", "discount", "fee", "tax"]
    name: str
    amount: int
    quantity: int = 1
    ticket_type_id: UUID | None = None
    included: bool = False


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    currency: str
    lines: list[QuotedLine]
    subtotal: int
    discount: int
    fees: int
    taxes: int
    total: int
    nets: list[int]  # of each ticket line, after its part of the discount: what a refund returns


def quote(
    lines: Sequence[PriceLine], currency: str, charges: Sequence[Charge] = (), promo: Discount | None = None
) -> Quote:
    cuts = _split_discount(lines, currency, promo) if promo else [0] * len(lines)
    nets = [line.total - cut for line, cut in zip(lines, cuts, strict=True)]
    bill = [
        QuotedLine(
            kind="ticket", name=line.name, amount=line.total, quantity=line.quantity, ticket_type_id=line.ticket_type_id
        )
        for line in lines
    ]
    if promo and sum(cuts):
        bill.append(QuotedLine(kind="discount", name=promo.code, amount=-sum(cuts)))
    fees = [
        QuotedLine(kind="fee", name=charge.name, amount=amount)
        for charge in charges
        if charge.kind == "fee" and (amount := _compute_fee(charge, lines, nets, currency))
    ]
    net = sum(nets) + sum(fee.amount for fee in fees)
    taxes = [
        QuotedLine(kind="tax", name=charge.name, amount=amount, included=charge.included)
        for charge in charges
        if charge.kind == "tax" and (amount := _compute_tax(charge, net, currency))
    ]
    added = sum(tax.amount for tax in taxes if not tax.included)
    return Quote(
        currency=currency,
        lines=[*bill, *fees, *taxes],
        subtotal=sum(line.total for line in lines),
        discount=sum(cuts),
        fees=sum(fee.amount for fee in fees),
        taxes=sum(tax.amount for tax in taxes),
        total=net + added,
        nets=nets,
    )


def _split_discount(lines: Sequence[PriceLine], currency: str, promo: Discount) -> list[int]:
    """The discount of each line. An amount that does not divide evenly gives the first lines one unit more each."""
    eligible = [
        line.total if not promo.ticket_type_ids or line.ticket_type_id in promo.ticket_type_ids else 0 for line in lines
    ]
    if promo.basis_points:
        cuts = [Money(total, currency).share(promo.basis_points).amount for total in eligible]
    else:
        cuts = _split_in_proportion(min(promo.amount or 0, sum(eligible)), eligible)
    if promo.left is not None and sum(cuts) > promo.left:
        cuts = _split_in_proportion(promo.left, cuts)
    return cuts


def _split_in_proportion(amount: int, over: Sequence[int]) -> list[int]:
    """Splits an amount in proportion to `over`, exact to the unit; no part exceeds its entry in `over`."""
    whole = sum(over)
    if not whole or not amount:
        return [0] * len(over)
    parts = [amount * part // whole for part in over]
    rest = amount - sum(parts)
    for n, part in enumerate(over):
        step = min(rest, 1, part - parts[n])
        parts[n] += step
        rest -= step
    return parts


def _compute_fee(charge: Charge, lines: Sequence[PriceLine], nets: Sequence[int], currency: str) -> int:
    paid = [(line, net) for line, net in zip(lines, nets, strict=True) if net > 0]
    if not paid:
        return 0
    if charge.per == "order":
        return charge.amount + Money(sum(net for _, net in paid), currency).share(charge.basis_points).amount
    return sum(
        charge.amount * line.quantity + Money(net, currency).share(charge.basis_points).amount for line, net in paid
    )


def _compute_tax(charge: Charge, net: int, currency: str) -> int:
    if not charge.included:
        return Money(net, currency).share(charge.basis_points).amount
    # The tax included in a gross amount: gross × rate ÷ (1 + rate), rounded half up.
    rate = charge.basis_points
    return (2 * net * rate + 10_000 + rate) // (2 * (10_000 + rate))
