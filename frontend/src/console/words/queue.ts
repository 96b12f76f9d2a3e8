// The waiting room and the checkout, live.

import { words } from '.';

export const queue = {
  // the waiting room
  theWaitingRoom: 'the waiting room',
  title: 'Waiting room and checkout',
  states: {
    closed: { name: 'Off', says: 'Visitors choose tickets and buy without waiting.' },
    pre: { name: 'Waiting for opening', says: 'Visitors can join. When the waiting room opens, their positions are drawn at random.' },
    open: { name: 'Open', says: 'Visitors join the queue and are let in as slots become free.' },
    paused: { name: 'Paused', says: 'No one is let in. Visitors can still join the queue, and people already choosing can finish.' },
    draining: { name: 'Closing', says: 'No one else can join. Once everyone in the queue has been let in, the waiting room closes.' },
  },
  itOpens: (when: string, zone: string) => `Opens ${when} (${zone}).`,

  // actions
  actions: {
    open: { name: 'Open waiting room', title: 'Open the waiting room now?', done: 'Waiting room open.', told: ['From now on, visitors join the queue before they can buy.', 'People who already hold tickets are let in.', 'If people are waiting for the opening, their positions are drawn now.'] },
    pause: { name: 'Pause', title: 'Pause the waiting room?', done: 'Waiting room paused.', told: ['People already choosing can finish. No one else is let in until you resume.', 'Visitors can still join the queue.'] },
    resume: { name: 'Resume', title: 'Resume the waiting room?', done: 'Waiting room resumed.', told: ['People in the queue are let in again, in the same order.'] },
    drain: { name: 'Close', title: 'Close the waiting room?', done: 'The waiting room is closing.', told: ['People in the queue are still let in. No one else can join.', 'After that, visitors buy without waiting.'] },
  },

  // figures
  joinedInAll: (n: string) => `${n} joined in total`,
  choosing: 'Choosing or paying',
  atATime: (n: string) => `of ${n} slots`,
  letIn: 'Let in',
  notEnough: 'not enough data yet',
  aMinute: 'per minute',
  bought: 'Bought',
  leftAndExpired: (left: string, expired: string) => `${left} left, ${expired} timed out`,
  queueInNumbers: 'Figures of the waiting room',

  // checkout
  checkout: 'Checkout',
  open: 'In progress',
  startedInAll: (n: string) => `${n} started in total`,
  ticketsHeld: 'Tickets held',
  ticketsHeldMore: 'in baskets and checkouts',
  paid: 'Paid',
  paidMore: 'checkouts completed',
  abandoned: 'Abandoned',

  // settings
  howItWorks: 'Settings',
  mode: 'Waiting room',
  auto: 'automatic: opens when all slots are taken',
  on: 'always on',
  off: 'always off',
  atOnce: 'Slots',
  atOnceMore: 'How many people can choose tickets and pay at the same time.',
  timeToStart: 'Seconds to start',
  timeToStartMore: 'People who do nothing for this long after being let in lose their slot.',
  opens: 'Opening time',
  opensMore: (zone: string) => `Time zone: ${zone}. Visitors can join before; at this time their positions are drawn at random. If empty: opens now.`,
  savedMore: 'Saved. If there are now fewer slots, people who are already in can finish.',
};

export const t = words('queue', queue);
