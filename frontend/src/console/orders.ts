// What an order's and a ticket's states are called.

type Kind = 'good' | 'time' | 'bad' | 'plain';

export const ORDER_STATES: Record<string, { name: string; kind: Kind }> = {
  pending: { name: 'Being paid', kind: 'time' },
  paid: { name: 'Paid', kind: 'good' },
  needs_consent: { name: 'Asks for consent', kind: 'time' },
  partly_refunded: { name: 'Partly refunded', kind: 'plain' },
  refunded: { name: 'Refunded', kind: 'plain' },
  cancelled: { name: 'Cancelled', kind: 'bad' },
};

export const TICKET_STATES: Record<string, { name: string; kind: Kind }> = {
  valid: { name: 'Valid', kind: 'good' },
  used: { name: 'Used', kind: 'plain' },
  cancelled: { name: 'Cancelled', kind: 'bad' },
  refunded: { name: 'Refunded', kind: 'bad' },
};

export const REFUND_STATES: Record<string, { name: string; kind: Kind }> = {
  requested: { name: 'On its way', kind: 'time' },
  unknown: { name: 'Being asked', kind: 'time' },
  done: { name: 'Paid out', kind: 'good' },
  failed: { name: 'Refused by the provider', kind: 'bad' },
  free: { name: 'Nothing to pay', kind: 'plain' },
};

/** Which tickets can still be given back or cancelled. */
export const isLive = (ticket: { status: string }) => ticket.status === 'valid' || ticket.status === 'used';
