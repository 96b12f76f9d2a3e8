// An event's states and actions, and the labels of its form.

import { words } from '.';

export const lifecycle = {
  // actions
  actions: {
    publish: {
      name: 'Publish',
      title: 'Publish this event?',
      done: 'Event published.',
      told: ['It appears in the shop and in the feeds.', 'Tickets can be bought during the sales period.'],
    },
    start: {
      name: 'Open doors',
      title: 'Open the doors now?',
      done: 'The doors are open.',
      told: ['The event is live, and scans at the gates count.', 'Without this, the event goes live at its door time.'],
    },
    end: {
      name: 'End event',
      title: 'End this event?',
      done: 'The event has ended.',
      told: ['Sales and scanning stop immediately.', 'The event is removed from the shop. This can’t be undone.'],
    },
    reschedule: {
      name: 'Set new date',
      title: 'Set a new date',
      done: 'New date announced.',
      told: ['All ticket holders get an email with the new date.', 'Holds continue, and sales stay open until the new date.'],
    },
    postpone: {
      name: 'Postpone',
      title: 'Postpone this event?',
      done: 'Event postponed.',
      told: ['All ticket holders get an email. It does not include your reason.', 'Without a new date, sales stop and holds are paused.', 'Tickets stay valid.'],
    },
    unpublish: {
      name: 'Unpublish',
      title: 'Unpublish this event?',
      done: 'The event is a draft again.',
      told: ['It is removed from the shop, and sales stop.', 'Only possible while nothing is sold or held. After that, you can postpone or cancel the event.'],
    },
    cancel: {
      name: 'Cancel event',
      title: 'Cancel this event permanently?',
      done: 'Event cancelled. All orders are being refunded.',
      told: [
        'Sales stop immediately; holds and checkouts end.',
        'All orders are refunded automatically and in full, including fees.',
        'All ticket holders get an email. It does not include your reason.',
        'This can’t be undone.',
      ],
    },
    archive: {
      name: 'Archive',
      title: 'Archive this event?',
      done: 'Event archived.',
      told: ['It is removed from the lists. Its orders and its audit log are kept.', 'This can’t be undone.'],
    },
  },

  // states
  states: {
    draft: { name: 'Draft', many: 'Drafts' },
    published: { name: 'Published', many: 'Published' },
    live: { name: 'Live', many: 'Live' },
    postponed: { name: 'Postponed', many: 'Postponed' },
    ended: { name: 'Ended', many: 'Past' },
    cancelled: { name: 'Cancelled', many: 'Cancelled' },
    archived: { name: 'Archived', many: 'Archived' },
  },
  onSale: 'On sale',
  notOnSaleYet: 'Not on sale yet',
  salesPaused: 'Sales paused',
  salesEnded: 'Sales ended',

  // before it is published
  aPicture: 'A picture. Without one, a generated poster is shown',
  aDate: 'An end date in the future',
  seatsOrZones: 'A layout with seats or zones',
  aTicketType: 'At least one ticket type. Without one, nothing can be bought',
  aSaleWindow: 'A sales period that is not over',

  // form
  category: 'Category',
  addressInShop: 'Web address',
  start: 'Start',
  end: 'End',
  doors: 'Doors open',
  salesStart: 'Sales start',
  salesEnd: 'Sales end',
  dayEndsAt: 'Day ends at (for scanning)',
  replacedBy: 'Replaced by',
  pictures: 'Pictures',
};

export const t = words('lifecycle', lifecycle);
