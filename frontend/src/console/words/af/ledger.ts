import type { ledger as en } from '../ledger';
import { counted } from '../spoken';

export const ledger: typeof en = {
  title: 'Grootboek',
  about: 'Alle geld in en uit, as dubbele inskrywings. Inskrywings kan nie verander word nie.',
  theBalance: 'die saldo',
  nothingBooked: 'Nog geen inskrywings nie',
  nothingBookedMore: 'Die grootboek begin met die eerste betaalde bestelling.',
  balanceIn: (currency) => `Saldo in ${currency}`,
  earned: 'Inkomste uit kaartjies',
  discountsOff: (currency) => `in ${currency}, ná afslag`,
  onTop: 'bo-op die kaartjiepryse betaal',
  toRemit: 'moet aan die belastingowerheid betaal word',
  onTheirWay: 'terugbetalings aan die gang',
  allTogether: 'som van al hierdie bedrae',
  to: 'Tot',
  theLedger: 'die grootboek',
  noEntries: 'Geen inskrywings nie',
  noneMatch: 'Geen inskrywings pas by hierdie filters nie.',
  entries: 'Inskrywings',
  transactions: (n) => counted(n, { one: 'transaksie', other: 'transaksies' }),

  // wat geboek word, en waar
  paid: 'Betaling',
  afterConsent: 'Betaling gebruik nadat die koper ander sitplekke aanvaar het',
  refundDecided: 'Terugbetaling geskep',
  refundPaidOut: 'Terugbetaling uitbetaal',
  refundCameBack: 'Terugbetaling het teruggekom',
  organiser: 'Organisasie',
  fees: 'Fooie',
  taxes: 'Belasting',
  owed: 'Aan kopers verskuldig',
  at: (provider) => `By ${provider}`,
};
