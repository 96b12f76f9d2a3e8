// Fees and taxes of a basket, as the house will bill them (tickets/pricing.py): in whole minor units, half up, on a
// line's total. What costs nothing bears no fee.

import type { Charge, QuotedLine } from '../lib/contract';

interface Paid {
  amount: number;
  quantity: number;
}

const sum = (lines: { amount: number }[]) => lines.reduce((all, { amount }) => all + amount, 0);
const share = (amount: number, points = 0) => Math.floor((amount * points + 5_000) / 10_000);

/** What comes with the tickets, line by line, and what all of it costs. */
export function bill(tickets: Paid[], charges: Charge[]): { lines: QuotedLine[]; total: number } {
  const paid = tickets.filter(({ amount }) => amount > 0);
  const fees = lines(charges, 'fee', (charge) => fee(charge, paid));
  const net = sum(tickets) + sum(fees);
  const taxes = lines(charges, 'tax', ({ basis_points = 0, included }) => (included ? contained(net, basis_points) : share(net, basis_points)));
  return { lines: [...fees, ...taxes], total: net + sum(taxes.filter(({ included }) => !included)) };
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
