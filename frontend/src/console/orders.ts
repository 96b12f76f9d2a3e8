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
