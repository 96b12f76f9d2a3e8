// The overview, and what needs attention.

import { words } from '.';
import { counted } from './spoken';

export const overview = {
  // the overview
  title: 'Overview',
  yourEvents: 'your events',
  createEvent: 'Create event',
  liveNow: (n: number) => `${n} live now`,
  noneLive: 'none live right now',
  soldInADay: 'Sold in the last 24 hours',
  soldUpcoming: 'Tickets sold (upcoming)',
  ofCapacity: (n: string) => `of ${n} available in total`,
  refunded: (amount: string) => `${amount} refunded`,
  ofUpcomingEvents: 'from upcoming events',
  inLiveEvents: 'at live events',
  howFarBack: 'Period',
  twoDays: 'Last 48 hours',
  month: 'Last 30 days',
  needsAttention: 'Needs attention',
  nothingNow: 'Nothing right now.',
  waitingRooms: 'Waiting rooms',
  allEvents: 'All events',
  net: 'Net',
  nothingAnnounced: 'No upcoming events are published. Your drafts are under',
  events: 'Events',

  // a new organisation
  firstEvent: 'Set up your first event',
  firstEventMore: 'Follow these steps in order. The public sees nothing until you publish.',
  steps: [
    { title: 'Add a venue', more: 'Its address, its time zone and its gates.' },
    { title: 'Create a layout', more: 'Generate its seats, or import a file. Standing areas are zones with a capacity.' },
    { title: 'Create an event', more: 'Its name, date and picture, then its ticket types. The event’s page lists what is missing before you publish.' },
    { title: 'Invite your team', more: 'At any time. A role decides what each team member can do.' },
  ],

  // what needs attention
  incidentsAtGates: (n: number) => `${counted(n, { one: 'incident', other: 'incidents' })} at the gates`,
  gateIsFull: (gate: string | null) => `Gate ${gate} is full`,
  queuePaused: (n: number) => `Waiting room paused, ${n} waiting`,
  postponedNoDate: 'Postponed: no new date yet',
  waitsForConsent: (code: string) => `Order ${code}: waiting for the buyer to accept other seats`,
  datePassed: 'Draft with a date in the past',
  draftToday: 'Still a draft, takes place today',
  draftIn: (days: number) => `Still a draft, ${counted(days, { one: 'day', other: 'days' })} to go`,
};

export const t = words('overview', overview);
