// The reports.

import { words } from '.';
import { counted } from './spoken';

export const reports = {
  title: 'Reports',
  about: 'From hold to sale, by event. Latest date first.',
  oneTitle: 'Report',
  oneAbout: 'How many holds became sales, and what happened to the others.',
  theReports: 'the reports',
  theReport: 'the report',

  // filters
  eventsFrom: 'Events from',
  eventsUntil: 'Events until',

  // empty
  noneYet: 'No reports yet',
  noneYetMore: 'An event has a report once it is published.',
  noneMatch: 'No matching events',
  noneMatchMore: 'Choose another status or other dates.',
  noHolds: 'No holds yet',
  noHoldsMore: 'The report starts with the first ticket in a basket.',

  // banners
  banners: { cancelled: 'This event was cancelled.', postponed: 'This event is postponed.' },
  because: (reason: string) => `Reason: ${reason}`,
  stoppedMore: 'Holds and checkouts open at that time are not counted as abandoned. They are counted as released and stopped.',
  waitingMore: 'Until there is a new date, its holds are paused and counted as still held.',

  // the funnel
  funnel: 'From hold to sale',
  funnelOfAll: 'From hold to sale, all events below',
  drawn: (title: string) => `Chart: ${title}. The table next to it has the same numbers.`,
  held: 'Held',
  reachedCheckout: 'Reached checkout',
  wentOn: (part: string) => `${part} continued`,
  holdOutcomes: 'Outcome of holds',
  outcome: 'Outcome',
  holds: 'Holds',
  partOfAll: 'Share',
  expired: 'Expired',
  released: 'Released',
  releasedByBuyer: 'Removed by the buyer',
  bySystem: 'Ended by the system',
  stillHeld: 'Still held',

  // checkouts
  checkouts: 'Checkouts',
  checkoutOutcomes: 'Outcome of checkouts',
  bought: 'Bought',
  left: 'Abandoned',
  ranOut: 'Expired',
  stopped: 'Stopped (event postponed or cancelled)',
  open: 'In progress',
  countedOnce: 'A checkout that a buyer restarted counts once.',

  // figures and columns
  holdToSale: 'Holds that became sales',
  checkoutToSale: 'Checkouts that became sales',
  abandoned: 'Checkouts abandoned',
  expiry: 'Holds expired',
  timeToSale: 'From hold to sale',
  timeToSaleMore: 'minutes (median)',
  ticketsSoldOfHeld: (n: string, of: string) => `${n} of ${of} tickets held`,
  ofHolds: (n: string) => `of ${n} holds`,
  ofCheckouts: (n: string) => `of ${n} checkouts`,
  soldShare: 'Became sales',
  expiredShare: 'Expired',
  abandonedShare: 'Abandoned',
  eventsCounted: (n: number) => counted(n, { one: 'event', other: 'events' }),

  // by day
  byDay: 'By day of the hold',
  byDayTitle: 'Holds by day, and how many became sales',
};

export const t = words('reports', reports);
