// The ledger.

import { words } from '.';
import { counted } from './spoken';

export const ledger = {
  title: 'Ledger',
  about: 'Double entry, never changed: what comes in stands at the provider, and belongs to somebody.',
  theBalance: 'the balance',
  nothingBooked: 'Nothing booked yet',
  nothingBookedMore: 'The first sale that costs something begins the ledger.',
  balanceIn: (currency: string) => `Balance in ${currency}`,
  earned: 'Earned with tickets',
  discountsOff: (currency: string) => `in ${currency}, discounts taken off`,
  onTop: 'paid on top',
  toPassOn: 'to be passed on',
  onTheirWay: 'refunds on their way',
  allTogether: 'all of the above together',
  to: 'To',
  theLedger: 'the ledger',
  noEntries: 'No entries',
  nothingFits: 'Nothing was booked that fits.',
  entries: 'Entries',
  transactions: (n: number) => counted(n, { one: 'transaction', other: 'transactions' }),

  // what is booked, and where
  paid: 'Paid',
  afterConsent: 'Taken after consent',
  refundDecided: 'Refund decided',
  refundPaidOut: 'Refund paid out',
  refundCameBack: 'Refund came back',
  organiser: 'Organiser',
  fees: 'Fees',
  taxes: 'Taxes',
  owed: 'Owed to buyers',
  at: (provider: string) => `At ${provider}`,
};

export const t = words('ledger', ledger);
