// What an order's and a ticket's states are called.

import { t } from './words/orders';

type Kind = 'good' | 'time' | 'bad' | 'plain';

export const ORDER_STATES: Record<string, { name: string; kind: Kind }> = {
  pending: { name: t.orderStates.pending, kind: 'time' },
  paid: { name: t.orderStates.paid, kind: 'good' },
  needs_consent: { name: t.orderStates.needs_consent, kind: 'time' },
  partly_refunded: { name: t.orderStates.partly_refunded, kind: 'plain' },
  refunded: { name: t.orderStates.refunded, kind: 'plain' },
  cancelled: { name: t.orderStates.cancelled, kind: 'bad' },
};

export const TICKET_STATES: Record<string, { name: string; kind: Kind }> = {
  valid: { name: t.ticketStates.valid, kind: 'good' },
  used: { name: t.ticketStates.used, kind: 'plain' },
  cancelled: { name: t.ticketStates.cancelled, kind: 'bad' },
  refunded: { name: t.ticketStates.refunded, kind: 'bad' },
};

export const REFUND_STATES: Record<string, { name: string; kind: Kind }> = {
  requested: { name: t.refundStates.requested, kind: 'time' },
  unknown: { name: t.refundStates.unknown, kind: 'time' },
  done: { name: t.refundStates.done, kind: 'good' },
  failed: { name: t.refundStates.failed, kind: 'bad' },
  free: { name: t.refundStates.free, kind: 'plain' },
};

/** Which tickets can still be given back or cancelled. */
export const isLive = (ticket: { status: string }) => ticket.status === 'valid' || ticket.status === 'used';

/** A bill's lines as they are read: the same at the same price is one line, with how many. */
export function billed<Line extends { name: string; amount: number; quantity?: number | null; included?: boolean }>(lines: readonly Line[]): Line[] {
  const found: Line[] = [];
  for (const line of lines) {
    const each = (one: Line) => one.amount / (one.quantity ?? 1);
    const n = found.findIndex((one) => one.name === line.name && one.included === line.included && each(one) === each(line));
    if (n < 0) found.push(line);
    else found[n] = { ...found[n]!, amount: found[n]!.amount + line.amount, quantity: (found[n]!.quantity ?? 1) + (line.quantity ?? 1) };
  }
  return found;
}
