import type { ledger as en } from '../ledger';
import { counted } from '../spoken';

export const ledger: typeof en = {
  title: 'Grootboek',
  about: 'Dubbele inskrywing, nooit verander nie: wat inkom, staan by die verskaffer, en behoort aan iemand.',
  theBalance: 'die saldo',
  nothingBooked: 'Nog niks geboek nie',
  nothingBookedMore: 'Die eerste verkoop wat iets kos, begin die grootboek.',
  balanceIn: (currency) => `Saldo in ${currency}`,
  earned: 'Met kaartjies verdien',
  discountsOff: (currency) => `in ${currency}, afslag afgetrek`,
  onTop: 'bo-op betaal',
  toPassOn: 'moet oorbetaal word',
  onTheirWay: 'terugbetalings op pad',
  allTogether: 'al die bogenoemde saam',
  to: 'Tot',
  theLedger: 'die grootboek',
  noEntries: 'Geen inskrywings nie',
  nothingFits: 'Niks is geboek wat pas nie.',
  entries: 'Inskrywings',
  transactions: (n) => counted(n, { one: 'transaksie', other: 'transaksies' }),

  // wat geboek word, en waar
  paid: 'Betaal',
  afterConsent: 'Ná toestemming geneem',
  refundDecided: 'Terugbetaling besluit',
  refundPaidOut: 'Terugbetaling uitbetaal',
  refundCameBack: 'Terugbetaling het teruggekom',
  organiser: 'Organiseerder',
  fees: 'Fooie',
  taxes: 'Belasting',
  owed: 'Aan kopers verskuldig',
  at: (provider) => `By ${provider}`,
};
