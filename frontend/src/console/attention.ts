// What needs attention, most urgent first. Pure: computed from what was loaded, and the time.

import type { FoundOrder, LiveGates, QueueRoom, Show, EventSales } from './types';
import { t } from './words/overview';

export interface Concern {
  kind: 'bad' | 'time';
  text: string;
  about: string;
  path: string;
}

interface Seen {
  shows: readonly Pick<EventSales, 'event_id' | 'name' | 'status' | 'rescheduled_at' | 'start_at'>[];
  drafts: readonly Pick<Show, 'id' | 'name' | 'start_at'>[];
  rooms: ReadonlyMap<string, QueueRoom>;
  gates: ReadonlyMap<string, LiveGates>;
  consents: readonly Pick<FoundOrder, 'id' | 'code' | 'event_name'>[];
  now: number;
}

const DAY = 86_400_000;
const SOON_DAYS = 14;

export function attention({ shows, drafts, rooms, gates, consents, now }: Seen): Concern[] {
  const found: Concern[] = [];
  for (const show of shows) {
    const path = `/events/${show.event_id}`;
    const room = rooms.get(show.event_id);
    const doors = gates.get(show.event_id);
    if (doors?.incidents) found.push({ kind: 'bad', text: t.incidentsAtGates(doors.incidents), about: show.name, path: `${path}/doors` });
    for (const gate of doors?.gates ?? []) {
      if (gate.capacity && gate.inside >= gate.capacity) found.push({ kind: 'bad', text: t.gateIsFull(gate.name), about: show.name, path: `${path}/doors` });
    }
    if (room?.state === 'paused') found.push({ kind: 'bad', text: t.queuePaused(room.now.waiting), about: show.name, path: `${path}/queue` });
    if (show.status === 'postponed' && !show.rescheduled_at) found.push({ kind: 'time', text: t.postponedNoDate, about: show.name, path });
  }
  for (const order of consents) found.push({ kind: 'time', text: t.waitsForConsent(order.code), about: order.event_name, path: `/orders/${order.id}` });
  for (const draft of drafts) {
    const days = Math.floor((Date.parse(draft.start_at) - now) / DAY);
    if (days < 0) found.push({ kind: 'time', text: t.datePassed, about: draft.name, path: `/events/${draft.id}` });
    else if (days <= SOON_DAYS) found.push({ kind: 'time', text: days === 0 ? t.draftToday : t.draftIn(days), about: draft.name, path: `/events/${draft.id}` });
  }
  return found.sort((a, b) => a.kind.localeCompare(b.kind));
}
