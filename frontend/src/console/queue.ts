// What can be ordered of a waiting room, by its state; and what its states mean.

import type { QueueRoom } from './types';
import { t } from './words/queue';

export type QueueOrder = 'open' | 'pause' | 'resume' | 'drain';
type State = QueueRoom['state'];

export const ROOMS: Record<State, { name: string; kind: 'good' | 'time' | 'bad' | 'plain'; says: string }> = {
  closed: { ...t.rooms.closed, kind: 'plain' },
  pre: { ...t.rooms.pre, kind: 'time' },
  open: { ...t.rooms.open, kind: 'good' },
  paused: { ...t.rooms.paused, kind: 'bad' },
  draining: { ...t.rooms.draining, kind: 'time' },
};

interface Order {
  name: string;
  title: string;
  done: string;
  danger?: boolean;
  told: readonly string[];
}

export const ORDERS: Record<QueueOrder, Order> = {
  open: t.orders.open,
  pause: { ...t.orders.pause, danger: true },
  resume: t.orders.resume,
  drain: t.orders.drain,
};

const OPEN_TO: Record<State, readonly QueueOrder[]> = {
  closed: ['open'],
  pre: ['open'],
  open: ['pause', 'drain'],
  paused: ['resume', 'drain'],
  draining: ['open', 'pause'],
};

export function ordersFor(state: State): readonly QueueOrder[] {
  return OPEN_TO[state];
}
