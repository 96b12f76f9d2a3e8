// Orders, and what is given back.

import { words } from '.';
import { counted } from './spoken';

export const orders = {
  // the list
  orders: 'Orders',
  ofThisShow: 'Of this show, newest first.',
  newestFirst: 'Newest first.',
  find: 'Find',
  findMore: 'Name, e-mail or order code',
  theOrders: 'the orders',
  noSuchOrders: 'No such orders',
  noOrders: 'No orders yet',
  partWillDo: 'Part of a name or an address will do; a code must be whole.',
  standHere: 'What people buy stands here, as soon as they pay.',
  buyer: 'Buyer',
  total: 'Total',
  ordersCounted: (n: number) => counted(n, { one: 'order', other: 'orders' }),

  // states
  orderStates: { pending: 'Being paid', paid: 'Paid', needs_consent: 'Asks for consent', partly_refunded: 'Partly refunded', refunded: 'Refunded', cancelled: 'Cancelled' },
  ticketStates: { valid: 'Valid', used: 'Used', cancelled: 'Cancelled', refunded: 'Refunded' },
  refundStates: { requested: 'On its way', unknown: 'Being asked', done: 'Paid out', failed: 'Refused by the provider', free: 'Nothing to pay' },

  // one order
  theOrder: 'the order',
  orderOf: (code: string) => `Order ${code}`,
  ticket: 'Ticket',
  holder: 'Holder',
  row: (row: string) => `row ${row}`,
  seat: (seat: string) => `seat ${seat}`,
  ticketsOfOrder: 'Tickets of this order',
  ticketsOncePaid: 'There are tickets once it is paid.',
  givenBack: 'Given back',
  refundsOfOrder: 'Refunds of this order',
  amount: 'Amount',
  bill: 'Bill',
  whatItCost: 'What it cost',
  included: (name: string) => `${name} (included)`,
  paidBy: (provider: string) => `Paid by ${provider}.`,
  testNotice: 'Test payments: nobody is charged, and nothing is paid out.',
  paidByAt: (provider: string, when: string) => `Paid by ${provider}, ${when}.`,

  // sending and cancelling
  sendAgain: 'Send the tickets again',
  sendAgainSure: 'Send the tickets again?',
  sendAgainMore: (email: string) => `${email} gets the order’s letter with all tickets that are still good.`,
  sendThem: 'Send them',
  sentAgain: 'The tickets are on their way again.',
  cancel: 'Cancel',
  cancelSure: (number: string) => `Cancel ticket ${number}?`,
  letsNobodyIn: 'Its code lets nobody in from now on.',
  canBeHadAgain: 'Its place can be had again.',
  noMoneyBack: 'No money goes back: to pay it back, use Refund instead.',
  cancelTicket: 'Cancel the ticket',
  isVoid: (number: string) => `Ticket ${number} is void.`,

  // paying back
  refund: 'Refund',
  refundOrder: (code: string) => `Refund order ${code}`,
  howMuch: 'How much',
  allOfIt: 'All of it',
  someTickets: 'Some tickets',
  anAmount: 'An amount, tickets stay valid',
  noneValid: 'No ticket of this order is valid any more.',
  amountIn: (currency: string) => `Amount in ${currency}`,
  suchAs: 'Such as 12.50.',
  feesToo: 'Give the fees back, too',
  forTheAudit: 'For the audit; the buyer is told the amount, not the reason.',
  goesBack: (left: string, tickets: string) => `go back, of ${left} that are left. ${tickets}`,
  ticketsVoid: (n: number) => `${counted(n, { one: 'ticket is', other: 'tickets are' })} void at once, and their places can be had again.`,
  noneVoid: 'No ticket becomes void.',
  reckoning: 'Reckoning…',
  chooseWhat: 'Choose what goes back.',
  refundAmount: (amount: string) => `Refund ${amount}`,
  onItsWayBack: (amount: string) => `${amount} are on their way back.`,
  onItsWayAgain: (amount: string) => `${amount} are on their way again.`,
  paidOutside: 'Paid outside',
  paidOutsideMore: 'Paid outside…',
  paidOutsideSure: 'Paid outside?',
  anotherWay: (amount: string) => `The buyer got ${amount} in another way: in cash, by a transfer.`,
  itIsFinal: 'It is final: nobody tries again at the provider.',
  noteAsPaid: 'Note it as paid',
  notedAsPaid: (amount: string) => `${amount} are noted as paid.`,

  // a cancelled show's refunds
  theRefunds: 'the refunds',
  ordersGivenBack: 'Orders given back',
  ofOrders: (done: string, all: string) => `${done} of ${all} orders`,
  triedAgain: (n: number) => `${n} tried again`,
  running: 'Running',
  nothingSold: 'Nothing was sold, so nothing has to go back.',
  paidOutOf: (paid: string, all: string, n: string) => `${paid} of ${all} paid out, in ${n} refunds.`,
  wereRefused: (amount: string) => `${amount} were refused by the provider.`,
  tryRefused: 'Try the refused ones again',
  triedAgainOrders: 'Orders that are tried again',
  again: 'Again',
};

export const t = words('orders', orders);
