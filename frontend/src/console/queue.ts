// What can be ordered of a waiting room, by its state; and what its states mean.

import type { QueueRoom } from './types';
import { t } from './words/queue';

export type QueueOrder = 'open' | 'pause' | 'resume' | 'drain';
type State = QueueRoom['state'];

export const ROOMS: Record<State, { name: string; kind: 'good' | 'time' | 'bad' | 'plain'; says: string }> = {
  closed: { ...t.states.closed, kind: 'plain' },
  pre: { ...t.states.pre, kind: 'time' },
  open: { ...t.states.open, kind: 'good' },
  paused: { ...t.states.paused, kind: 'bad' },
  draining: { ...t.states.draining, kind: 'time' },
};

interface Order {
  name: string;
  title: string;
  done: string;
  danger?: boolean;
  told: readonly string[];
}

export const ORDERS: Record<QueueOrder, Order> = {
  open: t.actions.open,
  pause: { ...t.actions.pause, danger: true },
  resume: t.actions.resume,
  drain: t.actions.drain,
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
