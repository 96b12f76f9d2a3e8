// The reports.

import { words } from '.';
import { counted } from './spoken';

export const reports = {
  title: 'Reports',
  about: 'What became of holds and checkouts, show by show. The latest date stands first.',
  oneTitle: 'Report',
  oneAbout: 'From hold to sale: what became of everything that somebody held.',
  theReports: 'the reports',
  theReport: 'the report',

  // filters
  showFrom: 'Show from',
  showUntil: 'Show until',

  // empty
  noneYet: 'Nothing to report yet',
  noneYetMore: 'Reports begin with the first show that is announced.',
  noneFits: 'No show fits',
  noneFitsMore: 'Choose another state or other dates.',
  noHolds: 'Nobody has held a place yet',
  noHoldsMore: 'The first seat that somebody takes begins the report.',

  // marks
  marks: { cancelled: 'This show was cancelled.', postponed: 'This show is postponed.' },
  because: (reason: string) => `Reason: ${reason}`,
  stoppedMore: 'What was held or in a checkout at that moment was not abandoned: it is counted as released and stopped.',
  waitingMore: 'Without a new date its holds wait, and are counted as still held.',

  // the funnel
  funnel: 'From hold to sale',
  funnelOfAll: 'From hold to sale, in the shows below',
  drawn: (title: string) => `${title}, drawn. The same numbers are in the table beside it.`,
  held: 'Held',
  inCheckout: 'Came into a checkout',
  wentOn: (part: string) => `${part} went on`,
  becameOf: 'What became of the holds',
  outcome: 'Outcome',
  holds: 'Holds',
  partOfAll: 'Of all',
  expired: 'Ran out',
  released: 'Released',
  givenBack: 'Given back',
  byHouse: 'Ended by the house',
  stillHeld: 'Still held',

  // checkouts
  checkouts: 'Checkouts',
  becameOfCheckouts: 'What became of the checkouts',
  bought: 'Bought',
  left: 'Left',
  ranOut: 'Ran out',
  stopped: 'Stopped with the show',
  open: 'Open now',
  againOnce: 'One that its buyer began again counts once.',

  // figures and columns
  holdToSale: 'Holds that became sales',
  checkoutToSale: 'Checkouts that became sales',
  abandoned: 'Checkouts abandoned',
  expiry: 'Holds that ran out',
  timeToSale: 'From hold to sale',
  timeToSaleMore: 'minutes; half were faster',
  placesSold: (n: string, of: string) => `${n} of ${of} places held`,
  ofHolds: (n: string) => `of ${n} holds`,
  ofCheckouts: (n: string) => `of ${n} checkouts`,
  soldShare: 'Became sales',
  expiredShare: 'Ran out',
  abandonedShare: 'Abandoned',
  showsCounted: (n: number) => counted(n, { one: 'show', other: 'shows' }),

  // by day
  byDay: 'By the day they were held',
  byDayTitle: 'Holds by day, and how many of them were sold',
};

export const t = words('reports', reports);
