// The ledger.

import { words } from '.';
import { counted } from './spoken';

export const ledger = {
  title: 'Ledger',
  about: 'All money in and out, as double-entry bookkeeping. Entries can’t be changed.',
  theBalance: 'the balance',
  nothingBooked: 'No entries yet',
  nothingBookedMore: 'The ledger begins with the first paid order.',
  balanceIn: (currency: string) => `Balance in ${currency}`,
  earned: 'Ticket revenue',
  discountsOff: (currency: string) => `in ${currency}, after discounts`,
  onTop: 'paid on top of ticket prices',
  toRemit: 'to pay to the tax authority',
  onTheirWay: 'refunds in progress',
  allTogether: 'sum of all of these',
  to: 'Until',
  theLedger: 'the ledger',
  noEntries: 'No entries',
  noneMatch: 'No entries match these filters.',
  entries: 'Entries',
  transactions: (n: number) => counted(n, { one: 'transaction', other: 'transactions' }),

  // kinds and accounts
  paid: 'Payment',
  afterConsent: 'Payment used after the buyer accepted other seats',
  refundDecided: 'Refund created',
  refundPaidOut: 'Refund paid out',
  refundCameBack: 'Refund returned',
  organiser: 'Organisation',
  fees: 'Fees',
  taxes: 'Taxes',
  owed: 'Owed to buyers',
  at: (provider: string) => `At ${provider}`,
};

export const t = words('ledger', ledger);
