// Orders and refunds.

import { words } from '.';
import { counted } from './spoken';

export const orders = {
  // the list
  orders: 'Orders',
  ofThisEvent: 'Orders of this event, newest first.',
  newestFirst: 'Newest first.',
  find: 'Search',
  findMore: 'Name, email address or order code',
  theOrders: 'the orders',
  noSuchOrders: 'No matching orders',
  noOrders: 'No orders yet',
  searchHint: 'You can search for a part of a name or email address, or for a whole order code.',
  ordersAppear: 'Orders appear here as soon as they are paid.',
  buyer: 'Buyer',
  total: 'Total',
  ordersCounted: (n: number) => counted(n, { one: 'order', other: 'orders' }),

  // states
  orderStates: { pending: 'Payment in progress', paid: 'Paid', needs_consent: 'Waiting for buyer', partly_refunded: 'Partly refunded', refunded: 'Refunded', cancelled: 'Cancelled' },
  ticketStates: { valid: 'Valid', used: 'Used', cancelled: 'Cancelled', refunded: 'Refunded' },
  refundStates: { requested: 'In progress', unknown: 'Being checked', done: 'Paid out', failed: 'Refused by the payment provider', free: 'Nothing to pay out' },

  // one order
  theOrder: 'the order',
  orderOf: (code: string) => `Order ${code}`,
  ticket: 'Ticket',
  holder: 'Holder',
  row: (row: string) => `row ${row}`,
  seat: (seat: string) => `seat ${seat}`,
  ticketsOfOrder: 'Tickets of this order',
  ticketsOncePaid: 'Tickets are created once the order is paid.',
  refunds: 'Refunds',
  refundsOfOrder: 'Refunds of this order',
  amount: 'Amount',
  summary: 'Order summary',
  whatItCost: 'Price breakdown',
  included: (name: string) => `${name} (included)`,
  paidBy: (provider: string) => `Paid by ${provider}.`,
  testNotice: 'Test payments: no money is charged or paid out.',
  paidByAt: (provider: string, when: string) => `Paid by ${provider}, ${when}.`,

  // sending and cancelling
  sendAgain: 'Resend tickets',
  sendAgainSure: 'Resend the tickets?',
  sendAgainMore: (email: string) => `${email} gets the order confirmation with all valid tickets.`,
  sendThem: 'Resend tickets',
  sentAgain: 'Tickets are being sent.',
  cancel: 'Cancel',
  cancelSure: (number: string) => `Cancel ticket ${number}?`,
  ticketRejected: 'The ticket can no longer be used to get in.',
  backOnSale: 'Its seat or spot is on sale again.',
  noRefund: 'No money is refunded. To refund it, use Refund instead.',
  cancelTicket: 'Cancel ticket',
  ticketCancelled: (number: string) => `Ticket ${number} cancelled.`,

  // refunding
  refund: 'Refund',
  refundOrder: (code: string) => `Refund order ${code}`,
  howMuch: 'Refund type',
  allOfIt: 'Full refund',
  someTickets: 'Selected tickets',
  anAmount: 'An amount (tickets stay valid)',
  noneValid: 'This order has no valid tickets.',
  amountIn: (currency: string) => `Amount in ${currency}`,
  suchAs: 'Enter an amount such as 12.50.',
  refundFeesToo: 'Also refund fees',
  forTheAudit: 'For the audit log. The buyer sees the amount, but not the reason.',
  refundOf: (left: string, tickets: string) => `of ${left} still refundable. ${tickets}`,
  ticketsCancelled: (n: number) => `${counted(n, { one: 'ticket becomes invalid', other: 'tickets become invalid' })} and can be sold again.`,
  ticketsStayValid: 'All tickets stay valid.',
  calculating: 'Calculating…',
  chooseWhat: 'Choose what to refund.',
  refundAmount: (amount: string) => `Refund ${amount}`,
  onItsWayBack: (amount: string) => `Refund of ${amount} started.`,
  onItsWayAgain: (amount: string) => `Refund of ${amount} restarted.`,
  paidOutside: 'Refunded another way',
  paidOutsideMore: 'Refunded another way…',
  paidOutsideSure: 'Mark as refunded another way?',
  anotherWay: (amount: string) => `You have refunded ${amount} yourself, for example in cash or by bank transfer.`,
  itIsFinal: 'This can’t be undone. The payment provider will not try this refund again.',
  markAsPaid: 'Mark as refunded',
  markedAsPaid: (amount: string) => `${amount} marked as refunded.`,

  // refunds of a cancelled event
  theRefunds: 'the refunds',
  ordersRefunded: 'Orders refunded',
  ofOrders: (done: string, all: string) => `${done} of ${all} orders`,
  triedAgain: (n: number) => `retrying ${n}`,
  running: 'In progress',
  nothingSold: 'Nothing was sold, so there is nothing to refund.',
  paidOutOf: (paid: string, all: string, n: string) => `${paid} of ${all} paid out, in ${n} refunds.`,
  wereRefused: (amount: string) => `The payment provider refused ${amount}.`,
  tryRefused: 'Retry refused refunds',
  triedAgainOrders: 'Orders being retried',
  again: 'Next attempt',
};

export const t = words('orders', orders);
