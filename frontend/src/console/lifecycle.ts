// The actions on an event. The server lists those that its status allows (`moves`), the user's rights limit them, and
// each states its consequences before it is done.

import type { Move, Show, Status } from './types';
import { t } from './words/lifecycle';

export interface Deed {
  name: string;
  right: string;
  reason: 'needed' | 'wanted' | 'none';
  /** Whether a date is required or optional. */
  date?: 'needed' | 'wanted';
  danger?: boolean;
  /** The main action in this status. */
  call?: boolean;
  title: string;
  done: string;
  told: readonly string[];
}

export const DEEDS: Record<Move, Deed> = {
  publish: { ...t.actions.publish, right: 'events.publish', reason: 'none', call: true },
  start: { ...t.actions.start, right: 'events.publish', reason: 'none' },
  end: { ...t.actions.end, right: 'events.publish', reason: 'none' },
  reschedule: { ...t.actions.reschedule, right: 'events.cancel', reason: 'wanted', date: 'needed', call: true },
  postpone: { ...t.actions.postpone, right: 'events.cancel', reason: 'needed', date: 'wanted', danger: true },
  unpublish: { ...t.actions.unpublish, right: 'events.publish', reason: 'wanted' },
  cancel: { ...t.actions.cancel, right: 'events.cancel', reason: 'needed', danger: true },
  archive: { ...t.actions.archive, right: 'events.publish', reason: 'none' },
};

const ORDER = Object.keys(DEEDS) as Move[];

/** The actions that the user may do with this event, the main one first. */
export function deedsFor(show: Pick<Show, 'status' | 'moves' | 'rescheduled_at'>, rights: ReadonlySet<string>): Move[] {
  return ORDER.filter((move) => show.moves.includes(move) && rights.has(DEEDS[move].right) && !waitsForDate(show, move));
}

/** A postponed event can be published or started only once it has a new date. */
function waitsForDate(show: Pick<Show, 'status' | 'rescheduled_at'>, move: Move): boolean {
  return show.status === 'postponed' && show.rescheduled_at === null && (move === 'publish' || move === 'start');
}

export const STATES: Record<Status, { name: string; many: string; kind: 'good' | 'time' | 'bad' | 'plain' }> = {
  draft: { ...t.states.draft, kind: 'plain' },
  published: { ...t.states.published, kind: 'good' },
  live: { ...t.states.live, kind: 'good' },
  postponed: { ...t.states.postponed, kind: 'time' },
  ended: { ...t.states.ended, kind: 'plain' },
  cancelled: { ...t.states.cancelled, kind: 'bad' },
  archived: { ...t.states.archived, kind: 'plain' },
};

/** The tabs of the list of events: one status, all upcoming ones, or all. */
export type Tab = Status | 'ahead' | 'all';
const AHEAD: readonly Status[] = ['draft', 'published', 'live', 'postponed'];

export function isUnder(tab: Tab, status: Status): boolean {
  return tab === 'all' || tab === status || (tab === 'ahead' && AHEAD.includes(status));
}

export const SALES: Record<string, { name: string; kind: 'good' | 'time' | 'bad' | 'plain' }> = {
  on_sale: { name: t.onSale, kind: 'good' },
  upcoming: { name: t.notOnSaleYet, kind: 'plain' },
  sold_out: { name: t.soldOut, kind: 'time' },
  suspended: { name: t.salesPaused, kind: 'time' },
  closed: { name: t.salesEnded, kind: 'plain' },
  cancelled: { name: t.cancelled, kind: 'bad' },
};

export interface Check {
  done: boolean;
  needed: boolean;
  text: string;
  path: string;
}

/** What a draft has and lacks before it can be published. */
export function checklist(show: Show, has: { layout: boolean; types: number }, now: number): Check[] {
  const path = `/events/${show.id}`;
  return [
    { done: show.cover_image_ids.length > 0, needed: false, text: t.aPicture, path: `${path}/details` },
    { done: Date.parse(show.end_at) > now, needed: true, text: t.aDate, path: `${path}/details` },
    { done: has.layout, needed: false, text: t.seatsOrZones, path: `${path}/seating` },
    { done: has.types > 0, needed: false, text: t.aTicketType, path: `${path}/tickets` },
    { done: Date.parse(show.sale_end_at) > now, needed: false, text: t.aSaleWindow, path: `${path}/details` },
  ];
}
