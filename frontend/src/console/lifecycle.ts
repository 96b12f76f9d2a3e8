// What can be done with a show: the table of deeds. Which of them its status allows, the server says (`moves`); which of
// those a person may do, their rights; what will happen, the deed itself says before it is done.

import type { Move, Show, Status } from './types';

export interface Deed {
  name: string;
  right: string;
  reason: 'needed' | 'wanted' | 'none';
  /** A date that is asked for. */
  date?: 'needed' | 'wanted';
  danger?: boolean;
  /** What such a show waits for most. */
  call?: boolean;
  title: string;
  done: string;
  told: readonly string[];
}

export const DEEDS: Record<Move, Deed> = {
  publish: {
    name: 'Publish',
    right: 'events.publish',
    reason: 'none',
    call: true,
    title: 'Publish this show?',
    done: 'The show is published.',
    told: ['Everybody sees it in the shop and in the feeds.', 'Tickets are sold within the sale window.'],
  },
  start: {
    name: 'Open the doors',
    right: 'events.publish',
    reason: 'none',
    title: 'Open the doors now?',
    done: 'The doors are open.',
    told: ['The show is live, and scans at the gates count.', 'By itself this happens when the doors’ time comes.'],
  },
  end: {
    name: 'End',
    right: 'events.publish',
    reason: 'none',
    title: 'End this show?',
    done: 'The show is over.',
    told: ['Sales and scanning stop at once.', 'It leaves the shop. This cannot be taken back.'],
  },
  reschedule: {
    name: 'Give it a new date',
    right: 'events.cancel',
    reason: 'wanted',
    date: 'needed',
    call: true,
    title: 'A new date',
    done: 'The new date is announced.',
    told: ['Everybody with a ticket is told the new date by mail.', 'Holds run again, and the sale goes on until the new date.'],
  },
  postpone: {
    name: 'Postpone',
    right: 'events.cancel',
    reason: 'needed',
    date: 'wanted',
    danger: true,
    title: 'Postpone this show?',
    done: 'The show is postponed.',
    told: ['Everybody with a ticket is told by mail; your reason stays in the house.', 'Without a new date the sale stops and holds are suspended.', 'Tickets stay valid.'],
  },
  unpublish: {
    name: 'Back to draft',
    right: 'events.publish',
    reason: 'wanted',
    title: 'Take this show back into the drafts?',
    done: 'The show is a draft again.',
    told: ['It leaves the shop, and its sale stops.', 'Refused once a ticket is sold or a place is held: then it can only be postponed or cancelled.'],
  },
  cancel: {
    name: 'Cancel the show',
    right: 'events.cancel',
    reason: 'needed',
    danger: true,
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
    right: 'events.publish',
    reason: 'none',
    title: 'Put this show away?',
    done: 'The show is archived.',
    told: ['It leaves the lists. Its orders and its audit stay.', 'This cannot be taken back.'],
  },
};

const ORDER = Object.keys(DEEDS) as Move[];

/** The deeds that are open to me with this show, what is wanted most first. */
export function deedsFor(show: Pick<Show, 'status' | 'moves' | 'rescheduled_at'>, rights: ReadonlySet<string>): Move[] {
  return ORDER.filter((move) => show.moves.includes(move) && rights.has(DEEDS[move].right) && !waitsForDate(show, move));
}

/** A postponed show comes back only once it has a new date. */
function waitsForDate(show: Pick<Show, 'status' | 'rescheduled_at'>, move: Move): boolean {
  return show.status === 'postponed' && show.rescheduled_at === null && (move === 'publish' || move === 'start');
}

export const STATES: Record<Status, { name: string; many: string; kind: 'good' | 'time' | 'bad' | 'plain' }> = {
  draft: { name: 'Draft', many: 'Drafts', kind: 'plain' },
  published: { name: 'Published', many: 'Published', kind: 'good' },
  live: { name: 'Live', many: 'Live', kind: 'good' },
  postponed: { name: 'Postponed', many: 'Postponed', kind: 'time' },
  ended: { name: 'Ended', many: 'Ended', kind: 'plain' },
  cancelled: { name: 'Cancelled', many: 'Cancelled', kind: 'bad' },
  archived: { name: 'Archived', many: 'Archived', kind: 'plain' },
};

export const SALES: Record<string, { name: string; kind: 'good' | 'time' | 'bad' | 'plain' }> = {
  on_sale: { name: 'On sale', kind: 'good' },
  upcoming: { name: 'Sale to come', kind: 'plain' },
  sold_out: { name: 'Sold out', kind: 'time' },
  suspended: { name: 'Sale suspended', kind: 'time' },
  closed: { name: 'Sale closed', kind: 'plain' },
  cancelled: { name: 'Cancelled', kind: 'bad' },
};

export interface Check {
  done: boolean;
  needed: boolean;
  text: string;
  path: string;
}

/** What a draft has, and what it lacks, before it is published. */
export function checklist(show: Show, has: { layout: boolean; types: number }, now: number): Check[] {
  const path = `/events/${show.id}`;
  return [
    { done: show.cover_image_ids.length > 0, needed: true, text: 'A picture', path: `${path}/details` },
    { done: Date.parse(show.end_at) > now, needed: true, text: 'A date that is not over', path: `${path}/details` },
    { done: has.layout, needed: false, text: 'Seats, or zones to stand in', path: `${path}/seating` },
    { done: has.types > 0, needed: false, text: 'At least one ticket type: without it nothing can be bought', path: `${path}/tickets` },
    { done: Date.parse(show.sale_end_at) > now, needed: false, text: 'A sale window that is not over', path: `${path}/details` },
  ];
}
