// An event's waitlist.

import { words } from '.';
import { counted } from './spoken';

export const waitlist = {
  theWaitlist: 'the waitlist',
  title: 'Waitlist',
  isOn: 'On',
  isOff: 'Off',
  explained: {
    on: 'When the event is sold out, people can join the waitlist. Returned tickets are offered to them first, in the order in which they joined.',
    off: 'No one can join, and no tickets are offered. People already on the waitlist keep their position until you turn it on again.',
  },

  // figures
  people: (n: number) => counted(n, { one: 'person', other: 'people' }),
  offered: 'Offered',
  offeredMore: 'tickets held for them now',
  taken: 'Bought',
  takenMore: 'from an offer',
  lapsed: 'Offers expired',
  hasLeft: (n: string) => `${n} left the waitlist`,

  // settings
  howItWorks: 'Settings',
  switchedOn: 'Waitlist is on',
  window: 'Hours to accept an offer',
  windowMore: 'From 0.25 (15 minutes) to 168 (a week). Offers never last longer than the sales period. Offers already made keep their deadline.',

  // entries
  entries: 'People on the waitlist',
  theEntries: 'the waitlist entries',
  whichEntries: 'Filter entries',
  states: { waiting: 'Waiting', offered: 'Offered', taken: 'Bought', lapsed: 'Offer expired', left: 'Left' },
  entriesCounted: (n: number) => counted(n, { one: 'entry', other: 'entries' }),
  nobody: 'No one yet',
  nobodyIn: 'No one here',
  nobodyMore: 'When the event is sold out, its page invites visitors to join the waitlist.',
  email: 'Email address',
  party: 'Tickets',
  waitsFor: 'Wants',
  anySection: 'anywhere',
  wheelchair: 'wheelchair space',
  joined: 'Joined',
  answerBy: 'Offer expires',
};

export const t = words('waitlist', waitlist);
