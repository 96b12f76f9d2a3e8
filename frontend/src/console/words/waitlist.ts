// A show's waiting list.

import { words } from '.';
import { counted } from './spoken';

export const waitlist = {
  theList: 'the waiting list',
  title: 'Waiting list',
  isOn: 'On',
  isOff: 'Off',
  says: {
    on: 'Whoever finds the show sold out can wait. Places that come back are offered in the order of joining, before they are sold to everybody.',
    off: 'Nobody can join, and nobody is offered anything. Whoever waits keeps their place until it is on again.',
  },

  // in numbers
  people: (n: number) => counted(n, { one: 'person', other: 'people' }),
  offered: 'Offered',
  offeredMore: 'held for them now',
  taken: 'Bought',
  takenMore: 'what they were offered',
  lapsed: 'Let it lapse',
  hasLeft: (n: string) => `${n} left the list`,

  // how it works
  howItWorks: 'How it works',
  switchedOn: 'The show has a waiting list',
  window: 'Hours to answer an offer',
  windowMore: 'A quarter of an hour (0.25) to a week (168). Never longer than the sale. Offers that are made already keep their time.',

  // who waits
  entries: 'Who is on it',
  theEntries: 'the entries',
  whichEntries: 'Which entries',
  states: { waiting: 'Waiting', offered: 'Offered', taken: 'Bought', lapsed: 'Lapsed', left: 'Left' },
  entriesCounted: (n: number) => counted(n, { one: 'entry', other: 'entries' }),
  nobody: 'Nobody yet',
  nobodyIn: 'Nobody here',
  nobodyMore: 'When the show is sold out, its page asks people whether they want to wait.',
  party: 'Party',
  waitsFor: 'Waits for',
  anywhere: 'any place',
  wheelchair: 'wheelchair place',
  joined: 'Joined',
  answerBy: 'Answers by',
};

export const t = words('waitlist', waitlist);
