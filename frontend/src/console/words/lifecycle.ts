// A show’s states and deeds, and what its form is called by.

import { words } from '.';

export const lifecycle = {
  // what can be done with a show
  deeds: {
    publish: {
      name: 'Publish',
      title: 'Publish this show?',
      done: 'The show is published.',
      told: ['Everybody sees it in the shop and in the feeds.', 'Tickets are sold within the sale window.'],
    },
    start: {
      name: 'Open the doors',
      title: 'Open the doors now?',
      done: 'The doors are open.',
      told: ['The show is live, and scans at the gates count.', 'By itself this happens when the doors’ time comes.'],
    },
    end: {
      name: 'End',
      title: 'End this show?',
      done: 'The show is over.',
      told: ['Sales and scanning stop at once.', 'It leaves the shop. This cannot be taken back.'],
    },
    reschedule: {
      name: 'Give it a new date',
      title: 'A new date',
      done: 'The new date is announced.',
      told: ['Everybody with a ticket is told the new date by mail.', 'Holds run again, and the sale goes on until the new date.'],
    },
    postpone: {
      name: 'Postpone',
      title: 'Postpone this show?',
      done: 'The show is postponed.',
      told: ['Everybody with a ticket is told by mail; your reason stays in the house.', 'Without a new date the sale stops and holds are suspended.', 'Tickets stay valid.'],
    },
    unpublish: {
      name: 'Back to draft',
      title: 'Take this show back into the drafts?',
      done: 'The show is a draft again.',
      told: ['It leaves the shop, and its sale stops.', 'Refused once a ticket is sold or a place is held: then it can only be postponed or cancelled.'],
    },
    cancel: {
      name: 'Cancel the show',
      title: 'Cancel this show for good?',
      done: 'The show is cancelled. What was sold is being given back.',
      told: [
        'Sales stop at once, and holds and checkouts end.',
        'All orders are paid back in full, fees included, without further asking.',
        'Everybody with a ticket is told by mail; your reason stays in the house.',
        'This cannot be taken back.',
      ],
    },
    archive: {
      name: 'Archive',
      title: 'Put this show away?',
      done: 'The show is archived.',
      told: ['It leaves the lists. Its orders and its audit stay.', 'This cannot be taken back.'],
    },
  },

  // its states
  states: {
    draft: { name: 'Draft', many: 'Drafts' },
    published: { name: 'Published', many: 'Published' },
    live: { name: 'Live', many: 'Live' },
    postponed: { name: 'Postponed', many: 'Postponed' },
    ended: { name: 'Ended', many: 'Ended' },
    cancelled: { name: 'Cancelled', many: 'Cancelled' },
    archived: { name: 'Archived', many: 'Archived' },
  },
  onSale: 'On sale',
  saleToCome: 'Sale to come',
  saleSuspended: 'Sale suspended',
  saleClosed: 'Sale closed',

  // before it is published
  aPicture: 'A picture; until then a generated poster is used',
  aDate: 'A date that is not over',
  seatsOrZones: 'Seats, or zones to stand in',
  aTicketType: 'At least one ticket type: without it nothing can be bought',
  aSaleWindow: 'A sale window that is not over',

  // its form
  category: 'Category',
  addressInShop: 'Address in the shop',
  start: 'Start',
  end: 'End',
  doors: 'Doors',
  saleBegins: 'Sale begins',
  saleEnds: 'Sale ends',
  dayEndsAt: 'A day at the gates ends at',
  replacedBy: 'Replaced by',
  pictures: 'Pictures',
};

export const t = words('lifecycle', lifecycle);
