// A basket's discount, fees and taxes, as the server will bill them (tickets/pricing.py): in whole minor units, half up, on
// a line's total. What costs nothing bears no fee.

import type { Charge, PromoEffect, QuotedLine } from '../lib/contract';

interface Paid {
  amount: number;
  quantity: number;
  typeId?: string;
}

const total = (amounts: number[]) => amounts.reduce((all, amount) => all + amount, 0);
const sum = (lines: { amount: number }[]) => total(lines.map(({ amount }) => amount));
const share = (amount: number, points = 0) => Math.floor((amount * points + 5_000) / 10_000);

/** What comes with the tickets, line by line, and what all of it costs. */
export function bill(tickets: Paid[], charges: Charge[], promo: PromoEffect | null = null): { lines: QuotedLine[]; total: number } {
  const cuts = promo ? cutsOf(tickets, promo) : [];
  const nets = tickets.map((line, n) => ({ ...line, amount: line.amount - (cuts[n] ?? 0) }));
  const paid = nets.filter(({ amount }) => amount > 0);
  const off: QuotedLine[] = total(cuts) ? [{ kind: 'discount', name: promo!.code, amount: -total(cuts) }] : [];
  const fees = lines(charges, 'fee', (charge) => fee(charge, paid));
  const net = sum(nets) + sum(fees);
  const taxes = lines(charges, 'tax', ({ basis_points = 0, included }) => (included ? contained(net, basis_points) : share(net, basis_points)));
  return { lines: [...off, ...fees, ...taxes], total: net + sum(taxes.filter(({ included }) => !included)) };
}

/** What the code takes off each line: a share of it, or its part of an amount; never more than what is left of a budget. */
function cutsOf(tickets: Paid[], { basis_points: points, amount, left, ticket_type_ids: ids }: PromoEffect): number[] {
  const meant = tickets.map((line) => (!ids.length || ids.includes(line.typeId ?? '') ? line.amount : 0));
  const cuts = points ? meant.map((of) => share(of, points)) : spread(Math.min(amount ?? 0, total(meant)), meant);
  return left !== null && total(cuts) > left ? spread(left, cuts) : cuts;
}

/** An amount in proportion to `over`, to the last unit: of what does not divide evenly, the first bear a unit more each. */
function spread(amount: number, over: number[]): number[] {
  const parts = over.map((of) => Math.floor((amount * of) / (total(over) || 1)));
  let rest = amount - total(parts);
  return parts.map((part, n) => {
    const step = Math.min(rest, 1, over[n]! - part);
    rest -= step;
    return part + step;
  });
}

function lines(charges: Charge[], wanted: Charge['kind'], cost: (charge: Charge) => number): QuotedLine[] {
  const found = charges.filter(({ kind }) => kind === wanted).map((charge) => ({ kind: wanted, name: charge.name, amount: cost(charge), included: charge.included ?? false }));
  return found.filter(({ amount }) => amount);
}

function fee({ amount = 0, basis_points, per }: Charge, paid: Paid[]): number {
  if (per === 'order') return paid.length && amount + share(sum(paid), basis_points);
  return paid.reduce((all, line) => all + amount * line.quantity + share(line.amount, basis_points), 0);
}

/** Of a gross amount: gross × rate ÷ (1 + rate). */
function contained(gross: number, rate: number): number {
  return Math.floor((2 * gross * rate + 10_000 + rate) / (2 * (10_000 + rate)));
}
