// The waiting room.

import { words } from '.';

export const queue = {
  // the waiting room
  theRoom: 'the waiting room',
  title: 'Queue and checkout',
  rooms: {
    closed: { name: 'No queue', says: 'People choose and buy without waiting.' },
    pre: { name: 'Gathering', says: 'People gather; their order is drawn when it opens.' },
    open: { name: 'Open', says: 'People come in by turns, as slots come free.' },
    paused: { name: 'Paused', says: 'Nobody is let in. People may still join, and those inside go on.' },
    draining: { name: 'Draining', says: 'Nobody new may join. When those who wait are served, the room closes.' },
  },
  itOpens: (when: string, zone: string) => `It opens ${when} (${zone}).`,

  // what can be ordered of it
  orders: {
    open: { name: 'Open the queue', title: 'Open the waiting room now?', done: 'The room is open.', told: ['From now on people choose by turns.', 'Whoever holds seats already is inside.', 'If people gather for a draw, it is drawn now.'] },
    pause: { name: 'Pause', title: 'Let nobody in for now?', done: 'Nobody is let in.', told: ['Those inside go on; nobody new comes in until you resume.', 'People may still join the line.'] },
    resume: { name: 'Resume', title: 'Let people in again?', done: 'People are let in again.', told: ['The line moves on from where it stood.'] },
    drain: { name: 'Drain', title: 'Take nobody new?', done: 'The room is draining.', told: ['Those who wait are served, and nobody new may join.', 'Then the room closes, and people buy without waiting.'] },
  },

  // in numbers
  joinedInAll: (n: string) => `${n} have joined in all`,
  choosing: 'Choosing and buying',
  atATime: (n: string) => `of ${n} at a time`,
  letIn: 'Let in',
  notEnough: 'not enough yet to say',
  aMinute: 'a minute',
  haveBought: 'Have bought',
  leftAndExpired: (left: string, expired: string) => `${left} left, ${expired} ran out of time`,
  lineInNumbers: 'The line in numbers',

  // at the checkout
  checkout: 'Checkout',
  open: 'Open now',
  begunInAll: (n: string) => `${n} were begun in all`,
  placesHeld: 'Places held now',
  placesHeldMore: 'in checkouts and baskets',
  paid: 'Paid',
  paidMore: 'checkouts that became orders',
  abandoned: 'Abandoned',

  // how it works
  howItWorks: 'How it works',
  room: 'The room',
  auto: 'opens by itself when slots run out',
  on: 'is on',
  off: 'is off',
  atOnce: 'People at a time',
  atOnceMore: 'So many choose and check out at once.',
  toBegin: 'Seconds to begin',
  toBeginMore: 'Whoever is let in and does nothing for so long loses the slot.',
  opens: 'Opens',
  opensMore: (zone: string) => `In ${zone}. People gather before it, and their order is drawn. Empty: now.`,
  savedMore: 'Saved. Those who are inside above a new limit finish; nobody is put out.',
};

export const t = words('queue', queue);
