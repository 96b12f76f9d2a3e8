// The first page, and what waits for somebody.

import { words } from '.';
import { counted } from './spoken';

export const overview = {
  // the overview
  title: 'Overview',
  yourShows: 'your shows',
  newShow: 'New show',
  liveNow: (n: number) => `${n} live now`,
  noneLive: 'none live just now',
  soldInADay: 'Sold in 24 hours',
  soldAhead: 'Sold of what is ahead',
  ofPlaces: (n: string) => `of ${n} places`,
  refunded: (amount: string) => `${amount} refunded`,
  ofShowsAhead: 'of the shows ahead',
  inLiveShows: 'in live shows',
  howFarBack: 'How far back',
  twoDays: '48 hours',
  month: '30 days',
  needsAttention: 'Needs attention',
  nothingNow: 'Nothing just now.',
  queues: 'Queues',
  allShows: 'All shows',
  net: 'Net',
  nothingAnnounced: 'Nothing is announced. Drafts are under',
  shows: 'Shows',

  // a house that begins
  firstShow: 'To the first show',
  firstShowMore: 'In this order. Nobody sees anything before you publish it.',
  steps: [
    { title: 'Add a venue', more: 'Where it is, its time zone, and the gates that people come in by.' },
    { title: 'Draw its seats', more: 'From a few numbers or from a file. Where people stand, a zone does.' },
    { title: 'Draft the show', more: 'Its name, its date and a picture; then ticket types. Its page says what is missing before it is published.' },
    { title: 'Invite the team', more: 'At any time: whoever sells, whoever scans, and who may do what.' },
  ],

  // what waits for somebody
  incidentsAtGates: (n: number) => `${counted(n, { one: 'incident', other: 'incidents' })} at the gates`,
  gateIsFull: (gate: string | null) => `Gate ${gate} is full`,
  queuePaused: (n: number) => `The queue is paused, ${n} wait`,
  postponedNoDate: 'Postponed, and without a new date',
  waitsForConsent: (code: string) => `Order ${code} waits for its buyer’s consent`,
  datePassed: 'A draft whose date has passed',
  draftToday: 'Still a draft, today',
  draftIn: (days: number) => `Still a draft, in ${counted(days, { one: 'day', other: 'days' })}`,
};

export const t = words('overview', overview);
